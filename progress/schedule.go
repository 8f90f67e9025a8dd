package progress

// When to refit: first when FirstFit samples are there, then when a tenth more
// came, at least RefitAfter and at most RefitWithin: no more than a tenth of a full
// window may be missing from what decisions go by, however long a stream is.
const (
	FirstFit    = 40
	RefitAfter  = 25
	RefitWithin = window / 10
)

// DueAt says whether a model that was trained on the first trained samples of a
// buffer should be refitted now that there are that many. Both count samples
// ever seen, not those in the window.
func DueAt(samples, trained int) bool {
	if trained <= 0 {
		return samples >= FirstFit
	}
	return samples-trained >= min(RefitWithin, max(RefitAfter, trained/10))
}
