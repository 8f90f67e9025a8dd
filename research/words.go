package research

// Role is what an agent does in a step.
type Role string

// The five roles of a research run.
const (
	Planner  Role = "planner"
	Searcher Role = "searcher"
	Reader   Role = "reader"
	Writer   Role = "writer"
	Reviewer Role = "reviewer"
)

// Roles lists every role in the order of a run.
func Roles() []Role { return []Role{Planner, Searcher, Reader, Writer, Reviewer} }

// Tier is a class of models by cost and strength.
type Tier string

// The tiers, cheapest first.
const (
	Small  Tier = "small"
	Medium Tier = "medium"
	Large  Tier = "large"
)

// Tiers lists every tier, cheapest first.
func Tiers() []Tier { return []Tier{Small, Medium, Large} }

// Depth says how thorough a run is.
type Depth string

// The depths; see LimitsFor for what they change.
const (
	Quick    Depth = "quick"
	Standard Depth = "standard"
	Deep     Depth = "deep"
)

// Depths lists every depth, shallowest first.
func Depths() []Depth { return []Depth{Quick, Standard, Deep} }

// Status is where a run stands.
type Status string

// Run statuses. The last five are final.
const (
	Queued     Status = "queued"
	Running    Status = "running"
	Paused     Status = "paused"
	Complete   Status = "complete"
	Partial    Status = "partial"
	NoEvidence Status = "no_evidence"
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
)

// Final reports whether the run will not change by itself any more.
func (s Status) Final() bool {
	switch s {
	case Complete, Partial, NoEvidence, Failed, Cancelled:
		return true
	}
	return false
}

// Outcome is how a step ended. The empty outcome marks a step in flight.
type Outcome string

// Step outcomes.
const (
	InFlight           Outcome = ""
	OutcomeOK          Outcome = "ok"
	OutcomeEmpty       Outcome = "empty"
	OutcomeInvalid     Outcome = "invalid"
	OutcomeError       Outcome = "error"
	OutcomeInterrupted Outcome = "interrupted"
	OutcomeCancelled   Outcome = "cancelled"
)

// Regime is the outcome view c_t of the progress score (eq. 2).
type Regime string

// The regimes of eq. 2, worst first.
const (
	RegimeInvalid     Regime = "invalid"
	RegimeRecoverable Regime = "recoverable"
	RegimePartial     Regime = "partial"
	RegimeComplete    Regime = "complete"
)

// Verdict is what the reviewer found about a claim.
type Verdict string

// Verdicts.
const (
	Unreviewed   Verdict = ""
	Supported    Verdict = "supported"
	Weak         Verdict = "weak"
	Unsupported  Verdict = "unsupported"
	Contradicted Verdict = "contradicted"
)

// Policy names the rule that decides which model takes a step.
type Policy string

// Policies a run can select.
const (
	ProgRouter  Policy = "progrouter"
	FixedSmall  Policy = "fixed-small"
	FixedMedium Policy = "fixed-medium"
	FixedLarge  Policy = "fixed-large"
	Cascade     Policy = "cascade"
	OneShot     Policy = "one-shot" // assessed once, from the question alone
	Educated    Policy = "educated" // by the record of each model, blind to the run
	Greedy      Policy = "greedy"   // most expected progress per joule
	Random      Policy = "random"
)

// Policies that only the evaluation uses: they know what nobody can, or leave out
// a part of ProgRouter to show what it is good for.
const (
	Oracle         Policy = "oracle" // knows what every model would bring
	NoPredictor    Policy = "progrouter-no-predictor"
	NoQueue        Policy = "progrouter-no-queue"
	NoPenalty      Policy = "progrouter-no-penalty"
	NoScorer       Policy = "progrouter-no-scorer"
	StructuredOnly Policy = "progrouter-structured" // one path of the predictor alone
	SemanticOnly   Policy = "progrouter-semantic"
	MeanOfPaths    Policy = "progrouter-mean" // both paths, without the gate
)

// Policies lists what a run can select, the default first.
func Policies() []Policy {
	return []Policy{ProgRouter, FixedSmall, FixedMedium, FixedLarge, Cascade, OneShot, Educated, Greedy, Random}
}

// EvaluationPolicies lists what the bench takes besides; no run may select one.
func EvaluationPolicies() []Policy {
	return []Policy{Oracle, NoPredictor, NoQueue, NoPenalty, NoScorer, StructuredOnly, SemanticOnly, MeanOfPaths}
}

// FixedTier returns the tier of a fixed policy.
func (p Policy) FixedTier() (Tier, bool) {
	switch p {
	case FixedSmall:
		return Small, true
	case FixedMedium:
		return Medium, true
	case FixedLarge:
		return Large, true
	}
	return "", false
}

// Energy methods (how a joule figure came about).
const (
	MethodNVML    = "measured:nvml"
	MethodRAPL    = "measured:rapl"
	MethodCPU     = "modelled:cpu"
	MethodModel   = "modelled"
	MethodUnknown = "unknown"
	MethodMixed   = "mixed"
)
