package hosted

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// query is one line of a file.
type query struct {
	ID      string            `json:"id"` // made from the line's number where there is none
	Prompt  string            `json:"prompt"`
	Answers map[string]answer `json:"models"`
}

// answer is what a model's answer came to. Fields that were not recorded are
// nil; a score or a verdict is needed, and one of the costs.
type answer struct {
	Score        *float64 `json:"score"`
	Correct      *bool    `json:"correct"`
	InputTokens  *int     `json:"input_tokens"`
	OutputTokens *int     `json:"output_tokens"`
	Dollars      *float64 `json:"dollars"`
	OutputChars  *int     `json:"output_chars"`
	Seconds      *float64 `json:"seconds"`
}

// share is the score within 0 to 1. Scores below 0 occur (corrected for
// guessing) and are worth nothing.
func (a answer) share() float64 {
	switch {
	case a.Score != nil:
		return min(1, max(0, *a.Score))
	case a.Correct != nil && *a.Correct:
		return 1
	}
	return 0
}

func (a answer) check() error {
	if a.Score == nil && a.Correct == nil {
		return errors.New(`"score" or "correct" is needed`)
	}
	if a.Score != nil && (math.IsNaN(*a.Score) || *a.Score > 1) {
		return fmt.Errorf(`"score" is %v, and must be at most 1`, *a.Score)
	}
	if a.Dollars == nil && a.OutputChars == nil {
		return errors.New(`"dollars" or "output_chars" is needed`)
	}
	for name, v := range map[string]float64{
		"dollars": of(a.Dollars), "seconds": of(a.Seconds), "output_chars": float64(of(a.OutputChars)),
		"input_tokens": float64(of(a.InputTokens)), "output_tokens": float64(of(a.OutputTokens)),
	} {
		if v < 0 {
			return fmt.Errorf("%q is %v, and must be a number from 0", name, v)
		}
	}
	return nil
}

// of is what was recorded, or nothing.
func of[T int | float64](v *T) T {
	if v == nil {
		return 0
	}
	return *v
}

// most bounds a line, in bytes.
const most = 16 << 20

// read reads the queries of a file. Fields it does not know are ignored; a line
// that cannot be used is an error that names file and line.
func read(path string) ([]query, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, broken(path, 0, err)
	}
	defer func() { _ = f.Close() }()
	var list []query
	seen := map[string]bool{}
	name := nameOf(path)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, most)
	n := 0
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		q, err := parse(line)
		if err != nil {
			return nil, broken(path, n, err)
		}
		if q.ID == "" {
			q.ID = fmt.Sprintf("%s/%d", name, n)
		}
		if seen[q.ID] {
			return nil, broken(path, n, fmt.Errorf("the id %q is used twice", q.ID))
		}
		seen[q.ID] = true
		list = append(list, q)
	}
	if err := sc.Err(); err != nil {
		return nil, broken(path, n+1, err)
	}
	if len(list) == 0 {
		return nil, broken(path, 0, errors.New("there is no query in it"))
	}
	return list, nil
}

func parse(line []byte) (query, error) {
	var q query
	if err := json.Unmarshal(line, &q); err != nil {
		return q, fmt.Errorf("not a query: %w", err)
	}
	if strings.TrimSpace(q.Prompt) == "" {
		return q, errors.New(`"prompt" is missing`)
	}
	if len(q.Answers) == 0 {
		return q, errors.New(`"models" is missing`)
	}
	for _, model := range sorted(q.Answers) {
		if err := q.Answers[model].check(); err != nil {
			return q, fmt.Errorf("model %q: %w", model, err)
		}
	}
	return q, nil
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// nameOf is a file's name without its ending.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func broken(path string, line int, err error) error {
	where := path
	if line > 0 {
		where = fmt.Sprintf("%s line %d", path, line)
	}
	return research.Errorf(research.EInvalid, "outcomes_broken",
		"The recorded outcomes cannot be used: %s: %v.", where, err).Wrap(err)
}
