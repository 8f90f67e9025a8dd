package extract

import (
	"strings"
	"unicode"
)

// tidy makes the text format canonical: no control characters, no trailing
// spaces, never more than one blank line.
func tidy(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n").Replace(s)
	var b strings.Builder
	b.Grow(len(s))
	blank := 2
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRightFunc(strings.Map(visible, line), unicode.IsSpace)
		if line == "" {
			blank++
			continue
		}
		switch {
		case b.Len() == 0:
		case blank > 0:
			b.WriteString("\n\n")
		default:
			b.WriteByte('\n')
		}
		blank = 0
		b.WriteString(line)
	}
	return b.String()
}

// visible drops characters that nobody sees and that break comparing quotes.
func visible(r rune) rune {
	switch {
	case r == '\t', r == '\n':
		return r
	case r == '\u00a0', r == '\u202f', r == '\u2007':
		return ' '
	case r == '\u00ad', r == '\ufeff', r == '\u200b', r == '\u2060', r == 0xfffe, r == 0xffff:
		return -1
	case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0xfff0 && r <= 0xfffb:
		return -1
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return -1 // direction overrides can make a quote read otherwise
	}
	return r
}

// letters counts letters and digits, up to most.
func letters(s string, most int) int {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n >= most {
				break
			}
		}
	}
	return n
}

// languageOf trusts the script over a declared language that it contradicts:
// many Korean and Japanese pages say lang="en". Latin text keeps what was
// declared, or nothing.
func languageOf(declared, text string) string {
	declared, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(declared)), "-")
	declared, _, _ = strings.Cut(declared, "_")
	if len(declared) > 3 || strings.ContainsFunc(declared, func(r rune) bool { return r < 'a' || r > 'z' }) {
		declared = ""
	}
	var all, hangul, kana, han int
	for i, r := range text {
		if i > 20_000 {
			break
		}
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		switch {
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		}
	}
	switch {
	case all == 0:
		return declared
	case hangul*10 > all*3:
		return "ko"
	case kana*10 > all*2:
		return "ja"
	case han*10 > all*3 && declared != "ja" && declared != "ko" && declared != "yue":
		return "zh"
	}
	return declared
}
