package encoder

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestStaticVectors(t *testing.T) {
	t.Parallel()
	s := NewStatic()
	question := "What makes glaciers melt?"
	near := "Warm summers melt the ice of mountain glaciers."
	far := "The parliament passed the budget in a late session."
	for name, embed := range map[string]func(string) []float32{"full": s.Embed, "reduced": s.Reduced} {
		q := embed(question)
		if c := cosine(q, q); math.Abs(c-1) > 1e-6 {
			t.Errorf("%s: length %f", name, c)
		}
		if a, b := cosine(q, embed(near)), cosine(q, embed(far)); a < b+0.1 {
			t.Errorf("%s: related %.3f, unrelated %.3f", name, a, b)
		}
		if !slices.Equal(q, embed("  what MAKES\nglaciers melt ?")) {
			t.Errorf("%s: case and space change the vector", name)
		}
		for _, empty := range []string{"", " \n", "\u200b"} {
			if v := embed(empty); slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
				t.Errorf("%s: %q is not zeros", name, empty)
			}
		}
	}
	if len(s.Embed(question)) != StaticDims || len(s.Reduced(question)) != ReducedDims {
		t.Error("wrong number of dimensions")
	}
}

func TestStaticReadsAllOfTheText(t *testing.T) {
	t.Parallel()
	s := NewStatic()
	long := strings.Repeat("harbour ", 600)
	if slices.Equal(s.Embed(long), s.Embed(long+strings.Repeat("volcano ", 300))) {
		t.Error("the end of a long text does not count")
	}
}
