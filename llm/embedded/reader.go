package embedded

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/progrouter/progrouter/energy"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// openAtOnce bounds how many documents are fetched in parallel.
const openAtOnce = 4

// Codes of discarded documents that this engine gives.
const (
	codeEmpty       = "empty"
	codeSameText    = "same_text"
	codeTimeout     = "timeout"
	codeSourceLimit = "source_limit"
)

// DiscardedCodes lists them, for catalogues.
func DiscardedCodes() []string {
	return []string{codeEmpty, codeSameText, codeTimeout, codeSourceLimit}
}

// read opens what was found for the sub-questions of the focus, keeps it as
// sources and chooses the sentences that answer.
func (s *step) read(ctx context.Context) error {
	focus := s.focus()
	for _, q := range focus {
		if err := s.openFor(ctx, q); err != nil {
			return s.readNote(err)
		}
	}
	s.listLeftOut()
	pages, err := s.pages(ctx)
	if err != nil {
		return s.readNote(err)
	}
	for _, q := range focus {
		if err := s.readFor(ctx, q, pages); err != nil {
			return s.readNote(err)
		}
	}
	return s.readNote(nil)
}

func (s *step) readNote(err error) error {
	s.empty = len(s.out.Evidence) == 0
	s.noted(readNotes(len(s.out.Sources), len(s.out.Evidence), len(s.out.Discarded))...)
	return err
}

// unread lists the hits of a sub-question that are still to be opened, as many
// as the depth allows. All given addresses are read for the main question.
func (s *step) unread(q research.Subquestion) []research.Hit {
	so := s.soFar()
	most := perQuestion(s.task.Limits, s.tier)
	if q.Main {
		most = max(most, len(so.GivenUnread()))
	}
	hits := so.Unread(q.ID)
	return hits[:max(0, min(len(hits), most, s.task.Limits.Sources-len(so.Sources)))]
}

// soFar is the ledger with what the step has brought until now.
func (s *step) soFar() *research.Ledger {
	so := *s.ledger
	so.Sources = append(append([]research.Source(nil), so.Sources...), s.out.Sources...)
	so.Discarded = append(append([]research.Discarded(nil), so.Discarded...), s.out.Discarded...)
	so.Steps = append(append([]research.Step(nil), so.Steps...),
		research.Step{Role: research.Reader, Outcome: research.OutcomeOK, Actions: s.out.Actions})
	return &so
}

// listLeftOut names the given addresses that the depth has no room for.
func (s *step) listLeftOut() {
	so := s.soFar()
	if len(so.Sources) < s.task.Limits.Sources {
		return
	}
	for _, u := range so.GivenUnread() {
		s.keepDiscarded([]research.Discarded{{URL: u, Code: codeSourceLimit, Reason: fmt.Sprintf(
			"This depth reads at most %d documents per run, and they were read before this one. Choose a greater depth or give fewer addresses.",
			s.task.Limits.Sources)}})
	}
}

type opened struct {
	doc     research.Document
	refused *research.Discarded
	err     error
}

// openFor opens the unread hits, some at once, and keeps them in order. Pages
// that the step has no time for stay unread.
func (s *step) openFor(ctx context.Context, q research.Subquestion) error {
	hits := s.unread(q)
	got := make([]opened, len(hits))
	gate := make(chan struct{}, openAtOnce)
	share := shareOfTime(ctx)
	var all sync.WaitGroup
	start := s.now()
	begun := 0
	for i, h := range hits {
		gate <- struct{}{}
		if share.over() {
			break
		}
		begun++
		all.Go(func() {
			defer func() { <-gate }()
			got[i] = s.open(ctx, h, share.page)
		})
	}
	all.Wait()
	var failed error
	for i, o := range got[:begun] {
		s.act(research.ActionFetch, hits[i].URL, start, o.err)
		if o.err != nil {
			failed = errors.Join(failed, o.err)
			continue
		}
		s.keepDocument(hits[i], o)
	}
	return failed
}

