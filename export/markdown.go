package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Markdown renders the report as CommonMark with one GitHub table (costs).
// Claims read as prose with markers like [1] that point into the numbered
// quotes. Nothing from a source can become markup: see escape.
func Markdown(l *research.Ledger, lang string) (string, error) {
	o, err := newOutline(l, lang)
	if err != nil {
		return "", err
	}
	m := &markdown{o: o, w: o.Words}
	m.head()
	m.body()
	m.notFound()
	m.tried()
	m.quotes()
	m.sources()
	m.discarded()
	m.cost()
	return m.b.String(), nil
}

type markdown struct {
	b strings.Builder
	o outline
	w words
}

func (m *markdown) block(format string, args ...any) {
	if m.b.Len() > 0 {
		m.b.WriteByte('\n')
	}
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

func (m *markdown) item(format string, args ...any) {
	fmt.Fprintf(&m.b, format, args...)
	m.b.WriteByte('\n')
}

func (m *markdown) head() {
	m.block("# %s", escape(m.o.Title))
	if m.o.Question != "" {
		m.block("**%s:** %s", m.w.Say("question"), escape(m.o.Question))
	}
	status := "**" + m.o.Status + "**"
	if m.o.Reason != "" {
		status += ": " + escape(m.o.Reason)
	}
	for _, f := range m.o.Facts {
		status += " · " + f.Name + " " + escape(f.Value)
	}
	m.block("%s", status)
	if m.o.Embedded {
		m.block("> %s %s", m.w.Say("no_model"), m.w.Say("connect"))
	} else if m.o.Models != "" {
		m.block("> %s", escape(m.o.Models))
	}
	for _, n := range m.o.Notices {
		m.block("> %s", escape(n))
	}
}

func (m *markdown) body() {
	if len(m.o.Summary) > 0 {
		m.block("## %s", m.w.Say("summary"))
		m.block("%s", m.lines(m.o.Summary))
	}
	for _, s := range m.o.Sections {
		m.block("## %s", escape(s.Heading))
		for _, p := range s.Paragraphs {
			m.paragraph(p)
		}
	}
	if len(m.o.Summary) == 0 && len(m.o.Sections) == 0 {
		m.block("%s", m.o.NoClaims)
	}
}

func (m *markdown) paragraph(p paragraph) {
	switch {
	case p.Versus:
		m.block("%s", m.w.Say("disagree"))
		m.b.WriteByte('\n')
		for _, l := range p.Lines {
			m.item("- %s", m.line(l))
		}
	case p.Source != "":
		m.block("%s *%s*: %s", m.w.Say("from"), escape(p.Source), m.lines(p.Lines))
	default:
		m.block("%s", m.lines(p.Lines))
	}
}

func (m *markdown) lines(ls []line) string {
	parts := make([]string, len(ls))
	for i, l := range ls {
		parts[i] = m.line(l)
	}
	return strings.Join(parts, " ")
}

func (m *markdown) line(l line) string {
	s := escape(l.Text)
	if len(l.Numbers) > 0 {
		s += " " + markers(l.Numbers)
	}
	if l.Mark != "" {
		s += " *(" + escape(l.Mark) + ")*"
	}
	return s
}

// markers writes [1][2]. Without a matching link definition this is plain text
// in Markdown, and escape keeps sources from smuggling a definition in.
func markers(numbers []int) string {
	var b strings.Builder
	for _, n := range numbers {
		b.WriteString("[" + strconv.Itoa(n) + "]")
	}
	return b.String()
}

func (m *markdown) notFound() {
	if len(m.o.NotFound) == 0 {
		return
	}
	m.block("## %s", m.w.Say("not_found"))
	m.block("%s\n", m.w.Say("not_found_lead"))
	for _, s := range m.o.NotFound {
		m.item("- %s", escape(s))
	}
}

func (m *markdown) tried() {
	if len(m.o.Tried) == 0 {
		return
	}
	m.block("## %s\n", m.w.Say("tried"))
	for _, t := range m.o.Tried {
		s := fmt.Sprintf("- %s (%s): %s", escape(t.Text), escape(t.Provider), m.w.Count("results", t.Results))
		if t.Error != "" {
			s += "; " + escape(t.Error)
		}
		m.item("%s", s)
	}
}

func (m *markdown) quotes() {
	if len(m.o.Citations) == 0 {
		return
	}
	m.block("## %s\n", m.w.Say("quotes"))
	for _, c := range m.o.Citations {
		m.item("%d. “%s” — %s, %s %d–%d, %s %s", c.Number, escape(oneLine(c.Evidence.Quote)),
			link(sourceName(c.Source), c.Source.URL), m.w.Say("characters"), c.Evidence.Start, c.Evidence.End,
			m.w.Say("read"), stamp(c.Source.FetchedAt))
	}
}

func (m *markdown) sources() {
	if len(m.o.Sources) == 0 {
		return
	}
	m.block("## %s\n", m.w.Say("sources"))
	for _, s := range m.o.Sources {
		use := m.w.Say("not_cited")
		if len(s.Numbers) > 0 {
			use = m.w.Say("cited") + " " + markers(s.Numbers)
		}
		m.item("- %s — %s; %s %s; %s `%s`", link(sourceName(s.Source), s.URL), use,
			m.w.Say("read"), stamp(s.FetchedAt), "SHA-256", s.SHA256)
	}
}

func (m *markdown) discarded() {
	if len(m.o.Discarded) == 0 {
		return
	}
	m.block("## %s\n", m.w.Say("discarded"))
	for _, d := range m.o.Discarded {
		m.item("- %s: %s", code(d.URL), escape(oneLine(d.Reason)))
	}
}

func (m *markdown) cost() {
	t := m.o.Cost
	m.block("## %s\n", m.w.Say("cost"))
	m.item("| %s | %s | %s | %s | %s |", m.w.Say("tier"), m.w.Say("steps"), m.w.Say("joules"), m.w.Say("dollars"), m.w.Say("seconds"))
	m.item("|---|--:|--:|--:|--:|")
	for _, r := range t.Rows {
		m.item("| %s | %s | %s | %s | %s |", r.Name, r.Steps, r.Joules, r.Dollars, r.Seconds)
	}
	m.item("| **%s** | %s | %s | %s | %s |", t.Total.Name, t.Total.Steps, t.Total.Joules, t.Total.Dollars, t.Total.Seconds)
	for _, n := range t.Notes {
		m.block("%s", n)
	}
}
