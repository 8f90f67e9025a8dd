package handlers

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

func (s *Server) libraryPage(c echo.Context) error {
	return s.renderLibrary(c, http.StatusOK, web.LibraryInput{})
}

// renderLibrary fills in the list; in carries what an action left to say.
func (s *Server) renderLibrary(c echo.Context, status int, in web.LibraryInput) error {
	ctx := c.Request().Context()
	in.Text = clip(c.QueryParam("q"), 500)
	in.Limit, in.Offset, in.MaxBytes = pageSize, (pageNumber(c)-1)*pageSize, s.cfg.UploadLimit
	in.Folder = s.deps.Setup.Settings(ctx).Data
	var err error
	if in.Documents, in.Total, err = s.deps.Library.Documents(ctx, in.Text, in.Limit, in.Offset); err != nil {
		return err
	}
	return render(c, status, web.LibraryPage(web.NewLibraryView(s.newPage(c, web.NavLibrary), in)))
}

func (s *Server) removeDocument(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	if err := s.deps.Library.RemoveDocument(c.Request().Context(), values.Get("url")); err != nil {
		return s.libraryTrouble(c, web.LibraryInput{}, err)
	}
	leaveFlash(c, "document_removed")
	return seeOther(c, "/library")
}

// libraryTrouble says on the library's page what went wrong, beside what went
// well before it.
func (s *Server) libraryTrouble(c echo.Context, in web.LibraryInput, err error) error {
	status, shown := s.classify(c, err)
	in.Error = web.ErrorText(s.localizer(c), shown)
	return s.renderLibrary(c, status, in)
}

// uploadTotal is the size of a whole upload.
func (s *Server) uploadTotal() int64 { return 2*s.cfg.UploadLimit + formLimit }

// uploadDocuments stores every file that can be used and says why the others
// cannot. Files are read one at a time, never kept on disk.
func (s *Server) uploadDocuments(c echo.Context) error {
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return s.libraryTrouble(c, web.LibraryInput{}, badForm(err))
	}
	l := s.localizer(c)
	var in web.LibraryInput
	added := 0
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return s.libraryTrouble(c, in, s.uploadBroken(err))
		}
		if part.FormName() != "files" || part.FileName() == "" {
			continue
		}
		if len(in.Results) == uploadFiles {
			in.Error = web.ErrorText(l, tooManyFiles())
			break
		}
		result, err := s.addPart(c, l, part)
		if err != nil {
			return s.libraryTrouble(c, in, err)
		}
		if result.Error == "" {
			added++
		}
		in.Results = append(in.Results, result)
	}
	if len(in.Results) == 0 {
		in.Error = web.ErrorText(l, research.Errorf(research.EInvalid, "no_file", "No file was chosen. Choose HTML, Markdown, text or PDF files.").At("files"))
	}
	status := http.StatusOK
	if added == 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.renderLibrary(c, status, in)
}

func tooManyFiles() *research.Error {
	return research.Errorf(research.EInvalid, "many_files", "Only the first %d files were read. Upload the others afterwards.", uploadFiles).
		With(map[string]any{"Max": uploadFiles})
}

// addPart reads one file. Its own faults go into the result; an error means that
// the upload itself or our storage failed.
func (s *Server) addPart(c echo.Context, l *i18n.Localizer, part *multipart.Part) (web.UploadResult, error) {
	name := fileName(part.FileName())
	result := web.UploadResult{Name: name}
	data, err := io.ReadAll(io.LimitReader(part, s.cfg.UploadLimit+1))
	if err != nil {
		return result, s.uploadBroken(err)
	}
	if int64(len(data)) > s.cfg.UploadLimit {
		result.Error = web.ErrorText(l, fileTooLarge(name, s.cfg.UploadLimit))
		return result, nil
	}
	mediaType, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type"))
	doc, err := s.deps.Uploads.Add(c.Request().Context(), name, mediaType, data)
	switch {
	case err == nil:
		result.Passages = doc.Passages
	case research.CodeOf(err) == research.EInternal:
		return result, fmt.Errorf("upload %q: %w", name, err)
	default:
		result.Error = web.ErrorText(l, err)
	}
	return result, nil
}

func fileTooLarge(name string, limit int64) *research.Error {
	return research.Errorf(research.EInvalid, "file_large", "%s is larger than %s. Split it, or put it into a folder and give that as --library.", name, byteSize(limit)).
		At("files").With(map[string]any{"Name": name, "Limit": byteSize(limit)})
}

func (s *Server) uploadBroken(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return withStatus(http.StatusBadRequest, research.Errorf(research.EInvalid, "upload_broken", "The upload broke off. Check the connection and send the files again.").Wrap(err))
}

// fileName keeps the last element of a name, whichever system it came from.
func fileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\\", "/"))
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	if strings.Trim(s, "./") == "" {
		return "unnamed"
	}
	return clip(s, 200)
}
