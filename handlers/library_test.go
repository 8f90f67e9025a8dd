package handlers

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"
)

// upload sends files as pairs of a name and a content.
func (s *site) upload(files ...string) answer {
	s.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		part, err := w.CreateFormFile("files", files[i])
		if err != nil {
			s.Fatal(err)
		}
		if _, err := part.Write([]byte(files[i+1])); err != nil {
			s.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		s.Fatal(err)
	}
	return s.do("POST", "/library", b.String(), "Content-Type", w.FormDataContentType())
}

func TestUpload(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.upload(`C:\docs\guide.md`, "# Guide", "../../b.html", "<p>x</p>", "bad.pdf", "broken")
	s.want(a, 200)
	if len(s.store.uploaded) != 2 || s.store.uploaded["guide.md"] == nil || s.store.uploaded["b.html"] == nil {
		t.Errorf("stored %v", s.store.uploaded)
	}
	if !strings.Contains(a.body, "bad.pdf cannot be read: it is damaged") {
		t.Errorf("no word about the damaged file\n%.2000s", a.body)
	}
	s.want(s.upload("bad.pdf", "broken"), 422)
	a = s.upload("huge.txt", strings.Repeat("x", 1<<20+1))
	s.want(a, 422)
	if !strings.Contains(a.body, "huge.txt is larger than 1 MB") {
		t.Errorf("no word about the size\n%.2000s", a.body)
	}
	s.want(s.upload("huge.txt", strings.Repeat("x", 4<<20)), 413)
	a = s.upload("none", "")
	s.want(a, 200)
}

func TestUploadFaults(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.upload()
	s.want(a, 422)
	if !strings.Contains(a.body, "No file was chosen") {
		t.Errorf("page\n%.2000s", a.body)
	}
	s.want(s.post("/library", url.Values{"files": {"x"}}), 400)
	s.want(s.do("POST", "/library", "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\ncut", "Content-Type", "multipart/form-data; boundary=b"), 400)
	a = s.upload("x.txt", "disk")
	s.want(a, 500)
	if strings.Contains(a.body, "secret") {
		t.Error("the cause is shown")
	}
	var many []string
	for i := range uploadFiles + 1 {
		many = append(many, fmt.Sprintf("f%d.txt", i), "x")
	}
	a = s.upload(many...)
	s.want(a, 200)
	if len(s.store.uploaded) != uploadFiles || !strings.Contains(a.body, "Only the first 20 files") {
		t.Errorf("%d files stored", len(s.store.uploaded))
	}
}

func TestRemoveDocument(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.want(s.post("/library/remove", url.Values{"url": {"library:gone"}}), 404)
	a := s.post("/library/remove", url.Values{"url": {"library:handbook/a.md"}})
	s.want(a, 303)
	if len(s.store.library) != 0 || a.Header.Get("Location") != "/library" {
		t.Errorf("library %v, leads to %s", s.store.library, a.Header.Get("Location"))
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.md": "a.md", "../../etc/passwd": "passwd", `C:\x\y.pdf`: "y.pdf", "..": "unnamed", "": "unnamed", "/": "unnamed",
		"a\x00\nb.txt": "ab.txt", "보고서.pdf": "보고서.pdf", "\xff.txt": "�.txt",
	} {
		if got := fileName(in); got != want {
			t.Errorf("fileName(%q) = %q, want %q", in, got, want)
		}
	}
}
