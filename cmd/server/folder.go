package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// maxFile is the largest library file that is read, in bytes.
const maxFile = 64 << 20

// loadFolder indexes the documents of a folder and returns the collection they
// are in and what was not used. Documents that are there unchanged are left
// alone; a folder that has changed gets a new collection, so that removed files
// are gone from it.
func (a *app) loadFolder(ctx context.Context, dir string) (string, *skippedFiles, error) {
	f, err := openFolder(dir)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	docs, err := f.read(ctx, a)
	if err != nil {
		return "", nil, err
	}
	if len(docs) == 0 && f.skipped.none() {
		return "", nil, research.Errorf(research.EInvalid, "library_dir", "The folder %s holds no documents. Give a folder with HTML, Markdown, text or PDF files.", dir)
	}
	collection := "dir:" + f.path + "@" + digest(docs)
	var old string
	if _, err := a.store.GetSetting(ctx, "dir:"+f.path, &old); err != nil {
		return "", nil, fmt.Errorf("read folder state: %w", err)
	}
	for _, d := range docs {
		err := a.library.Add(ctx, collection, d)
		switch {
		case err != nil && research.CodeOf(err) == research.EInvalid:
			f.skipped.add(d.URL, skipUnusable, err.Error())
		case err != nil:
			return "", nil, err
		}
	}
	if err := a.store.SetSetting(ctx, "dir:"+f.path, collection); err != nil {
		return "", nil, fmt.Errorf("store folder state: %w", err)
	}
	if old != "" && old != collection {
		if err := a.store.RemoveCollection(ctx, old); err != nil {
			return "", nil, fmt.Errorf("remove old folder state: %w", err)
		}
	}
	return collection, &f.skipped, nil
}

// digest names a set of documents by their addresses and texts.
func digest(docs []research.Document) string {
	var b strings.Builder
	for _, d := range docs {
		b.WriteString(d.URL + "\n" + d.SHA256 + "\n")
	}
	return research.HashText(b.String())[:16]
}

// folder is a --library folder while it is read. Files are opened inside of it
// only, wherever links point.
type folder struct {
	path    string // absolute, without links
	root    *os.Root
	skipped skippedFiles
	linked  map[string]bool // files that are read by a link to them
}

func openFolder(dir string) (*folder, error) {
	refuse := func() error {
		return research.Errorf(research.EInvalid, "library_dir", "%s is not a folder that can be read. Give a folder with HTML, Markdown, text or PDF files.", dir)
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", dir, err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, refuse()
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, refuse()
	}
	return &folder{path: path, root: root, skipped: skippedFiles{folder: path}, linked: map[string]bool{}}, nil
}

// Close lets go of the folder.
func (f *folder) Close() { _ = f.root.Close() }

func (f *folder) url(rel string) string {
	return libraryScheme + strings.ToValidUTF8(filepath.ToSlash(filepath.Join(f.path, rel)), "\uFFFD")
}

func (f *folder) skip(rel, code, format string, args ...any) {
	f.skipped.add(f.url(rel), code, fmt.Sprintf(format, args...))
}

// read makes documents of every file but hidden ones, and notes the rest.
func (f *folder) read(ctx context.Context, a *app) (docs []research.Document, err error) {
	err = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		rel := filepath.FromSlash(name)
		at := rel // what is opened
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			f.skip(rel, skipUnreadable, "It cannot be read: %s.", reasonOf(err))
			return nil
		case name != "." && hidden(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			if at = f.target(rel); at == "" {
				return nil
			}
		case !d.Type().IsRegular():
			f.skip(rel, skipNoFile, "It is a pipe, a socket or a device, not a file.")
			return nil
		}
		doc, ok, err := f.document(ctx, a, rel, at)
		if ok {
			docs = append(docs, doc)
		}
		return err
	})
	return docs, err
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") && name != "." && name != ".." }

// reasonOf is the system's word for what went wrong, without the path.
func reasonOf(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// target is the file a link leads to, relative to the folder, or "" when it is
// not to be read: one outside, one that is read by its own name, a folder.
func (f *folder) target(rel string) string {
	full, err := filepath.EvalSymlinks(filepath.Join(f.path, rel))
	if err != nil {
		f.skip(rel, skipLinkBroken, "It is a link that leads nowhere.")
		return ""
	}
	to, err := filepath.Rel(f.path, full)
	if err != nil || !filepath.IsLocal(to) {
		f.skip(rel, skipLinkOutside, "It is a link out of the folder. Copy the file into the folder, or give its own folder as --library too.")
		return ""
	}
	info, err := f.root.Stat(to)
	switch {
	case err != nil:
		f.skip(rel, skipUnreadable, "It cannot be read: %s.", reasonOf(err))
	case info.IsDir():
		f.skip(rel, skipLinkFolder, "It is a link to a folder, and such links are not followed.")
	case !info.Mode().IsRegular():
		f.skip(rel, skipNoFile, "It is a pipe, a socket or a device, not a file.")
	case !onHiddenPath(to), f.linked[to]:
		f.skip(rel, skipLinkTwice, "It is a link to a file of the folder that is read already.")
	default:
		f.linked[to] = true
		return to
	}
	return ""
}

func onHiddenPath(rel string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if hidden(part) {
			return true
		}
	}
	return false
}

// document reads one file; ok is false when it is not used, which is then noted.
func (f *folder) document(ctx context.Context, a *app, rel, at string) (doc research.Document, ok bool, err error) {
	data, err := f.bytes(at)
	if err != nil {
		f.skip(rel, skipUnreadable, "It cannot be read: %s.", reasonOf(err))
		return doc, false, nil
	}
	if len(data) > maxFile {
		f.skip(rel, skipTooBig, "The file has more than %d MB. Split it.", maxFile>>20)
		return doc, false, nil
	}
	doc, no, err := a.extractor.Parse(ctx, filepath.Base(rel), "", data, "")
	if err != nil {
		return doc, false, fmt.Errorf("read %s: %w", rel, err)
	}
	if no != nil {
		f.skip(rel, no.Code, "%s", no.Reason)
		return doc, false, nil
	}
	doc.URL, doc.SHA256 = f.url(rel), research.HashText(doc.Text)
	return doc, true, nil
}

// bytes reads a file, one byte more than allowed at most.
func (f *folder) bytes(at string) ([]byte, error) {
	file, err := f.root.Open(at)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	return io.ReadAll(io.LimitReader(file, maxFile+1))
}
