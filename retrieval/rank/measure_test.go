package rank

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/progrouter/progrouter/eval/suite"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

type loaded struct {
	name  string
	s     *suite.Suite
	found research.PassagesFound
}

func load(t testing.TB) []loaded {
	root := os.Getenv("PROGROUTER_EVAL_DATA")
	if root == "" {
		t.Skip("PROGROUTER_EVAL_DATA is not set")
	}
	var out []loaded
	for _, dir := range []string{"wildgraph/mathematics", "wildgraph/nature", "quotesum"} {
		s, err := suite.Load(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		var ps []research.IndexedPassage
		for _, p := range s.Pages {
			ps = append(ps, text.Split(p.Document())...)
		}
		out = append(out, loaded{s.Name, s, FromIndexed(ps)})
	}
	return out
}

func recall(q suite.Question, ranked []Scored, k int) float64 {
	got := map[string]bool{}
	for i, p := range ranked {
		if i < k {
			got[p.URL] = true
		}
	}
	n := 0.0
	for _, u := range q.GoldURLs {
		if got[u] {
			n++
		}
	}
	return n / float64(len(q.GoldURLs))
}

func row(t *testing.T, name string, r *Ranker, level Level, all []loaded) {
	line := fmt.Sprintf("%-34s", name)
	for _, l := range all {
		r5, r10 := 0.0, 0.0
		for _, q := range l.s.Questions {
			ranked, err := r.Passages(context.Background(), level, q.Question, "en", l.found)
			if err != nil {
				t.Fatal(err)
			}
			r5 += recall(q, ranked, 5)
			r10 += recall(q, ranked, 10)
		}
		n := float64(len(l.s.Questions))
		line += fmt.Sprintf("  %.3f/%.3f", r5/n, r10/n)
	}
	fmt.Println(line)
}

func TestMeasure(t *testing.T) {
	all := load(t)
	for _, c := range []struct {
		name string
		f    func(*tuning)
	}{
		{"plain bm25", func(u *tuning) { u.title, u.heading, u.proximity, u.page, u.repeat = 0, 0, 0, 0, 1 }},
		{"+title1", func(u *tuning) { u.heading, u.proximity, u.page, u.repeat = 0, 0, 0, 1 }},
		{"+title1 heading.5", func(u *tuning) { u.proximity, u.page, u.repeat = 0, 0, 1 }},
		{"+prox.1", func(u *tuning) { u.page, u.repeat = 0, 1 }},
		{"+page.3", func(u *tuning) { u.repeat = 1 }},
		{"+repeat.8 (standard)", func(u *tuning) {}},
		{"title .5", func(u *tuning) { u.title = .5 }},
		{"title 2", func(u *tuning) { u.title = 2 }},
		{"title 3", func(u *tuning) { u.title = 3 }},
		{"heading 0", func(u *tuning) { u.heading = 0 }},
		{"heading 1", func(u *tuning) { u.heading = 1 }},
		{"prox 0", func(u *tuning) { u.proximity = 0 }},
		{"prox .2", func(u *tuning) { u.proximity = .2 }},
		{"prox .3", func(u *tuning) { u.proximity = .3 }},
		{"page 0", func(u *tuning) { u.page = 0 }},
		{"page .5", func(u *tuning) { u.page = .5 }},
		{"page .3 of 1", func(u *tuning) { u.pagePassages = 1 }},
		{"page .3 of 5", func(u *tuning) { u.pagePassages = 5 }},
		{"page .3 of 20", func(u *tuning) { u.pagePassages = 20 }},
		{"repeat .9", func(u *tuning) { u.repeat = .9 }},
		{"repeat .7", func(u *tuning) { u.repeat = .7 }},
		{"repeat .5", func(u *tuning) { u.repeat = .5 }},
		{"repeat 0", func(u *tuning) { u.repeat = 0 }},
		{"k1 .8", func(u *tuning) { u.k1 = .8 }},
		{"k1 2", func(u *tuning) { u.k1 = 2 }},
		{"b .3", func(u *tuning) { u.b = .3 }},
		{"b 0", func(u *tuning) { u.b = 0 }},
	} {
		r := New(nil, nil, nil)
		c.f(&r.tune)
		row(t, c.name, r, Lexical, all)
	}
}
