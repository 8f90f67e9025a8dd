package research

import (
	"slices"
	"strings"
)

// enginePrefix begins the names of the embedded engine's models.
const enginePrefix = "embedded/"

// ModelUse is a model and the roles it took steps in.
type ModelUse struct {
	Model string
	Roles []Role // in the order of their first step
}

// ModelsUsed lists who made what a run has, in the order of their first step:
// language models in the roles in which an answer of theirs was used, and the
// embedded engine for what it did alone. It did so too where a language model was
// chosen and failed, was of no use or did not have to be asked.
func (l *Ledger) ModelsUsed() []ModelUse {
	var out []ModelUse
	for _, s := range l.Steps {
		if s.Model == "" || s.Outcome == InFlight {
			continue
		}
		by := s.madeBy()
		i := slices.IndexFunc(out, func(u ModelUse) bool { return u.Model == by })
		if i < 0 {
			out = append(out, ModelUse{Model: by})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].Roles, s.Role) {
			out[i].Roles = append(out[i].Roles, s.Role)
		}
	}
	return out
}

// ChoseLanguageModel says whether a language model was chosen for any step, be it
// that it answered or not.
func (l *Ledger) ChoseLanguageModel() bool {
	return slices.ContainsFunc(l.Steps, func(s Step) bool { return s.Model != "" && !strings.HasPrefix(s.Model, enginePrefix) })
}

func (s Step) madeBy() string {
	if strings.HasPrefix(s.Model, enginePrefix) || s.answered() {
		return s.Model
	}
	return enginePrefix + string(s.Tier)
}

// answered says whether an answer of the step's model was used.
func (s Step) answered() bool {
	honest := s.Outcome == OutcomeOK || s.Outcome == OutcomeEmpty && (s.Role == Searcher || s.Role == Reader) // it may find nothing
	return honest && slices.ContainsFunc(s.Actions, func(a Action) bool {
		return a.Call != nil && a.Call.Model == s.Model && a.Error == "" && a.Call.Tokens.Output > 0
	})
}
