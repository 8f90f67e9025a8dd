package web

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/progrouter/progrouter/research"
)

// span is a stretch of a text in code points.
type span struct{ start, end int }

// quoteSpan is a quote's place in a snapshot.
type quoteSpan struct {
	span
	id string
}

// snapshotBlocks cuts a snapshot at its headings and marks its quotes. Quotes that
// overlap an earlier one, or whose offsets do not hold, are left unmarked.
func snapshotBlocks(s research.Source, evidence []research.Evidence) []SnapshotBlock {
	text := []rune(s.Text)
	quotes := quoteSpans(s.ID, len(text), evidence)
	var out []SnapshotBlock
	var above []int // raw levels of the headings that the next one stands under
	for _, part := range parts(s.Text) {
		b := SnapshotBlock{Segments: segments(text, part.span, quotes)}
		if part.level > 0 {
			for len(above) > 0 && above[len(above)-1] >= part.level {
				above = above[:len(above)-1]
			}
			above = append(above, part.level)
			b.Level = min(len(above)+1, 6)
		}
		if len(b.Segments) > 0 {
			out = append(out, b)
		}
	}
	return out
}

func quoteSpans(source string, length int, evidence []research.Evidence) []quoteSpan {
	var out []quoteSpan
	for _, e := range evidence {
		if e.SourceID == source && e.Start >= 0 && e.End > e.Start && e.End <= length {
			out = append(out, quoteSpan{span{e.Start, e.End}, word(e.ID)})
		}
	}
	slices.SortStableFunc(out, func(a, b quoteSpan) int { return a.start - b.start })
	end := 0
	return slices.DeleteFunc(out, func(q quoteSpan) bool {
		if q.start < end {
			return true
		}
		end = q.end
		return false
	})
}

// textPart is a stretch of a snapshot: a heading without its marks, or what
// stands between headings.
type textPart struct {
	span
	level int
}

var headingLine = regexp.MustCompile(`(?m)^(#{1,6})[ \t]+(\S[^\n]*)$`)

// parts finds the headings, which snapshots keep as Markdown lines between blank
// ones; a line of a script that begins the same way has neighbours.
func parts(text string) []textPart {
	var out []textPart
	cut := cutter{text: text}
	add := func(from, to, level int) {
		for from < to && text[from] == '\n' {
			from++
		}
		for to > from && text[to-1] == '\n' {
			to--
		}
		if to > from {
			out = append(out, textPart{span{cut.runes(from), cut.runes(to)}, level})
		}
	}
	done := 0
	for _, m := range headingLine.FindAllStringSubmatchIndex(text, -1) {
		before, after := text[max(0, m[0]-2):m[0]], text[m[1]:min(len(text), m[1]+2)]
		if before != "\n\n"[:len(before)] || after != "\n\n"[:len(after)] {
			continue
		}
		add(done, m[0], 0)
		add(m[4], m[5], m[3]-m[2])
		done = m[1]
	}
	add(done, len(text), 0)
	return out
}

// cutter turns growing byte offsets into code points.
type cutter struct {
	text        string
	bytes, past int
}

func (c *cutter) runes(at int) int {
	c.past += utf8.RuneCountInString(c.text[c.bytes:at])
	c.bytes = at
	return c.past
}

// segments cuts a stretch at the quotes that reach into it. A quote's id is used
// up by its first segment.
func segments(text []rune, part span, quotes []quoteSpan) []Segment {
	var out []Segment
	at := part.start
	add := func(end int, quoted bool, id string) {
		if end > at {
			out = append(out, Segment{Text: string(text[at:end]), Quoted: quoted, ID: id})
			at = end
		}
	}
	for i, q := range quotes {
		if q.end <= part.start || q.start >= part.end {
			continue
		}
		add(max(q.start, part.start), false, "")
		add(min(q.end, part.end), true, q.id)
		quotes[i].id = "" // the rest of it, in later blocks, is no place of its own
	}
	add(part.end, false, "")
	return out
}
