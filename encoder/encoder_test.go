package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// workers is a trivial Runner; limit > 0 makes it fail before that chunk.
type workers struct {
	n     int
	limit int64
	runs  atomic.Int64
}

var errLimit = errors.New("limit reached")

func (w *workers) Run(ctx context.Context, n int, fn func(i int)) error {
	var next, refused atomic.Int64
	var group sync.WaitGroup
	for range w.n {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if w.limit > 0 && w.runs.Load() >= w.limit {
					refused.Add(1)
					return
				}
				w.runs.Add(1)
				fn(int(i))
			}
		})
	}
	group.Wait()
	if refused.Load() > 0 {
		return errLimit
	}
	return ctx.Err()
}

// shared is decoded once for all tests.
var shared = sync.OnceValue(func() *Encoder { return New(&workers{n: 2}) })

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

type reference struct {
	Text   string
	Vector []float32
}

func references(tb testing.TB) ([]reference, []string) {
	tb.Helper()
	var refs []reference
	readJSON(tb, "vectors.json", &refs)
	texts := make([]string, len(refs))
	for i, r := range refs {
		texts[i] = r.Text
	}
	return refs, texts
}

func TestVectorsEqualReference(t *testing.T) {
	t.Parallel()
	refs, texts := references(t)
	if len(refs) < 12 {
		t.Fatalf("only %d reference vectors", len(refs))
	}
	got, err := shared().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range refs {
		c := cosine(got[i], r.Vector)
		t.Logf("%.7f %.40q", c, r.Text)
		if !(c >= 0.999) {
			t.Errorf("cosine %.6f for %.60q", c, r.Text)
		}
		if length := cosine(got[i], got[i]); math.Abs(length-1) > 1e-6 || len(got[i]) != Dims {
			t.Errorf("%.60q: %d numbers, length %f", r.Text, len(got[i]), length)
		}
	}
}

// The model's authors publish these numbers for this sentence.
func TestVectorEqualsPublished(t *testing.T) {
	t.Parallel()
	got, err := shared().Embed(t.Context(), []string{"This is an example sentence"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{0.0677, 0.0635, 0.0487, 0.0793, 0.0374} {
		if math.Abs(float64(got[0][i]-want)) > 0.003 {
			t.Errorf("number %d is %.4f, published %.4f", i, got[0][i], want)
		}
	}
}

func TestVectorsDoNotDependOnCompany(t *testing.T) {
	t.Parallel()
	_, texts := references(t)
	e := shared()
	m, err := e.load()
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		ids := m.vocab.encode(text, MaxTokens)
		alone := m.forward([][]int32{ids})[0]
		other := m.vocab.encode(texts[(i+3)%4], MaxTokens-len(ids)+2)
		if len(ids)+len(other) <= MaxTokens {
			both := m.forward([][]int32{other, ids})
			if !slices.Equal(both[1], alone) {
				t.Errorf("%.40q changes beside %.40q", text, texts[(i+3)%4])
			}
		}
	}
}

func TestAllKernelsAgree(t *testing.T) {
	t.Parallel()
	_, texts := references(t)
	texts = texts[:4] // short ones: plain Go under the race detector is slow
	want, err := shared().Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, kern := range availableKernels() {
		e := newEncoder(&workers{n: 2}, kern, 100)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		static := Static{kern: kern}
		for i, text := range texts {
			closeTo(t, kern.name+" "+text, got[i], want[i], 2e-5)
			closeTo(t, kern.name+" static "+text, static.Embed(text), NewStatic().Embed(text), 1e-5)
		}
	}
}

func TestEmbedOrderDuplicatesAndCopies(t *testing.T) {
	t.Parallel()
	e := newEncoderLike(shared(), &workers{n: 2}, 100)
	texts := []string{"alpha", "beta", "alpha", "gamma", "beta"}
	first, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first[0], first[2]) || !slices.Equal(first[1], first[4]) || slices.Equal(first[0], first[1]) {
		t.Fatal("vectors are not where their texts are")
	}
	want := slices.Clone(first[0])
	first[0][0], first[2][0] = 9, 8
	again, err := e.Embed(t.Context(), []string{"alpha"})
	if err != nil || !slices.Equal(again[0], want) {
		t.Fatalf("changing a result changed the cache (error %v)", err)
	}
	if none, err := e.Embed(t.Context(), nil); err != nil || len(none) != 0 {
		t.Fatalf("no texts gave %v, %v", none, err)
	}
}

