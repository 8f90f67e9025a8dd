package extract

import (
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// linksMax bounds the links kept of one document.
const linksMax = 2000

// baseOf is the URL that links are relative to.
func baseOf(doc *goquery.Document, documentURL string) *url.URL {
	u, err := url.Parse(documentURL)
	if err != nil {
		u = &url.URL{}
	}
	if href := strings.TrimSpace(doc.Find("base[href]").AttrOr("href", "")); href != "" {
		if b, err := u.Parse(href); err == nil {
			return b
		}
	}
	return u
}

func linksOf(doc *goquery.Document, base *url.URL, self string) []string {
	set := newLinkSet(base, self)
	doc.Find("a[href], area[href]").Each(func(_ int, s *goquery.Selection) { set.add(s.AttrOr("href", "")) })
	return set.list
}

// linkSet collects absolute web links in document order, each once.
type linkSet struct {
	base *url.URL
	seen map[string]bool
	list []string
}

func newLinkSet(base *url.URL, self string) *linkSet {
	self, _, _ = strings.Cut(self, "#")
	return &linkSet{base: base, seen: map[string]bool{self: true}}
}

func (l *linkSet) add(href string) {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") || len(href) > 2048 || len(l.list) >= linksMax {
		return
	}
	u, err := l.base.Parse(href)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	if s := u.String(); !l.seen[s] {
		l.seen[s] = true
		l.list = append(l.list, s)
	}
}
