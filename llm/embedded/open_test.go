package embedded

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// site answers given addresses; some never answer, some move.
type site struct {
	docs  map[string]research.Document
	slow  map[string]bool
	mu    sync.Mutex
	tries map[string]int
}

func (s *site) Search(_ context.Context, r research.Request, q string, _ int) (
	[]research.Hit, []research.Query, []research.Note, []research.Discarded, error,
) {
	var hits []research.Hit
	for _, u := range r.URLs {
		hits = append(hits, research.Hit{URL: u, Provider: "urls", Score: 1})
	}
	return hits, []research.Query{{Text: q, Provider: "urls", Results: len(hits)}}, nil, nil, nil
}

func (s *site) Open(ctx context.Context, h research.Hit) (research.Document, *research.Discarded, error) {
	s.mu.Lock()
	s.tries[h.URL]++
	s.mu.Unlock()
	if s.slow[h.URL] {
		<-ctx.Done()
		return research.Document{}, nil, ctx.Err()
	}
	return s.docs[h.URL], nil, nil
}

// given is a run over n given pages of which the last holds the answer.
func given(t *testing.T, question string, n int) (*bundle, *site) {
	t.Helper()
	b := setup(t, question, "en")
	s := &site{docs: map[string]research.Document{}, slow: map[string]bool{}, tries: map[string]int{}}
	for i := range n {
		u := fmt.Sprintf("https://example.org/%d", i)
		body := fmt.Sprintf("Bread number %d is made of flour, water and salt, and it is baked for %d minutes.", i, 30+i)
		if i == n-1 {
			body = "The Alba lighthouse was built in 1872 by the engineer Maria Stein."
		}
		s.docs[u] = doc(u, fmt.Sprintf("Page %d", i), body)
		b.l.Run.URLs = append(b.l.Run.URLs, u)
	}
	b.l.Run.Library = false
	b.engine.finder = s
	return b, s
}

func TestSlowPageLeavesTimeToAnswer(t *testing.T) {
	t.Parallel()
	b, s := given(t, "When was the Alba lighthouse built?", 3)
	b.engine.now = time.Now
	slow := b.l.Run.URLs[0]
	s.slow[slow] = true
	b.do(t.Context(), SmallModel, research.Planner)
	b.do(t.Context(), SmallModel, research.Searcher)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
		b.do(ctx, SmallModel, research.Reader, "q1")
		if ctx.Err() != nil {
			t.Error("the slow page took the whole step")
		}
		cancel()
	}
	if len(b.l.Evidence) == 0 || len(b.l.Sources) != 2 {
		t.Errorf("%d quotes from %d sources", len(b.l.Evidence), len(b.l.Sources))
	}
	if len(b.l.Discarded) != 1 || b.l.Discarded[0].URL != slow || b.l.Discarded[0].Code != "timeout" || b.l.Discarded[0].Reason == "" {
		t.Errorf("discarded %+v", b.l.Discarded)
	}
	if s.tries[slow] != 1 {
		t.Errorf("tried %d times", s.tries[slow])
	}
}

// Given pages that slow ones kept from being read find room for their quotes
// afterwards: what was read first does not fill it.
func TestSlowPagesLeaveRoomForTheOthers(t *testing.T) {
	t.Parallel()
	b, s := given(t, "When was the Alba lighthouse built?", 12)
	b.engine.now = time.Now
	for i, u := range b.l.Run.URLs {
		s.slow[u] = i >= 3 && i < 3+openAtOnce
		d := s.docs[u]
		d.Text = ""
		for n := range 12 { // more than the room, each page with its own facts
			d.Text += fmt.Sprintf("The Alba lighthouse built on pier %d%02d was finished by %d masons in the year 18%02d.\n\n", i, n, 10*i+n+3, 7*i+n)
		}
		s.docs[u] = d
	}
	b.do(t.Context(), SmallModel, research.Planner)
	b.do(t.Context(), SmallModel, research.Searcher)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 1200*time.Millisecond)
		b.do(ctx, SmallModel, research.Reader, "q1")
		cancel()
	}
	late := map[string]bool{}
	for _, src := range b.l.Sources[min(3, len(b.l.Sources)):] {
		late[src.ID] = true
	}
	n := 0
	for _, e := range b.l.Evidence {
		if late[e.SourceID] {
			n++
		}
	}
	if len(late) != 5 || n == 0 || len(b.l.Evidence) > b.limits.Evidence {
		t.Errorf("%d pages read late gave %d of %d quotes", len(late), n, len(b.l.Evidence))
	}
}

