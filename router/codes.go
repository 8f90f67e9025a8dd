package router

// ReasonCodes lists every code of a reason, for catalogues.
func ReasonCodes() []string {
	return []string{
		ReasonFixed, ReasonTierUnavailable, ReasonNothingFits, ReasonOnlyFits, ReasonExplored, ReasonBestValue,
		ReasonCheapestEnough, ReasonStartedSmall, ReasonEscalated, ReasonHeldBack, ReasonRandom,
		ReasonAssessed, ReasonKept, ReasonNearest, ReasonUntried, ReasonBestRecord, ReasonGainPerCost, ReasonTruth,
	}
}

// WhyCodes lists every code by which the router refuses a candidate, for
// catalogues.
func WhyCodes() []string {
	return []string{WhyJoules, WhyDollars, WhySeconds, WhyUnknownJoules, WhyUnknownDollars, WhyUnable, WhyStandby}
}

// Terms lists what an explanation may name as having decided: the terms of the
// score, and the part of energy that loads a model.
func Terms() []string {
	return []string{TermValue, TermQueue, TermEnergy, TermTime, TermDollars, TermSwitching}
}
