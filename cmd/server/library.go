package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// readDocument turns a file into a document. Unusable ones are EInvalid errors
// with the reason.
func (a *app) readDocument(ctx context.Context, url, name, mediaType string, data []byte) (research.Document, error) {
	doc, no, err := a.extractor.Parse(ctx, name, mediaType, data, "")
	if err != nil {
		return doc, fmt.Errorf("read %s: %w", name, err)
	}
	if no != nil {
		return doc, research.Errorf(research.EInvalid, "discarded."+no.Code, "%s was not added: %s", name, no.Reason).
			With(map[string]any{"Name": name, "Reason": no.Reason})
	}
	doc.URL, doc.SHA256 = url, research.HashText(doc.Text)
	return doc, nil
}

// addDocument reads, indexes and stores a document.
func (a *app) addDocument(ctx context.Context, collection, url, name, mediaType string, data []byte) (research.LibraryDocument, error) {
	doc, err := a.readDocument(ctx, url, name, mediaType, data)
	if err != nil {
		return research.LibraryDocument{}, err
	}
	if !a.unchanged(ctx, doc) {
		if err := a.library.Add(ctx, collection, doc); err != nil {
			return research.LibraryDocument{}, namedAfter(name, err)
		}
	}
	return research.LibraryDocument{
		URL: doc.URL, Title: doc.Title, Collection: collection, MediaType: doc.MediaType,
		SHA256: doc.SHA256, Passages: text.Count(doc), Bytes: len(doc.Text),
	}, nil
}

// namedAfter lets a refusal speak of the file as its owner calls it, not of the
// address it has here.
func namedAfter(name string, err error) error {
	var e *research.Error
	if !errors.As(err, &e) || e.Key != "document_empty" {
		return err
	}
	return research.Errorf(e.Code, e.Key, "%s holds no text, so there is nothing to search. If it is a scan, add a version with text.", name).
		With(map[string]any{"Name": name})
}

// unchanged spares indexing a document that is stored as it is. Addresses of the
// handbook and of uploads belong to one collection each.
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
