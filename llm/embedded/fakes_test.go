package embedded

import (
	"context"
	"hash/fnv"
	"math"
	"strings"

	"github.com/progrouter/progrouter/retrieval/text"
)

// bagEncoder is an encoder for tests: each word turns on one of 384 places.
type bagEncoder struct {
	err   error
	calls int
	texts int
}

func (b *bagEncoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if b.err != nil {
		return nil, b.err
	}
	b.calls++
	b.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, s := range texts {
		v := make([]float32, 384)
		for _, w := range text.Terms(s) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%384]++
		}
		n := 0.0
		for _, x := range v {
			n += float64(x * x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(max(n, 1e-9)))
		}
		out[i] = v
	}
	return out, nil
}

func (b *bagEncoder) Cost(texts []string) int   { return len(strings.Fields(strings.Join(texts, " "))) }
func (b *bagEncoder) Supports(lang string) bool { return lang == "en" }
