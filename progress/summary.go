package progress

import (
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Embedder turns a text into a short vector, at most maxDims numbers, zeros
// for a text without words. encoder.Static is one.
type Embedder interface {
	Reduced(text string) []float32
}

// maxWords bounds how much of a question counts, in bytes; the rest of a long
// one hardly moves its vector.
const maxWords = 1200

// Summary is the state and the candidate in words, with those of the question.
func Summary(f Features) string {
	return asked(f.Question) + "\n" + situation(f)
}

// asked is the part of a question that counts.
func asked(q string) string {
	if len(q) <= maxWords {
		return q
	}
	return strings.ToValidUTF8(q[:maxWords], "")
}

// situation is the state and the candidate in words, coarse, so that states
// that are alike read alike.
func situation(f Features) string {
	var b strings.Builder
	b.WriteString("Progress is ")
	b.WriteString(level(f.Progress.G))
	b.WriteString(", ")
	b.WriteString(string(f.Progress.Regime))
	b.WriteString(" and ")
	b.WriteString(TrendWord(f.Progress.Trend))
	b.WriteString(". ")
	switch {
	case f.Step == 0:
		b.WriteString("Nothing was tried yet.")
	case f.Last != "":
		verdict, cut := verdictOf(f.Last)
		b.WriteString("The last step was ")
		b.WriteString(verdict)
		if cut {
			b.WriteString(" and cut off")
		}
		b.WriteString(".")
	}
	if f.Failures > 0 {
		b.WriteString(" Steps failed in a row: ")
		b.WriteString(strconv.Itoa(min(f.Failures, 9)))
		b.WriteString(".")
	}
	if f.Kind != "" {
		b.WriteString(" The task is ")
		b.WriteString(f.Kind)
		b.WriteString(".")
	}
	b.WriteString(" A ")
	b.WriteString(string(f.Tier))
	b.WriteString(" model would be the ")
	b.WriteString(string(f.Role))
	b.WriteString(".")
	return b.String()
}

// level names a share in five words.
func level(x float64) string {
	switch {
	case x < 0.05:
		return "none"
	case x < 0.3:
		return "low"
	case x < 0.6:
		return "half"
	case x < 0.9:
		return "high"
	}
	return "full"
}

// ordinal numbers for the trees; unknown words are -1.
func regimeOrdinal(c research.Regime) float32 {
	switch c {
	case research.RegimeInvalid:
		return 0
	case research.RegimeRecoverable:
		return 1
	case research.RegimePartial:
		return 2
	case research.RegimeComplete:
		return 3
	}
	return -1
}

func tierOrdinal(t research.Tier) float32 {
	for i, x := range research.Tiers() {
		if x == t {
			return float32(i)
		}
	}
	return -1
}

func roleOrdinal(r research.Role) float32 {
	for i, x := range research.Roles() {
		if x == r {
			return float32(i)
		}
	}
	return -1
}

func depthOrdinal(d research.Depth) float32 {
	for i, x := range research.Depths() {
		if x == d {
			return float32(i)
		}
	}
	return -1
}

// lastOrdinal orders what came of the last step from nothing to success.
func lastOrdinal(last string) float32 {
	verdict, _ := verdictOf(last)
	switch verdict {
	case "":
		return -1
	case Failed, string(research.OutcomeError):
		return 0
	case Missing, string(research.OutcomeEmpty), string(research.OutcomeInvalid):
		return 1
	case Syntax:
		return 2
	case Broken:
		return 3
	case Timeout:
		return 4
	case Wrong:
		return 5
	case Partly:
		return 6
	case Passed, string(research.OutcomeOK):
		return 7
	}
	return -1
}
