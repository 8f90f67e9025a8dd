package whatif

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/router"
)

// step is one that tier took for j joules (half to twice), 0.1 J of them for
// routing; the tiers were expected to take 1, 10 and 100 J.
func step(tier research.Tier, j float64) research.Step {
	s := research.Step{
		Tier: tier, Model: "embedded/" + string(tier), Outcome: research.OutcomeOK, Seconds: 2, Dollars: amountOf(0.01),
		Energy:       research.Energy{Joules: amountOf(j), Low: amountOf(j / 2), High: amountOf(2 * j), Method: research.MethodCPU},
		RouterJoules: amountOf(0.1),
		Decision:     research.Decision{Chosen: "embedded/" + string(tier)},
	}
	for i, t := range research.Tiers() {
		s.Decision.Candidates = append(s.Decision.Candidates, research.Candidate{
			Model: "embedded/" + string(t), Tier: t, Eligible: true,
			Expected: research.Cost{Joules: amountOf([]float64{1, 10, 100}[i]), Dollars: amountOf(0.02), Seconds: 5},
		})
	}
	return s
}

func TestReprice(t *testing.T) {
	t.Parallel()
	steps := []research.Step{step(research.Small, 1.1), step(research.Large, 90.1)}
	r := Reprice(steps, Everywhere(research.Large))
	if r.Steps != 2 || r.Kept != 1 || r.Priced != 1 || r.Unknown != 0 || r.Joules != research.ToMicro(190) || r.Seconds != 7 || r.Dollars != research.ToMicro(0.03) {
		t.Errorf("%+v", r)
	}
	if r.Low != research.ToMicro(95) || r.High != research.ToMicro(380) {
		t.Errorf("%s to %s J", r.Low, r.High)
	}
	if x := *r.RealisedOverExpected; x < 0.9 || x > 0.91 { // 91 J of 101 J
		t.Errorf("realised over expected %v", x)
	}
	steps[0].Role, steps[1].Role = research.Reader, research.Writer
	if r := Reprice(steps, ByRole(map[research.Role]research.Tier{research.Writer: research.Small})); r.Joules != research.ToMicro(2) || r.Kept != 1 {
		t.Errorf("the writer alone on small: %+v", r)
	}
}

func TestStepsThatATierCouldNotTakeAreUnknown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		change  func(*research.Step)
		unknown int
	}{
		{"could", func(*research.Step) {}, 0},
		{"no such model", func(s *research.Step) { s.Decision.Candidates = s.Decision.Candidates[:2] }, 1},
		{"language", func(s *research.Step) { refuse(&s.Decision.Candidates[2], "language") }, 1},
		{"only the budget", func(s *research.Step) { refuse(&s.Decision.Candidates[2], router.WhyJoules) }, 0},
		{"standing by", func(s *research.Step) { refuse(&s.Decision.Candidates[2], router.WhyStandby) }, 0},
		{"energy unknown", func(s *research.Step) { s.Decision.Candidates[2].Expected.Joules = nil }, 1},
		{"interrupted", func(s *research.Step) { s.Outcome = research.OutcomeInterrupted }, 1},
	} {
		s := step(research.Small, 1)
		tt.change(&s)
		r := Reprice([]research.Step{s}, Everywhere(research.Large))
		v := Against(research.Large, 0, []research.Step{s})
		if r.Unknown != tt.unknown || v.Unknown != tt.unknown || r.Steps != 1 || tt.unknown == 1 && (r.Joules != 0 || v.Note.Code != NoteNothing) {
			t.Errorf("%s: %+v, %+v", tt.name, r, v)
		}
	}
	s := step(research.Large, 1)
	s.Energy = research.Energy{Method: research.MethodUnknown}
	if r := Reprice([]research.Step{s, {Outcome: research.InFlight}}, Everywhere(research.Large)); r.Unknown != 1 || r.Steps != 1 {
		t.Errorf("unknown energy and a step in flight: %+v", r)
	}
}

func refuse(c *research.Candidate, code string) { c.Eligible, c.WhyCode, c.WhyNot = false, code, "No." }

