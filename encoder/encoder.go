package encoder

import (
	"context"
	"strings"
	"sync"
)

// Dims is the length of the transformer's vectors.
const Dims = hidden

const (
	// chunkTokens is how many tokens one unit of work has at most: tens of
	// milliseconds with vector kernels, so cancelling and caps act quickly.
	// A forward pass takes up to MaxTokens.
	chunkTokens = MaxTokens
	// tokenizeTexts is how many texts one unit of tokenizing has.
	tokenizeTexts = 64
	// cacheVectors bounds the cache (12 MB of vectors).
	cacheVectors = 8192
)

// Runner runs fn(0) … fn(n−1), perhaps at the same time, and returns when all
// that it started have returned. It stops early, with an error, when ctx ends
// or its owner's limit is reached.
type Runner interface {
	Run(ctx context.Context, n int, fn func(i int)) error
}

// Encoder makes sentence vectors with all-MiniLM-L6-v2. It is safe for
// concurrent use.
type Encoder struct {
	runner Runner
	cache  *cache
	load   func() (*model, error)
}

// New makes an encoder whose work runs on runner. It is cheap: the weights
// are decoded on first use, once, on the runner.
func New(runner Runner) *Encoder {
	return newEncoder(runner, bestKernels(), cacheVectors)
}

func newEncoder(runner Runner, kern *kernels, vectors int) *Encoder {
	return &Encoder{
		runner: runner,
		cache:  newCache(vectors),
		load:   sync.OnceValues(func() (*model, error) { return newModel(kern) }),
	}
}

// Embed returns one vector of Dims numbers and length 1 per text, in order.
// Texts are cut off after MaxTokens tokens. Vectors are cached by text and do
// not depend on which texts are embedded together. The error is the runner's;
// what was finished before it stays cached.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	missing := e.lookup(texts, out)
	if len(missing) == 0 {
		return out, ctx.Err()
	}
	if err := e.compute(ctx, missing); err != nil {
		return nil, err
	}
	for _, job := range missing {
		for _, i := range job.at {
			out[i] = append([]float32(nil), job.vector...)
		}
	}
	return out, nil
}

// job is one text to be computed and the places that wait for its vector.
type job struct {
	key    key
	text   string
	at     []int
	ids    []int32
	vector []float32
}

// lookup fills out from the cache and returns a job per distinct other text.
func (e *Encoder) lookup(texts []string, out [][]float32) []*job {
	var missing []*job
	byKey := make(map[key]*job)
	for i, text := range texts {
		k := keyOf(text)
		if j := byKey[k]; j != nil {
			j.at = append(j.at, i)
		} else if out[i] = e.cache.get(k); out[i] == nil {
			j := &job{key: k, text: text, at: []int{i}}
			byKey[k] = j
			missing = append(missing, j)
		}
	}
	return missing
}

func (e *Encoder) compute(ctx context.Context, jobs []*job) error {
	if err := e.encode(ctx, jobs); err != nil {
		return err
	}
	chunks := chunk(jobs)
	errs := make([]error, len(chunks))
	err := e.runner.Run(ctx, len(chunks), func(i int) { errs[i] = e.forward(chunks[i]) })
	return firstOf(err, errs)
}

// encode tokenizes on the runner too, so that its time is metered.
func (e *Encoder) encode(ctx context.Context, jobs []*job) error {
	parts := (len(jobs) + tokenizeTexts - 1) / tokenizeTexts
	errs := make([]error, parts)
	err := e.runner.Run(ctx, parts, func(i int) {
		vocab, err := sharedVocabulary()
		if err != nil {
			errs[i] = err
			return
		}
		for _, j := range jobs[i*tokenizeTexts : min(len(jobs), (i+1)*tokenizeTexts)] {
			j.ids = vocab.encode(j.text, MaxTokens)
		}
	})
	return firstOf(err, errs)
}

// chunk groups jobs, in order, into units of at most chunkTokens tokens.
func chunk(jobs []*job) [][]*job {
	var chunks [][]*job
	tokens, start := 0, 0
	for i, j := range jobs {
		if tokens+len(j.ids) > chunkTokens {
			chunks, tokens, start = append(chunks, jobs[start:i]), 0, i
		}
		tokens += len(j.ids)
	}
	return append(chunks, jobs[start:])
}

func (e *Encoder) forward(jobs []*job) error {
	m, err := e.load()
	if err != nil {
		return err
	}
	sequences := make([][]int32, len(jobs))
	for i, j := range jobs {
		sequences[i] = j.ids
	}
	for i, vector := range m.forward(sequences) {
		jobs[i].vector = vector
		e.cache.put(jobs[i].key, vector)
	}
	return nil
}

func firstOf(err error, errs []error) error {
	for _, other := range errs {
		if err == nil {
			err = other
		}
	}
	return err
}

// Cost is the number of tokens that Embed would really have to compute for
// texts: distinct texts that are not cached, cut off at MaxTokens. CPU time
// grows nearly in proportion to it.
func (e *Encoder) Cost(texts []string) int {
	vocab, err := sharedVocabulary()
	if err != nil {
		return 0
	}
	tokens := 0
	seen := make(map[key]bool, len(texts))
	for _, text := range texts {
		if k := keyOf(text); !seen[k] && !e.cache.has(k) {
			seen[k] = true
			tokens += len(vocab.encode(text, MaxTokens))
		}
	}
	return tokens
}

// CountTokens is the number of word pieces of the whole text, not cut off and
// without control tokens.
func (e *Encoder) CountTokens(text string) int {
	vocab, err := sharedVocabulary()
	if err != nil {
		return 0
	}
	return vocab.count(text)
}

// Supports reports whether vectors of texts in lang (a BCP 47 tag) mean
// anything: the model read English only.
func (e *Encoder) Supports(lang string) bool {
	primary, _, _ := strings.Cut(strings.ReplaceAll(lang, "_", "-"), "-")
	return strings.EqualFold(primary, "en")
}

// Cached reports whether Embed would answer text from memory.
func (e *Encoder) Cached(text string) bool { return e.cache.has(keyOf(text)) }

// Reset empties the cache of vectors.
func (e *Encoder) Reset() { e.cache.reset() }
