package research

// RoutedStep is a finished step as estimates of other choices need it: who took
// it, what it cost and how it was decided. What the step did and the features that
// the predictor keeps are left out.
type RoutedStep struct {
	RunID string
	Step  Step
}
