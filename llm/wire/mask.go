package wire

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

const (
	masked    = "[key]"
	maxDetail = 300 // characters of the server's words that are kept
)

// keyLike finds what looks like a secret: the prefixes keys commonly have, also
// where the server starred the middle out, and whatever follows Bearer.
var keyLike = regexp.MustCompile(`(?i)\b(?:(?:sk|pk|rk|gsk|xai|hf|key|nvapi|pplx|csk|tok)[-_][a-z0-9_\-*…]{6,}|aiza[a-z0-9_\-*…]{8,})|\bbearer\s+[^\s"',]+`)

// mask hides a key in a server's words.
type mask struct {
	forms []string
	start *regexp.Regexp // a word that begins like the key, as some servers echo it
}

func newMask(key string) mask {
	key = strings.TrimSpace(key)
	if len(key) < 4 {
		return mask{}
	}
	m := mask{forms: []string{key}}
	if e := url.QueryEscape(key); e != key {
		m.forms = append(m.forms, e)
	}
	if len(key) >= 16 {
		m.start = regexp.MustCompile(regexp.QuoteMeta(key[:8]) + `[^\s"',]*`)
	}
	return m
}

func (m mask) hide(s string) string {
	for _, f := range m.forms {
		s = strings.ReplaceAll(s, f, masked)
	}
	if m.start != nil {
		s = m.start.ReplaceAllString(s, masked)
	}
	return keyLike.ReplaceAllString(s, masked)
}

// detail makes a server's words fit to be shown: one line, short, no secrets.
func (m mask) detail(s string) string {
	s = m.hide(strings.ToValidUTF8(s, "�"))
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > maxDetail {
		s = string(r[:maxDetail-1]) + "…"
	}
	return s
}
