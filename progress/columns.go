package progress

import (
	"math"

	"github.com/progrouter/progrouter/research"
)

// maxDims are the most numbers of a sentence vector that count: questionDims of
// the question's and situationDims of the situation's.
const (
	questionDims  = 24
	situationDims = 8
	maxDims       = questionDims + situationDims
)

// Columns of both paths and the gate.
const (
	structuredCols = 30
	semanticCols   = maxDims + 9
	gateCols       = 14
)

// structuredRow is the tabular side of a candidate. start is what the path
// starts from.
func structuredRow(f Features, start float64, r reading, row []float32) []float32 {
	_, cut := verdictOf(f.Last)
	v := f.Progress
	return append(row,
		num(start), num(v.G), regimeOrdinal(v.Regime), num(v.Completion), num(v.Trend), num(v.Quality),
		roleOrdinal(f.Role), tierOrdinal(f.Tier), depthOrdinal(f.Depth), lastOrdinal(f.Last), flag(cut),
		num(r[meanRole]), num(r[meanKind]), num(r[meanModel]), num(r[meanModelKind]),
		num(r[meanModel]+r[meanModelKind]), num(kindCode(f.Kind)),
		count(f.Step), count(f.SameRole), count(f.SameTier), count(f.SameModel), count(f.Failures),
		num(f.LastGain), count(f.Open), count(f.Evidence), count(f.Sources),
		num(math.Log1p(float64(len(f.Question)))), flag(f.Language != "" && f.Language != "en"),
		flag(f.SameModel > 0), num(float64(f.Step-f.SameModel)),
	)
}

// semanticRow is the side of the words: the vectors and who the candidate is.
func semanticRow(f Features, question, situation []float32, start float64, r reading, row []float32) []float32 {
	row = dims(row, question, questionDims)
	row = dims(row, situation, situationDims)
	return append(row,
		num(start), tierOrdinal(f.Tier), roleOrdinal(f.Role),
		num(r[meanRole]), num(r[meanModel]), num(r[meanCluster]), num(r[meanModelCluster]),
		num(r[meanModel]+r[meanModelCluster]), flag(f.SameModel > 0),
	)
}

// gateRow is what trust between the paths may depend on.
func gateRow(f Features, str, sem float64, r reading, row []float32) []float32 {
	v := f.Progress
	return append(row,
		num(str), num(sem), num(sem-str), num(math.Abs(sem-str)), num((sem+str)/2),
		num(v.G), regimeOrdinal(v.Regime), num(v.Completion), roleOrdinal(f.Role), tierOrdinal(f.Tier),
		count(f.Step), count(f.Failures), num(r[meanModelKind]), num(r[meanModelCluster]),
	)
}

// dims appends the first n numbers of a vector, missing where it is shorter.
func dims(row, v []float32, n int) []float32 {
	for i := range n {
		x := float32(math.NaN())
		if i < len(v) {
			x = v[i]
		}
		row = append(row, x)
	}
	return row
}

func num(x float64) float32 { return float32(x) }
func count(n int) float32   { return float32(n) }

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// kindCode tells kinds of tasks apart; their order means nothing.
func kindCode(kind string) float64 {
	h := uint32(2166136261)
	for i := range len(kind) {
		h = (h ^ uint32(kind[i])) * 16777619
	}
	return float64(h >> 16)
}

// bounded keeps a gain within what a step can move g.
func bounded(gain float64, v research.ProgressView) float64 {
	g := unit(v.G)
	return min(1-g, max(-g, gain))
}
