package text

import (
	"strings"
	"unicode"
)

// Span is a piece of a text. Start and End count Unicode code points; the piece
// is [Start, End).
type Span struct {
	Start, End int
	Item       bool // an item of a list, which need not be a full sentence
}

// Sentences finds the sentences of s: paragraphs and list items split at
// sentence ends. Headings, table rows, preformatted fences and link-only lines
// are not sentences. Text without sentence ends, such as a caption, is returned
// whole, so that nothing readable is lost; see Readable for what may be quoted.
func Sentences(s string) []Span {
	runes := []rune(s)
	var out []Span
	for _, b := range blocks(runes) {
		out = append(out, splitBlock(runes, b)...)
	}
	return out
}

// blocks finds the paragraphs and list items. A paragraph may run over several
// lines; a line of another kind ends it.
func blocks(runes []rune) []Span {
	var out []Span
	open, fenced := -1, false
	end := 0
	flush := func() {
		if open >= 0 {
			out = append(out, Span{Start: open, End: end})
			open = -1
		}
	}
	for start := 0; start < len(runes); {
		stop := start
		for stop < len(runes) && runes[stop] != '\n' {
			stop++
		}
		kind, body := lineKind(runes[start:stop])
		switch {
		case kind == lineFence:
			fenced = !fenced
			flush()
		case fenced || kind == lineOther:
			flush()
		case kind == lineUnderline:
			open = -1 // the paragraph above was a heading
		case kind == lineItem:
			flush()
			out = append(out, Span{Start: start + body, End: stop, Item: true})
		default:
			if open < 0 {
				open = start
			}
			end = stop
		}
		start = stop + 1
	}
	flush()
	return out
}

type kindOfLine int

const (
	lineText kindOfLine = iota
	lineItem
	lineFence
	lineUnderline // === or --- under a heading
	lineOther     // blank, heading, table row, rule, image or link only
)

// lineKind classifies a line and says where its text begins.
func lineKind(line []rune) (kindOfLine, int) {
	t := strings.TrimSpace(string(line))
	switch {
	case t == "", headingText(t) != "", strings.HasPrefix(t, "|"), strings.Contains(t, " | "):
		return lineOther, 0
	case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
		return lineFence, 0
	case len(t) >= 3 && strings.Trim(t, "=") == "", len(t) >= 3 && strings.Trim(t, "-") == "":
		return lineUnderline, 0
	case strings.Trim(t, "-*_ =") == "":
		return lineOther, 0
	}
	if n := itemMark(line); n > 0 {
		return lineItem, n
	}
	return lineText, 0
}

// itemMark returns the length of a list mark with its spaces, or 0.
func itemMark(line []rune) int {
	i := 0
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	if i >= len(line) {
		return 0
	}
	j := i
	switch {
	case strings.ContainsRune("-*+•·‣▪", line[i]):
		j = i + 1
	case unicode.IsDigit(line[i]):
		for j < len(line) && unicode.IsDigit(line[j]) {
			j++
		}
		if j-i > 3 || j >= len(line) || line[j] != '.' && line[j] != ')' {
			return 0
		}
		j++
	default:
		return 0
	}
	if j >= len(line) || line[j] != ' ' && line[j] != '\t' {
		return 0
	}
	for j < len(line) && (line[j] == ' ' || line[j] == '\t') {
		j++
	}
	return j
}

// headingText returns the words of a "# …" line, or "".
func headingText(line string) string {
	t := strings.TrimLeft(line, "#")
	if n := len(line) - len(t); n == 0 || n > 6 || !strings.HasPrefix(t, " ") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(t, "# "))
}

func splitBlock(runes []rune, b Span) []Span {
	var out []Span
	add := func(from, to int) {
		for from < to && unicode.IsSpace(runes[from]) {
			from++
		}
		for to > from && unicode.IsSpace(runes[to-1]) {
			to--
		}
		if hasLetter(runes[from:to]) {
			out = append(out, Span{Start: from, End: to, Item: b.Item})
		}
	}
	from := b.Start
	for i := b.Start; i < b.End; i++ {
		end, ok := sentenceEnd(runes, i, b)
		if !ok {
			continue
		}
		add(from, end)
		from, i = end, end-1
	}
	add(from, b.End)
	return out
}

func hasLetter(rs []rune) bool {
	for _, r := range rs {
		if unicode.IsLetter(r) {
			return true
		}
	}
	return false
}

// sentenceEnd says whether the character at i ends a sentence of the block, and
// where the next one begins. Closing quotes, brackets and footnote marks belong
// to the sentence they close.
func sentenceEnd(runes []rune, i int, b Span) (int, bool) {
	r := runes[i]
	end := i + 1
	for end < b.End && strings.ContainsRune(".!?…。！？", runes[end]) {
		end++
	}
	switch r {
	case '。', '！', '？', '｡':
		return closing(runes, end, b.End), true
	case '.', '!', '?', '…':
	default:
		return 0, false
	}
	end = closing(runes, end, b.End)
	if end >= b.End {
		return end, true
	}
	if !unicode.IsSpace(runes[end]) {
		return 0, false
	}
	next := end
	for next < b.End && unicode.IsSpace(runes[next]) {
		next++
	}
	if next >= b.End {
		return end, true
	}
	if r == '.' && end == i+1 && isAbbreviation(runes, i, b.Start) {
		return 0, false
	}
	return end, opensSentence(runes[next:b.End])
}

// closing skips what closes a sentence after its final mark: quotes, brackets,
// emphasis and footnote marks such as [3].
func closing(runes []rune, i, limit int) int {
	for i < limit {
		switch {
		case strings.ContainsRune("\"'”’»)）」』]*_", runes[i]):
			i++
		case runes[i] == '[':
			j := i + 1
			for j < limit && j < i+5 && unicode.IsDigit(runes[j]) {
				j++
			}
			if j == i+1 || j >= limit || runes[j] != ']' {
				return i
			}
			i = j + 1
		default:
			return i
		}
	}
	return i
}

// opensSentence says whether a sentence can begin with rest: not with a small
// letter, after any opening marks.
func opensSentence(rest []rune) bool {
	for _, r := range rest {
		if strings.ContainsRune("\"'“‘«(（「『[*_¿¡", r) {
			continue
		}
		return !unicode.IsLower(r) && !strings.ContainsRune(",;:.)", r)
	}
	return true
}
