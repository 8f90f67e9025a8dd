package router

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Names of the terms, as in the decision's JSON.
const (
	TermValue   = "value"
	TermQueue   = "queue"
	TermEnergy  = "energy"
	TermTime    = "time"
	TermDollars = "dollars"
	// TermSwitching is the part of energy and queue that loads a model.
	TermSwitching = "switching"
)

// explain writes the reason: one sentence, or two short ones, that a reader who
// knows nothing of scores can follow.
func (in *Input) explain(d *research.Decision, t table, ch choice) {
	d.ReasonCode = ch.code
	switch ch.code {
	case ReasonNothingFits:
		d.Reason = in.nothingFits(t)
	case ReasonTierUnavailable:
		d.Reason = in.tierUnavailable(t)
	case ReasonFixed:
		d.Reason = fmt.Sprintf("The policy %s always uses %s.", in.Policy, t.name(ch.index))
	case ReasonOnlyFits:
		d.Reason = onlyFits(d, t, ch.index)
	case ReasonExplored:
		d.Reason = in.explored(d, t, ch)
	case ReasonKept, ReasonNearest:
		d.Reason = in.kept(t, ch)
	case ReasonUntried:
		d.Reason = in.untried(t, ch.index)
	case ReasonGainPerCost:
		d.Reason = gainPerCost(d, t, ch.index)
	case ReasonRandom:
		d.Reason = fmt.Sprintf("The policy draws one of the %d models that can take this step; it drew %s.", len(t.eligible), t.name(ch.index))
	case ReasonStartedSmall:
		d.Reason = fmt.Sprintf("The cascade starts with the smallest tier that can do it, and no %s step has stalled so far: %s takes it.", in.Role, t.name(ch.index))
	case ReasonHeldBack:
		d.Reason = fmt.Sprintf("The cascade would move up because step %d (%s, %s) %s, but no larger tier can take this step: %s takes it.",
			ch.why.Index+1, ch.why.Role, ch.why.Tier, whatWentWrong(ch.why.Outcome), t.name(ch.index))
	case ReasonEscalated:
		d.Reason = fmt.Sprintf("The cascade moved up because step %d (%s, %s) %s: %s takes it.",
			ch.why.Index+1, ch.why.Role, ch.why.Tier, whatWentWrong(ch.why.Outcome), t.name(ch.index))
	default:
		compare(d, t, ch.index)
	}
}

func whatWentWrong(o research.Outcome) string {
	switch o {
	case research.OutcomeEmpty:
		return "found nothing"
	case research.OutcomeOK:
		return "brought the report hardly further"
	}
	return "failed"
}

func (in *Input) nothingFits(t table) string {
	if len(t.cs) == 0 {
		return "No model is configured for this step."
	}
	all := make([]int, len(t.cs))
	for i := range all {
		all[i] = i
	}
	i := t.cheapest(all)
	return fmt.Sprintf("No model can take this step any more. The cheapest is %s. %s", t.name(i), t.cs[i].WhyNot)
}

func (in *Input) tierUnavailable(t table) string {
	tier, _ := in.Policy.FixedTier()
	why := ""
	for _, c := range t.cs {
		if c.Tier == tier && (why == "" || c.WhyCode != WhyStandby) {
			why = c.WhyNot
			if c.WhyCode != WhyStandby {
				break // a model's own reason, not that a substitute is none
			}
		}
	}
	if why != "" {
		return fmt.Sprintf("The policy %s uses only the %s tier, which cannot take this step. %s", in.Policy, tier, why)
	}
	return fmt.Sprintf("The policy %s uses only the %s tier, for which no model is configured.", in.Policy, tier)
}

// onlyFits says why the others cannot, those with one reason together.
func onlyFits(d *research.Decision, t table, chosen int) string {
	s := fmt.Sprintf("Only %s can take this step.", t.name(chosen))
	var whys []string
	names := map[string][]string{}
	for i, c := range t.cs {
		if i == chosen {
			continue
		}
		if d.Rival == "" {
			d.Rival = c.Model
		}
		if names[c.WhyNot] == nil {
			whys = append(whys, c.WhyNot)
		}
		names[c.WhyNot] = append(names[c.WhyNot], t.name(i))
	}
	for _, why := range whys {
		s += fmt.Sprintf(" %s cannot: %s", upper(strings.Join(names[why], " and ")), clause(why))
	}
	return s
}

