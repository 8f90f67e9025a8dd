package pdf

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// Keys of the research.Error that Read returns for unreadable files.
const (
	KeyEncrypted = "encrypted_pdf"
	KeyBroken    = "broken_pdf"
	KeySlow      = "slow_pdf"
)

// Config bounds a Reader. Zero values take the defaults named.
type Config struct {
	// CacheDir keeps the compiled engine (about 40 MB) between starts; "" does
	// without.
	CacheDir string
	MaxPages int           // pages read of one file; default 400
	MaxText  int           // bytes of text read of one file; default 4 MB
	Timeout  time.Duration // per file; default 60 s
	Idle     time.Duration // until the engine is let go; default 60 s
}

// Reader reads PDF files, one at a time. It is safe for concurrent use.
type Reader struct {
	cfg    Config
	engine *engine
	turn   chan struct{}
}

// New makes a reader; nothing is started yet.
func New(cfg Config) *Reader {
	if cfg.MaxPages <= 0 {
		cfg.MaxPages = 400
	}
	if cfg.MaxText <= 0 {
		cfg.MaxText = 4 << 20
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = time.Minute
	}
	if cfg.Idle <= 0 {
		cfg.Idle = time.Minute
	}
	return &Reader{cfg: cfg, engine: &engine{cacheDir: cfg.CacheDir, idle: cfg.Idle}, turn: make(chan struct{}, 1)}
}

// Close lets the engine go once the file in work is done.
func (r *Reader) Close() { r.engine.close() }

// Read returns a file's title ("" when it names none) and its text: paragraphs
// separated by blank lines, headings as "# …" lines by font size. Of a file
// beyond the limits on pages, text or time the part within them is returned.
// A file that cannot be read is a research.Error with code EInvalid and one of
// the keys above; other errors are the context's, an exhausted energy account
// or faults of the engine.
func (r *Reader) Read(ctx context.Context, data []byte) (title, text string, err error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return "", "", ctx.Err()
	}
	type result struct {
		title, text string
		err         error
	}
	done := make(chan result, 1)
	until := time.Now().Add(r.cfg.Timeout)
	go func() {
		defer func() { <-r.turn }()
		var out result
		out.title, out.text, out.err = r.read(ctx, data, until)
		done <- out
	}()
	// A call into the engine cannot be interrupted. When one page takes far too
	// long, the caller is let go; the next file waits for its end.
	limit := time.NewTimer(r.cfg.Timeout + r.cfg.Timeout/4)
	defer limit.Stop()
	select {
	case out := <-done:
		return out.title, out.text, out.err
	case <-ctx.Done():
		return "", "", ctx.Err()
	case <-limit.C:
		return "", "", research.Errorf(research.EInvalid, KeySlow, "The PDF takes longer than %d s to read. Split it, or convert it to text.", int(r.cfg.Timeout.Seconds()))
	}
}

func (r *Reader) read(ctx context.Context, data []byte, until time.Time) (title, text string, err error) {
	ctx = energy.WithPart(ctx, energy.PartRetrieval)
	f := file{reader: r, until: until}
	defer f.close()
	var opened error
	if err := energy.Do(ctx, func() { opened = f.open(ctx, data) }); err != nil {
		return "", "", err
	}
	if opened != nil {
		return "", "", opened
	}
	for i := range min(f.pages, r.cfg.MaxPages) {
		if f.size > r.cfg.MaxText || (i > 0 && time.Now().After(until)) {
			break
		}
		if err := energy.Do(ctx, func() { f.page(i) }); err != nil {
			return "", "", err
		}
	}
	err = energy.Do(ctx, func() {
		text = compose(f.lines)
		title = pickTitle(f.meta, f.lines)
	})
	return title, text, err
}

// file is an open document.
type file struct {
	reader   *Reader
	instance pdfium.Pdfium
	doc      references.FPDF_DOCUMENT
	pages    int
	meta     string
	until    time.Time
	lines    [][]line // per page
	size     int
}

func (f *file) open(ctx context.Context, data []byte) error {
	instance, err := f.reader.engine.take(ctx)
	if err != nil {
		return err
	}
	f.instance = instance
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return unreadable(err)
	}
	f.doc = opened.Document
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: f.doc})
	if err != nil || count.PageCount < 1 {
		return unreadable(pdfiumerrors.ErrFormat)
	}
	f.pages = count.PageCount
	if m, err := instance.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: f.doc, Tag: "Title"}); err == nil {
		f.meta = strings.TrimSpace(m.Value)
	}
	return nil
}

func (f *file) close() {
	if f.instance != nil {
		f.reader.engine.put(f.instance)
	}
}

func unreadable(err error) error {
	if errors.Is(err, pdfiumerrors.ErrPassword) || errors.Is(err, pdfiumerrors.ErrSecurity) {
		return research.Errorf(research.EInvalid, KeyEncrypted, "The PDF is protected by a password. Save a copy without one and try again.").Wrap(err)
	}
	return research.Errorf(research.EInvalid, KeyBroken, "The PDF is damaged or incomplete. Download or export it again.").Wrap(err)
}
