package research

import (
	"reflect"
	"testing"
)

func TestModelsUsed(t *testing.T) {
	t.Parallel()
	said := func(model, fault string, out int) []Action {
		return []Action{{Kind: "search"}, {Kind: "call", Error: fault, Call: &ModelCall{Model: model, Tokens: Tokens{Input: 9, Output: out}}}}
	}
	ok := OutcomeOK
	for name, tt := range map[string]struct {
		steps  []Step
		want   []ModelUse
		chosen bool
	}{
		"nobody": {nil, nil, false},
		"two models and the engine": {[]Step{
			{Role: Planner, Model: "a", Outcome: ok, Actions: said("a", "", 3)}, {Role: Reader, Model: "embedded/small", Outcome: ok}, {Role: Reader, Model: "b", Outcome: ok, Actions: said("b", "", 3)},
			{Role: Reader, Model: "b", Outcome: ok, Actions: said("b", "", 3)}, {Role: Writer}, {Role: Writer, Model: "a", Outcome: ok, Actions: said("a", "", 3)},
		}, []ModelUse{{"a", []Role{Planner, Writer}}, {"embedded/small", []Role{Reader}}, {"b", []Role{Reader}}}, true},
		"a dead server": {[]Step{
			{Role: Planner, Tier: Large, Model: "a", Outcome: OutcomeError, Actions: said("a", "It cannot be reached.", 0)},
			{Role: Writer, Tier: Large, Model: "a", Outcome: OutcomeError, Actions: said("a", "It cannot be reached.", 0)},
		}, []ModelUse{{"embedded/large", []Role{Planner, Writer}}}, true},
		"answers of no use": {[]Step{
			{Role: Writer, Tier: Small, Model: "a", Outcome: OutcomeInvalid, Actions: said("a", "", 40)},
			{Role: Writer, Tier: Small, Model: "a", Outcome: OutcomeEmpty, Actions: said("a", "", 40)},
			{Role: Reader, Tier: Small, Model: "a", Outcome: OutcomeEmpty, Actions: said("a", "", 4)},
		}, []ModelUse{{"embedded/small", []Role{Writer}}, {"a", []Role{Reader}}}, true},
		"not asked":     {[]Step{{Role: Searcher, Tier: Small, Model: "a", Outcome: ok, Actions: said("a", "", 0)[:1]}}, []ModelUse{{"embedded/small", []Role{Searcher}}}, true},
		"another's":     {[]Step{{Role: Writer, Tier: Small, Model: "a", Outcome: ok, Actions: said("b", "", 9)}}, []ModelUse{{"embedded/small", []Role{Writer}}}, true},
		"not done yet":  {[]Step{{Role: Writer, Tier: Small, Model: "a", Outcome: InFlight}}, nil, true},
		"engine alone":  {[]Step{{Role: Writer, Model: "embedded/small", Outcome: ok}}, []ModelUse{{"embedded/small", []Role{Writer}}}, false},
		"stopped in it": {[]Step{{Role: Writer, Tier: Small, Model: "a", Outcome: OutcomeInterrupted, Actions: said("a", "", 9)}}, []ModelUse{{"embedded/small", []Role{Writer}}}, true},
	} {
		l := &Ledger{Steps: tt.steps}
		if got := l.ModelsUsed(); !reflect.DeepEqual(got, tt.want) || l.ChoseLanguageModel() != tt.chosen {
			t.Errorf("%s: %v, chosen %v", name, got, l.ChoseLanguageModel())
		}
	}
}
