package research

import "slices"

// ModelUse is a model and the roles it took steps in.
type ModelUse struct {
	Model string
	Roles []Role // in the order of their first step
}

// ModelsUsed lists the models that took steps of a run, in the order of their
// first step.
func (l *Ledger) ModelsUsed() []ModelUse {
	var out []ModelUse
	for _, s := range l.Steps {
		if s.Model == "" {
			continue
		}
		i := slices.IndexFunc(out, func(u ModelUse) bool { return u.Model == s.Model })
		if i < 0 {
			out = append(out, ModelUse{Model: s.Model})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].Roles, s.Role) {
			out[i].Roles = append(out[i].Roles, s.Role)
		}
	}
	return out
}
