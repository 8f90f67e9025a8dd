package research

// Finished is what has finished after an event, for meters that follow.
type Finished struct {
	// Steps are without what pages and routing need of them: notes, focus, decision.
	Steps []Step
	Runs  []Status // the final status of every run
	Last  int64    // the newest event that was looked at; go on from it
	More  bool     // there may be more after Last
}