// open opens one document within its time. One that takes longer is discarded,
// unless the step itself has ended.
func (s *step) open(ctx context.Context, h research.Hit, most time.Duration) (o opened) {
	page, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	o.doc, o.refused, o.err = s.finder.Open(page, h)
	if o.err != nil && page.Err() != nil && ctx.Err() == nil {
		return opened{refused: &research.Discarded{URL: h.URL, Code: codeTimeout, Reason: fmt.Sprintf(
			"The page did not arrive within %.0f seconds, and other pages had to be read. Try again later, or save the page and add it to the library.",
			max(1, most.Seconds()))}}
	}
	return o
}

// keepDocument makes a source of a document, or notes why not.
func (s *step) keepDocument(h research.Hit, o opened) {
	switch {
	case o.refused != nil:
		d := *o.refused
		if d.URL == "" {
			d.URL = h.URL
		}
		s.keepDiscarded([]research.Discarded{d})
		return
	case len(o.doc.Text) == 0:
		s.keepDiscarded([]research.Discarded{{URL: h.URL, Code: codeEmpty, Reason: "The document holds no text."}})
		return
	}
	sum := research.HashText(o.doc.Text)
	for _, d := range append(append([]research.Source(nil), s.ledger.Sources...), s.out.Sources...) {
		if d.SHA256 == sum {
			s.keepDiscarded([]research.Discarded{{
				URL: h.URL, Code: codeSameText, Reason: "The document has the same text as " + d.URL + ", which was read already.",
			}})
			return
		}
	}
	title := o.doc.Title
	if title == "" {
		title = h.Title
	}
	url := h.URL
	if o.doc.URL != "" {
		url = o.doc.URL
	}
	s.out.Sources = append(s.out.Sources, research.Source{
		ID:  fmt.Sprintf("s%d", len(s.ledger.Sources)+len(s.out.Sources)+1),
		URL: url, Title: tidy(title), Text: o.doc.Text, FetchedAt: s.now().UTC(), SHA256: sum,
		MediaType: o.doc.MediaType, Published: o.doc.Published, StepIndex: s.task.Step,
	})
}

