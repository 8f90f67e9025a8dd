package extract

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// kind is what the bytes are, whatever name and header say.
type kind int

const (
	kindText kind = iota
	kindMarkdown
	kindHTML
	kindPDF
	kindBinary      // no text at all
	kindUnsupported // a known format that we do not read
)

// signatures are formats that http.DetectContentType does not know or names
// too coarsely.
var signatures = []struct {
	prefix string
	name   string
}{
	{"{\\rtf", "an RTF document"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document"},
	{"\x7fELF", "a program"},
	{"MZ\x90", "a program"},
	{"SQLite format 3\x00", "a database"},
	{"7z\xbc\xaf\x27\x1c", "an archive"},
	{"\xfd7zXZ\x00", "an archive"},
	{"BZh", "an archive"},
	{"(\xb5/\xfd", "an archive"},
	{"%!PS", "a PostScript file"},
	{"AT&TFORM", "a DjVu document"},
}

// sniff decides by content; the media type and the name only settle what
// content leaves open (Markdown or plain text). what describes unreadable
// formats in words.
func sniff(name, mediaType string, data []byte) (k kind, what string) {
	head := data[:min(len(data), 4096)]
	// PDF readers accept the mark within the first 1,024 bytes.
	if i := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-")); i == 0 || i > 0 && bytes.Contains(data, []byte(" obj")) && !looksHTML(head) {
		return kindPDF, ""
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.prefix)) {
			return kindUnsupported, s.name
		}
	}
	if what := container(head); what != "" {
		return kindUnsupported, what
	}
	if hasBOM(head) == "" && wide(head) == "" && binary(data) {
		return kindBinary, ""
	}
	return textKind(name, mediaType, head)
}

func textKind(name, mediaType string, head []byte) (kind, string) {
	if hasBOM(head) != "" || wide(head) != "" {
		head = []byte(decode(head, ""))
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n\ufeff")
	if looksHTML(trimmed) {
		return kindHTML, ""
	}
	media, _, _ := mime.ParseMediaType(mediaType)
	if what := structured(media, trimmed); what != "" {
		return kindUnsupported, what
	}
	ext := strings.ToLower(path.Ext(name))
	switch {
	case media == "text/markdown", media == "text/x-markdown", ext == ".md", ext == ".markdown", ext == ".mdown":
		return kindMarkdown, ""
	case (media == "text/html" || media == "application/xhtml+xml") && rxAnyTag.Match(head):
		return kindHTML, ""
	case markdownMarks(head):
		return kindMarkdown, ""
	}
	return kindText, ""
}

// structured recognises data formats whose text is not prose.
func structured(media string, trimmed []byte) string {
	switch {
	case bytes.HasPrefix(trimmed, []byte("<svg")):
		return "an SVG picture"
	case bytes.HasPrefix(trimmed, []byte("<?xml")), bytes.HasPrefix(trimmed, []byte("<rss")), bytes.HasPrefix(trimmed, []byte("<feed")):
		return "an XML file"
	case strings.HasSuffix(media, "json") && (bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte("["))):
		return "a JSON file"
	case strings.HasSuffix(media, "javascript"), media == "text/css":
		return "program code"
	}
	return ""
}

func container(head []byte) string {
	switch t, _, _ := mime.ParseMediaType(http.DetectContentType(head)); {
	case t == "application/zip":
		return "a ZIP container (such as Word, Excel, EPUB or an archive)"
	case t == "application/x-gzip", t == "application/x-rar-compressed":
		return "an archive"
	case strings.HasPrefix(t, "image/"):
		return "a picture"
	case strings.HasPrefix(t, "audio/"), strings.HasPrefix(t, "video/"), t == "application/ogg":
		return "audio or video"
	case strings.HasPrefix(t, "font/"), t == "application/vnd.ms-fontobject":
		return "a font"
	}
	return ""
}

var (
	rxHTMLStart = regexp.MustCompile(`(?is)^(?:\s|<!--.*?-->|<\?xml[^>]*\?>)*<(?:!doctype\s+html|html|head|body|meta|title|link|script|style|article|main|section|nav|header|div|table|h[1-6]|p|ul|ol|span|center|font|a)[\s>/]`)
	rxAnyTag    = regexp.MustCompile(`(?i)</?(?:html|body|div|p|br|h[1-6]|table|ul|ol|span|a)\b[^<>]*>`)
	rxMarkdown  = regexp.MustCompile(`(?m)^(?:#{1,6} \S|\* {1,3}\[|[-*] \[)|\]\(https?://|^` + "```" + `|^\|[ :]*-{3,}`)
)

func looksHTML(head []byte) bool { return rxHTMLStart.Match(head) }

// markdownMarks asks for two marks, since one "# " is a comment in many files.
func markdownMarks(head []byte) bool { return len(rxMarkdown.FindAllIndex(head, 3)) >= 2 }

// binary reports bytes that no text encoding we read uses. A few stray control
// characters are common in old text files.
func binary(data []byte) bool {
	sample := data[:min(len(data), 64<<10)]
	bad := 0
	for _, c := range sample {
		switch {
		case c == 0:
			bad += 10
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1b && c != 0x08:
			bad++
		}
	}
	return bad*50 > len(sample)
}