// clause lets a sentence go on after a colon. Names keep their capital.
func clause(sentence string) string {
	for _, word := range []string{"It ", "Its ", "What ", "This ", "The ", "No "} {
		if strings.HasPrefix(sentence, word) {
			return strings.ToLower(sentence[:1]) + sentence[1:]
		}
	}
	return sentence
}

func (in *Input) explored(d *research.Decision, t table, ch choice) string {
	what := "steps"
	if in.Policy == research.OneShot {
		what = "runs"
	}
	s := fmt.Sprintf("%s was drawn at random, as happens in %.0f %% of the %s, to keep learning what each model brings",
		upper(t.name(ch.index)), 100*in.params().Epsilon(in.Decisions), what)
	d.Rival = t.cs[ch.own].Model
	if ch.own == ch.index {
		return s + "; it would have been taken anyway."
	}
	return fmt.Sprintf("%s; otherwise it would have been %s.", s, t.name(ch.own))
}

// kept says that a one-shot policy stays with its first choice, or why it cannot.
func (in *Input) kept(t table, ch choice) string {
	if ch.code == ReasonKept {
		return fmt.Sprintf("The policy judged the question once, when the run began, and stays with its choice: %s takes every step.", t.name(ch.index))
	}
	why := "It cannot take this step."
	for _, c := range t.cs {
		if c.Tier == ch.why.Tier && c.WhyNot != "" {
			why = c.WhyNot
			break
		}
	}
	return fmt.Sprintf("The policy chose the %s tier when the run began. %s The nearest that can take this step is %s.", ch.why.Tier, why, t.name(ch.index))
}

func (in *Input) untried(t table, chosen int) string {
	s := fmt.Sprintf("The policy goes by what each model brought in earlier %s steps, and %s has too few of them to be compared", in.Role, t.name(chosen))
	return fmt.Sprintf("%s (%d so far, %d are needed): it is tried first.", s, t.tried(chosen), triesFirst)
}

// gainPerCost compares the choice with the next best by the same ratio.
func gainPerCost(d *research.Decision, t table, chosen int) string {
	price, rival := t.currency(), -1
	for _, i := range t.eligible {
		if i != chosen && (rival < 0 || t.yield(i, rival, price) > 0) {
			rival = i
		}
	}
	d.Rival = t.cs[rival].Model
	return fmt.Sprintf("The policy takes the most expected progress for each joule, whatever the run needs: %s (%+.3f for %s) comes before %s (%+.3f for %s).",
		t.name(chosen), t.gain(chosen), joules(t.prices[chosen].expected.Joules),
		t.name(rival), t.gain(rival), joules(t.prices[rival].expected.Joules))
}

// delta is how much a term speaks for the chosen model against its rival.
type delta struct {
	term string
	by   float64
}

// compare names the one or two terms that speak most for the choice against its
// rival, and the one that speaks most against it.
func compare(d *research.Decision, t table, chosen int) {
	rival := t.rival(chosen)
	a, b := t.cs[chosen], t.cs[rival]
	d.Rival = b.Model
	ds := []delta{
		{TermValue, a.Terms.Value - b.Terms.Value}, {TermQueue, a.Terms.Queue - b.Terms.Queue},
		{TermEnergy, a.Terms.Energy - b.Terms.Energy}, {TermTime, a.Terms.Time - b.Terms.Time},
		{TermDollars, a.Terms.Dollars - b.Terms.Dollars},
	}
	if t.loading(chosen, rival) {
		ds = asLoading(ds)
	}
	slices.SortStableFunc(ds, func(x, y delta) int { return cmp.Compare(math.Abs(y.by), math.Abs(x.by)) })
	var pro, con []string
	for _, x := range ds {
		switch small := math.Abs(x.by) < 0.15*math.Abs(ds[0].by); {
		case x.by == 0 || small:
		case x.by > 0 && len(pro) < 2:
			pro, d.Decided = append(pro, t.forIt(x.term, d.Queue, chosen, rival)), append(d.Decided, x.term)
		case x.by < 0 && len(con) < 1:
			con, d.Decided = append(con, t.againstIt(x.term, d.Queue, chosen, rival)), append(d.Decided, x.term)
		}
	}
	d.Reason = sentence(d.ReasonCode, upper(t.name(chosen)), t.name(rival), pro, con)
}

