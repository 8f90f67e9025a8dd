package rank

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/eval/measure"
	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/extract"
	"github.com/progrouter/progrouter/retrieval/text"
)

// evalSuite is a suite with its pages cut into passages.
type evalSuite struct {
	*suite.Suite
	found research.PassagesFound
}

func evalSuites(t *testing.T) []evalSuite {
	t.Helper()
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	var out []evalSuite
	for _, dir := range []string{"wildgraph/mathematics", "wildgraph/nature", "quotesum"} {
		s, err := suite.Load(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		var ps []research.IndexedPassage
		for _, p := range s.Pages {
			ps = append(ps, text.Split(pageDocument(t, p))...)
		}
		out = append(out, evalSuite{s, FromIndexed(ps)})
	}
	return out
}

// pageDocument is the page as the program would have read it.
func pageDocument(t *testing.T, p suite.Page) research.Document {
	t.Helper()
	doc := p.Document()
	if p.Markdown {
		read, discarded, err := extract.New(nil).Parse(context.Background(), "page.md", "text/markdown", []byte(p.Text), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		if discarded == nil {
			doc.Text = read.Text
		}
	}
	return doc
}

// figures are means over the questions of a suite.
type figures struct{ at5, at10, seconds float64 }

// evaluate ranks for every question of a suite. With cold caches the CPU
// seconds are those of a question asked for the first time.
func evaluate(t *testing.T, r *Ranker, enc *encoder.Encoder, level Level, s evalSuite, cold bool) figures {
	t.Helper()
	var f figures
	for _, q := range s.Questions {
		if cold {
			enc.Reset()
		}
		account := energy.NewAccount(0)
		ranked, err := r.Passages(energy.WithAccount(context.Background(), account), level, q.Question, "en", s.found)
		if err != nil {
			t.Fatal(err)
		}
		urls := make([]string, len(ranked))
		for i, p := range ranked {
			urls[i] = p.URL
		}
		f.at5 += measure.PageRecall(urls, q.GoldURLs, 5)
		f.at10 += measure.PageRecall(urls, q.GoldURLs, 10)
		f.seconds += account.Total().Seconds()
	}
	n := float64(len(s.Questions))
	return figures{f.at5 / n, f.at10 / n, f.seconds / n}
}

func evalRanker(t *testing.T) (*Ranker, *encoder.Encoder) {
	t.Helper()
	pool := energy.NewPool(2)
	t.Cleanup(pool.Close)
	enc := encoder.New(pool)
	return New(enc, encoder.NewStatic(), pool), enc
}

// TestLevelsOnSuites prints page recall and CPU seconds per level and holds
// them to the required marks. The weights are decoded before the clock starts.
func TestLevelsOnSuites(t *testing.T) {
	suites := evalSuites(t)
	r, enc := evalRanker(t)
	if _, err := enc.Embed(context.Background(), []string{"warm up"}); err != nil {
		t.Fatal(err)
	}
	marks := map[Level][]float64{Lexical: {0.60, 0.57, 0.88}, Rerank: {0.60, 0.57, 0.88}, Deep: {0.68, 0.66, 0.92}}
	for _, level := range []Level{Lexical, Rerank, Deep} {
		for i, s := range suites {
			f := evaluate(t, r, enc, level, s, true)
			t.Logf("%-8s %-12s recall@5 %.3f  recall@10 %.3f  CPU s per question %.3f", level, s.Name, f.at5, f.at10, f.seconds)
			if f.at5 < marks[level][i] {
				t.Errorf("%s on %s: recall@5 %.3f is below %.2f", level, s.Name, f.at5, marks[level][i])
			}
		}
	}
}

// TestAblation prints what each part of the ranking brings (recall@5/@10).
func TestAblation(t *testing.T) {
	suites := evalSuites(t)
	r, enc := evalRanker(t)
	for _, c := range ablations {
		r.tune = standard()
		if c.change != nil {
			c.change(&r.tune)
		}
		line := ""
		for _, s := range suites {
			f := evaluate(t, r, enc, c.level, s, false)
			line += fmt.Sprintf("  %.3f/%.3f", f.at5, f.at10)
		}
		t.Logf("%-42s%s", c.name, line)
	}
}

var ablations = []struct {
	name   string
	level  Level
	change func(*tuning)
}{
	{"lexical: plain BM25 on stems", Lexical, func(u *tuning) {
		u.stemOnly, u.title, u.heading, u.together, u.nearness, u.repeat = 1, 0, 0, false, 0, 1
	}},
	{"lexical", Lexical, nil},
	{"lexical without pages taking turns", Lexical, func(u *tuning) { u.repeat = 1 }},
	{"lexical without word before stem", Lexical, func(u *tuning) { u.stemOnly = 1 }},
	{"lexical without title and heading", Lexical, func(u *tuning) { u.title, u.heading = 0, 0 }},
	{"lexical without nearness", Lexical, func(u *tuning) { u.nearness = 0 }},
	{"lexical without counting terms", Lexical, func(u *tuning) { u.together = false }},
	{"rerank", Rerank, nil},
	{"rerank without the static table", Rerank, func(u *tuning) { u.widen = 0 }},
	{"rerank without counting terms", Rerank, func(u *tuning) { u.together = false }},
	{"rerank reading 20", Rerank, func(u *tuning) { u.rerankTop = 20 }},
	{"deep reading 30", Deep, func(u *tuning) { u.deepTop = 30 }},
	{"deep (40)", Deep, nil},
	{"deep without the static table", Deep, func(u *tuning) { u.widen = 0 }},
	{"deep without pages taking turns", Deep, func(u *tuning) { u.repeat = 1 }},
	{"deep, meaning counting double", Deep, func(u *tuning) { u.semantic = 2 }},
	{"deep, meaning counting half", Deep, func(u *tuning) { u.semantic = 0.5 }},
}

// TestThreshold asks every suite's questions about its own pages and about the
// other suites' and prints how often the threshold decides wrongly. Some of the
// questions are so general that other pages do touch them.
func TestThreshold(t *testing.T) {
	suites := evalSuites(t)
	r, _ := evalRanker(t)
	for _, c := range []struct {
		level Level
		every int // ask one question in so many: vectors take time
	}{{Lexical, 1}, {Rerank, 3}, {Deep, 6}} {
		rejected, own, accepted, other := 0, 0, 0, 0
		for _, asked := range suites {
			for _, pages := range suites {
				for i := 0; i < len(asked.Questions); i += c.every {
					ranked, err := r.Passages(context.Background(), c.level, asked.Questions[i].Question, "en", pages.found)
					if err != nil {
						t.Fatal(err)
					}
					answers := len(ranked) > 0 && ranked[0].Score >= Threshold(c.level)
					switch {
					case asked.Name == pages.Name:
						own++
						rejected += count(!answers)
					default:
						other++
						accepted += count(answers)
					}
				}
			}
		}
		t.Logf("%-8s threshold %.2f: false reject %d of %d, false accept %d of %d", c.level, Threshold(c.level), rejected, own, accepted, other)
		if rejected*10 > own {
			t.Errorf("%s: more than one in ten own questions stays below the threshold", c.level)
		}
		if accepted*5 > other {
			t.Errorf("%s: more than one in five foreign questions reaches the threshold", c.level)
		}
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
