package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/docs/handbook"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

const (
	handbookCollection = "handbook"
	uploadsCollection  = "uploads"
	libraryScheme      = "library:"
)

// loadHandbook puts the bundled handbook into the library; documents that are
// there already and unchanged cost next to nothing.
func (a *app) loadHandbook(ctx context.Context) error {
	return fs.WalkDir(handbook.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := handbook.Files.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read handbook: %w", err)
		}
		_, err = a.addDocument(ctx, handbookCollection, libraryScheme+"handbook/"+path, path, "text/markdown", data)
		return err
	})
}

// addDocument reads, indexes and stores a document. Unusable ones are EInvalid
// errors with the reason.
func (a *app) addDocument(ctx context.Context, collection, url, name, mediaType string, data []byte) (research.LibraryDocument, error) {
	doc, no, err := a.extractor.Parse(ctx, name, mediaType, data, "")
	if err != nil {
		return research.LibraryDocument{}, fmt.Errorf("read %s: %w", name, err)
	}
	if no != nil {
		return research.LibraryDocument{}, research.Errorf(research.EInvalid, "discarded."+no.Code, "%s was not added: %s", name, no.Reason).
			With(map[string]any{"Name": name, "Reason": no.Reason})
	}
	doc.URL = url
	if doc.SHA256 = research.HashText(doc.Text); a.unchanged(ctx, doc) {
		return libraryRow(collection, doc), nil
	}
	if err := a.library.Add(ctx, collection, doc); err != nil {
		return research.LibraryDocument{}, err
	}
	return libraryRow(collection, doc), nil
}

func libraryRow(collection string, doc research.Document) research.LibraryDocument {
	return research.LibraryDocument{
		URL: doc.URL, Title: doc.Title, Collection: collection, MediaType: doc.MediaType,
		SHA256: doc.SHA256, Passages: len(text.Split(doc)), Bytes: len(doc.Text),
	}
}

// unchanged spares indexing a document that is stored as it is.
func (a *app) unchanged(ctx context.Context, doc research.Document) bool {
	old, err := a.library.Document(ctx, doc.URL)
	return err == nil && old.SHA256 == doc.SHA256
}

// Add stores an uploaded file.
func (a *app) Add(ctx context.Context, name, mediaType string, data []byte) (research.LibraryDocument, error) {
	name = cleanName(name)
	return a.addDocument(ctx, uploadsCollection, libraryScheme+"uploads/"+name, name, mediaType, data)
}

// cleanName keeps the last path element without control characters.
func cleanName(name string) string {
	name = filepath.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if name == "" || name == "." || name == "/" {
		return "document"
	}
	return name
}

// loadFolder reads every document of a folder into a collection of its own and
// returns the collection's name and what could not be read.
func (a *app) loadFolder(ctx context.Context, dir string) (string, []research.Discarded, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, fmt.Errorf("resolve %s: %w", dir, err)
	}
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return "", nil, research.Errorf(research.EInvalid, "library_dir", "%s is not a folder that can be read. Give a folder with HTML, Markdown, text or PDF files.", dir)
	}
	collection := "dir:" + root
	var skipped []research.Discarded
	added := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			skipped = append(skipped, research.Discarded{URL: libraryScheme + path, Code: "unreadable", Reason: "The file cannot be read: " + err.Error()})
			return nil
		}
		if hidden(d.Name()) && path != root {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		ok, no, err := a.loadFile(ctx, collection, path)
		if no != nil {
			skipped = append(skipped, *no)
		}
		if ok {
			added++
		}
		return err
	})
	if err != nil {
		return "", skipped, err
	}
	if added == 0 && len(skipped) == 0 {
		return "", nil, research.Errorf(research.EInvalid, "library_dir", "The folder %s holds no documents. Give a folder with HTML, Markdown, text or PDF files.", dir)
	}
	return collection, skipped, nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// maxFile is the largest library file that is read, in bytes.
const maxFile = 64 << 20

func (a *app) loadFile(ctx context.Context, collection, path string) (bool, *research.Discarded, error) {
	url := libraryScheme + filepath.ToSlash(path)
	info, err := os.Stat(path)
	if err != nil {
		return false, &research.Discarded{URL: url, Code: "unreadable", Reason: "The file cannot be read: " + err.Error()}, nil
	}
	if info.Size() > maxFile {
		return false, &research.Discarded{URL: url, Code: "too_big", Reason: fmt.Sprintf("The file has %d MB; at most %d MB are read.", info.Size()>>20, maxFile>>20)}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false, &research.Discarded{URL: url, Code: "unreadable", Reason: "The file cannot be read: " + err.Error()}, nil
	}
	_, err = a.addDocument(ctx, collection, url, filepath.Base(path), "", data)
	if research.CodeOf(err) == research.EInvalid && err != nil {
		return false, &research.Discarded{URL: url, Code: "unusable", Reason: err.Error()}, nil
	}
	return err == nil, nil, err
}
