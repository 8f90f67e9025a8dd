package text

import (
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

// Size of passages in words: windows of at most WindowWords, a new one every
// WindowStep. A character of a script without spaces counts as half a word.
const (
	WindowWords = 120
	WindowStep  = 90
)

// Split cuts a document into overlapping passages of at most WindowWords words.
// Each carries the nearest heading above it. Start and End count code points of
// doc.Text, and research.Slice(doc.Text, Start, End) is exactly Text.
func Split(doc research.Document) []research.IndexedPassage {
	runes := []rune(doc.Text)
	units := unitsOf(runes)
	heads := headingsOf(runes)
	a := NewAnalyzer()
	title := strings.Join(a.Terms(doc.Title), " ")
	var out []research.IndexedPassage
	h := 0
	for from := 0; from < len(units); {
		to := advance(units, from, WindowWords)
		start, end := units[from].start, units[to-1].end
		for h < len(heads) && heads[h].at <= start {
			h++
		}
		p := research.Passage{
			URL: doc.URL, Title: doc.Title, Text: string(runes[start:end]),
			Start: start, End: end, Ordinal: len(out),
		}
		if h > 0 {
			p.Heading = heads[h-1].text
		}
		out = append(out, research.IndexedPassage{
			Passage:    p,
			Terms:      strings.Join(a.Terms(p.Text), " "),
			TitleTerms: strings.TrimSpace(title + " " + strings.Join(a.Terms(p.Heading), " ")),
		})
		if to == len(units) {
			break
		}
		from = max(from+1, advance(units, from, WindowStep))
	}
	return out
}

// Count is the number of passages that Split makes, found at a small part of its
// cost.
func Count(doc research.Document) int {
	units := unitsOf([]rune(doc.Text))
	n := 0
	for from := 0; from < len(units); n++ {
		if advance(units, from, WindowWords) == len(units) {
			return n + 1
		}
		from = max(from+1, advance(units, from, WindowStep))
	}
	return n
}

// maxUnit cuts words no person wrote (encoded data, link targets), so that a
// passage stays bounded in characters too.
const maxUnit = 100

// unit is a word, or one character of a script without spaces.
type unit struct {
	start, end int
	weight     int // in half words
}

func unitsOf(runes []rune) []unit {
	var out []unit
	for i := 0; i < len(runes); {
		if unicode.IsSpace(runes[i]) {
			i++
			continue
		}
		start := i
		if IsCJK(runes[i]) {
			i++
			for i < len(runes) && isTrailing(runes[i]) {
				i++
			}
			out = append(out, unit{start, i, 1})
			continue
		}
		for i < len(runes) && i < start+maxUnit && !unicode.IsSpace(runes[i]) && !IsCJK(runes[i]) {
			i++
		}
		out = append(out, unit{start, i, 2})
	}
	return out
}

// isTrailing keeps closing punctuation with the character before it.
func isTrailing(r rune) bool { return strings.ContainsRune("。、，．！？」』）ー", r) }

// advance returns the index after the units from `from` on that fit in words;
// at least one fits.
func advance(units []unit, from, words int) int {
	budget, i := 2*words, from
	for i < len(units) && budget >= units[i].weight {
		budget -= units[i].weight
		i++
	}
	return max(i, from+1)
}

type heading struct {
	at   int // code point where its line begins
	text string
}

// headingsOf finds "# …" lines and lines underlined with === or ---.
func headingsOf(runes []rune) []heading {
	var out []heading
	prev, prevAt := "", 0
	for start := 0; start < len(runes); {
		stop := start
		for stop < len(runes) && runes[stop] != '\n' {
			stop++
		}
		line := strings.TrimSpace(string(runes[start:stop]))
		if h := headingText(line); h != "" {
			out = append(out, heading{start, h})
		} else if prev != "" && len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "") {
			out = append(out, heading{prevAt, prev})
		}
		prev, prevAt = line, start
		start = stop + 1
	}
	return out
}