// newEncoderLike shares the decoded weights.
func newEncoderLike(e *Encoder, runner Runner, vectors int) *Encoder {
	return &Encoder{runner: runner, cache: newCache(vectors), load: e.load}
}

func TestCacheAndCost(t *testing.T) {
	t.Parallel()
	w := &workers{n: 1}
	e := newEncoderLike(shared(), w, 3)
	texts := []string{"one two", "three", "three"}
	if got := e.Cost(texts); got != 4+3 {
		t.Fatalf("cost %d, want 7", got)
	}
	if e.Cached("three") {
		t.Fatal("cached before it was embedded")
	}
	embed := func(texts ...string) {
		if _, err := e.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	embed(texts...)
	if e.Cost(texts) != 0 || !e.Cached("three") {
		t.Fatal("not cached after it was embedded")
	}
	runs := w.runs.Load()
	embed(texts...)
	if w.runs.Load() != runs {
		t.Fatal("cached texts used the runner")
	}
	embed("four")
	embed("one two")
	embed("five") // pushes out "three", the one used longest ago
	if e.Cached("three") || !e.Cached("one two") || !e.Cached("five") {
		t.Fatal("the wrong vector was dropped")
	}
	e.Reset()
	if e.Cached("five") || e.Cost([]string{"five"}) != 3 {
		t.Fatal("cached after Reset")
	}
}

func TestEmbedStops(t *testing.T) {
	t.Parallel()
	long := make([]string, 6)
	for i := range long {
		long[i] = fmt.Sprint(i, strings.Repeat(" word", 300))
	}
	w := &workers{n: 1, limit: 3} // one to tokenize, two texts
	e := newEncoderLike(shared(), w, 100)
	if got, err := e.Embed(t.Context(), long); !errors.Is(err, errLimit) || got != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	if !e.Cached(long[1]) || e.Cached(long[2]) {
		t.Fatal("what was finished before the limit should stay cached")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, long); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if _, err := e.Embed(ctx, long[:1]); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled, all cached: %v", err)
	}
}

func TestConcurrentFirstUse(t *testing.T) {
	t.Parallel()
	e := New(&workers{n: 2})
	var group sync.WaitGroup
	results := make([][][]float32, 6)
	for i := range results {
		group.Go(func() {
			results[i], _ = e.Embed(t.Context(), []string{"same text", fmt.Sprint("other ", i%2)})
			_ = e.Cached("same text")
		})
	}
	group.Wait()
	for _, r := range results {
		if r == nil || !slices.Equal(r[0], results[0][0]) {
			t.Fatal("concurrent callers got different vectors")
		}
	}
}

func TestCountTokensAndSupports(t *testing.T) {
	t.Parallel()
	e := New(&workers{n: 1})
	if got := e.CountTokens(strings.Repeat("unaffable ", 1000)); got != 3000 {
		t.Errorf("%d tokens, want 3000", got)
	}
	for lang, want := range map[string]bool{"en": true, "en-GB": true, "EN_us": true, "ko": false, "": false, "enm": false} {
		if e.Supports(lang) != want {
			t.Errorf("Supports(%q) = %v", lang, !want)
		}
	}
}

func TestVectorsMeanSomething(t *testing.T) {
	t.Parallel()
	got, err := shared().Embed(t.Context(), []string{
		"How do plants make sugar from light?",
		"Photosynthesis turns sunlight, water and carbon dioxide into glucose.",
		"The bank raised its interest rate by half a point.",
	})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := cosine(got[0], got[1]), cosine(got[0], got[2]); near < far+0.3 {
		t.Errorf("related %.3f, unrelated %.3f", near, far)
	}
}
