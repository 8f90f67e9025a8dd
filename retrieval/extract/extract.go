package extract

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
)

// PDF reads the text of a PDF file. Unreadable files come back as a
// *research.Error whose Key is one of this package's codes.
type PDF interface {
	Read(ctx context.Context, data []byte) (title, text string, err error)
}

// Extractor turns bytes into documents. It is safe for concurrent use.
type Extractor struct {
	pdf PDF
	now func() time.Time
}

// New makes an extractor. pdf may be nil: PDF files are then discarded with
// that reason.
func New(pdf PDF) *Extractor { return &Extractor{pdf: pdf, now: time.Now} }

// Parse reads one file or page. name is a file name or the last part of a URL
// (the title when the content has none), mediaType the declared Content-Type
// or "", base the document's URL, against which links are resolved. The
// document's URL is base, or name when base is empty. Unusable content comes
// back as Discarded; err is only the context's error or an exhausted energy
// account. The work is metered as retrieval.
func (x *Extractor) Parse(ctx context.Context, name, mediaType string, data []byte, base string) (research.Document, *research.Discarded, error) {
	if err := ctx.Err(); err != nil {
		return research.Document{}, nil, err
	}
	in := input{name: name, mediaType: mediaType, data: data, base: base, where: base, now: x.now()}
	if in.where == "" {
		in.where = name
	}
	if len(data) > MaxBytes {
		return research.Document{}, discard(in.where, CodeTooBig, "The file has %d MB; at most %d MB are read. Split it or give the part that matters.", len(data)>>20, MaxBytes>>20), nil
	}
	ctx = energy.WithPart(ctx, energy.PartRetrieval)
	k, what := sniff(name, mediaType, data)
	if k == kindPDF {
		return x.parsePDF(ctx, in)
	}
	var doc research.Document
	var no *research.Discarded
	err := energy.DoSized(ctx, parseTime(len(data)), func() { doc, no = in.parse(k, what) })
	if errors.Is(err, energy.ErrTooLarge) {
		return research.Document{}, discard(in.where, CodeTooBig, "Reading its %.1f MB does not fit what is left of the step's energy or time. Raise the budget, or give the part that matters.", float64(len(data))/(1<<20)), nil
	}
	if err != nil {
		return research.Document{}, nil, err
	}
	return doc, no, nil
}

// parseTime bounds the CPU time of reading so many bytes: large pages were
// measured at 0.1 s per megabyte and below.
func parseTime(n int) time.Duration {
	return 2*time.Millisecond + time.Duration(n)*200*time.Millisecond/(1<<20)
}

// input is what Parse was given.
type input struct {
	name, mediaType, base, where string
	data                         []byte
	now                          time.Time
}

// remote reports content from the web. What people upload is taken as they
// mean it: a saved page must not be refused for the login box that it shows.
func (in input) remote() bool {
	return strings.HasPrefix(in.base, "http://") || strings.HasPrefix(in.base, "https://")
}

func (in input) parse(k kind, what string) (research.Document, *research.Discarded) {
	var p page
	var no *research.Discarded
	if (k == kindMarkdown || k == kindText) && len(in.data) > 2*MaxText { // also two bytes a letter
		return research.Document{}, tooLong(in.where, len(in.data))
	}
	switch k {
	case kindBinary:
		return research.Document{}, discard(in.where, CodeBinary, "The content is binary data, not text%s. Give a web page, Markdown, plain text or PDF.", labelled(in.mediaType))
	case kindUnsupported:
		return research.Document{}, discard(in.where, CodeUnsupportedType, "The file is %s, which is not read%s. Save it as HTML, Markdown, plain text or PDF.", what, labelled(in.mediaType))
	case kindHTML:
		p, no = parseHTML(in)
	case kindMarkdown:
		p = parseMarkdown(in)
	default:
		p = parsePlain(in)
	}
	if no == nil && in.remote() && k != kindHTML {
		no = judgeText(in.where, p.title, p.text)
	}
	if no != nil {
		return research.Document{}, no
	}
	return in.finish(p)
}

// page is what the readers of the single formats hand back.
type page struct {
	title, text, mediaType, published, language string
	links                                       []string
}

// minLetters is the least text that can hold a statement.
const minLetters = 20

func (in input) finish(p page) (research.Document, *research.Discarded) {
	if p.text = tidy(p.text); len(p.text) > MaxText {
		return research.Document{}, tooLong(in.where, len(p.text))
	}
	if letters(p.text, minLetters) < minLetters {
		return research.Document{}, discard(in.where, CodeEmpty, "There is no readable text in it. If the page builds its text with JavaScript, save it as a file and upload that.")
	}
	if p.title = oneLine(p.title); p.title == "" {
		p.title = fallbackTitle(in)
	}
	return research.Document{
		URL: in.where, Title: p.title, Text: p.text, MediaType: p.mediaType,
		Published: p.published, Language: languageOf(p.language, p.text), Links: p.links,
		SHA256: research.HashText(p.text),
	}, nil
}

func (x *Extractor) parsePDF(ctx context.Context, in input) (research.Document, *research.Discarded, error) {
	if x.pdf == nil {
		return research.Document{}, discard(in.where, CodeNoPDF, "PDF files are not read here. Convert it to text or HTML."), nil
	}
	title, text, err := x.pdf.Read(ctx, in.data)
	var refused *research.Error
	switch {
	case err == nil:
	case errors.As(err, &refused) && refused.Code != research.EInternal:
		return research.Document{}, discard(in.where, refused.Key, "%s", refused.Message), nil
	default:
		return research.Document{}, nil, err
	}
	p := page{title: title, text: text, mediaType: "application/pdf", published: dateInLines(text, underTitle+3, in.now)}
	doc, no := in.finish(p)
	if no != nil && no.Code == CodeEmpty {
		no = discard(in.where, CodeScannedPDF, "The PDF holds pictures of pages, no text. Run text recognition (OCR) over it and try again.")
	}
	return doc, no, nil
}

func labelled(mediaType string) string {
	if mediaType == "" {
		return ""
	}
	return " (it is labelled " + oneLine(mediaType) + ")"
}

func fallbackTitle(in input) string {
	for _, s := range []string{in.name, in.where} {
		s, _, _ = strings.Cut(s, "?")
		if b := path.Base(strings.TrimRight(s, "/")); b != "." && b != "/" && b != "" {
			return oneLine(b)
		}
	}
	return "Untitled"
}

// oneLine collapses white space and cuts overlong titles at a word.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	const most = 300
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)[:most]
	if i := strings.LastIndexByte(string(r), ' '); i > most/2 {
		return string(r)[:i] + "…"
	}
	return string(r) + "…"
}
