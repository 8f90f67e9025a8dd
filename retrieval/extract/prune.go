package extract

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// junk is never content.
const junk = `script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, link, meta,
	button, input, select, textarea, datalist, dialog, [hidden], [aria-hidden=true], [role=dialog], [role=alertdialog],
	[style*='display:none'], [style*='display: none'], img, picture, map`

// chrome is what surrounds content.
var chrome = cascadia.MustCompile(`nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search],
	[role=complementary], [role=menu], [role=menubar], body > header, #header, #footer, #sidebar, #navigation, #path`)

// mains are places where content stands when a page marks it, best first.
var mains = []cascadia.Selector{
	cascadia.MustCompile("main"), cascadia.MustCompile("[role=main]"), cascadia.MustCompile("article"),
	cascadia.MustCompile("#mw-content-text"), cascadia.MustCompile("#bodyContent"), cascadia.MustCompile("#content"),
	cascadia.MustCompile("#main-content"), cascadia.MustCompile("#main"), cascadia.MustCompile(".document .body"),
	cascadia.MustCompile(".content"), cascadia.MustCompile("#docContent"), cascadia.MustCompile("#page"),
}

var (
	rxChromeName = regexp.MustCompile(`(?i)(^|[-_\s])(nav|navbar|navigation|navheader|navfooter|navbox|menu|sidebar|breadcrumbs?|footer|masthead|cookie(s|-?(banner|consent|notice|bar))?|consent|gdpr|share|sharing|social|related|recommended|promo|advert(isement)?|ads?|sponsor(ed)?|newsletter|subscribe|popup|modal|skip-?(link|nav|to-content)|toc|toctree|table-of-contents|mw-editsection|mw-jump-link|headerlink|related-posts|comments?-?(area|list|section)?|pagination|pager|sphinxsidebar|printfooter|catlinks|topbar|toolbar|(page|site|global|top)-?header|toplang|bottomlang|lang(uage)?s?-?(switcher|selector|menu|list|bar))($|[-_\s])`)
	// Inside running text only marks that are surely not content go: names such
	// as "menu" also occur on words.
	rxInlineChrome = regexp.MustCompile(`(?i)(^|\s)(mw-editsection|headerlink|skip-?link|anchor-?link|permalink|sr-only|visually-?hidden|screen-reader-text)($|\s)`)
	rxContentTag   = regexp.MustCompile(`^(?:html|body|main|article)$`)
)

// prune strips doc to its main content in place and returns that node.
func prune(doc *goquery.Document) *html.Node {
	body := stripChrome(doc)
	root := mainOf(body)
	removeLinkBlocks(root)
	return root
}

// stripChrome removes what surrounds content, by element, role, class and id,
// and returns the body. Every node is weighed once: pages can nest thousands
// of boxes.
func stripChrome(doc *goquery.Document) *html.Node {
	body := doc.Nodes[0]
	if b := doc.Find("body"); b.Length() > 0 {
		body = b.Nodes[0]
	}
	goquery.NewDocumentFromNode(body).Find(junk).Remove()
	w := weigh(body)
	whole := w[body]
	removeNodes(body, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Form: // some wrap the whole page
			return w[n]*4 < whole
		case chrome.Match(n), named(n) && !rxContentTag.MatchString(n.Data):
			// What carries half of the page stays: a page may wrap its whole
			// text in class="menu".
			return w[n]*2 < whole
		}
		return false
	})
	return body
}

// removeNodes drops the outermost elements below n that doomed names.
func removeNodes(n *html.Node, doomed func(*html.Node) bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			if doomed(c) {
				n.RemoveChild(c)
			} else {
				removeNodes(c, doomed)
			}
		}
		c = next
	}
}

// weigh counts the letters in every element below n, n included.
func weigh(n *html.Node) map[*html.Node]int {
	w := map[*html.Node]int{}
	var visit func(*html.Node) int
	visit = func(n *html.Node) int {
		if n.Type == html.TextNode {
			return letters(n.Data, len(n.Data))
		}
		sum := 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			sum += visit(c)
		}
		w[n] = sum
		return sum
	}
	visit(n)
	return w
}

func named(n *html.Node) bool {
	class, id := attr(n, "class"), attr(n, "id")
	if class == "" && id == "" {
		return false
	}
	switch n.DataAtom {
	case atom.Span, atom.A, atom.Em, atom.Strong, atom.B, atom.I, atom.Code, atom.Kbd, atom.Samp, atom.Var, atom.Abbr, atom.Tt, atom.Small, atom.Sup, atom.Sub:
		return rxInlineChrome.MatchString(class)
	}
	return rxChromeName.MatchString(class) || rxChromeName.MatchString(id)
}

// mainOf narrows body to a marked content area that holds most of the text.
func mainOf(body *html.Node) *html.Node {
	w := weigh(body)
	doc := goquery.NewDocumentFromNode(body)
	for _, sel := range mains {
		best, most := (*html.Node)(nil), 0
		for _, n := range doc.FindMatcher(sel).Nodes {
			if best == nil || w[n] > most {
				best, most = n, w[n]
			}
		}
		if best != nil && most*10 >= w[body]*6 {
			return best
		}
	}
	return body
}

// removeLinkBlocks drops lists, tables and boxes that are nearly all links: they
// navigate. When that would take most of the page, the page is an index and
// stays whole.
func removeLinkBlocks(root *html.Node) {
	m := linkMeter{of: map[*html.Node]linkShare{}}
	whole := m.measure(root, false)
	var doomed []*html.Node
	loss := m.doomed(root, &doomed)
	if loss*2 > whole.letters {
		return
	}
	for _, n := range doomed {
		n.Parent.RemoveChild(n)
	}
}

// linkShare is how much of a block is links.
type linkShare struct {
	letters, linked int
	links           int
	long            bool // a link of many words: a headline or a sentence
	kept            bool // contains a title or preformatted text
}

// linkMeter measures every block of a page in one pass.
type linkMeter struct{ of map[*html.Node]linkShare }

func (m linkMeter) measure(n *html.Node, inLink bool) linkShare {
	if n.Type == html.TextNode {
		l := letters(n.Data, len(n.Data))
		if inLink {
			return linkShare{letters: l, linked: l}
		}
		return linkShare{letters: l}
	}
	var s linkShare
	link := n.DataAtom == atom.A && attr(n, "href") != ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		t := m.measure(c, inLink || link)
		s.letters += t.letters
		s.linked += t.linked
		s.links += t.links
		s.long = s.long || t.long
		s.kept = s.kept || t.kept
	}
	if link {
		s.links++
		s.long = s.long || len(strings.Fields(allText(n))) > 14
	}
	s.kept = s.kept || n.DataAtom == atom.H1 || n.DataAtom == atom.Pre
	if linkBlock(n) {
		m.of[n] = s
	}
	return s
}

// doomed lists the outermost blocks to drop and returns their letters.
func (m linkMeter) doomed(n *html.Node, out *[]*html.Node) int {
	loss := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s, block := m.of[c]
		if block && s.links >= 3 && !s.long && !s.kept && s.linked*10 >= s.letters*8 {
			*out = append(*out, c)
			loss += s.letters
			continue
		}
		loss += m.doomed(c, out)
	}
	return loss
}

func linkBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Table, atom.Div, atom.Dl, atom.Section, atom.P:
		return true
	}
	return false
}
