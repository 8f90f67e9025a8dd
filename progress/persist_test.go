package progress

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/progrouter/progrouter/encoder"
	"github.com/progrouter/progrouter/research"
)

func TestAModelThatWasStoredPredictsTheSame(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(300)
	prior := NewPrior([]research.GainStat{{Model: "a", Role: Solver, N: 30, Gain: 7.1}, {Model: "r", Role: research.Reader, N: 3, Gain: 1}},
		map[string]research.Tier{"a": research.Small})
	e := encoder.NewStatic()
	for _, n := range []int{0, 10, 300} {
		m := Train(samples[:n], prior, e, DefaultConfig())
		b, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b, e)
		if err != nil {
			t.Fatal(err)
		}
		if got.Through() != m.Through() || got.Samples() != m.Samples() {
			t.Errorf("%d samples: %d through %d", n, got.Samples(), got.Through())
		}
		fs := []Features{{Role: research.Reader, Model: "r", Tier: research.Large, Open: 2}, {}}
		for _, s := range samples {
			fs = append(fs, s.Features)
		}
		for _, f := range fs {
			a, b := m.Predict(f), got.Predict(f)
			if a.Gain != b.Gain || a.Basis != b.Basis || (a.Gate == nil) != (b.Gate == nil) || (a.Gate != nil && *a.Gate != *b.Gate) {
				t.Fatalf("%d samples: %+v, before %+v", n, b, a)
			}
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(b, again) {
			t.Errorf("%d samples: another encoding, %v", n, err)
		}
	}
}

func TestBrokenModelsAreRefused(t *testing.T) {
	t.Parallel()
	samples := newStream(101).samples(100)
	b, err := train(samples).Encode()
	if err != nil {
		t.Fatal(err)
	}
	e := encoder.NewStatic()
	if _, err := Decode(b, nil); err == nil {
		t.Error("without an embedder")
	}
	change := func(do func(m map[string]any)) []byte {
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		do(m)
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	domain := func(m map[string]any) map[string]any {
		return m["domains"].(map[string]any)[DomainAttempt].(map[string]any)
	}
	for name, data := range map[string][]byte{
		"nothing":       nil,
		"no object":     []byte("[]"),
		"an object":     []byte("{}"),
		"half":          b[:len(b)/2],
		"version":       change(func(m map[string]any) { m["version"] = 99 }),
		"trust":         change(func(m map[string]any) { domain(m)["trust"] = 2 }),
		"weights":       change(func(m map[string]any) { domain(m)["means"].([]any)[0].(map[string]any)["w"] = -100 }),
		"no trees":      change(func(m map[string]any) { domain(m)["gate"] = "" }),
		"other trees":   change(func(m map[string]any) { domain(m)["structured"] = domain(m)["semantic"] }),
		"prior":         change(func(m map[string]any) { m["prior"] = map[string]any{"roles": []any{map[string]any{"n": -10}}} }),
		"huge centres":  change(func(m map[string]any) { domain(m)["centres"] = make([][]float32, mostClusters+1) }),
		"many samples":  change(func(m map[string]any) { m["samples"] = -1 }),
		"domain's many": change(func(m map[string]any) { domain(m)["samples"] = -1 }),
	} {
		if _, err := Decode(data, e); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x := bytes.Clone(b)
		for range 1 + r.IntN(3) {
			x[r.IntN(len(x))] = byte(r.Uint32())
		}
		if m, err := Decode(x, e); err == nil {
			m.Predict(samples[0].Features)
		}
	}
}
