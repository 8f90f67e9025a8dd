// Package static owns the files browsers load: the style sheet, the scripts and
// the icon, embedded and served under content-hashed addresses. It must not
// know pages or routes.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Prefix is where Handler is mounted.
const Prefix = "/static/"

//go:embed css/*.css js/*.js vendor/*.js img/*.svg
var files embed.FS

// asset is a file ready to send. gz is nil where compressing does not pay.
type asset struct {
	name, mediaType string
	body, gz        []byte
}

// catalogue is built once, on first use, from the embedded files.
type catalogue struct {
	urls   map[string]string // plain name → address
	hashed map[string]asset  // path below Prefix → file
}

var assets = sync.OnceValue(func() catalogue { return index(files) })

// URL is the address of an asset by its plain name ("app.css"). The address
// changes with the content, so browsers may keep it for ever. Unknown names get
// an address that answers 404.
func URL(name string) string {
	if u, ok := assets().urls[name]; ok {
		return u
	}
	return Prefix + name
}

// Names lists the plain names of every asset.
func Names() []string {
	names := make([]string, 0, len(assets().urls))
	for name := range assets().urls {
		names = append(names, name)
	}
	return names
}

func index(files fs.FS) catalogue {
	c := catalogue{urls: map[string]string{}, hashed: map[string]asset{}}
	// The file system is embedded: walking it cannot fail.
	_ = fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		name := path.Base(p)
		key := hashedName(name, body)
		c.urls[name] = Prefix + key
		c.hashed[key] = asset{name: name, mediaType: mediaType(name), body: body, gz: compress(body)}
		return nil
	})
	return c
}

// hashedName puts 12 hex digits of the content's hash before the extension.
func hashedName(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
}

// mediaType is fixed here, because the system's table may be wrong or empty and
// browsers refuse scripts and styles of another type.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil || w.Close() != nil || b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

// Handler serves GET and HEAD of every asset below Prefix, for a year under its
// hashed address. Anything else is 404.
func Handler() http.Handler { return http.HandlerFunc(serve) }

func serve(w http.ResponseWriter, r *http.Request) {
	a, ok := assets().hashed[strings.TrimPrefix(r.URL.Path, Prefix)]
	if !ok || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.mediaType)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	if a.gz != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(a.gz)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(a.gz) // a reader that left is no fault of ours
		}
		return
	}
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(a.body))
}
