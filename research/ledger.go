package research

// EvidenceByID finds a quote.
func (l *Ledger) EvidenceByID(id string) (Evidence, bool) {
	for _, e := range l.Evidence {
		if e.ID == id {
			return e, true
		}
	}
	return Evidence{}, false
}

// SourceByID finds a source.
func (l *Ledger) SourceByID(id string) (Source, bool) {
	for _, s := range l.Sources {
		if s.ID == id {
			return s, true
		}
	}
	return Source{}, false
}

// Subquestion finds a sub-question of the plan.
func (l *Ledger) Subquestion(id string) (Subquestion, bool) {
	for _, q := range l.Plan.Subquestions {
		if q.ID == id {
			return q, true
		}
	}
	return Subquestion{}, false
}

// EvidenceFor returns the quotes kept for a sub-question.
func (l *Ledger) EvidenceFor(sub string) []Evidence {
	var out []Evidence
	for _, e := range l.Evidence {
		if e.Subquestion == sub {
			out = append(out, e)
		}
	}
	return out
}

// Claim finds a claim of the report.
func (r *Report) Claim(id string) (Claim, bool) {
	for _, c := range r.Claims {
		if c.ID == id {
			return c, true
		}
	}
	return Claim{}, false
}

// InOrder returns the claims in reading order, each once: the summary first,
// then the sections.
func (r *Report) InOrder() []Claim {
	seen := map[string]bool{}
	var out []Claim
	add := func(id string) {
		if c, ok := r.Claim(id); ok && !seen[id] {
			seen[id] = true
			out = append(out, c)
		}
	}
	for _, id := range r.Summary {
		add(id)
	}
	for _, s := range r.Sections {
		for _, id := range s.ClaimIDs {
			add(id)
		}
	}
	for _, c := range r.Claims {
		add(c.ID)
	}
	return out
}

// Totals sums what the finished steps cost. Steps in flight are not in it.
func (l *Ledger) Totals() Totals {
	t := Totals{Seconds: l.Run.ActiveSeconds}
	for _, s := range l.Steps {
		if s.Outcome == InFlight {
			continue
		}
		t.AddStep(s)
	}
	return t
}

// AddStep adds a finished step. Seconds are not summed: they are the run's
// active wall time.
func (t *Totals) AddStep(s Step) {
	if s.Dollars != nil {
		t.Dollars += *s.Dollars
	} else {
		t.UnpricedSteps++
	}
	if s.Energy.Joules == nil {
		t.UnknownSteps++
		return
	}
	t.Joules += *s.Energy.Joules
	t.Low += OrZero(s.Energy.Low)
	t.High += OrZero(s.Energy.High)
	t.Method = MixMethods(t.Method, s.Energy.Method)
}

// MixMethods names the method of a sum over two methods.
func MixMethods(a, b string) string {
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	}
	return MethodMixed
}

// Handled tells the addresses of a run that need not be opened again: read,
// discarded, or opened under another address, as after a redirect.
func (l *Ledger) Handled() map[string]bool {
	out := map[string]bool{}
	for _, s := range l.Sources {
		out[s.URL] = true
	}
	for _, d := range l.Discarded {
		out[d.URL] = true
	}
	for _, s := range l.Steps {
		if s.Role != Reader || s.Outcome == InFlight || s.Outcome == OutcomeInterrupted || s.Outcome == OutcomeCancelled {
			continue // what it opened was not kept
		}
		for _, a := range s.Actions {
			if a.Kind == ActionFetch && a.Error == "" {
				out[a.Detail] = true
			}
		}
	}
	return out
}

// Unread lists the hits of a sub-question that are still to be opened, each
// address once: those the user gave first, then in the order they were found.
func (l *Ledger) Unread(sub string) []Hit {
	handled := l.Handled()
	given := map[string]bool{}
	for _, u := range l.Run.URLs {
		given[u] = true
	}
	var first, rest []Hit
	for _, h := range l.Hits {
		if h.Subquestion != sub || handled[h.URL] {
			continue
		}
		handled[h.URL] = true
		if given[h.URL] {
			first = append(first, h)
		} else {
			rest = append(rest, h)
		}
	}
	return append(first, rest...)
}

// GivenUnread lists the addresses the user gave that are still to be opened.
func (l *Ledger) GivenUnread() []string {
	handled := l.Handled()
	var out []string
	for _, u := range l.Run.URLs {
		if !handled[u] {
			handled[u] = true
			out = append(out, u)
		}
	}
	return out
}

// Answers reports whether a claim answers its sub-question: it is supported, or
// quoted while other sources say otherwise.
func (c Claim) Answers() bool {
	return c.Verdict == Supported || c.Verdict == Contradicted && len(c.EvidenceIDs) > 0
}

// Unanswered lists the sub-questions of the plan that no claim answers.
func (l *Ledger) Unanswered() []Subquestion {
	return l.lacking(Claim.Answers)
}

// Open lists the sub-questions that no claim answers and that were not given up.
func (l *Ledger) Open() []Subquestion {
	var out []Subquestion
	for _, q := range l.Unanswered() {
		if !q.GaveUp {
			out = append(out, q)
		}
	}
	return out
}

// Disputed lists the sub-questions that are answered only by claims which other
// sources contradict.
func (l *Ledger) Disputed() []Subquestion {
	open := map[string]bool{}
	for _, q := range l.Unanswered() {
		open[q.ID] = true
	}
	var out []Subquestion
	for _, q := range l.lacking(func(c Claim) bool { return c.Verdict == Supported }) {
		if !open[q.ID] {
			out = append(out, q)
		}
	}
	return out
}

func (l *Ledger) lacking(has func(Claim) bool) []Subquestion {
	met := map[string]bool{}
	for _, c := range l.Report.Claims {
		if has(c) {
			met[c.Subquestion] = true
		}
	}
	var out []Subquestion
	for _, q := range l.Plan.Subquestions {
		if !met[q.ID] {
			out = append(out, q)
		}
	}
	return out
}
