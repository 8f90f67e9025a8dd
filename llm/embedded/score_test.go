package embedded

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

type scores struct{ statement, citation, gold, words, cpu float64 }

func (s *scores) add(o scores) {
	s.statement += o.statement
	s.citation += o.citation
	s.gold += o.gold
	s.words += o.words
	s.cpu += o.cpu
}

var (
	reToken = regexp.MustCompile(`[a-z0-9]+`)
	stops   = setOf(strings.Fields("the a an of in on and or to is are was were be by for with as at from that this it its which what how who whom when where why does did do has have had into than then their they he she his her"))
)

func content(s string) []string {
	var out []string
	for _, w := range reToken.FindAllString(strings.ToLower(s), -1) {
		if !stops.has(w) {
			out = append(out, w)
		}
	}
	return out
}

// score measures a report as the evaluation defines it.
func score(l *research.Ledger, q suite.Question) scores {
	var sc scores
	var words []string
	for _, c := range l.Report.InOrder() {
		words = append(words, strings.Fields(c.Text)...)
	}
	sc.words = float64(len(words))
	first := strings.Join(words[:min(len(words), 300)], " ")
	sc.statement = statementRecall(first, q)
	held := 0
	for _, c := range l.Report.Claims {
		var quotes []string
		ok := true
		for _, id := range c.EvidenceIDs {
			e, _ := l.EvidenceByID(id)
			src, _ := l.SourceByID(e.SourceID)
			got, in := research.Slice(src.Text, e.Start, e.End)
			ok = ok && in && got == e.Quote
			quotes = append(quotes, e.Quote)
		}
		if ok && holds(c.Text, strings.Join(quotes, " ")) {
			held++
		}
	}
	if n := len(l.Report.Claims); n > 0 {
		sc.citation = float64(held) / float64(n)
	}
	cited := termSet{}
	for _, c := range l.Report.Claims {
		for _, id := range c.EvidenceIDs {
			e, _ := l.EvidenceByID(id)
			src, _ := l.SourceByID(e.SourceID)
			cited[src.URL] = struct{}{}
		}
	}
	for _, u := range q.GoldURLs {
		if cited.has(u) {
			sc.gold += 1 / float64(len(q.GoldURLs))
		}
	}
	return sc
}

func holds(claim, quotes string) bool {
	in := setOf(reToken.FindAllString(strings.ToLower(quotes), -1))
	words := content(claim)
	n := 0
	for _, w := range words {
		if in.has(w) {
			n++
		} else if w[0] >= '0' && w[0] <= '9' {
			return false
		}
	}
	for _, name := range namesIn(claim) {
		for _, w := range reToken.FindAllString(name, -1) {
			if !in.has(w) {
				return false
			}
		}
	}
	return float64(n) >= 0.8*float64(len(words))
}

func statementRecall(text string, q suite.Question) float64 {
	if len(q.ShortAnswers) > 0 {
		plain := func(s string) string {
			var out []string
			for _, w := range reToken.FindAllString(strings.ToLower(s), -1) {
				if w != "a" && w != "an" && w != "the" {
					out = append(out, w)
				}
			}
			return " " + strings.Join(out, " ") + " "
		}
		n := 0
		for _, a := range q.ShortAnswers {
			if strings.Contains(plain(text), plain(a)) {
				n++
			}
		}
		return float64(n) / float64(len(q.ShortAnswers))
	}
	gold := setOf(content(q.Answer + " " + strings.Join(q.GoldStatements, " ")))
	for _, w := range content(q.Question) {
		delete(gold, w)
	}
	if len(gold) == 0 {
		return 1
	}
	return float64(overlap(gold, setOf(content(text)))) / float64(len(gold))
}

// show prints a report for reading.
func show(l *research.Ledger, q suite.Question, sc scores) string {
	var b strings.Builder
	fmt.Fprintf(&b, "=== %s  recall %.2f gold %.2f\nGOLD %s %s %v\n", l.Report.Title, sc.statement, sc.gold, q.Answer, strings.Join(q.GoldStatements, " / "), q.ShortAnswers)
	line := func(id string) {
		c, _ := l.Report.Claim(id)
		fmt.Fprintf(&b, "  %s", c.Text)
		for _, e := range c.EvidenceIDs {
			ev, _ := l.EvidenceByID(e)
			fmt.Fprintf(&b, " [%s %.2f]", ev.SourceID, ev.Score)
		}
		if c.Verdict != research.Supported {
			fmt.Fprintf(&b, " {%s %s}", c.Verdict, c.Note)
		}
		b.WriteString("\n")
	}
	for _, id := range l.Report.Summary {
		line(id)
	}
	for _, sec := range l.Report.Sections {
		fmt.Fprintf(&b, " ## %s\n", sec.Heading)
		for _, id := range sec.ClaimIDs {
			line(id)
		}
	}
	fmt.Fprintf(&b, " not found: %v\n", l.Report.NotFound)
	return b.String()
}
