package text

import (
	"strings"
	"unicode"
)

// isAbbreviation says whether the full stop at i belongs to an abbreviation or
// an initial rather than to a sentence.
func isAbbreviation(runes []rune, i, from int) bool {
	start := i
	for start > from && (unicode.IsLetter(runes[start-1]) || runes[start-1] == '.') {
		start--
	}
	w := string(runes[start:i])
	if w == "" {
		return false
	}
	if n := len([]rune(w)); n == 1 && unicode.IsUpper(runes[start]) {
		// "J. Smith" goes on, "vitamin C. It" does not: the next word tells.
		return !startsWithCommonOpener(runes, i+1)
	}
	if strings.Contains(w, ".") { // e.g. i.e. U.S. p.m.
		lw := strings.ToLower(w)
		if lw == "e.g" || lw == "i.e" {
			return true
		}
		return !startsWithCommonOpener(runes, i+1)
	}
	return titleAbbreviation(strings.ToLower(w))
}

// startsWithCommonOpener says whether the next word is one that commonly opens a
// sentence and is no part of a name.
func startsWithCommonOpener(runes []rune, i int) bool {
	for i < len(runes) && unicode.IsSpace(runes[i]) {
		i++
	}
	j := i
	for j < len(runes) && unicode.IsLetter(runes[j]) {
		j++
	}
	w := string(runes[i:j])
	if w == "" || !unicode.IsUpper(runes[i]) || j == i+1 && w != "A" && w != "I" {
		return false
	}
	return IsStop(strings.ToLower(w)) || w == "However" || w == "After" || w == "Before"
}

func titleAbbreviation(w string) bool {
	switch w {
	case "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "gen", "col", "capt", "lt", "sgt", "rev", "hon", "gov", "sen", "rep",
		"vs", "etc", "approx", "ca", "cf", "al", "fig", "figs", "eq", "eqs", "no", "nos", "vol", "vols", "pp", "p", "ch", "sec", "ed", "eds",
		"inc", "ltd", "co", "corp", "dept", "univ", "assn", "bros",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"mt", "ft", "e", "i", "v", "viz", "resp", "min", "max", "est":
		return true
	}
	return false
}
