package extract

import (
	"bytes"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/progrouter/progrouter/research"
)

// keptShare is how much of the pruned text readability must keep to be
// believed; below it, it has lost part of a reference-style page. From
// sameShare on, both found the same text, and the pruned one has its headings
// and tables whole.
const (
	keptShare = 0.8
	sameShare = 0.95
)

// Readability sees only pages within these bounds: its search grows faster
// than the page, and hostile pages nest without end.
const (
	readabilityMax      = 2 << 20 // bytes
	readabilityElements = 40_000
	readabilityDepth    = 120
)

// parseHTML takes the main text of a page: readability's choice, unless that
// loses text which pruning of navigation keeps.
func parseHTML(in input) (page, *research.Discarded) {
	source := decode(in.data, in.mediaType)
	root, err := parseTree(source)
	if err != nil {
		return page{}, discard(in.where, CodeUnsupportedType, "The page's mark-up cannot be read. Save it as plain text or PDF.")
	}
	doc := goquery.NewDocumentFromNode(root)
	base := baseOf(doc, in.base)
	p := page{
		mediaType: "text/html",
		title:     titleOf(doc),
		language:  declaredLanguage(doc),
		links:     linksOf(doc, base, in.base),
	}
	facts := factsOf(doc)
	p.published = publishedOf(doc, in.now)
	main := prune(doc) // doc is pruned in place from here on
	pruned := renderText(main)
	p.text = pruned
	if len(source) <= readabilityMax {
		p.text = choose(readable(source, base), pruned)
	}
	p.text = withoutTitle(p.text, p.title)
	if p.published == "" {
		p.published = dateInLines(p.text, underTitle, in.now)
	}
	if in.remote() {
		if no := judgePage(in.where, p, facts); no != nil {
			return page{}, no
		}
	}
	return p, nil
}

// parseTree parses mark-up; pages nested too deeply for the parser are
// flattened first.
func parseTree(source string) (*html.Node, error) {
	root, err := html.Parse(strings.NewReader(source))
	if err == nil {
		return root, nil
	}
	return html.Parse(strings.NewReader(flatten(source)))
}

// readable is readability's text in our format, "" when it finds none.
func readable(source string, base *url.URL) string {
	root, err := parseTree(source)
	if err != nil || !modest(root) {
		return ""
	}
	stripChrome(goquery.NewDocumentFromNode(root))
	parser := readability.NewParser()
	parser.KeepClasses = true // the renderer tells footnote marks by them
	article, err := parser.ParseAndMutate(root, base)
	if err != nil || article.Node == nil {
		return ""
	}
	return renderText(article.Node)
}

// modest reports a page within readability's bounds.
func modest(root *html.Node) bool {
	elements, deepest := 0, 0
	var visit func(*html.Node, int)
	visit = func(n *html.Node, depth int) {
		deepest = max(deepest, depth)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode {
				elements++
				visit(c, depth+1)
			}
		}
	}
	visit(root, 0)
	return elements <= readabilityElements && deepest <= readabilityDepth
}

// choose takes readability's text where it left out something besides the main
// text and nothing of its structure.
func choose(read, pruned string) string {
	share := weight(read) / max(1, weight(pruned))
	if share < keptShare || share >= sameShare && share <= 1/sameShare {
		return pruned
	}
	if had, has := headingCount(pruned), headingCount(read); had-has >= 3 && has*3 < had*2 {
		return pruned
	}
	return read
}

func headingCount(s string) int { return strings.Count("\n"+s, "\n#") }

// weight counts what people would read, so that white space and mark-up of the
// two texts do not matter.
func weight(s string) float64 { return float64(letters(s, len(s))) }

func titleOf(doc *goquery.Document) string {
	var title string
	doc.Find("h1").EachWithBreak(func(_ int, s *goquery.Selection) bool {
		if s.Closest("nav, footer, aside, [hidden], [aria-hidden=true]").Length() > 0 {
			return true
		}
		title = oneLine(inlineText(s.Nodes[0]))
		return title == ""
	})
	if title != "" && letters(title, 2) >= 2 {
		return strings.TrimRight(title, " ¶#§")
	}
	if t := oneLine(doc.Find("head title").First().Text()); t != "" {
		return t
	}
	return oneLine(doc.Find("meta[property='og:title']").AttrOr("content", ""))
}

func declaredLanguage(doc *goquery.Document) string {
	for _, s := range []string{
		doc.Find("html").AttrOr("lang", ""), doc.Find("html").AttrOr("xml:lang", ""),
		doc.Find("meta[http-equiv='Content-Language' i]").AttrOr("content", ""),
		doc.Find("meta[property='og:locale']").AttrOr("content", ""),
	} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// withoutTitle drops a first heading that repeats the title: the title is kept
// beside the text.
func withoutTitle(text, title string) string {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	words := strings.TrimLeft(first, "#")
	if words != first && strings.TrimSpace(words) == title && letters(rest, minLetters) >= minLetters {
		return rest
	}
	return text
}

// structural elements survive flatten; all others only nest.
var structural = map[atom.Atom]bool{
	atom.Html: true, atom.Head: true, atom.Body: true, atom.Title: true, atom.Meta: true, atom.Base: true,
	atom.Script: true, atom.Style: true, atom.P: true, atom.H1: true, atom.H2: true, atom.H3: true,
	atom.H4: true, atom.H5: true, atom.H6: true, atom.A: true, atom.Pre: true, atom.Li: true, atom.Br: true,
	atom.Table: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Ul: true, atom.Ol: true,
	atom.Nav: true, atom.Footer: true, atom.Time: true,
}

// flatten rewrites mark-up so that it nests at most a little: purely wrapping
// elements become paragraph breaks and deep lists and tables lose their outer
// levels.
func flatten(source string) string {
	var out bytes.Buffer
	depth := 0
	const most = 100
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		t := z.Next()
		if t == html.ErrorToken {
			return out.String()
		}
		raw := z.Raw()
		switch t {
		case html.TextToken, html.DoctypeToken:
			out.Write(raw)
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw = bytes.Clone(raw)
			name, _ := z.TagName()
			a := atom.Lookup(name)
			switch {
			case a == atom.Div || a == atom.Section || a == atom.Article || a == atom.Blockquote || a == atom.Dd || a == atom.Dt:
				out.WriteString("<p>")
			case !structural[a]:
			case nests(a) && t == html.StartTagToken:
				if depth++; depth <= most {
					out.Write(raw)
				}
			case nests(a) && t == html.EndTagToken:
				if depth <= most {
					out.Write(raw)
				}
				depth = max(0, depth-1)
			default:
				out.Write(raw)
			}
		}
	}
}

func nests(a atom.Atom) bool {
	switch a {
	case atom.Table, atom.Tr, atom.Td, atom.Th, atom.Ul, atom.Ol, atom.Li, atom.Nav, atom.Footer, atom.A, atom.Pre:
		return true
	}
	return false
}