func TestOfSeveralModelsTheOneThatCouldIsPriced(t *testing.T) {
	t.Parallel()
	s := step(research.Small, 1)
	standby := s.Decision.Candidates[2]
	standby.Model, standby.Score = "embedded/other", 9
	standby.Expected.Joules = amountOf(7)
	refuse(&standby, router.WhyStandby)
	s.Decision.Candidates = append(s.Decision.Candidates, standby)
	if r := Reprice([]research.Step{s}, Everywhere(research.Large)); r.Joules != research.ToMicro(100) {
		t.Errorf("%s J", r.Joules)
	}
}

func TestSavings(t *testing.T) {
	t.Parallel()
	runs := [][]research.Step{{step(research.Small, 1.1), step(research.Small, 1.1)}, {step(research.Large, 90.1)}}
	st := State(research.ToMicro(0.5), runs...)
	l := st.Large
	if l.Runs != 2 || l.Steps != 3 || l.Spent != research.ToMicro(92.8) || l.Alternative != research.ToMicro(290) || l.Saved != research.ToMicro(197.2) || l.Router != research.ToMicro(0.8) {
		t.Errorf("%+v", l)
	}
	if l.Lost || l.Note.Code != NoteSaved || !strings.Contains(l.Note.Text, "saved 197 J (") || !strings.Contains(l.Note.Text, "0.8 J went into routing") {
		t.Errorf("%+v", l.Note)
	}
	if !(l.Low > research.ToMicro(97) && l.Low < research.ToMicro(99) && l.High > research.ToMicro(390) && l.High < research.ToMicro(396)) {
		t.Errorf("%s to %s J: one assumption moves both sides", l.Low, l.High)
	}
	s := st.Small
	if !s.Lost || s.Saved >= 0 || s.Note.Code != NoteLost || !strings.Contains(s.Note.Text, "saved nothing") || *s.Share >= 0 {
		t.Errorf("%+v", s)
	}
}

// A run on the tier it is compared with can only lose: by what routing took.
func TestRoutingThatChangesNothingCostsItself(t *testing.T) {
	t.Parallel()
	v := Against(research.Large, 0, []research.Step{step(research.Large, 80), step(research.Large, 90)})
	if v.Saved != -research.ToMicro(0.2) || !v.Lost || v.Note.Code != NoteLost || v.High >= 0 {
		t.Errorf("%+v", v)
	}
}

func TestFiguresOfDifferentOriginSpanBothSigns(t *testing.T) {
	t.Parallel()
	s := step(research.Small, 80)
	s.Energy.Method, s.Model = research.MethodModel, "box/small"
	v := Against(research.Large, 0, []research.Step{s})
	if v.Saved <= 0 || v.Low >= 0 || v.Note.Code != NoteOpen {
		t.Errorf("%+v", v)
	}
}

func TestSavingsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var runs [][]research.Step
		for range rapid.IntRange(0, 4).Draw(t, "runs") {
			var steps []research.Step
			for range rapid.IntRange(0, 5).Draw(t, "steps") {
				s := step(rapid.SampledFrom(research.Tiers()).Draw(t, "tier"), rapid.Float64Range(0, 200).Draw(t, "j"))
				if rapid.IntRange(0, 5).Draw(t, "unknown") == 0 {
					s.Energy.Joules = nil
				}
				steps = append(steps, s)
			}
			runs = append(runs, steps)
		}
		tier := rapid.SampledFrom(research.Tiers()).Draw(t, "against")
		all := Against(tier, 0, runs...)
		if all.Low > all.Saved || all.High < all.Saved || all.Saved != all.Alternative-all.Spent || all.Lost != (all.Saved < 0) || all.Note.Text == "" || all.Router > all.Spent {
			t.Fatalf("%+v", all)
		}
		sum, steps := research.Micro(0), 0
		for _, r := range runs {
			one := Against(tier, 0, r)
			sum, steps = sum+one.Saved, steps+one.Steps+one.Unknown
		}
		if sum != all.Saved || steps != all.Steps+all.Unknown {
			t.Fatalf("runs one by one saved %s, together %s", sum, all.Saved)
		}
	})
}

func TestAmountsHaveNoExponent(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0", 0.0123456: "0.0123", 123456: "123456", -197.2: "-197", 12: "12", 100: "100", 0.8: "0.8"} {
		if got := amount(research.ToMicro(x)); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
