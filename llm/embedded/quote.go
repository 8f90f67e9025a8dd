package embedded

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/progrouter/progrouter/retrieval/text"
)

var (
	reImage    = regexp.MustCompile(`!\[[^\]]*\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\s*\)`)
	reLinkTail = regexp.MustCompile(`\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\s*\)`)
	reAddress  = regexp.MustCompile(`<?https?://[^\s>\])]+>?`)
	reFootnote = regexp.MustCompile(`\\?\[\^?(?:\d{1,3}|[a-z]|note \d+|citation needed|update)\\?\]`)
	reTag      = regexp.MustCompile(`(?i)</?(?:a|abbr|article|aside|audio|body|button|details|fieldset|figure|figcaption|footer|form|head|header|html|iframe|input|label|link|main|meta|nav|object|option|script|section|select|source|style|svg|textarea|title|video|b|big|br|center|cite|code|del|dfn|div|em|font|hr|i|img|ins|kbd|li|math|nobr|ol|p|pre|q|ref|s|samp|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|var|wbr|h[1-6])(?:[\s/][^<>]{0,80})?>`)
	reEmptied  = regexp.MustCompile(`(^|[\s,;])\(\s*\)`)
	reGlued    = regexp.MustCompile(`\pL{2}[.!?](?:The|This|These|It|We|If|For|When|There|He|She|They|On|At|You|But|And|Our|Its|That|Here|After|Before|From|Thus)\s`)
	rePage     = regexp.MustCompile(`\bPage \d+\b`)
	reEmphasis = regexp.MustCompile(`\*{1,3}|_{2,3}|` + "`+")
	reEscape   = regexp.MustCompile(`\\([\\_*\[\](){}#+.!~$&<>|-])`)
	reSpaced   = regexp.MustCompile(`\s+([,.;:!?)])`)
	reInitials = regexp.MustCompile(`\b[A-Z]\. ?(?:[A-Z]\. ?)*[A-Z][a-z]+|[A-Z][a-z]+, [A-Z]\.`)
	reVolume   = regexp.MustCompile(`(?i)\b(?:vol\.|pp\.|no\.|ed\.|eds\.|isbn|press,|lecture notes|proc\.|\d+[–-]\d+\.$|\(\d{4}\),)`)
	reByline   = regexp.MustCompile(`^(?:\[?\d+\]?\.? )?(?:[A-Z]\. ?)+[A-Z][a-z]+`)
	reCutOff   = regexp.MustCompile(`\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|No|Vol|Fig|Sen|Gen|Rep|Gov|Lt|Col|Capt)\.$|\b[A-Z]\.$`)
	reLabel    = regexp.MustCompile(`^(?:View PDF.{0,20})?(?:Abstract|ABSTRACT|Summary|SUMMARY|Note|NOTE)\s?[:.—–-]\s*`)
)

// cleanQuote is a quote as a report shows it: one line without link targets,
// images, emphasis marks and footnote marks. No word is added or changed, so
// that the words of the result all stand in the quote.
func cleanQuote(s string) string {
	calls := reEmptied.MatchString(s) // brackets that the source left empty stay
	if strings.ContainsAny(s, "[]<>*_`\\h") {
		s = reImage.ReplaceAllString(s, " ")
		s = reFootnote.ReplaceAllString(s, "")
		s = reLinkTail.ReplaceAllString(s, "")
		s = reAddress.ReplaceAllString(s, " ")
		s = reTag.ReplaceAllString(s, " ")
		s = reEmphasis.ReplaceAllString(s, "")
		s = reEscape.ReplaceAllString(s, "$1")
		s = strings.NewReplacer("[", "", "]", "").Replace(s)
		if !calls {
			s = reEmptied.ReplaceAllString(s, "$1")
		}
	}
	return reSpaced.ReplaceAllString(tidy(s), "$1")
}