// loading says whether the two differ in energy mostly because one of them has to
// be loaded first.
func (t table) loading(a, b int) bool {
	x, y := t.prices[a].expected.Joules, t.prices[b].expected.Joules
	m, n := t.cs[a].Switching, t.cs[b].Switching
	if x == nil || y == nil || m == nil || n == nil || t.cs[a].Believed != nil {
		return false
	}
	energy, load := *x-*y, *m-*n
	return load != 0 && (energy > 0) == (load > 0) && 2*abs(load) >= abs(energy)
}

func abs(m research.Micro) research.Micro { return max(m, -m) }

// asLoading puts what the two terms of energy say under the name of its cause.
func asLoading(ds []delta) []delta {
	out, load := []delta{}, delta{term: TermSwitching}
	for _, x := range ds {
		if x.term == TermQueue || x.term == TermEnergy {
			load.by += x.by
			continue
		}
		out = append(out, x)
	}
	return append(out, load)
}

func sentence(code, chosen, rival string, pro, con []string) string {
	if len(pro) == 0 {
		return fmt.Sprintf("%s and %s score the same; the cheaper one takes the step.", chosen, rival)
	}
	verdict := "is worth it here rather than"
	switch code {
	case ReasonCheapestEnough:
		verdict = "is enough here, rather than"
	case ReasonAssessed:
		verdict = "takes the whole run, by the question alone, rather than"
	case ReasonBestRecord:
		verdict = "has the better record of earlier steps in this role than"
	case ReasonTruth:
		verdict = "is best, by what only an oracle knows, rather than"
	}
	s := fmt.Sprintf("%s %s %s: it %s", chosen, verdict, rival, strings.Join(pro, ", and it "))
	if len(con) > 0 {
		s += ", which outweighs " + con[0]
	}
	return s + "."
}

// rival is whom the choice is compared with: for the cheapest model the one
// that promises most, for a dearer one the best of the cheaper ones.
func (t table) rival(chosen int) int {
	var others, cheaper []int
	for _, i := range t.eligible {
		if i == chosen {
			continue
		}
		others = append(others, i)
		if t.cheaper(i, chosen) < 0 {
			cheaper = append(cheaper, i)
		}
	}
	if len(cheaper) > 0 {
		return t.best(cheaper)
	}
	return slices.MaxFunc(others, func(a, b int) int {
		return cmp.Compare(t.gain(a), t.gain(b))
	})
}

// forIt completes "it …" with what speaks for the chosen model. Energy has its
// price even while the queue is empty; then no earlier run is to blame for it.
func (t table) forIt(term string, queue float64, chosen, rival int) string {
	x, y := t.prices[chosen].expected, t.prices[rival].expected
	switch term {
	case TermValue:
		return fmt.Sprintf("is expected to bring the report further (%s)", againstGains(t.gain(chosen), t.gain(rival)))
	case TermQueue:
		if queue > 0 {
			return fmt.Sprintf("saves energy (%s), of which earlier runs took more than their allowance", againstJoules(x.Joules, y.Joules))
		}
		return fmt.Sprintf("takes less of the energy that a run is allowed on average (%s)", againstJoules(x.Joules, y.Joules))
	case TermEnergy:
		return fmt.Sprintf("takes less of this run's energy (%s)", againstJoules(x.Joules, y.Joules))
	case TermSwitching:
		return fmt.Sprintf("%s, while %s would first have to be loaded (%s)", loadedWords(t.cs[chosen]), t.name(rival), joules(t.cs[rival].Switching))
	case TermTime:
		return fmt.Sprintf("is faster (%s)", againstSeconds(x.Seconds, y.Seconds))
	default:
		return fmt.Sprintf("costs less (%s against %s)", dollars(x.Dollars), dollars(y.Dollars))
	}
}

