package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func walk(n *html.Node, visit func(*html.Node)) {
	visit(n)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func allText(n *html.Node) string {
	var b strings.Builder
	walk(n, func(m *html.Node) {
		if m.Type == html.TextNode {
			b.WriteString(m.Data)
		}
	})
	return b.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func countElements(n *html.Node, a atom.Atom) int {
	count := 0
	walk(n, func(m *html.Node) {
		if m.DataAtom == a && m != n {
			count++
		}
	})
	return count
}

func hasElement(n *html.Node, a atom.Atom) bool { return firstElement(n, a) != nil }

func firstElement(n *html.Node, a atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == a {
			return c
		}
		if f := firstElement(c, a); f != nil {
			return f
		}
	}
	return nil
}