// noise are words of interfaces, not of texts.
var noise = [...]string{
	"cookie", "subscribe", "sign in", "sign up", "log in", "click here", "all rights reserved", "javascript",
	"privacy policy", "terms of use", "terms of service", "newsletter", "skip to", "read more", "share this",
	"advertisement", "your browser", "©", "page not found", "add to cart", "wayback machine", "scanned by",
	"uploaded by", "•", " | ", "»", "→", "…", " > ", "click", "download pdf", "(photo", "photo:", "photo credit", "image credit", "■", "►", "▪", "this page was last", "retrieved from", "isbn", "doi:", "捕获", "로그인", "쿠키",
}

// quotable says whether a sentence can stand in a report by itself: a whole
// statement, not a question, a heading, a menu or a fragment.
func quotable(raw, clean string, item bool) bool {
	if !text.Readable(clean) || strings.Count(raw, "](") > 8 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(clean, "\"'“‘«(「『"))
	if unicode.IsLower(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(clean, "\"'”’»)」』"))
	if strings.ContainsRune("?？", end) {
		return false
	}
	if reCutOff.MatchString(clean) {
		return false
	}
	stops := strings.ContainsRune(".!。！…．", end)
	words := wordCount(clean)
	if !stops && !(item && words >= 6 && (!isCJKText(clean) || hasVerb(clean))) || words > 80 {
		return false
	}
	return !cutMarkup(raw) && !noisy(clean) && !mostlyLinks(raw, clean) && !shouting(clean) && balanced(clean) && !isReference(clean) && !isGlued(clean)
}

// isGlued finds what lost its line ends on the way: two sentences without a
// space between, or text run into page numbers.
func isGlued(s string) bool { return reGlued.MatchString(s) || len(rePage.FindAllString(s, 2)) > 1 }

// reWholeLink finds links that are all there.
var reWholeLink = regexp.MustCompile(`\[[^\]]*\]\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\s*\)`)

// cutMarkup finds pieces cut inside a link or an image: the text of an image is
// no sentence of the page.
func cutMarkup(raw string) bool {
	if !strings.Contains(raw, "](") && !strings.Contains(raw, "![") {
		return false
	}
	rest := reWholeLink.ReplaceAllString(reImage.ReplaceAllString(raw, ""), "") // images stand inside links
	return strings.Contains(rest, "](") || strings.Contains(rest, "![")
}

