package extract

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// aliases are labels found in the wild that the WHATWG table lacks.
var aliases = map[string]string{
	"cp949": "euc-kr", "ms949": "euc-kr", "x-windows-949": "euc-kr", "uhc": "euc-kr", "johab": "euc-kr",
	"cp932": "shift_jis", "ms932": "shift_jis", "sjis": "shift_jis", "shift-jis": "shift_jis", "sjis-win": "shift_jis",
	"eucjp": "euc-jp", "eucjp-win": "euc-jp", "jis": "iso-2022-jp",
	"cp936": "gb18030", "ms936": "gb18030", "gb-2312": "gb18030", "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "euc-cn": "gb18030", "hz-gb-2312": "gb18030",
	"cp950": "big5", "ms950": "big5", "big5hkscs": "big5",
	"utf8": "utf-8", "utf-8-sig": "utf-8", "utf8mb4": "utf-8", "unicode": "utf-8",
	"cp1252": "windows-1252", "ansi": "windows-1252", "x-mac-cyrillic": "windows-1251",
	"win-1251": "windows-1251", "cp-1251": "windows-1251",
}

// Labels that servers send for everything; a better hint in the page wins.
var careless = map[string]bool{"windows-1252": true, "iso-8859-1": true, "latin1": true, "us-ascii": true, "iso-8859-15": true}

// metaWindow is how far into a page its own charset declaration is believed.
// Pages put long scripts before it, so the standard's 1,024 bytes do not do.
const metaWindow = 64 << 10

var (
	rxMetaCharset   = regexp.MustCompile(`(?is)<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.\-]+)`)
	rxXMLEncoding   = regexp.MustCompile(`(?i)^\s*<\?xml[^>]{0,100}encoding\s*=\s*["']([\w:.\-]+)`)
	rxHeaderCharset = regexp.MustCompile(`(?i)charset\s*=\s*["']?\s*([\w:.\-]+)`)
)

// decode turns bytes into UTF-8 text exactly once. The order: byte order mark,
// valid UTF-8, the header's charset, the page's own declaration, detection.
// A declared charset that the bytes contradict is passed over.
func decode(data []byte, mediaType string) string {
	if name := hasBOM(data); name != "" {
		return decodeAs(data, name)
	}
	if name := wide(data); name != "" {
		return decodeAs(data, name)
	}
	if shiftsJIS(data) {
		if s := decodeAs(data, "iso-2022-jp"); !strings.ContainsRune(s, utf8.RuneError) {
			return s
		}
	}
	if utf8.Valid(data) {
		return string(data)
	}
	return decodeLegacy(data, mediaType)
}

func decodeLegacy(data []byte, mediaType string) string {
	header := label(rxHeaderCharset.FindStringSubmatch(mediaType))
	head := data[:min(len(data), metaWindow)]
	meta := label(submatch(rxMetaCharset, head))
	if meta == "" {
		meta = label(submatch(rxXMLEncoding, head))
	}
	candidates := []string{header, meta}
	if careless[header] {
		candidates = []string{meta, detect(data), header}
	} else if careless[meta] {
		candidates = []string{header, detect(data), meta}
	}
	if mostlyUTF8(data) {
		return strings.ToValidUTF8(string(data), "\ufffd")
	}
	for _, c := range append(candidates, detect(data)) {
		if c == "" || c == "utf-8" || strings.HasPrefix(c, "utf-16") {
			continue
		}
		if s := decodeAs(data, c); plausible(s) {
			return s
		}
	}
	return decodeAs(data, "windows-1252")
}

// label brings a declared charset to the name that charset.Lookup knows.
func label(match []string) string {
	if len(match) < 2 {
		return ""
	}
	l := strings.ToLower(strings.TrimSpace(match[1]))
	if a, ok := aliases[l]; ok {
		return a
	}
	if _, name := charset.Lookup(l); name != "" {
		return name
	}
	return ""
}

func submatch(rx *regexp.Regexp, b []byte) []string {
	m := rx.FindSubmatch(b)
	if m == nil {
		return nil
	}
	return []string{"", string(m[1])}
}

func hasBOM(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
}

// wide recognises UTF-16 without a mark: Western text and mark-up have a zero
// in every other byte.
func wide(b []byte) string {
	b = b[:min(len(b), 512)]
	if len(b) < 8 {
		return ""
	}
	var even, odd int
	for i, c := range b {
		if c == 0 && i%2 == 0 {
			even++
		} else if c == 0 {
			odd++
		}
	}
	switch half := len(b) / 2; {
	case odd*10 >= half*7 && even*20 <= half:
		return "utf-16le"
	case even*10 >= half*7 && odd*20 <= half:
		return "utf-16be"
	}
	return ""
}

// shiftsJIS finds the escapes of ISO-2022-JP, which is valid UTF-8 otherwise.
func shiftsJIS(b []byte) bool {
	return bytes.Contains(b, []byte("\x1b$B")) || bytes.Contains(b, []byte("\x1b$@"))
}

// mostlyUTF8 accepts text with a few broken bytes, such as a character cut in
// the middle, when nearly all other high bytes form UTF-8.
func mostlyUTF8(b []byte) bool {
	good, bad := 0, 0
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		b = b[n:]
	}
	return good > 0 && bad*20 <= good
}

// plausible rejects a decoding that produced many unreadable characters.
func plausible(s string) bool {
	bad, high := 0, 0
	for _, r := range s {
		if r >= utf8.RuneSelf {
			high++
		}
		if r == utf8.RuneError || (r >= 0x80 && r < 0xa0) || (r >= 0xe000 && r <= 0xf8ff) {
			bad++
		}
	}
	return bad*50 <= high
}

var rxTags = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^<>]*>`)

// detect guesses from the bytes. Western single-byte guesses are unreliable,
// so weak ones become windows-1252.
func detect(data []byte) string {
	sample := rxTags.ReplaceAll(data[:min(len(data), 256<<10)], []byte(" "))
	r := chardet.Detect(sample[:min(len(sample), 32<<10)])
	name := label([]string{"", r.Charset})
	weak := r.Confidence < 0.5 || (r.Confidence < 0.8 && strings.HasPrefix(strings.ToLower(r.Charset), "iso-8859-"))
	if name == "" || weak {
		return "windows-1252"
	}
	return name
}

func decodeAs(data []byte, name string) string {
	enc := lookup(name)
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return strings.ToValidUTF8(string(data), "\ufffd")
	}
	return string(out)
}

func lookup(name string) encoding.Encoding {
	switch name {
	case "utf-8":
		return unicode.UTF8BOM
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "iso-2022-jp":
		return japanese.ISO2022JP
	}
	enc, _ := charset.Lookup(name)
	if enc == nil {
		enc, _ = charset.Lookup("windows-1252")
	}
	return enc
}
