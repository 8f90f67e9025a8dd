package embedded

import (
	"math"
	"sort"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// tuning are the constants of choosing evidence. They are round numbers that
// held over several suites; measured in TestMeasure.
type tuning struct {
	passages  int     // best passages whose sentences are looked at
	sentences int     // best sentences that a transformer reads, 0 for none
	passage   float64 // weight of the passage's rank
	words     float64 // weight of the question's words in the sentence
	near      float64 // share of a word that only the surroundings have
	form      float64 // bonus for the form of answer the question asks for
	meaning   float64 // weight of the sentence's cosine with the question
	context   float64 // weight of the cosine of its surroundings: title, heading, neighbours; 0 leaves them unread
	standing  float64 // weight of how well the search placed the document
	fresh     float64 // weight of words that no chosen sentence has
	same      float64 // discount for likeness to a chosen sentence
	source    float64 // discount for each further sentence of one source
	verbless  float64 // discount for what seems no full statement
	lean      float64 // discount for sentences that lean on the one before
	share     float64 // least share of the best sentence's score that another must have
}

func tuningFor(tier research.Tier) tuning {
	t := tuning{
		passages: 30, passage: 1, words: 1, near: 0.5, form: 0.25, fresh: 0.15, same: 0.25, source: 0.05, lean: 0.05, verbless: 0.15, share: 0.4,
	}
	switch tier {
	case research.Medium:
		t.sentences, t.meaning, t.standing = 30, 1, 0.3
	case research.Large:
		t.sentences, t.meaning, t.context, t.standing = 40, 1, 1, 0.5
	}
	return t
}

// choice is a sentence on its way to becoming evidence.
type choice struct {
	*sentence
	passage float64 // score of the best passage around it
	words   float64 // weighted share of the question's words
	meaning float64 // cosine with the question, 0 when not computed
	context float64 // the same of the sentence in its surroundings
	score   float64
}

// pool holds the candidate sentences for one sub-question.
type pool struct {
	tune   tuning
	ask    string
	answer answerType
	asked  map[string]float64 // the question's terms by weight; they sum to 1
	picks  []*choice
}

// gatherPool collects the sentences of the best passages and scores them by
// words.
func gatherPool(ask string, ranked []Ranked, pages map[string]*page, tune tuning, a *text.Analyzer) *pool {
	p := &pool{tune: tune, ask: ask, answer: answerOf(ask)}
	at := map[*sentence]*choice{}
	for i, r := range ranked {
		if i >= tune.passages {
			break
		}
		pg := pages[r.URL]
		if pg == nil {
			continue
		}
		for _, s := range pg.sentencesIn(r.Start, r.End, a) {
			c := at[s]
			if c == nil {
				c = &choice{sentence: s}
				at[s] = c
				p.picks = append(p.picks, c)
			}
			c.passage = max(c.passage, r.Score)
		}
	}
	p.weigh(a)
	for _, c := range p.picks {
		c.words = p.share(c.sentence)
		c.score = p.base(c)
	}
	p.sort()
	return p
}

// weigh gives each term of the question its inverse frequency among the
// candidate sentences.
func (p *pool) weigh(a *text.Analyzer) {
	p.asked = map[string]float64{}
	for _, t := range a.Terms(p.ask) {
		p.asked[t] = 0
	}
	sum := 0.0
	for t := range p.asked {
		n := 0
		for _, c := range p.picks {
			if c.set.has(t) {
				n++
			}
		}
		p.asked[t] = math.Log(1 + (float64(len(p.picks))+0.5)/(float64(n)+0.5))
		if lightWord(t) {
			p.asked[t] *= 0.3
		}
		sum += p.asked[t]
	}
	for t := range p.asked {
		p.asked[t] /= max(sum, 1e-9)
	}
}

// lightWord says whether a term frames a question rather than names what it is
// about ("what does X stand for", "how long does it take").
func lightWord(t string) bool {
	switch t {
	case "stand", "name", "mean", "call", "term", "take", "come", "go", "get", "happen", "long", "mani", "much", "suppos",
		"kind", "type", "way", "thing", "person", "word", "exampl", "titl", "specif", "particular", "accord", "defin":
		return true
	}
	return false
}

// share is the weight of the question's words in a sentence; words found only
// in its surroundings (the sentence before, heading, title) count in part.
func (p *pool) share(s *sentence) float64 {
	around := setOf(text.Terms(s.heading + " " + s.page.source.Title))
	if s.prev != nil {
		around.addAll(s.prev.set)
	}
	sum := 0.0
	for t, w := range p.asked {
		switch {
		case s.set.has(t):
			sum += w
		case around.has(t):
			sum += w * p.tune.near
		}
	}
	return sum
}

func (p *pool) base(c *choice) float64 {
	v := p.tune.passage*c.passage + p.tune.words*c.words + p.tune.meaning*c.meaning + p.tune.context*c.context +
		p.tune.standing*c.page.standing
	if hasForm(c.clean, p.answer) {
		v += p.tune.form
	}
	if c.leans {
		v -= p.tune.lean
	}
	if !c.verb {
		v -= p.tune.verbless
	}
	return v
}

func (p *pool) sort() {
	sort.SliceStable(p.picks, func(a, b int) bool {
		x, y := p.picks[a], p.picks[b]
		if x.score != y.score {
			return x.score > y.score
		}
		if x.page.source.ID != y.page.source.ID {
			return x.page.source.ID < y.page.source.ID
		}
		return x.start < y.start
	})
}

// best returns the n best quotable candidates, for the transformer to read.
func (p *pool) best(n int) []*choice {
	var out []*choice
	for _, c := range p.picks {
		if len(out) == n {
			break
		}
		if c.whole {
			out = append(out, c)
		}
	}
	return out
}

// rescore applies the cosines of the sentences read.
func (p *pool) rescore(read []*choice) {
	low, far := 1.0, 1.0
	for _, c := range read {
		low, far = min(low, c.meaning), min(far, c.context)
	}
	seen := map[*choice]bool{}
	for _, c := range read {
		seen[c] = true
	}
	for _, c := range p.picks {
		if !seen[c] {
			c.meaning, c.context = low-0.1, far-0.1 // not among the best, so at most as good
		}
		c.score = p.base(c)
	}
	p.sort()
}

// pick chooses up to n sentences within the words given: relevant, different
// from each other and from what is taken already, and from several sources.
func (p *pool) pick(n, words int, taken []keptQuote) []*choice {
	var out []*choice
	covered := termSet{}
	for _, t := range taken {
		covered.addAll(t.set)
	}
	perSource := map[string]int{}
	used := map[*choice]bool{}
	asked := setOf(text.Terms(p.ask))
	least := 0.0
	for _, c := range p.picks {
		if !planted(c.clean, asked) {
			least = p.tune.share * c.score
			break
		}
	}
	for len(out) < n && words > 0 {
		var best *choice
		top := math.Inf(-1)
		for _, c := range p.picks {
			if used[c] || !c.whole || c.words <= 0 || c.score < least {
				continue
			}
			v := p.marginal(c, covered, perSource, out, taken)
			if v > top {
				best, top = c, v
			}
		}
		if best == nil {
			break
		}
		used[best] = true
		if top == math.Inf(-1) {
			break
		}
		if planted(best.clean, asked) {
			continue
		}
		out = append(out, best)
		covered.addAll(best.set)
		perSource[best.page.source.ID]++
		words -= best.clen()
	}
	return out
}

func (c *choice) clen() int { return c.sentence.words }

// marginal is what a sentence adds to those chosen; minus infinity when it
// repeats one.
func (p *pool) marginal(c *choice, covered termSet, perSource map[string]int, out []*choice, taken []keptQuote) float64 {
	like := 0.0
	for _, o := range out {
		l := jaccard(c.set, o.set)
		if l >= nearDuplicate && c.repeats(o) {
			return math.Inf(-1)
		}
		like = max(like, l)
	}
	for _, t := range taken {
		if jaccard(c.set, t.set) >= nearDuplicate && senseOf(c.clean).agrees(t.sense) {
			return math.Inf(-1)
		}
	}
	fresh := 0
	for t := range c.set {
		if !covered.has(t) && p.asked[t] == 0 {
			fresh++
		}
	}
	share := math.Min(1, float64(fresh)/12)
	return c.score + p.tune.fresh*share - p.tune.same*like - p.tune.source*float64(perSource[c.page.source.ID])
}

// echoes finds sentences of other sources that say what a chosen one says: a
// second witness, which the writer joins to the claim.
func (p *pool) echoes(chosen []*choice, most int) []*choice {
	var out []*choice
	for _, c := range p.picks {
		for _, o := range chosen {
			if len(out) < most && c.whole && c.page != o.page && jaccard(c.set, o.set) >= nearDuplicate && c.repeats(o) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// keptQuote is a sentence kept by an earlier step.
type keptQuote struct {
	set   termSet
	sense sense
}

// repeats says whether a sentence of like words says the same, not the opposite
// and not another number.
func (c *choice) repeats(o *choice) bool { return senseOf(c.clean).agrees(senseOf(o.clean)) }

// nearDuplicate is the likeness (Jaccard over terms) from which two sentences
// say the same.
const nearDuplicate = 0.7

// hasForm says whether a sentence holds the kind of thing the question asks
// for: a date, a number, a name.
func hasForm(s string, a answerType) bool {
	switch a {
	case answerDate:
		return reYear.MatchString(s)
	case answerNumber:
		return len(numbersIn(s)) > 0
	case answerPerson, answerPlace:
		return len(namesIn(s)) > 0
	}
	return false
}