func noisy(s string) bool {
	s = strings.ToLower(s)
	for _, w := range noise {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// mostlyLinks finds menus: most of their words are link texts.
func mostlyLinks(raw, clean string) bool {
	if !strings.Contains(raw, "](") {
		return false
	}
	in, linked := false, 0
	var b strings.Builder
	for _, r := range raw {
		switch {
		case r == '[':
			in = true
			b.Reset()
		case r == ']' && in:
			in = false
			linked += wordCount(b.String())
		case in:
			b.WriteRune(r)
		}
	}
	return linked*2 > wordCount(clean)
}

// shouting finds headings and bylines set in capitals or title case.
func shouting(s string) bool {
	words, capitals := 0, 0
	for _, w := range strings.Fields(s) {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(w, "\"'“‘("))
		if !unicode.IsLetter(r) {
			continue
		}
		words++
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return words >= 5 && capitals*10 > words*7 && !hasVerb(s)
}

// balanced refuses pieces cut inside a bracket or a quotation.
func balanced(s string) bool {
	open := 0
	for _, r := range s {
		switch r {
		case '(', '（', '「':
			open++
		case ')', '）', '」':
			open--
		}
		if open < 0 {
			return false
		}
	}
	return open == 0 && strings.Count(s, "“") <= strings.Count(s, "”")+1
}

// openers are words that lean on the sentence before and can be left out.
var openers = [...]string{
	"however", "moreover", "furthermore", "in addition", "additionally", "therefore", "thus", "hence",
	"consequently", "as a result", "for example", "for instance", "in fact", "indeed", "nevertheless",
	"nonetheless", "meanwhile", "similarly", "likewise", "in contrast", "on the other hand", "also",
	"finally", "in particular", "of course", "in other words", "besides", "again", "still", "instead",
	"fortunately", "unfortunately", "interestingly", "importantly", "notably", "naturally", "conversely", "accordingly",
	"overall", "that said", "after all", "by contrast", "to sum up", "in short", "in summary", "as such",
}

// openersCJK are the same in Korean, Japanese and Chinese, with what parts them
// from the sentence.
var openersCJK = [...]string{
	"물론 ", "물론, ", "또한 ", "또한, ", "그러나 ", "그러나, ", "하지만 ", "하지만, ", "따라서 ", "따라서, ", "그리고 ", "즉, ", "예를 들어 ", "예를 들어, ",
	"しかし、", "また、", "さらに、", "そのため、", "例えば、", "なお、", "但是，", "因此，", "例如，", "此外，", "然而，", "另外，",
}

// skipOpener returns how many code points of a linking opener ("However, ",
// "But ") stand at the front of s.
func skipOpener(s string) int {
	low := strings.ToLower(s[:min(len(s), 24)])
	for _, o := range openers {
		rest, ok := strings.CutPrefix(low, o+", ")
		if ok && rest != "" {
			return len(o) + 2 // openers are ASCII
		}
	}
	for _, o := range [...]string{"But ", "And "} { // small letters would begin a fragment
		if rest, ok := strings.CutPrefix(s, o); ok && rest != "" && unicode.IsLetter(rune(rest[0])) {
			return len(o)
		}
	}
	for _, o := range openersCJK {
		if rest, ok := strings.CutPrefix(s, o); ok && rest != "" {
			return utf8.RuneCountInString(o)
		}
	}
	return 0
}

// isReference finds entries of bibliographies: initials, volumes, page ranges.
func isReference(s string) bool {
	n := len(reInitials.FindAllStringIndex(s, -1)) + 2*len(reVolume.FindAllStringIndex(s, -1))
	if reByline.MatchString(s) {
		n += 2
	}
	return n >= 3 && n*12 >= wordCount(s)
}

// skipLabel returns the length of a label such as "Abstract: " in front.
func skipLabel(s string) int {
	if loc := reLabel.FindStringIndex(s[:min(len(s), 80)]); loc != nil {
		return utf8.RuneCountInString(s[:loc[1]])
	}
	return 0
}

// skipTitle returns the length of the page's title when a sentence begins with
// it and then begins again ("Vienna Vienna is the capital …").
func skipTitle(s, title string) int {
	title = strings.TrimSpace(title)
	rest, ok := strings.CutPrefix(s, title+" ")
	if title == "" || !ok || len(strings.Fields(rest)) < 5 {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(rest)
	first := strings.ToLower(firstWord(rest))
	again := first == strings.ToLower(firstWord(title)) || first == "the" || first == "a" || first == "an" || first == "in" || r == '"' || r == '“'
	if !again {
		return 0
	}
	return utf8.RuneCountInString(title) + 1
}

// hasVerb says whether a sentence seems to hold a finite verb, in English by its
// words and in Korean by how it ends. Texts in other scripts pass.
func hasVerb(s string) bool {
	if isCJKText(s) {
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }))
		return !unicode.Is(unicode.Hangul, last) || strings.ContainsRune("다요죠까음함됨임", last)
	}
	for _, w := range text.Tokens(s) {
		if verbs.has(w) || len(w) > 5 && strings.HasSuffix(w, "ed") {
			return true
		}
	}
	return false
}

var verbs = setOf(strings.Fields(`is are was were be been has have had do does did can could may might must shall should
will would became become becomes began begin begins came come comes went go goes made make makes took take takes gave
give gives got get gets said say says found find finds held hold holds kept keep keeps left leave leaves led lead leads
lost lose loses met meet meets ran run runs saw see sees sent send sends set sets show shows shown sold told wrote write
writes won win wins grew grow grows knew know knows brought bring brings built build builds broke break breaks fell fall
falls felt hit hits let lets means mean put puts read reads rose rise rises spent stood stand stands thought think thinks
uses use allows allow contains contain includes include provides provide returns return requires require works work
depends depend lies lie consists consist follows follow remains remain refers refer serves serve helps help needs need
causes cause describes describe defines define occurs occur exists exist struck died flew caught chose drew drove
won't isn't arose yields yield gives implies imply asks ask seems seem starts start stops stop turns turn wants want
appears appear features feature plays play lives live moves move contributes belongs applies apply measures measure divides divide`))
