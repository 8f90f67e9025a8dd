// Package measure scores research runs against a suite's gold pages and
// answers by counting words: no model judges. It knows nothing of how runs are
// made.
package measure

import (
	"strings"

	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
)

// ReportWords is how many words of claim text statement recall looks at, so
// that length buys nothing.
const ReportWords = 300

// Support is the share of a claim's content words that its quotes must hold.
const Support = 0.8

// Scores of one run, all in 0 to 1.
type Scores struct {
	GoldPageRecall    float64 `json:"gold_page_recall"`
	SourcePrecision   float64 `json:"source_precision"`
	StatementRecall   float64 `json:"statement_recall"`
	CitationPrecision float64 `json:"citation_precision"`
	Quality           float64 `json:"quality"`
}

// Run scores a run on its question. A run without claims scores 0 throughout.
func Run(q suite.Question, doc research.RunDocument) Scores {
	cited := CitedURLs(doc)
	s := Scores{
		GoldPageRecall:    GoldPageRecall(cited, q.GoldURLs),
		SourcePrecision:   SourcePrecision(cited, q.GoldURLs),
		StatementRecall:   StatementRecall(q, ReportText(doc)),
		CitationPrecision: CitationPrecision(doc),
	}
	s.Quality = Quality(s.StatementRecall, s.CitationPrecision)
	return s
}

// PageRecall is the share of the gold pages among the pages of the k
// best-ranked passages; ranking holds the passages' URLs, best first.
func PageRecall(ranking, gold []string, k int) float64 {
	return GoldPageRecall(ranking[:min(k, len(ranking))], gold)
}

// GoldPageRecall is the share of the gold pages among the cited ones.
func GoldPageRecall(cited, gold []string) float64 {
	want, have := set(gold), set(cited)
	if len(want) == 0 {
		return 0
	}
	return float64(common(want, have)) / float64(len(want))
}

// SourcePrecision is the share of the cited pages that are gold: a lower bound,
// since other pages may answer too. 0 when nothing is cited.
func SourcePrecision(cited, gold []string) float64 {
	want, have := set(gold), set(cited)
	if len(have) == 0 {
		return 0
	}
	return float64(common(want, have)) / float64(len(have))
}

// CitedURLs returns the URLs of the sources that the report's claims cite, each
// once, in report order.
func CitedURLs(doc research.RunDocument) []string {
	sources := sourcesByID(doc)
	seen := map[string]bool{}
	var out []string
	for _, c := range doc.Report.Claims {
		for _, e := range c.Evidence {
			if s, ok := sources[e.SourceID]; ok && !seen[s.URL] {
				seen[s.URL] = true
				out = append(out, s.URL)
			}
		}
	}
	return out
}

// ReportText is the claim texts in report order, cut at ReportWords words.
func ReportText(doc research.RunDocument) string {
	var words []string
	for _, c := range doc.Report.Claims {
		words = append(words, strings.Fields(c.Text)...)
		if len(words) >= ReportWords {
			words = words[:ReportWords]
			break
		}
	}
	return strings.Join(words, " ")
}

// StatementRecall is the share of the question's short answers that occur in
// the report or, for questions answered in prose, of the answer's content words
// that the question does not hold already.
func StatementRecall(q suite.Question, report string) float64 {
	if len(q.ShortAnswers) > 0 {
		return shortAnswerRecall(q.ShortAnswers, report)
	}
	want := set(ContentWords(q.Answer + "\n" + strings.Join(q.GoldStatements, "\n")))
	for _, w := range Tokens(q.Question) {
		delete(want, w)
	}
	if len(want) == 0 {
		return 0
	}
	return float64(common(want, set(Tokens(report)))) / float64(len(want))
}

func shortAnswerRecall(answers []string, report string) float64 {
	text := " " + plain(report) + " "
	n, found := 0, 0
	for _, a := range answers {
		p := plain(a)
		if p == "" {
			continue
		}
		n++
		if strings.Contains(text, " "+p+" ") {
			found++
		}
	}
	if n == 0 {
		return 0
	}
	return float64(found) / float64(n)
}

// Quality is the harmonic mean of statement recall and citation precision, 0
// when either is 0.
func Quality(statement, citation float64) float64 {
	if statement <= 0 || citation <= 0 {
		return 0
	}
	return 2 * statement * citation / (statement + citation)
}

func set(words []string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
