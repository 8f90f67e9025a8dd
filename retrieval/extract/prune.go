package extract

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// junk is never content.
const junk = `script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, link, meta,
	button, input, select, textarea, datalist, dialog, [hidden], [aria-hidden=true], [role=dialog], [role=alertdialog],
	[style*='display:none'], [style*='display: none'], img, picture, map`

// chrome is what surrounds content.
const chrome = `nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search],
	[role=complementary], [role=menu], [role=menubar], body > header, #header, #footer, #sidebar, #navigation, #path`

// mains are places where content stands when a page marks it, best first.
var mains = []string{"main", "[role=main]", "article", "#mw-content-text", "#bodyContent", "#content", "#main-content", "#main", ".document .body", ".content", "#docContent", "#page"}

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
	if root.Length() == 0 {
		return body.Nodes[0]
	}
	return root.Nodes[0]
}

// stripChrome removes what surrounds content, by element, role, class and id,
// and returns the body.
func stripChrome(doc *goquery.Document) *goquery.Selection {
	body := doc.Find("body").First()
	if body.Length() == 0 {
		body = doc.Selection
	}
	body.Find(junk).Remove()
	removeForms(body)
	whole := bodyWeight(body)
	body.Find(chrome).Each(func(_ int, s *goquery.Selection) { removeUnless(s, whole) })
	body.Find("[class], [id]").Each(func(_ int, s *goquery.Selection) {
		if named(s) && !rxContentTag.MatchString(goquery.NodeName(s)) {
			removeUnless(s, whole)
		}
	})
	return body
}

func named(s *goquery.Selection) bool {
	switch s.Nodes[0].DataAtom {
	case atom.Span, atom.A, atom.Em, atom.Strong, atom.B, atom.I, atom.Code, atom.Kbd, atom.Samp, atom.Var, atom.Abbr, atom.Tt, atom.Small, atom.Sup, atom.Sub:
		return rxInlineChrome.MatchString(s.AttrOr("class", ""))
	}
	return rxChromeName.MatchString(s.AttrOr("class", "")) || rxChromeName.MatchString(s.AttrOr("id", ""))
}

// removeUnless keeps what carries half of the page: a page that wraps its whole
// text in class="menu" still has to be read.
func removeUnless(s *goquery.Selection, whole float64) {
	if bodyWeight(s) < whole/2 || whole == 0 {
		s.Remove()
	}
}

// removeForms drops forms, except those that wrap the page.
func removeForms(body *goquery.Selection) {
	whole := bodyWeight(body)
	body.Find("form").Each(func(_ int, s *goquery.Selection) {
		if bodyWeight(s) < whole/4 {
			s.Remove()
		}
	})
}

func bodyWeight(s *goquery.Selection) float64 { return weight(s.Text()) }

// mainOf narrows body to a marked content area that holds most of the text.
func mainOf(body *goquery.Selection) *goquery.Selection {
	whole := bodyWeight(body)
	for _, sel := range mains {
		found := body.Find(sel)
		if found.Length() == 0 {
			continue
		}
		best := found.First()
		found.Each(func(_ int, s *goquery.Selection) {
			if bodyWeight(s) > bodyWeight(best) {
				best = s
			}
		})
		if bodyWeight(best) >= whole*0.6 {
			return best
		}
	}
	return body
}

// removeLinkBlocks drops lists, tables and boxes that are nearly all links: they
// navigate. When that would take most of the page, the page is an index and
// stays whole.
func removeLinkBlocks(root *goquery.Selection) {
	if root.Length() == 0 {
		return
	}
	m := linkMeter{of: map[*html.Node]linkShare{}}
	whole := m.measure(root.Nodes[0], false)
	var doomed []*html.Node
	loss := m.doomed(root.Nodes[0], &doomed)
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
