package router

// ReasonCodes lists every code of a reason, for catalogues.
func ReasonCodes() []string {
	return []string{
		ReasonFixed, ReasonTierUnavailable, ReasonNothingFits, ReasonOnlyFits, ReasonExplored, ReasonBestValue,
		ReasonCheapestEnough, ReasonStartedSmall, ReasonEscalated, ReasonHeldBack, ReasonRandom,
	}
}

// WhyCodes lists every code by which the router refuses a candidate, for
// catalogues.
func WhyCodes() []string {
	return []string{WhyJoules, WhyDollars, WhySeconds, WhyUnknownJoules, WhyUnknownDollars, WhyUnable, WhyStandby}
}

// Terms lists the terms of the score.
func Terms() []string { return []string{TermValue, TermQueue, TermEnergy, TermTime, TermDollars} }
