package embedded

import (
	"context"
	"fmt"
	"time"

	"github.com/progrouter/progrouter/research"
)

// load is the work that a task asks for, as far as it can be known before.
type load struct {
	base   float64 // CPU seconds of reading, splitting and comparing words
	tokens float64 // tokens the transformer must read; vectors at hand cost none
	waits  float64 // wall seconds of waiting for the network at most
}

// seconds is the CPU time of a load at the start prices.
func (l load) seconds() float64 { return l.base + l.tokens/1000*secondsPerKilotoken }

// Start prices, measured on one core of a 2024 server; what steps really take
// moves the estimate from there.
const (
	secondsPerKilotoken = 0.25  // transformer, passages of 128 tokens
	secondsPerDocument  = 0.015 // opening and cutting up one document of 40 kB
	secondsPerRanking   = 0.02  // ranking by words and choosing sentences
	passageTokens       = 160
	sentenceTokens      = 36
	contextTokens       = 100 // a sentence with its surroundings
	snippetTokens       = 60
	networkWait         = 20.0 // wall seconds a step may wait for pages or a search
	cores               = 1.5  // transformer work runs on about this many
	worstFactor         = 3
	coldFactor          = 1.5 // of the start price, below which no learned ratio puts the worst case: one role has dear and cheap steps
	worstSeconds        = 0.1 // CPU seconds that every step may take
	wallSlack           = 0.5 // wall seconds that every step needs on a busy machine
	patience            = 5.0 // wall seconds more it may take where there is time,
	busyFactor          = 4   // and per second of its start price: a machine may be busy with other things
)

// readTokens is what one reading of a ranking costs a tier.
func readTokens(tier research.Tier) float64 {
	t := tuningFor(tier)
	each := sentenceTokens
	if t.context > 0 {
		each += contextTokens
	}
	return float64(reads(tier)*passageTokens + t.sentences*each)
}

// perQuestion is how many documents a tier reads for a sub-question: what the
// depth says, the large tier half as many again.
func perQuestion(l research.Limits, tier research.Tier) int {
	if tier == research.Large {
		return l.PerQuestion * 3 / 2
	}
	return l.PerQuestion
}

// reads is how many passages the ranker's transformer reads at a tier.
func reads(tier research.Tier) int {
	if tier == research.Large {
		return 40
	}
	return 0
}

// loadOf sizes a task for a tier.
func (e *Engine) loadOf(t research.Task, tier research.Tier) load {
	open := len(newStep(e, t, tier).focus())
	switch t.Role {
	case research.Planner:
		return planLoad(t, tier)
	case research.Searcher:
		l := load{base: secondsPerRanking * float64(max(1, open)), waits: networkOf(t)}
		if tier == research.Large {
			l.tokens = float64(open*t.Limits.SearchResults) * snippetTokens
		}
		return l
	case research.Reader:
		return readLoad(t, tier, max(1, open))
	case research.Writer:
		return load{base: 0.005 + 0.0002*float64(len(t.Ledger.Evidence)), tokens: e.writeTokens(t, tier)}
	case research.Reviewer:
		return load{base: 0.01 + 0.001*float64(len(t.Ledger.Report.Claims)), tokens: e.reviewTokens(t, tier)}
	}
	return load{}
}

func planLoad(t research.Task, tier research.Tier) load {
	q := analyse(t.Ledger.Run.Question)
	l := load{base: 0.005}
	if !t.Ledger.Run.Library || t.Limits.Subquestions <= 2 || q.kind != kindOpen || len(q.parts) > 0 {
		return l
	}
	l.base += peekDocuments*secondsPerDocument + 2*secondsPerRanking
	if tier != research.Small {
		l.tokens = float64(reads(tier))*passageTokens + 8*12
	}
	return l
}

func readLoad(t research.Task, tier research.Tier, open int) load {
	fresh := min(max(open*perQuestion(t.Limits, tier), len(t.Ledger.GivenUnread())), t.Limits.Sources)
	known := len(t.Ledger.Sources)
	return load{
		base:   secondsPerDocument*float64(fresh+known/4) + secondsPerRanking*float64(open),
		tokens: readTokens(tier) * float64(open),
		waits:  networkOf(t),
	}
}

// networkOf is how long a task may wait for others.
func networkOf(t research.Task) float64 {
	if t.Ledger.Run.Web || len(t.Ledger.Run.URLs) > 0 {
		return networkWait
	}
	return 0
}

// writeTokens counts the quotes whose vectors are not at hand.
func (e *Engine) writeTokens(t research.Task, tier research.Tier) float64 {
	if tier != research.Large {
		return 0
	}
	var texts []string
	for _, ev := range t.Ledger.Evidence {
		texts = append(texts, claimText(ev))
	}
	return float64(e.encoder.Cost(texts))
}

// reviewTokens counts the claims and sub-questions whose vectors are not at
// hand.
func (e *Engine) reviewTokens(t research.Task, tier research.Tier) float64 {
	if tier == research.Small {
		return 0
	}
	var texts []string
	for _, q := range t.Ledger.Plan.Subquestions {
		texts = append(texts, q.Text)
	}
	for _, c := range t.Ledger.Report.Claims {
		texts = append(texts, c.Text)
	}
	n := float64(e.encoder.Cost(texts))
	if tier == research.Medium {
		n /= 4 // only those that words leave in doubt
	}
	return n
}

// Estimate says what a task would cost with a model and whether the model can
// take it. The worst case is what the step's account and deadline are set to,
// so nothing can cost more.
func (e *Engine) Estimate(_ context.Context, model string, t research.Task) research.Estimate {
	out := research.Estimate{Model: model}
	tier, ok := tierOf(model)
	if !ok || t.Ledger == nil {
		out.WhyCode, out.WhyNot = "unknown_model", fmt.Sprintf("The embedded engine has no model %q.", model)
		return out
	}
	out.Tier = tier
	if lang := t.Ledger.Run.Language; tier != research.Small && !e.encoder.Supports(lang) {
		out.WhyCode = "language"
		out.WhyNot = fmt.Sprintf("MiniLM reads English only; this question is in %s.", languageName(lang))
	}
	out.Eligible = out.WhyNot == ""
	l := e.loadOf(t, tier)
	cpu := l.seconds() * e.costs.factor(t.Role, tier)
	most := max(worstFactor*cpu, coldFactor*l.seconds()) + worstSeconds
	out.Expected = e.cost(cpu, cpu/cores+l.waits/10)
	out.Worst = e.cost(most, 2*most+wallSlack)
	out.Patience = patience + busyFactor*l.seconds() + l.waits
	return out
}

func (e *Engine) cost(cpu, seconds float64) research.Cost {
	return research.Cost{
		Joules:  research.Known(research.ToMicro(cpu * e.costs.watts)),
		Dollars: research.Known(0), Seconds: seconds,
	}
}

// observeCost lets what a step took move the estimates of its kind.
func (e *Engine) observeCost(t research.Task, tier research.Tier, l load, took time.Duration) {
	e.costs.observe(t.Role, tier, l.seconds(), took)
}

// languageName is a tag in words.
func languageName(tag string) string {
	names := map[string]string{
		"": "an unknown language", "ko": "Korean", "ja": "Japanese", "zh": "Chinese", "de": "German", "es": "Spanish", "fr": "French",
		"it": "Italian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian",
	}
	if name, ok := names[tag]; ok {
		return name
	}
	return "the language " + tag
}