// againstIt completes "which outweighs …".
func (t table) againstIt(term string, queue float64, chosen, rival int) string {
	x, y := t.prices[chosen].expected, t.prices[rival].expected
	switch term {
	case TermValue:
		return fmt.Sprintf("the progress expected beyond that (%s)", againstGains(t.gain(rival), t.gain(chosen)))
	case TermQueue:
		if queue > 0 {
			return fmt.Sprintf("that it takes more energy (%s), of which earlier runs took more than their allowance", againstJoules(x.Joules, y.Joules))
		}
		return fmt.Sprintf("that it takes more of the energy that a run is allowed on average (%s)", againstJoules(x.Joules, y.Joules))
	case TermEnergy:
		return fmt.Sprintf("its higher use of energy (%s)", againstJoules(x.Joules, y.Joules))
	case TermSwitching:
		return fmt.Sprintf("that it first has to be loaded (%s)", joules(t.cs[chosen].Switching))
	case TermTime:
		return fmt.Sprintf("that it is slower (%s)", againstSeconds(x.Seconds, y.Seconds))
	default:
		return fmt.Sprintf("its higher price (%s against %s)", dollars(x.Dollars), dollars(y.Dollars))
	}
}

func loadedWords(c research.Candidate) string {
	if research.OrZero(c.Switching) == 0 {
		return "is ready"
	}
	return fmt.Sprintf("takes less to load (%s)", joules(c.Switching))
}

// name is the tier in words, or the model's name when the tier has several.
func (t table) name(i int) string {
	for j, c := range t.cs {
		if j != i && c.Tier == t.cs[i].Tier {
			return t.cs[i].Model
		}
	}
	return fmt.Sprintf("the %s tier", t.cs[i].Tier)
}

func upper(s string) string {
	if strings.HasPrefix(s, "the ") {
		return "T" + s[1:]
	}
	return s
}

func joules(m *research.Micro) string {
	if m == nil {
		return "an unknown number of joules"
	}
	return short(m.Units()) + " J"
}

func dollars(m *research.Micro) string {
	if m == nil {
		return "an unknown price"
	}
	return "$" + short(m.Units())
}

func seconds(s float64) string { return short(s) + " s" }

// againstJoules compares two energies with the same decimals.
func againstJoules(x, y *research.Micro) string {
	if x == nil || y == nil {
		return joules(x) + " against " + joules(y)
	}
	a, b := pair(x.Units(), y.Units())
	return a + " J against " + b + " J"
}

// againstSeconds compares two times with the same decimals.
func againstSeconds(x, y float64) string {
	a, b := pair(x, y)
	return a + " s against " + b + " s"
}

// againstGains compares two gains with as many decimals as tell them apart.
func againstGains(x, y float64) string {
	a, b := "", ""
	for decimals := 3; a == b && decimals <= 5; decimals++ {
		a, b = fmt.Sprintf("%+.*f", decimals, x), fmt.Sprintf("%+.*f", decimals, y)
	}
	return a + " against " + b
}

// pair writes two numbers with the same decimals, enough of them for two digits
// of the smaller one.
func pair(x, y float64) (string, string) {
	low := min(math.Abs(x), math.Abs(y))
	if low == 0 {
		low = max(math.Abs(x), math.Abs(y))
	}
	decimals := 0
	if low > 0 && !math.IsInf(low, 0) {
		decimals = min(max(0, 1-int(math.Floor(math.Log10(low)))), 6)
	}
	a, b := fmt.Sprintf("%.*f", decimals, x), fmt.Sprintf("%.*f", decimals, y)
	for decimals > 0 && strings.HasSuffix(a, "0") && strings.HasSuffix(b, "0") {
		decimals--
		a, b = fmt.Sprintf("%.*f", decimals, x), fmt.Sprintf("%.*f", decimals, y)
	}
	return a, b
}

// short writes three significant digits without an exponent.
func short(x float64) string {
	decimals := 0
	switch a := math.Abs(x); {
	case a >= 100 || a == 0 || math.IsNaN(a):
		return fmt.Sprintf("%.0f", x)
	case a >= 10:
		decimals = 1
	case a >= 1:
		decimals = 2
	default:
		decimals = 2 - int(math.Floor(math.Log10(a)))
	}
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.*f", decimals, x), "0"), ".")
}
