package export

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// escape makes text literal in CommonMark and GitHub Markdown, at any place of
// a line, inside tables too. HTML is written as entities, because careless
// renderers ignore a backslash before "<".
func escape(s string) string {
	rs := []rune(oneLine(s))
	var b strings.Builder
	for i, r := range rs {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&' && startsEntity(rs[i+1:]):
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*[]|~", r), r == '_' && !insideWord(rs, i), i == 0 && strings.ContainsRune("#+-=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return escapeListNumber(b.String())
}

func startsEntity(rest []rune) bool {
	return len(rest) > 0 && (rest[0] == '#' || unicode.IsLetter(rest[0]))
}

// insideWord reports an underscore within a name such as archive_mode, which
// Markdown leaves alone.
func insideWord(rs []rune, i int) bool {
	word := func(k int) bool {
		return k >= 0 && k < len(rs) && (unicode.IsLetter(rs[k]) || unicode.IsDigit(rs[k]))
	}
	return word(i-1) && word(i+1)
}

var listNumber = regexp.MustCompile(`^([0-9]{1,9})([.)])( |$)`)

func escapeListNumber(s string) string { return listNumber.ReplaceAllString(s, `$1\$2$3`) }

// link writes a Markdown link to a web address, and plain text for anything
// else: library documents cannot be opened, and other schemes might run code.
func link(title, address string) string {
	u, ok := webAddress(address)
	if !ok {
		if oneLine(address) == title {
			return code(address)
		}
		return escape(title) + " (" + code(address) + ")"
	}
	return "[" + escape(title) + "](<" + angle.Replace(u) + ">)"
}

var angle = strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C", " ", "%20")

// webAddress returns the address when it is http or https.
func webAddress(address string) (string, bool) {
	address = oneLine(address)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false
	}
	return address, true
}

// code writes a code span; the fence is longer than any run of backticks inside.
func code(s string) string {
	s = oneLine(s)
	fence, run := "`", 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		if run++; run >= len(fence) {
			fence = strings.Repeat("`", run+1)
		}
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}
