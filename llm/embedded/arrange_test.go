package embedded

import (
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// at is a draft with its place and score.
func at(source string, start int, score float64, text string) *draft {
	d := draftOf(source, text)
	d.claim.Text, d.leans, d.words = text, pointsBack(text), wordCount(text)
	d.first = research.Evidence{SourceID: source, Start: start, End: start + len(text), Score: score, Quote: text}
	d.set = setOf(termsOf(text))
	return d
}

func textsOf(ds []*draft) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.claim.Text)
	}
	return strings.Join(out, " ")
}

func TestArrange(t *testing.T) {
	t.Parallel()
	best := at("s1", 500, 0.9, "Lamps were lit.")
	early := at("s1", 10, 0.5, "Lamps came by sea.")
	other := at("s2", 0, 0.6, "Oil was dear.")
	loose := at("s2", 300, 0.55, "It burned well.")
	next := at("s2", 14, 0.4, "It came from whales.")
	got := textsOf(arrange([]*draft{best, other, loose, early, next}, false))
	if want := "Lamps were lit. Lamps came by sea. Oil was dear. It came from whales. It burned well."; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	// What answers far better than all else stays first although it leans.
	first := at("s1", 0, 0.9, "An example of the latter was the lamp.")
	if got := arrange([]*draft{first, at("s2", 0, 0.4, "Oil was dear.")}, false); got[0] != first {
		t.Errorf("the best answer went back: %s", textsOf(got))
	}
	// A guide's order is kept.
	if got := arrange([]*draft{loose, other, best, early}, true); got[0] != loose || got[1] != other {
		t.Errorf("a guide's order is lost: %s", textsOf(got))
	}
}

// reportOf makes a report of sections of drafts.
func reportOf(sections ...[]*draft) (*research.Report, map[string]*draft) {
	r, drafts := &research.Report{}, map[string]*draft{}
	for i, ds := range sections {
		sec := research.Section{Subquestion: "q" + string(rune('1'+i))}
		for _, d := range ds {
			d.rank = len(drafts)
			d.claim.ID = "c" + string(rune('a'+len(drafts)))
			d.claim.Subquestion = sec.Subquestion
			drafts[d.claim.ID] = d
			sec.ClaimIDs = append(sec.ClaimIDs, d.claim.ID)
			r.Claims = append(r.Claims, d.claim)
		}
		r.Sections = append(r.Sections, sec)
	}
	return r, drafts
}

func lamps() []*draft {
	return []*draft{
		at("s1", 0, 0.9, "Lamps were lit at dusk."), at("s1", 50, 0.2, "Bread was baked."), at("s1", 90, 0.8, "Lamps burned whale oil."),
		at("s2", 0, 0.7, "Keepers carried lamps."),
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	r, ds := reportOf(lamps())
	setAside(r, ds)
	if got := r.Sections[0].ClaimIDs; !slices.Equal(got, []string{"ca", "cc", "cd"}) || len(r.Claims) != 4 {
		t.Errorf("one section: %v of %d claims", got, len(r.Claims))
	}
	r, ds = reportOf(lamps(), lamps()[:1])
	setAside(r, ds)
	if got := r.Sections[0].ClaimIDs; !slices.Equal(got, []string{"ca", "cc", "cd", "cb"}) {
		t.Errorf("beside another section: %v", got)
	}
	r, ds = reportOf(lamps()[:2])
	setAside(r, ds)
	if got := r.Sections[0].ClaimIDs; len(got) != 2 {
		t.Errorf("a short section keeps all: %v", got)
	}
	r, ds = reportOf(lamps())
	r.Claims[1].Contradicts = []string{"ca"}
	setAside(r, ds)
	if got := r.Sections[0].ClaimIDs; len(got) != 4 {
		t.Errorf("what contradicts stays: %v", got)
	}
}

func TestWeakClaimsAreReadLast(t *testing.T) {
	t.Parallel()
	r, _ := reportOf(lamps())
	r.Claims[0].Verdict = research.Weak
	r.Summary = []string{"ca", "cc"}
	setWeakAside(r)
	if !slices.Equal(r.Sections[0].ClaimIDs, []string{"cb", "cc", "cd"}) || !slices.Equal(r.Summary, []string{"cc"}) {
		t.Errorf("%v, summary %v", r.Sections[0].ClaimIDs, r.Summary)
	}
	if got := r.InOrder(); got[len(got)-1].ID != "ca" {
		t.Errorf("the weak claim is read before %v", got)
	}
	for i := range r.Claims {
		r.Claims[i].Verdict = research.Weak
	}
	setWeakAside(r)
	if len(r.Sections[0].ClaimIDs) != 3 || len(r.Summary) != 1 {
		t.Errorf("nothing better: %+v", r)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	b := setup(t, "When were the lamps lit and what oil did keepers burn?", "en")
	s := newStep(b.engine, research.Task{Ledger: b.l}, research.Small)
	b.l.Plan.Subquestions = []research.Subquestion{
		{ID: "q1", Main: true}, {ID: "q2", Text: "What oil did keepers burn"}, {ID: "q3", Text: "Words used in bread baking"},
	}
	main := []*draft{
		at("s1", 0, 0.9, "The hours are therefore exact."), at("s1", 50, 0.85, "The lamps were lit at dusk by keepers."),
		at("s1", 90, 0.8, "It was always dark."), at("s1", 140, 0.3, "Stairs were steep."),
	}
	part := []*draft{at("s2", 0, 0.5, "Whale oil was what keepers burned in lamps.")}
	found := []*draft{at("s3", 0, 0.9, "Dough was used in baking bread.")}
	r, ds := reportOf(main, part, found)
	s.summarise(r, ds)
	if !slices.Equal(r.Summary, []string{"cb", "ce"}) {
		t.Errorf("summary %v", r.Summary)
	}
	if slices.Contains(r.Sections[0].ClaimIDs, "cb") {
		t.Error("the first section repeats the summary right above")
	}
	if !slices.Contains(r.Sections[1].ClaimIDs, "ce") {
		t.Error("a later section lost its only claim")
	}
}