func TestCancelledStepDiscardsNoPage(t *testing.T) {
	t.Parallel()
	b, s := given(t, "When was the Alba lighthouse built?", 1)
	s.slow[b.l.Run.URLs[0]] = true
	b.do(t.Context(), SmallModel, research.Planner)
	b.do(t.Context(), SmallModel, research.Searcher)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := b.do(ctx, SmallModel, research.Reader, "q1")
	if r.Outcome != research.OutcomeCancelled || len(r.Discarded) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestGivenAddressesAreAllRead(t *testing.T) {
	t.Parallel()
	for _, depth := range research.Depths() {
		limits := research.LimitsFor(depth)
		for _, n := range []int{1, 8, 12, limits.Sources, limits.Sources + 4} {
			b, s := given(t, "When was the Alba lighthouse built?", n)
			b.limits = limits
			b.do(t.Context(), SmallModel, research.Planner)
			b.do(t.Context(), SmallModel, research.Searcher)
			b.do(t.Context(), SmallModel, research.Reader, "q1")
			read := min(n, limits.Sources)
			if len(b.l.Sources) != read || len(b.l.Discarded) != n-read {
				t.Errorf("%s, %d given: %d read, %d discarded", depth, n, len(b.l.Sources), len(b.l.Discarded))
			}
			if n == read && len(b.l.Evidence) == 0 {
				t.Errorf("%s: the answer on page %d is not found", depth, n)
			}
			for _, d := range b.l.Discarded {
				if d.Code != "source_limit" || d.Reason == "" || s.tries[d.URL] > 0 {
					t.Errorf("%s: %+v", depth, d)
				}
			}
		}
	}
}

// A page that moved is a source under its new address and is not opened again
// under the old one.
func TestMovedPageIsOpenedOnce(t *testing.T) {
	t.Parallel()
	b, s := given(t, "When was the Alba lighthouse built?", 2)
	old := b.l.Run.URLs[0]
	d := s.docs[old]
	d.URL = "https://example.org/moved"
	s.docs[old] = d
	b.do(t.Context(), SmallModel, research.Planner)
	b.do(t.Context(), SmallModel, research.Searcher)
	b.l.Steps = nil
	for range 2 {
		r := b.do(t.Context(), SmallModel, research.Reader, "q1")
		b.l.Steps = append(b.l.Steps, research.Step{Role: research.Reader, Outcome: r.Outcome, Actions: r.Actions})
	}
	if s.tries[old] != 1 || len(b.l.Sources) != 2 || len(b.l.Discarded) != 0 {
		t.Errorf("tried %d times, %d sources, discarded %+v", s.tries[old], len(b.l.Sources), b.l.Discarded)
	}
}

func TestWordlessQuestionReadsGivenPages(t *testing.T) {
	t.Parallel()
	for question, quotes := range map[string]bool{"What is it about?": true, "What is this?": true, "Summarize it.": true, "Why is that so?": false} {
		b, s := given(t, question, 2)
		b.run(SmallModel)
		if len(b.l.Sources) != 2 || s.tries[b.l.Run.URLs[1]] != 1 {
			t.Errorf("%s: %d pages read", question, len(b.l.Sources))
		}
		if got := len(b.l.Evidence) > 0; got != quotes {
			t.Errorf("%s: %d quotes", question, len(b.l.Evidence))
		}
		if quotes {
			checkQuotes(t, b.l)
		}
	}
}

func TestWordlessQuestionOfTheLibrarySaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t, "What is it about?", "en", lighthouses()...)
	b.do(t.Context(), SmallModel, research.Planner)
	r := b.do(t.Context(), SmallModel, research.Searcher)
	if r.Outcome != research.OutcomeEmpty || len(r.Queries) != 1 || !slices.ContainsFunc(r.Notes, func(n research.Note) bool { return n.Code == research.NoteNoSearchWord }) {
		t.Errorf("%+v", r)
	}
	r = b.do(t.Context(), SmallModel, research.Searcher)
	if len(r.Queries) != 0 {
		t.Errorf("searched again: %+v", r.Queries)
	}
}

// The transformer may doubt a claim; it never confirms one that words leave weak.
func TestMeaningNeverRaisesAVerdict(t *testing.T) {
	t.Parallel()
	for _, tier := range []research.Tier{research.Medium, research.Large} {
		b := setup(t, "When was the Alba lighthouse built?", "en", lighthouses()...)
		b.run(SmallModel)
		r := &b.l.Report
		for i := range r.Claims {
			r.Claims[i].Verdict, r.Claims[i].Text = research.Weak, b.l.Plan.Subquestions[0].Text
		}
		s := newStep(b.engine, research.Task{Ledger: b.l, Limits: b.limits}, tier)
		if err := s.checkMeaning(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Claims {
			if c.Verdict != research.Weak {
				t.Errorf("%s: %s", tier, c.Verdict)
			}
		}
	}
}
