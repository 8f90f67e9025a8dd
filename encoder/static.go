package encoder

// Lengths of the static vectors.
const (
	StaticDims  = 256
	ReducedDims = 32
)

// Static makes vectors as weighted sums of one embedded row per word piece:
// thousands of passages per second, blind to word order. Rows are what the
// transformer says of the piece alone, on their main axes, weighted by rarity
// (scripts/encoder/build.py). It is safe for concurrent use.
type Static struct{ kern *kernels }

// NewStatic costs nothing: the table stays in the binary, of which only the
// rows that texts need are read; the vocabulary is read on first use.
func NewStatic() *Static { return &Static{kern: bestKernels()} }

// Embed returns the vector of text, StaticDims numbers of length 1, or zeros
// when the text has no word. All of the text counts.
func (s *Static) Embed(text string) []float32 { return s.sum(text, StaticDims) }

// Reduced returns the vector on the ReducedDims strongest axes, length 1, or
// zeros when the text has no word.
func (s *Static) Reduced(text string) []float32 { return s.sum(text, ReducedDims) }

func (s *Static) sum(text string, dims int) []float32 {
	sum := make([]float32, dims)
	sections, err := assetSections()
	if err != nil {
		return sum
	}
	vocab, err := sharedVocabulary()
	table := sections["static"]
	if err != nil || table.rows != vocab.size || table.cols < dims {
		return sum
	}
	vocab.tokenize(text, func(id int32) bool {
		if id != idUnknown {
			table.addRow(s.kern, sum, int(id))
		}
		return true
	})
	normalise(sum)
	return sum
}