// pages cuts all sources of the run into passages: one that was read for
// another sub-question may answer this one too.
func (s *step) pages(ctx context.Context) ([]*page, error) {
	var out []*page
	for _, src := range append(append([]research.Source(nil), s.ledger.Sources...), s.out.Sources...) {
		err := energy.DoSized(ctx, cutTime(src), func() { out = append(out, &page{leaf: s.leaves.of(src), source: src}) })
		if errors.Is(err, energy.ErrTooLarge) {
			s.keepDiscarded([]research.Discarded{{
				URL: src.URL, Code: "too_big",
				Reason: "The text is too long to be searched with what is left of the step's energy or time. Raise the budget, or give the part that matters.",
			}})
			continue
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// cutTime bounds the CPU time of cutting a text into passages: a megabyte was
// measured at 0.1 s and below.
func cutTime(src research.Source) time.Duration {
	return 2*time.Millisecond + time.Duration(len(src.Text))*200*time.Millisecond/(1<<20)
}

// readFor ranks the passages for one sub-question and keeps the sentences that
// answer it. The choice by words is made first and stands when the budget ends
// before the transformer has read.
func (s *step) readFor(ctx context.Context, q research.Subquestion, pages []*page) error {
	room := s.roomFor(q, len(pages))
	if room <= 0 || len(pages) == 0 {
		return nil
	}
	if wordless([]research.Subquestion{q}) {
		return s.readLeads(ctx, q, pages, room)
	}
	var found research.PassagesFound
	if err := s.compute(ctx, func() { found = findPassages(q.Text, pages) }); err != nil {
		return err
	}
	byText, placed := map[string]*page{}, s.standings(q.ID)
	for _, p := range pages {
		p.standing = placed[p.source.URL]
		byText[p.source.SHA256] = p
	}
	first, err := s.chooseBy(ctx, research.Small, q, found, byText, room)
	if err != nil || s.tier == research.Small || len(first) == 0 {
		s.keepEvidence(q, first)
		return err
	}
	better, err := s.chooseBy(ctx, s.tier, q, found, byText, room)
	if err != nil {
		s.keepEvidence(q, first)
		return err
	}
	s.keepEvidence(q, better)
	return nil
}

// roomFor is how many quotes may still be kept for a sub-question. Given pages
// that slow ones kept from being read leave their share of it free.
func (s *step) roomFor(q research.Subquestion, pages int) int {
	room := s.task.Limits.Evidence - len(s.ledger.EvidenceFor(q.ID))
	if !q.Main || room <= 0 {
		return room
	}
	late := len(s.soFar().GivenUnread())
	return max(1, room*pages/max(1, pages+late))
}

// chooseBy chooses evidence with the means of a tier.
func (s *step) chooseBy(ctx context.Context, tier research.Tier, q research.Subquestion, found research.PassagesFound, byText map[string]*page, room int) ([]*choice, error) {
	start := s.now()
	ranked, err := s.ranker.Passages(ctx, ranksAs(tier), q.Text, s.ledger.Run.Language, found)
	s.actNote("rank", research.Note{
		Code: noteRankPassages, Args: args{"Count": len(found.Hits), "Part": q.ID, "Tier": string(tier)},
		Text: fmt.Sprintf("%s for %s, %s", count(len(found.Hits), "passage", "passages"), q.ID, tier),
	}, start, err)
	if err != nil {
		return nil, err
	}
	tune := tuningFor(tier)
	var p *pool
	if err := s.compute(ctx, func() { p = gatherPool(q.Text, ranked, byText, tune, text.NewAnalyzer()) }); err != nil {
		return nil, err
	}
	if tune.sentences > 0 {
		if err := s.readSentences(ctx, q, p); err != nil {
			return nil, err
		}
	}
	if s.guide != nil && tier == s.tier {
		return s.chooseGuided(ctx, q, found, ranked, p, room)
	}
	var out []*choice
	err = s.compute(ctx, func() {
		if s.relevant(q, found, ranked) {
			out = p.pick(room, reportWords, s.takenSets(q))
			out = append(out, p.echoes(out, min(mostEchoes, room-len(out)))...)
		}
	})
	return out, err
}

// readSentences lets the transformer read the best sentences.
func (s *step) readSentences(ctx context.Context, q research.Subquestion, p *pool) error {
	best := p.best(p.tune.sentences)
	texts := []string{q.Text}
	for _, c := range best {
		texts = append(texts, c.clean)
	}
	if p.tune.context > 0 {
		texts = append(texts, p.surroundings(best)...)
	}
	start := s.now()
	vecs, err := s.encoder.Embed(ctx, texts)
	s.actNote("embed", research.Note{
		Code: noteEmbedSentences, Args: args{"Count": len(best), "Part": q.ID},
		Text: fmt.Sprintf("%s for %s", count(len(best), "sentence", "sentences"), q.ID),
	}, start, err)
	if err != nil {
		return err
	}
	return s.compute(ctx, func() {
		for i, c := range best {
			c.meaning = dot(vecs[0], vecs[i+1])
			if p.tune.context > 0 {
				c.context = dot(vecs[0], vecs[i+1+len(best)])
			}
		}
		p.rescore(best)
	})
}

const (
	reportWords = 320 // words of evidence that a sub-question needs at most
	mostEchoes  = 2   // second witnesses kept per sub-question
)

// takenSets are the words of evidence kept for the sub-question before.
func (s *step) takenSets(q research.Subquestion) []keptQuote {
	var out []keptQuote
	for _, e := range s.ledger.EvidenceFor(q.ID) {
		t := cleanQuote(e.Quote)
		out = append(out, keptQuote{setOf(text.Terms(t)), senseOf(t)})
	}
	return out
}

// keepEvidence turns choices into quotes with their places in the snapshot.
func (s *step) keepEvidence(q research.Subquestion, picks []*choice) {
	for _, c := range picks {
		s.out.Evidence = append(s.out.Evidence, research.Evidence{
			ID:       fmt.Sprintf("e%d", len(s.ledger.Evidence)+len(s.out.Evidence)+1),
			SourceID: c.page.source.ID, Subquestion: q.ID, Quote: string(c.page.runes[c.start:c.end]),
			Start: c.start, End: c.end, Heading: c.heading, Score: relevance(c),
			Model: s.task.Model, StepIndex: s.task.Step,
		})
	}
}

// relevance maps a choice to 0…1 for people.
func relevance(c *choice) float64 {
	v := (c.words + min(1, max(0, c.passage))) / 2
	if c.meaning > 0 {
		v = (v + c.meaning) / 2
	}
	return min(1, max(0, v))
}
