package embedded

import (
	"math"
	"sort"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// leaf is the text of a source cut up for ranking. It does not change and is
// shared between steps.
type leaf struct {
	runes    []rune
	passages []research.IndexedPassage // URL is the hash of the text
	heads    []heading
}

type heading struct {
	at   int
	text string
}

func newLeaf(src research.Source) *leaf {
	l := &leaf{runes: []rune(src.Text)}
	l.passages = text.Split(research.Document{URL: src.SHA256, Title: src.Title, Text: src.Text})
	l.heads = headingsIn(l.runes)
	return l
}

// size is about how many bytes a leaf takes.
func (l *leaf) size() int { return 10 * len(l.runes) }

// headingsIn finds "# …" lines and underlined ones.
func headingsIn(runes []rune) []heading {
	var out []heading
	prev, prevAt := "", 0
	for start := 0; start < len(runes); {
		stop := start
		for stop < len(runes) && runes[stop] != '\n' {
			stop++
		}
		if stop-start <= 200 {
			line := strings.TrimSpace(string(runes[start:stop]))
			mark := strings.TrimLeft(line, "#")
			switch {
			case len(mark) < len(line) && strings.HasPrefix(mark, " "):
				out = append(out, heading{start, cleanHeading(mark)})
			case prev != "" && len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == ""):
				out = append(out, heading{prevAt, cleanHeading(prev)})
			}
			prev, prevAt = line, start
		} else {
			prev = ""
		}
		start = stop + 1
	}
	return out
}

// page is a source being read in a step.
type page struct {
	*leaf
	source   research.Source
	standing float64     // how well the search placed it, 0 to 1
	read     []text.Span // windows whose sentences were found already
	found    []*sentence
}

func (p *page) headingAt(at int) string {
	i := sort.Search(len(p.heads), func(i int) bool { return p.heads[i].at > at })
	if i == 0 {
		return ""
	}
	return p.heads[i-1].text
}

// candidates bounds how many passages of the sources are ranked in earnest.
const candidates = 400

// findPassages is what an index would answer for the query over the pages:
// the best passages by BM25, with the statistics to rank them again.
func findPassages(query string, pages []*page) research.PassagesFound {
	f := research.PassagesFound{DF: map[string]int{}}
	asked := map[string]int{}
	for _, t := range text.Terms(query) {
		if _, ok := asked[t]; !ok {
			asked[t] = len(asked)
		}
	}
	type row struct {
		p  research.IndexedPassage
		tf []int
	}
	var rows []row
	words := 0
	df := make([]int, len(asked))
	for _, pg := range pages {
		for _, p := range pg.passages {
			f.Passages++
			var tf []int
			for t := range strings.FieldsSeq(p.Terms) {
				words++
				if i, ok := asked[t]; ok {
					if tf == nil {
						tf = make([]int, len(asked))
					}
					tf[i]++
				}
			}
			if tf == nil {
				continue
			}
			for i, n := range tf {
				if n > 0 {
					df[i]++
				}
			}
			rows = append(rows, row{p, tf})
		}
	}
	if f.Passages > 0 {
		f.Terms = float64(words) / float64(f.Passages)
	}
	for t, i := range asked {
		f.DF[t] = df[i]
	}
	for _, r := range rows {
		h := research.PassageHit{Passage: r.p.Passage, Terms: r.p.Terms}
		for i, n := range r.tf {
			idf := math.Log(1 + (float64(f.Passages-df[i])+0.5)/(float64(df[i])+0.5))
			h.Score += idf * float64(n) / (float64(n) + 1.2)
		}
		f.Hits = append(f.Hits, h)
	}
	sort.SliceStable(f.Hits, func(a, b int) bool { return f.Hits[a].Score > f.Hits[b].Score })
	f.Hits = f.Hits[:min(candidates, len(f.Hits))]
	return f
}
