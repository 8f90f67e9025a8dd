package embedded

import (
	"context"
	"math"
	"sort"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// mostShown is how many sentences a guide may choose from. It shows its model
// fewer where they do not fit.
const mostShown = 48

// chooseGuided lets a guide choose from the best sentences and joins its choice
// with the engine's own. Where the sources do not answer, the guide is not
// asked: a model that is asked to choose chooses.
func (s *step) chooseGuided(ctx context.Context, q research.Subquestion, found research.PassagesFound, ranked []Ranked, p *pool, room int) ([]*choice, error) {
	var usual, from []*choice
	err := s.compute(ctx, func() {
		if s.relevant(q, found, ranked) {
			taken := s.takenSets(q)
			usual = p.pick(room, reportWords, taken)
			from = p.shown(usual, taken, mostShown)
		}
	})
	if err != nil || len(usual) == 0 {
		return nil, err
	}
	said, err := s.guide.Choose(ctx, q, candidatesOf(from), room)
	if err != nil {
		return nil, err
	}
	var out []*choice
	err = s.compute(ctx, func() {
		if said.None && !s.clear(q, found, ranked) {
			return // neither finds that it answers
		}
		out = p.joined(usual, from, said.Use, room)
		out = append(out, p.echoes(out, min(mostEchoes, room-len(out)))...)
	})
	return out, err
}

func candidatesOf(from []*choice) []Candidate {
	out := make([]Candidate, len(from))
	for i, c := range from {
		out[i] = Candidate{Text: c.clean, Title: cleanQuote(c.page.source.Title), Heading: c.heading, URL: c.page.source.URL}
	}
	return out
}

// shown are the sentences a guide chooses from: the engine's choice, then the
// next best. What gives orders to its reader or repeats is left out.
func (p *pool) shown(usual []*choice, taken []keptQuote, most int) []*choice {
	out := append([]*choice{}, usual...)
	in := map[*choice]bool{}
	for _, c := range usual {
		in[c] = true
	}
	asked := setOf(text.Terms(p.ask))
	for _, c := range p.picks {
		if len(out) >= most {
			break
		}
		if in[c] || !c.whole || c.words <= 0 || planted(c.clean, asked) || p.marginal(c, termSet{}, nil, out, taken) == math.Inf(-1) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// joined orders the engine's choice and the guide's. Every sentence starts at
// its place in the engine's order; those the guide picked move up, by more the
// more its picks agree with the engine's. So a guide that knows better decides,
// and one that guesses cannot push out what the engine is sure of. The engine's
// best always stays first among equals.
func (p *pool) joined(usual, from []*choice, use []int, room int) []*choice {
	picked := map[*choice]bool{}
	agree := 0
	for _, i := range use {
		if i < 0 || i >= len(from) || picked[from[i]] {
			continue
		}
		picked[from[i]] = true
		if i < len(usual) {
			agree++
		}
	}
	if len(picked) == 0 {
		return usual
	}
	lift := float64(room) * (0.4 + float64(agree)/float64(len(picked)))
	type placed struct {
		c  *choice
		at float64
	}
	var all []placed
	for i, c := range from {
		switch {
		case picked[c]:
			all = append(all, placed{c, float64(i) - lift})
		case i < len(usual):
			all = append(all, placed{c, float64(i)})
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].at < all[b].at })
	var out []*choice
	for _, x := range all[:min(room, len(all))] {
		out = append(out, x.c)
	}
	return out
}

// clear says whether the best passages answer a question beyond doubt, so that a
// guide which finds nothing is not believed.
func (s *step) clear(q research.Subquestion, found research.PassagesFound, ranked []Ranked) bool {
	for _, r := range ranked[:min(len(ranked), coverPassages)] {
		if r.Semantic >= closeMeaning {
			return true
		}
	}
	score, searched := s.firstScore(q.ID)
	return searched && score >= clearScore || coverage(q.Text, found, ranked) >= clearCover
}

// clearCover is the weighted share of the question's words from which a passage
// answers beyond doubt.
const clearCover = 0.6
