package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table writes a data table one row per line; a layout table is read as the
// blocks in its cells.
func (r *renderer) table(n *html.Node) {
	rows := rowsOf(n)
	if layout(n, rows) {
		r.flush()
		r.children(n)
		r.flush()
		return
	}
	var out []string
	if c := firstElement(n, atom.Caption); c != nil {
		r.flush()
		r.line.WriteString(inlineText(c))
		r.flush()
	}
	for _, row := range rows {
		var cells []string
		filled := 0
		for _, cell := range row {
			text := strings.ReplaceAll(cellText(cell), "|", "/")
			if text != "" {
				filled++
			}
			cells = append(cells, text)
		}
		switch {
		case filled == 0:
		case filled == 1 && cells[len(cells)-1] != "": // beside a picture, as in call-outs
			out = append(out, cells[len(cells)-1])
		default:
			out = append(out, strings.Join(cells, " | "))
		}
	}
	r.raw(strings.Join(out, "\n"))
}

// rowsOf lists the cells of a table's own rows, not of tables inside it.
func rowsOf(table *html.Node) [][]*html.Node {
	var rows [][]*html.Node
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch c.DataAtom {
			case atom.Thead, atom.Tbody, atom.Tfoot:
				visit(c)
			case atom.Tr:
				var row []*html.Node
				for d := c.FirstChild; d != nil; d = d.NextSibling {
					if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
						row = append(row, d)
					}
				}
				rows = append(rows, row)
			}
		}
	}
	visit(table)
	return rows
}

// layout reports tables that arrange a page instead of holding data.
func layout(n *html.Node, rows [][]*html.Node) bool {
	if role := attr(n, "role"); role == "presentation" || role == "none" {
		return true
	}
	if hasElement(n, atom.Th) {
		return false
	}
	widest, long, cells := 0, 0, 0
	for _, row := range rows {
		widest = max(widest, len(row))
		for _, c := range row {
			cells++
			if hasElement(c, atom.Table) || hasElement(c, atom.Pre) || countElements(c, atom.P) > 2 || hasElement(c, atom.H2) || hasElement(c, atom.H1) {
				return true
			}
			if len(allText(c)) > 600 {
				long++
			}
		}
	}
	return widest <= 1 || long*2 > cells
}

// cellText is a cell on one line.
func cellText(n *html.Node) string {
	var r renderer
	r.block(n)
	r.flush()
	text := strings.Join(r.blocks, "\n")
	text = strings.ReplaceAll(text, "\n- ", "; ")
	return strings.TrimPrefix(strings.Join(strings.Fields(text), " "), "- ")
}
