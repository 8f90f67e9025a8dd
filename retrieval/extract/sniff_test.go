package extract

import (
	"strings"
	"testing"
)

func TestSniff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, media, data string
		want                    kind
	}{
		{"pdf without suffix", "download", "text/html", "%PDF-1.5\n%\xe2\xe3", kindPDF},
		{"pdf after junk", "x.pdf", "", "\x00\x00junk\n%PDF-1.4\n1 0 obj", kindPDF},
		{"words about pdf", "notes.txt", "text/plain", "A file starts with %PDF-1.4 and ends with EOF.", kindText},
		{"html as text", "page.txt", "text/plain", "\n <!DOCTYPE html><html><body><p>x", kindHTML},
		{"html after a comment", "", "", "<!-- hello --><html><p>x", kindHTML},
		{"html fragment", "", "", "<p>One paragraph.</p>", kindHTML},
		{"xhtml", "", "application/xhtml+xml", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html>`, kindHTML},
		{"html by header", "", "text/html", "Some words <br> and more <a href=x>here</a>", kindHTML},
		{"markdown by name", "readme.md", "", "Just words", kindMarkdown},
		{"markdown by header", "", "text/markdown; charset=utf-8", "Just words", kindMarkdown},
		{"markdown by marks", "", "text/plain", "# Title\n\nSee [this](https://example.org/a).", kindMarkdown},
		{"shell comment is no heading", "run", "", "# starts the server\nexec server", kindText},
		{"plain", "a.txt", "text/plain", "Plain words.", kindText},
		{"binary as html", "page.html", "text/html", "<html>" + strings.Repeat("\x00\x01\x02\x8f", 200), kindBinary},
		{"random bytes", "", "", strings.Repeat("\x01\x00\xfe\x10", 100), kindBinary},
		{"png as html", "", "text/html", "\x89PNG\r\n\x1a\n\x00\x00", kindUnsupported},
		{"docx", "a.docx", "", "PK\x03\x04\x14\x00", kindUnsupported},
		{"old word", "a.doc", "", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", kindUnsupported},
		{"gzip", "a.html", "text/html", "\x1f\x8b\x08\x00", kindUnsupported},
		{"rtf", "a.txt", "text/plain", `{\rtf1\ansi`, kindUnsupported},
		{"json", "", "application/json", `{"a": 1}`, kindUnsupported},
		{"feed", "", "application/rss+xml", `<?xml version="1.0"?><rss><channel>`, kindUnsupported},
		{"svg", "", "text/html", `<svg xmlns="x"><text>hi</text></svg>`, kindUnsupported},
		{"elf", "", "", "\x7fELF\x02", kindUnsupported},
		{"mp4", "", "", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", kindUnsupported},
		{"empty", "", "", "", kindText},
		{"utf-16 html", "", "", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", kindHTML},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, _ := sniff(tt.file, tt.media, []byte(tt.data)); got != tt.want {
				t.Errorf("sniff = %v, want %v", got, tt.want)
			}
		})
	}
}
