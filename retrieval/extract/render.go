package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// renderText writes a node in the text format.
func renderText(n *html.Node) string {
	var r renderer
	r.block(n)
	r.flush()
	return tidy(strings.Join(r.blocks, "\n\n"))
}

// renderer collects blocks; line gathers the inline text of the current one.
type renderer struct {
	blocks []string
	line   strings.Builder
	prefix string // of the next block: "- " or "# "
	list   int    // nesting of lists
}

var headings = map[atom.Atom]string{
	atom.H1: "# ", atom.H2: "## ", atom.H3: "### ", atom.H4: "#### ", atom.H5: "##### ", atom.H6: "###### ",
}

func (r *renderer) flush() {
	text := squeeze(r.line.String())
	r.line.Reset()
	if text == "" {
		return
	}
	if strings.HasPrefix(r.prefix, "#") {
		text = strings.TrimRight(strings.ReplaceAll(text, "\n", " "), " ¶#§")
	}
	glue := r.prefix == "- " && len(r.blocks) > 0 && strings.HasPrefix(lastLine(r.blocks[len(r.blocks)-1]), "- ") && r.list > 0
	text = r.prefix + text
	r.prefix = ""
	if glue { // items of one list stand on neighbouring lines
		r.blocks[len(r.blocks)-1] += "\n" + text
		return
	}
	r.blocks = append(r.blocks, text)
}

func (r *renderer) raw(block string) {
	r.flush()
	r.prefix = ""
	if strings.TrimSpace(block) != "" {
		r.blocks = append(r.blocks, strings.Trim(block, "\n"))
	}
}

func (r *renderer) block(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		r.line.WriteString(flow(n.Data))
		return
	case html.DocumentNode:
		r.children(n)
		return
	case html.ElementNode:
	default:
		return
	}
	if p, ok := headings[n.DataAtom]; ok {
		r.flush()
		r.prefix = p
		r.line.WriteString(inlineText(n))
		r.flush()
		r.prefix = ""
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Img, atom.Svg, atom.Button, atom.Select:
	case atom.Br:
		r.line.WriteString("\n")
	case atom.Pre, atom.Listing:
		r.raw(preText(n))
	case atom.Table:
		r.table(n)
	case atom.Ul, atom.Ol, atom.Menu:
		r.flush()
		r.list++
		r.children(n)
		r.flush()
		r.list--
	case atom.Li:
		r.flush()
		r.prefix = "- "
		r.children(n)
		r.flush()
		r.prefix = ""
	case atom.Math, atom.Sup, atom.Sub:
		r.line.WriteString(inlineText(n))
	default:
		if isBlock(n) {
			r.flush()
			r.children(n)
			r.flush()
			return
		}
		r.children(n)
	}
}

func (r *renderer) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.block(c)
	}
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details,
		atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Main, atom.Nav, atom.P, atom.Section, atom.Summary, atom.Tbody, atom.Td,
		atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return true
	}
	return false
}

// inlineText is the text of a node on one flow.
func inlineText(n *html.Node) string {
	var b strings.Builder
	inline(&b, n)
	return b.String()
}

var (
	rxExponent = regexp.MustCompile(`^[−–+-]?[\d.,]{1,12}$|^[a-z]$`)
	rxNoteMark = regexp.MustCompile(`^\[?[\da-zA-Z*†‡]{1,4}\]?$`)
)

func inline(b *strings.Builder, n *html.Node) {
	switch n.Type {
	case html.TextNode:
		b.WriteString(flow(n.Data))
		return
	case html.ElementNode:
	default:
		return
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Img, atom.Svg, atom.Button:
		return
	case atom.Br:
		b.WriteString("\n")
		return
	case atom.Math:
		b.WriteString(mathText(n))
		return
	case atom.Sup:
		b.WriteString(supText(n))
		return
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		inline(b, c)
	}
}

// supText keeps exponents readable (2^136, not 2136) and drops footnote marks.
func supText(n *html.Node) string {
	text := strings.TrimSpace(allText(n))
	link := n.FirstChild != nil && hasElement(n, atom.A)
	class := attr(n, "class")
	if (link || strings.Contains(class, "reference") || strings.Contains(class, "footnote")) && rxNoteMark.MatchString(text) {
		return ""
	}
	if rxExponent.MatchString(text) {
		return "^" + text
	}
	return text
}

// mathText prefers a formula's written form to its glyphs.
func mathText(n *html.Node) string {
	if alt := attr(n, "alttext"); alt != "" {
		return alt
	}
	var tex string
	walk(n, func(m *html.Node) {
		if m.Data == "annotation" && tex == "" {
			tex = strings.TrimSpace(allText(m))
		}
	})
	if tex != "" {
		return tex
	}
	return strings.Join(strings.Fields(allText(n)), " ")
}

// preText keeps the lines of preformatted text.
func preText(n *html.Node) string {
	var b strings.Builder
	walk(n, func(m *html.Node) {
		switch {
		case m.Type == html.TextNode:
			b.WriteString(m.Data)
		case m.DataAtom == atom.Br:
			b.WriteString("\n")
		}
	})
	return b.String()
}

// flow collapses white space of running text; a line break in the source is a
// space.
func flow(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// squeeze collapses spaces, trims every line and drops empty ones.
func squeeze(s string) string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }
