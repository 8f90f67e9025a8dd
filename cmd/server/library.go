package main

import (
	"context"
	"errors"
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

// loadFolder indexes the documents of a folder and returns the collection they
// are in and what could not be read. Documents that are there unchanged are left
// alone; a folder that has changed gets a new collection, so that removed files
// are gone from it.
func (a *app) loadFolder(ctx context.Context, dir string) (string, []research.Discarded, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, fmt.Errorf("resolve %s: %w", dir, err)
	}
	docs, skipped, err := a.readFolder(ctx, root)
	if err != nil {
		return "", skipped, err
	}
	if len(docs) == 0 && len(skipped) == 0 {
		return "", nil, research.Errorf(research.EInvalid, "library_dir", "The folder %s holds no documents. Give a folder with HTML, Markdown, text or PDF files.", dir)
	}
	collection := "dir:" + root + "@" + digest(docs)
	var old string
	if _, err := a.store.GetSetting(ctx, "dir:"+root, &old); err != nil {
		return "", skipped, fmt.Errorf("read folder state: %w", err)
	}
	for _, d := range docs {
		err := a.library.Add(ctx, collection, d)
		switch {
		case err != nil && research.CodeOf(err) == research.EInvalid:
			skipped = append(skipped, research.Discarded{URL: d.URL, Code: "unusable", Reason: err.Error()})
		case err != nil:
			return "", skipped, err
		}
	}
	if err := a.store.SetSetting(ctx, "dir:"+root, collection); err != nil {
		return "", skipped, fmt.Errorf("store folder state: %w", err)
	}
	if old != "" && old != collection {
		if err := a.store.RemoveCollection(ctx, old); err != nil {
			return "", skipped, fmt.Errorf("remove old folder state: %w", err)
		}
	}
	return collection, skipped, nil
}

// digest names a set of documents by their addresses and texts.
func digest(docs []research.Document) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(d.URL + "\n" + d.SHA256 + "\n")
	}
	return research.HashText(b.String())[:16]
}

// readFolder reads every file below root but hidden ones.
func (a *app) readFolder(ctx context.Context, root string) (docs []research.Document, skipped []research.Discarded, err error) {
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, nil, research.Errorf(research.EInvalid, "library_dir", "%s is not a folder that can be read. Give a folder with HTML, Markdown, text or PDF files.", root)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			skipped = append(skipped, unreadable(path, err))
			return nil
		case path != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		doc, no, err := a.readFile(ctx, path)
		if no != nil {
			skipped = append(skipped, *no)
		} else if err == nil {
			docs = append(docs, doc)
		}
		return err
	})
	return docs, skipped, err
}

func unreadable(path string, err error) research.Discarded {
	return research.Discarded{URL: libraryScheme + filepath.ToSlash(path), Code: "unreadable", Reason: "The file cannot be read: " + err.Error()}
}

// maxFile is the largest library file that is read, in bytes.
const maxFile = 64 << 20

func (a *app) readFile(ctx context.Context, path string) (research.Document, *research.Discarded, error) {
	url := libraryScheme + filepath.ToSlash(path)
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return research.Document{}, &research.Discarded{URL: url, Code: "too_big", Reason: fmt.Sprintf("The file has %d MB; at most %d MB are read.", info.Size()>>20, maxFile>>20)}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		no := unreadable(path, err)
		return research.Document{}, &no, nil
	}
	doc, err := a.readDocument(ctx, url, filepath.Base(path), "", data)
	if err != nil && research.CodeOf(err) == research.EInvalid {
		return doc, &research.Discarded{URL: url, Code: "unusable", Reason: err.Error()}, nil
	}
	return doc, nil, err
}
