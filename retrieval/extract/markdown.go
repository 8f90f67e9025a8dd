package extract

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// parseMarkdown reads Markdown by its structure: links become their words,
// pictures disappear, the rest stays in order.
func parseMarkdown(in input) page {
	source, front := frontMatter(decode(in.data, in.mediaType))
	source = defuse(source)
	base, err := url.Parse(in.base)
	if err != nil {
		base = &url.URL{}
	}
	m := markdown{source: []byte(source), links: newLinkSet(base, in.base), hidden: newHidden(source)}
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
	root := md.Parser().Parse(text.NewReader(m.source))
	m.blocks(root)
	p := page{title: front["title"], mediaType: "text/markdown", links: m.links.list, language: front["lang"]}
	if p.title == "" {
		p.title = m.title
	}
	whole := tidy(strings.Join(m.out, "\n\n"))
	p.text = withoutTitle(whole, oneLine(p.title))
	if p.published = day(front["date"], in.now); p.published == "" {
		bare := 0 // scraped pages open with navigation and today's date
		if len(p.text) < len(whole) && len(p.links) < scrapedLinks {
			bare = underTitle
		}
		p.published = dateInLines(p.text, bare, in.now)
	}
	return p
}

// scrapedLinks: a text with so many links is a scraped page with navigation.
const scrapedLinks = 30

// markdown walks a parsed document.
type markdown struct {
	source []byte
	links  *linkSet
	hidden *hidden
	out    []string
	title  string
}

// headingMax: a longer "heading" is a paragraph over a stray line of dashes.
const headingMax = 200

func (m *markdown) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			m.heading(c)
		case *ast.Paragraph, *ast.TextBlock:
			m.add(m.inline(c))
		case *ast.List:
			m.add(strings.Join(m.items(c), "\n"))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			m.add(m.code(c))
		case *ast.HTMLBlock:
			m.add(stripTags(m.html(c)))
		case *east.Table:
			m.add(m.table(c))
		case *ast.ThematicBreak:
		default:
			m.blocks(c)
		}
	}
}

var rxRule = regexp.MustCompile(`^[\s=\-_*~#·•|]+$`)

// rxLead is a ruler that stands before text without a blank line.
var rxLead = regexp.MustCompile(`^[=\-_*~#]{4,}\s+`)

func (m *markdown) add(block string) {
	block = rxLead.ReplaceAllString(block, "")
	if block = strings.Trim(block, "\n"); block != "" && !rxRule.MatchString(block) && !skipLink(block) {
		m.out = append(m.out, block)
	}
}

var rxSkip = regexp.MustCompile(`(?i)^(?:skip|jump) to (?:the )?(?:main )?(?:content|navigation|search|footer)\.?$|^본문 ?(?:으로)? ?(?:바로 ?가기|건너뛰기)$|^コンテンツへスキップ$|^跳(?:至|到|转到)(?:主要)?内容$`)

func skipLink(block string) bool { return len(block) < 80 && rxSkip.MatchString(block) }

func (m *markdown) heading(h *ast.Heading) {
	words := oneLineLong(m.inline(h))
	if words == "" || rxRule.MatchString(words) {
		return
	}
	if len(words) > headingMax {
		m.add(words)
		return
	}
	if h.Level == 1 && m.title == "" {
		m.title = words
	}
	m.add(strings.Repeat("#", h.Level) + " " + words)
}

// items lists a list's items, one per line, inner lists after their item.
func (m *markdown) items(l *ast.List) []string {
	var lines []string
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		inner := markdown{source: m.source, links: m.links, hidden: m.hidden, title: "-"}
		inner.blocks(item)
		for i, block := range inner.out {
			switch {
			case strings.HasPrefix(block, "- "):
				lines = append(lines, block)
			case i == 0:
				lines = append(lines, "- "+strings.TrimLeft(strings.ReplaceAll(block, "\n", " "), "# "))
			default:
				lines = append(lines, "", block, "")
			}
		}
	}
	return lines
}

func (m *markdown) table(t *east.Table) string {
	var rows []string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, strings.ReplaceAll(oneLineLong(m.inline(cell)), "|", "/"))
		}
		if line := strings.Join(cells, " | "); !rxRule.MatchString(line) {
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "\n")
}

var (
	rxImage = regexp.MustCompile(`!\[[^\[\]]*\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)`)
	rxLink  = regexp.MustCompile(`\[([^\[\]]*)\]\(<?[^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*>?(?:\s+"[^"]*")?\)`)
)

// code keeps code as it stands. Scraped pages indent prose by accident; there
// the links in it are reduced as elsewhere.
func (m *markdown) code(n ast.Node) string {
	s := m.raw(n)
	if _, fenced := n.(*ast.FencedCodeBlock); !fenced {
		s = unlink(s)
	}
	return s
}

func (m *markdown) raw(n ast.Node) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		if m.hidden.until <= seg.Start {
			b.Write(seg.Value(m.source)) // with the indentation that a tab stands for
			m.hidden.at = max(m.hidden.at, seg.Stop)
			continue
		}
		b.Write(m.hidden.visible(m.source, seg.Start, seg.Stop))
	}
	return b.String()
}

