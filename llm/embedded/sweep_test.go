package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/rank"
	"github.com/progrouter/progrouter/retrieval/text"
)

type prepared struct {
	suite  int
	q      suite.Question
	ranked []Ranked
	pages  map[string]*page
	vecs   map[string][]float32
	ask    []float32
}

func prepare(t *testing.T, tier research.Tier) []*prepared {
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	enc := testEncoder()
	var out []*prepared
	lim := research.LimitsFor(research.Standard)
	leaves := newLeaves()
	for i, dir := range chosen("PROGROUTER_EVAL_SUITES", "wildgraph/mathematics,wildgraph/nature,quotesum") {
		su, err := suite.Load(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		var docs []research.Document
		for _, p := range su.Pages {
			docs = append(docs, p.Document())
		}
		lib := newMemory(docs...)
		for n, q := range su.Questions {
			if len(su.Questions) > 60 && n%2 == 1 && os.Getenv("HALF") != "" {
				continue
			}
			hits, _, _, _, err := lib.Search(context.Background(), research.Request{}, q.Question, lim.SearchResults)
			if err != nil {
				t.Fatal(err)
			}
			p := &prepared{suite: i, q: q, pages: map[string]*page{}}
			var pages []*page
			for n, h := range hits[:min(len(hits), lim.PerQuestion)] {
				d := lib.docs[h.URL]
				src := research.Source{ID: fmt.Sprintf("s%d", n+1), URL: h.URL, Title: d.Title, Text: d.Text, SHA256: research.HashText(d.Text)}
				pg := &page{leaf: leaves.of(src), source: src}
				pages = append(pages, pg)
				p.pages[src.SHA256] = pg
			}
			p.ranked, err = ranking{rank.New(enc, nil, nil)}.Passages(context.Background(), tier, q.Question, "en", findPassages(q.Question, pages))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
			if tier != research.Small {
				pool := gatherPool(q.Question, p.ranked, p.pages, tuningFor(research.Large), text.NewAnalyzer())
				texts := []string{q.Question}
				for _, c := range pool.best(60) {
					texts = append(texts, c.clean)
				}
				vs, err := enc.Embed(context.Background(), texts)
				if err != nil {
					t.Fatal(err)
				}
				p.ask, p.vecs = vs[0], map[string][]float32{}
				for i, s := range texts {
					p.vecs[s] = vs[i]
				}
			}
		}
	}
	return out
}

func sweep(ps []*prepared, tune tuning, n int, show string) string {
	var sum [3]float64
	var words [3]float64
	var num [3]float64
	a := text.NewAnalyzer()
	for _, p := range ps {
		pool := gatherPool(p.q.Question, p.ranked, p.pages, tune, a)
		if tune.sentences > 0 {
			best := pool.best(tune.sentences)
			for _, c := range best {
				c.meaning = dot(p.ask, p.vecs[c.clean])
			}
			pool.rescore(best)
		}
		var b strings.Builder
		for _, c := range pool.pick(n, 320, nil) {
			b.WriteString(c.clean + " ")
		}
		w := strings.Fields(b.String())
		words[p.suite] += float64(len(w))
		sum[p.suite] += statementRecall(strings.Join(w[:min(300, len(w))], " "), p.q)
		num[p.suite]++
	}
	s := show
	tot := 0.0
	for i := range sum {
		s += fmt.Sprintf("  %.3f (%3.0f)", sum[i]/num[i], words[i]/num[i])
		tot += sum[i] / num[i]
	}
	return s + fmt.Sprintf("  mean %.4f", tot/3)
}

func TestSweep(t *testing.T) {
	tier := research.Tier(chosen("PROGROUTER_EVAL_TIERS", "small")[0])
	ps := prepare(t, tier)
	base := tuningFor(tier)
	for _, n := range []int{0, 6, 12, 20, 30, 40} {
		base.sentences = n
		base.meaning = 1
		if n == 0 {
			base.meaning = 0
		}
		fmt.Println(sweep(ps, base, 12, fmt.Sprintf("sentences %d", n)))
	}
	base.sentences = 20
	for _, v := range []float64{0.5, 1, 1.5} {
		base.meaning = v
		fmt.Println(sweep(ps, base, 12, fmt.Sprintf("meaning %.1f", v)))
	}
}

type oneSweep struct {
	vals []float64
	set  func(*tuning, float64)
}

func sweeps() map[string]oneSweep {
	return map[string]oneSweep{
		"passage":   {[]float64{0, 0.5, 2}, func(t *tuning, v float64) { t.passage = v }},
		"near":      {[]float64{0, 0.25, 0.75}, func(t *tuning, v float64) { t.near = v }},
		"form":      {[]float64{0, 0.3}, func(t *tuning, v float64) { t.form = v }},
		"fresh":     {[]float64{0, 0.15, 0.5, 0.8}, func(t *tuning, v float64) { t.fresh = v }},
		"same":      {[]float64{0, 0.25, 1}, func(t *tuning, v float64) { t.same = v }},
		"source":    {[]float64{0, 0.1, 0.2}, func(t *tuning, v float64) { t.source = v }},
		"verbless":  {[]float64{0, 0.3}, func(t *tuning, v float64) { t.verbless = v }},
		"lean":      {[]float64{0, 0.15}, func(t *tuning, v float64) { t.lean = v }},
		"passages":  {[]float64{8, 12, 30}, func(t *tuning, v float64) { t.passages = int(v) }},
		"meaning":   {[]float64{0, 0.5, 1.5, 2, 3}, func(t *tuning, v float64) { t.meaning = v }},
		"sentences": {[]float64{20, 60}, func(t *tuning, v float64) { t.sentences = int(v) }},
		"words":     {[]float64{0, 0.5}, func(t *tuning, v float64) { t.words = v }},
		"share":     {[]float64{0, 0.5}, func(t *tuning, v float64) { t.share = v }},
	}
}
