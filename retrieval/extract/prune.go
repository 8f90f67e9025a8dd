package extract

import (
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// junk is never content.
const junk = `script, style, noscript, template, iframe, object, embed, svg, canvas, audio, video, link, meta,
	button, input, select, textarea, datalist, dialog, [hidden], [aria-hidden=true], [role=dialog], [role=alertdialog],
	[style*='display:none'], [style*='display: none'], img, picture, map`

// chrome is what surrounds content.
const chrome = `nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search],
	[role=complementary], [role=menu], [role=menubar], body > header, #header, #footer, #sidebar, #navigation`

// mains are places where content stands when a page marks it, best first.
var mains = []string{"main", "[role=main]", "article", "#mw-content-text", "#bodyContent", "#content", "#main-content", "#main", ".document .body", ".content", "#docContent", "#page"}

var (
	rxChromeName = regexp.MustCompile(`(?i)(^|[-_\s])(nav|navbar|navigation|navheader|navfooter|navbox|menu|sidebar|breadcrumbs?|footer|masthead|cookie(s|-?(banner|consent|notice|bar))?|consent|gdpr|share|sharing|social|related|recommended|promo|advert(isement)?|ads?|sponsor(ed)?|newsletter|subscribe|popup|modal|skip-?(link|nav|to-content)|toc|toctree|table-of-contents|mw-editsection|mw-jump-link|headerlink|related-posts|comments?-?(area|list|section)?|pagination|pager|sphinxsidebar|printfooter|catlinks|topbar|toolbar)($|[-_\s])`)
	rxContentTag = regexp.MustCompile(`^(?:html|body|main|article)$`)
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
	whole := bodyWeight(root)
	var doomed []*goquery.Selection
	var loss float64
	root.Find("ul, ol, table, div, dl, section, p").Each(func(_ int, s *goquery.Selection) {
		if inside(s, doomed) || s.Find("h1, pre").Length() > 0 {
			return
		}
		if linked(s) {
			doomed = append(doomed, s)
			loss += bodyWeight(s)
		}
	})
	if loss > whole*0.5 {
		return
	}
	for _, s := range doomed {
		s.Remove()
	}
}

func inside(s *goquery.Selection, doomed []*goquery.Selection) bool {
	for _, d := range doomed {
		for n := s.Nodes[0].Parent; n != nil; n = n.Parent {
			if n == d.Nodes[0] {
				return true
			}
		}
	}
	return false
}

// linked reports a block of at least three links whose words are nearly all
// linked and short.
func linked(s *goquery.Selection) bool {
	links := s.Find("a[href]")
	if links.Length() < 3 {
		return false
	}
	all := bodyWeight(s)
	var in float64
	long := false
	links.Each(func(_ int, a *goquery.Selection) {
		in += bodyWeight(a)
		long = long || len(strings.Fields(a.Text())) > 14
	})
	return !long && in >= 0.8*all
}
