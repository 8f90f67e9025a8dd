package research

// Apply records a finished step and what it brought, the way storage does, so
// that a worker can go on without reading everything back. Only finished steps
// bring artefacts.
func (l *Ledger) Apply(s Step, r Result) {
	replaced := false
	for i := range l.Steps {
		if l.Steps[i].Index == s.Index {
			l.Steps[i], replaced = s, true
		}
	}
	if !replaced {
		l.Steps = append(l.Steps, s)
	}
	if s.Outcome == InFlight {
		return
	}
	if r.Plan != nil {
		l.Plan = *r.Plan
	}
	if r.Report != nil {
		l.Report = *r.Report
	}
	l.Queries = append(l.Queries, r.Queries...)
	l.Hits = append(l.Hits, r.Hits...)
	l.Sources = append(l.Sources, r.Sources...)
	l.Discarded = append(l.Discarded, r.Discarded...)
	l.Evidence = append(l.Evidence, r.Evidence...)
	for _, n := range r.Notices {
		if !Noticed(l.Run.Notices, n) {
			l.Run.Notices = append(l.Run.Notices, n)
		}
	}
}

// Preview returns a copy of the ledger with the result applied, leaving the
// original alone; the progress of a step is scored on it before it is stored.
func (l *Ledger) Preview(s Step, r Result) *Ledger {
	c := *l
	c.Steps = append([]Step(nil), l.Steps...)
	c.Queries = append([]Query(nil), l.Queries...)
	c.Hits = append([]Hit(nil), l.Hits...)
	c.Sources = append([]Source(nil), l.Sources...)
	c.Discarded = append([]Discarded(nil), l.Discarded...)
	c.Evidence = append([]Evidence(nil), l.Evidence...)
	c.Run.Notices = append([]Note(nil), l.Run.Notices...)
	c.Apply(s, r)
	return &c
}