// html is what is seen of a block of raw HTML. Its lines are taken one by one,
// for in a quote they do not follow each other in the source.
func (m *markdown) html(n *ast.HTMLBlock) string {
	lines := n.Lines()
	spans := make([][2]int, 0, lines.Len()+1)
	for i := range lines.Len() {
		spans = append(spans, [2]int{lines.At(i).Start, lines.At(i).Stop})
	}
	if n.HasClosure() {
		spans = append(spans, [2]int{n.ClosureLine.Start, n.ClosureLine.Stop})
	}
	var b strings.Builder
	for i := 0; i < len(spans); i++ {
		start, stop := spans[i][0], spans[i][1]
		for i+1 < len(spans) && spans[i+1][0] == stop {
			i, stop = i+1, spans[i+1][1]
		}
		b.WriteString(m.hidden.block(m.source, start, stop))
	}
	return b.String()
}

func unlink(s string) string {
	s = rxImage.ReplaceAllString(s, "")
	return rxLink.ReplaceAllString(s, "$1")
}

// inline is the text of a block's inline content. A soft line break is a space.
func (m *markdown) inline(n ast.Node) string {
	var b strings.Builder
	end := 0
	if lines := n.Lines(); lines.Len() > 0 {
		end = lines.At(lines.Len() - 1).Stop
	}
	m.writeInline(&b, n, end)
	return squeeze(rxInnerHeading.ReplaceAllString(unlink(html.UnescapeString(b.String())), "\n"))
}

// rxInnerHeading is a heading mark that scraping left inside a line.
var rxInnerHeading = regexp.MustCompile(`[ \t]#{2,6}[ \t]`)

// writeInline writes what is seen of the inline content of a block that ends at
// an offset of the source.
func (m *markdown) writeInline(b *strings.Builder, n ast.Node, end int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(unescape(m.hidden.visible(m.source, c.Segment.Start, c.Segment.Stop)))
			switch {
			case m.hidden.inside():
			case c.HardLineBreak():
				b.WriteByte('\n')
			case c.SoftLineBreak():
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.Image:
		case *ast.Link:
			if !m.hidden.inside() {
				m.links.add(string(c.Destination))
			}
			m.writeLinkWords(b, c, end)
		case *ast.AutoLink:
			if m.hidden.inside() {
				continue
			}
			m.links.add(string(c.URL(m.source)))
			b.Write(c.Label(m.source))
		case *ast.CodeSpan:
			m.writeCode(b, c)
		case *ast.RawHTML:
			b.WriteByte(' ')
			if last := c.Segments.Len(); last > 0 {
				m.hidden.tag(string(c.Segments.Value(m.source)), c.Segments.At(last-1).Stop, end)
			}
		default:
			m.writeInline(b, c, end)
		}
	}
}

// writeLinkWords keeps neighbouring links apart: navigation glues them.
func (m *markdown) writeLinkWords(b *strings.Builder, l *ast.Link, end int) {
	if prev, ok := l.PreviousSibling().(*ast.Link); ok && prev != nil {
		b.WriteByte(' ')
	}
	m.writeInline(b, l, end)
}

func (m *markdown) writeCode(b *strings.Builder, n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(m.hidden.visible(m.source, t.Segment.Start, t.Segment.Stop))
		}
	}
}

// unescape resolves backslash escapes, which the parser leaves in the source.
func unescape(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~\"'$%&,/:;=?@^", s[i+1]) >= 0 {
			i++
		}
		out = append(out, s[i])
	}
	return out
}

var rxHTMLTag = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^<>]*>`)

func stripTags(s string) string {
	return squeeze(unlink(html.UnescapeString(rxHTMLTag.ReplaceAllString(s, " "))))
}

func oneLineLong(s string) string { return strings.Join(strings.Fields(s), " ") }

// Bounds of a block that the parser is trusted with: its time grows with the
// square of unclosed marks.
const (
	blockBytes = 2000
	blockMarks = 400
)

var (
	rxNested = regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])[ \t]?){20,}`)
	rxMarks  = regexp.MustCompile("[\\[\\]*_`<!~]")
)

// defuse takes the marks from blocks that hold far more of them than prose or
// navigation does, and flattens absurd nesting.
func defuse(source string) string {
	source = rxNested.ReplaceAllString(source, "")
	if len(source) < blockBytes {
		return source
	}
	var dense [][2]int
	at := 0
	for b := range strings.SplitSeq(source, "\n\n") {
		if marked(b) {
			dense = append(dense, [2]int{at, at + len(b)})
		}
		at += len(b) + len("\n\n")
	}
	if len(dense) == 0 {
		return source
	}
	blocks := strings.Split(withoutHidden(source, dense), "\n\n") // without its marks a tag would be text
	for i, b := range blocks {
		if marked(b) {
			blocks[i] = rxMarks.ReplaceAllString(unlink(b), " ")
		}
	}
	return strings.Join(blocks, "\n\n")
}

func marked(block string) bool {
	if len(block) < blockBytes {
		return false
	}
	marks := len(rxMarks.FindAllStringIndex(block, -1))
	return marks > blockMarks && marks*8 > len(block)
}

var rxFront = regexp.MustCompile(`(?s)^\s*---\r?\n(.{1,1000}?)\r?\n---\r?\n`)

// frontMatter splits off a YAML head and reads its plain keys.
func frontMatter(s string) (body string, keys map[string]string) {
	keys = map[string]string{}
	m := rxFront.FindStringSubmatchIndex(s)
	if m == nil {
		return s, keys
	}
	for line := range strings.SplitSeq(s[m[2]:m[3]], "\n") {
		k, v, ok := strings.Cut(line, ":")
		if !ok {
			return s, map[string]string{}
		}
		keys[strings.ToLower(strings.TrimSpace(k))] = strings.Trim(strings.TrimSpace(v), `"'`)
	}
	return s[m[1]:], keys
}
