package progress

import (
	"cmp"
	"slices"

	"github.com/progrouter/progrouter/research"
)

// Strengths of what a mean is thought to be before it was seen, in steps:
// nothing remains of it for a level of many models sooner than for a difference
// between models, which the router's own preferences could feign.
const (
	levelStrength = 10
	ownStrength   = 20
)

// Means that are kept, coarse first. Each is of what those before it leave.
const (
	meanRole         = iota // all steps in a role
	meanKind                // …on a kind of task
	meanModel               // …by a model
	meanModelKind           // …by a model on a kind of task
	meanCluster             // …on tasks of like words
	meanModelCluster        // …by a model on tasks of like words
	means
)

// runningKey says what a mean is of; fields that do not matter to it are zero.
type runningKey struct {
	Mean    int           `json:"mean"`
	Role    research.Role `json:"role"`
	Kind    string        `json:"kind,omitempty"`
	Model   string        `json:"model,omitempty"`
	Cluster int           `json:"cluster,omitempty"`
}

// running is a weighed sum.
type running struct {
	W   float64 `json:"w"`
	Sum float64 `json:"sum"`
}

// runnings are the means of what steps gained beyond the prior: the identity of
// a candidate in numbers. A model without steps has mean 0, which is what the
// prior says of it relative to the others, so being tried first is no
// advantage.
type runnings map[runningKey]running

// reading is each mean for one candidate.
type reading [means]float64

// structured and semantic are the sums of what each path may know.
func (r reading) structured() float64 {
	return r[meanRole] + r[meanKind] + r[meanModel] + r[meanModelKind]
}

func (r reading) semantic() float64 {
	return r[meanRole] + r[meanModel] + r[meanCluster] + r[meanModelCluster]
}

// keysOf are the keys of a candidate's means.
func keysOf(f Features, cluster int) [means]runningKey {
	return [means]runningKey{
		{Mean: meanRole, Role: f.Role},
		{Mean: meanKind, Role: f.Role, Kind: f.Kind},
		{Mean: meanModel, Role: f.Role, Model: f.Model},
		{Mean: meanModelKind, Role: f.Role, Kind: f.Kind, Model: f.Model},
		{Mean: meanCluster, Role: f.Role, Cluster: cluster},
		{Mean: meanModelCluster, Role: f.Role, Model: f.Model, Cluster: cluster},
	}
}

func (r runnings) read(f Features, cluster int) reading {
	var out reading
	for i, k := range keysOf(f, cluster) {
		x := r[k]
		out[i] = x.Sum / (x.W + strengthOf(i))
	}
	return out
}

func strengthOf(mean int) float64 {
	switch mean {
	case meanModel, meanModelKind, meanModelCluster:
		return ownStrength
	}
	return levelStrength
}

// add takes in a step that gained that much beyond the prior, given what the
// means said of it before.
func (r runnings) add(f Features, cluster int, beyond, weight float64, said reading) {
	left := [means]float64{
		meanRole:         beyond,
		meanKind:         beyond - said[meanRole],
		meanModel:        beyond - said[meanRole] - said[meanKind],
		meanModelKind:    beyond - said[meanRole] - said[meanKind] - said[meanModel],
		meanCluster:      beyond - said[meanRole],
		meanModelCluster: beyond - said[meanRole] - said[meanCluster] - said[meanModel],
	}
	for i, k := range keysOf(f, cluster) {
		x := r[k]
		r[k] = running{x.W + weight, x.Sum + weight*left[i]}
	}
}

// steps of a model in a role that were seen, weighed.
func (r runnings) steps(role research.Role, model string) float64 {
	return r[runningKey{Mean: meanModel, Role: role, Model: model}].W
}

// runningRow is one mean as it is stored.
type runningRow struct {
	runningKey
	running
}

func (r runnings) rows() []runningRow {
	rows := make([]runningRow, 0, len(r))
	for k, x := range r {
		rows = append(rows, runningRow{k, x})
	}
	slices.SortFunc(rows, func(a, b runningRow) int {
		return cmp.Or(cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Model, b.Model), cmp.Compare(a.Cluster, b.Cluster))
	})
	return rows
}
