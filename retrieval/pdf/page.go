package pdf

import (
	"math"
	"strings"
	"unicode/utf16"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// divided marks a line end inside a word, in place of the hyphen.
const divided = "\x02"

// line is one line of text on a page. Positions are in points from the lower
// left; known says whether they were found.
type line struct {
	text   string
	x0, x1 float64
	y      float64 // baseline of the first character
	end    float64 // baseline of the last one; lower where a divided word joined two lines
	size   float64 // of the font
	known  bool
}

// page reads the lines of one page. A page that cannot be read is left out.
func (f *file) page(index int) {
	loaded, err := f.instance.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: f.doc, Index: index})
	if err != nil {
		return
	}
	defer func() { _, _ = f.instance.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()
	tp, err := f.instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &loaded.Page}})
	if err != nil {
		return
	}
	defer func() { _, _ = f.instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: tp.TextPage}) }()
	count, err := f.instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: tp.TextPage})
	if err != nil || count.Count <= 0 {
		return
	}
	text, err := f.instance.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: tp.TextPage, StartIndex: 0, Count: count.Count})
	if err != nil {
		return
	}
	lines := f.locate(tp.TextPage, strings.TrimRight(text.Text, "\x00"), count.Count)
	for _, l := range lines {
		f.size += len(l.text)
	}
	f.lines = append(f.lines, lines)
}

// locate splits a page's text into lines and finds where each stands.
func (f *file) locate(tp references.FPDF_TEXTPAGE, text string, count int) []line {
	var lines []line
	at := 0 // index of the line's first character on the page
	for raw := range strings.SplitSeq(text, "\n") {
		width := len(utf16.Encode([]rune(raw))) + 1
		l := line{text: strings.TrimRight(raw, "\r")}
		lead := len(l.text) - len(strings.TrimLeft(l.text, " "))
		first := at + lead
		last := at + len(utf16.Encode([]rune(strings.TrimRight(l.text, " \x02")))) - 1
		l.text = strings.TrimSpace(strings.Map(printable, strings.ReplaceAll(l.text, "\u00ad", divided)))
		if l.text != "" {
			f.place(tp, &l, first, last, count)
			lines = append(lines, l)
		}
		at += width
	}
	return lines
}

// place looks up a line's position. The page's own character numbers can run
// ahead of the text's by a few, so the first character is searched for nearby.
func (f *file) place(tp references.FPDF_TEXTPAGE, l *line, first, last, count int) {
	want, _ := firstRune(l.text)
	shift := -1
	for d := range 12 {
		if first+d >= count {
			return
		}
		u, err := f.instance.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: tp, Index: first + d})
		if err == nil && rune(u.Unicode) == want {
			shift = d
			break
		}
	}
	if shift < 0 {
		return
	}
	first, last = first+shift, min(last+shift, count-1)
	origin, err := f.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: tp, Index: first})
	if err != nil {
		return
	}
	end, err := f.instance.FPDFText_GetCharBox(&requests.FPDFText_GetCharBox{TextPage: tp, Index: max(first, last)})
	if err != nil {
		return
	}
	below, err := f.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: tp, Index: max(first, last)})
	if err != nil {
		return
	}
	size, err := f.instance.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: tp, Index: first})
	if err != nil {
		return
	}
	l.x0, l.x1, l.y, l.end, l.size = origin.X, end.Right, origin.Y, below.Y, size.FontSize
	// Many programs write fonts of size 1 and scale them by a matrix.
	if m, err := f.instance.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: tp, Index: first}); err == nil {
		if scale := math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D)); scale > 0 {
			l.size *= scale
		}
	}
	l.known = l.size > 0
}

func firstRune(s string) (rune, bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

func printable(r rune) rune {
	if r < 0x20 && r != '\t' && r != '\x02' || r == 0x7f || r == 0xad || r == 0xfffe || r == 0xffff || r == 0xfffd {
		return -1
	}
	return r
}
