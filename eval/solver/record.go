package solver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/progrouter/progrouter/eval/verify"
	"github.com/progrouter/progrouter/eval/worlds/records"
	"github.com/progrouter/progrouter/research"
)

// Checker verifies an answer; *verify.Verifier does.
type Checker interface {
	Check(ctx context.Context, t verify.Task, text string) (verify.Verdict, error)
}

// Recording makes attempts and writes them down, each as soon as it is made, so
// that it can be stopped at any time and goes on where it was.
type Recording struct {
	Models   []Model
	Check    Checker
	Attempts int
	Settings Settings
	// Watts per busy core, by which joules modelled from CPU time are CPU seconds;
	// 0 leaves those out.
	Watts float64
	// File takes the outcomes, File + AnswersSuffix the answers themselves, so
	// that they can be verified anew.
	File     string
	Progress io.Writer // nil: silent
}

// AnswersSuffix is appended to the name of a record for the file of answers.
const AnswersSuffix = ".answers"

// answerLine is a line of the file of answers.
type answerLine struct {
	Task    string `json:"task"`
	Suite   string `json:"suite"`
	Model   string `json:"model"`
	Attempt int    `json:"attempt"`
	Text    string `json:"text"`
}

// Sample is n tasks of a suite in an order that depends on the suite's name
// alone, so that a larger sample holds the smaller one; 0 takes all.
func Sample(ts []verify.Task, n int) []verify.Task {
	out := slices.Clone(ts)
	if len(out) == 0 {
		return out
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(out[0].Suite))
	r := rand.New(rand.NewPCG(h.Sum64(), 5)) //nolint:gosec // a reproducible sample
	r.Shuffle(len(out), func(a, b int) { out[a], out[b] = out[b], out[a] })
	if n > 0 && n < len(out) {
		out = out[:n]
	}
	return out
}

type recordKey struct {
	task, model string
	attempt     int
}

// Run records every attempt that the file does not hold yet: all models at a
// task, then the next task; all tasks once, then again.
func (r Recording) Run(ctx context.Context, tasks []verify.Task) (err error) {
	have, err := r.recorded()
	if err != nil {
		return err
	}
	w, err := records.OpenAppend(r.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	answers, err := openAnswers(r.File + AnswersSuffix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answers.Close()) }()
	done, all := 0, r.Attempts*len(tasks)*len(r.Models)
	for attempt := range r.Attempts {
		for _, t := range tasks {
			for _, m := range r.Models {
				done++
				if have[recordKey{t.ID, m.Name, attempt}] {
					continue
				}
				rec, text, err := r.one(ctx, t, m, attempt)
				if err != nil {
					return err
				}
				if err := answers.Encode(answerLine{t.ID, t.Suite, m.Name, attempt, text}); err != nil {
					return fmt.Errorf("write answer: %w", err)
				}
				if err := w.Append(rec); err != nil {
					return err
				}
				r.say("%d/%d  %-28s attempt %d  %-28s %-8s %4d tokens  %6.1f J\n", done, all, t.ID, attempt+1, m.Name, rec.Verdict, rec.Tokens.Output, rec.Joules)
			}
		}
	}
	return nil
}

func (r Recording) say(format string, args ...any) {
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, format, args...)
	}
}

func (r Recording) recorded() (map[recordKey]bool, error) {
	have := map[recordKey]bool{}
	rs, err := records.Read(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return have, nil
	}
	if err != nil {
		return nil, err
	}
	for _, x := range rs {
		have[recordKey{x.Task, x.Model, x.Attempt}] = true
	}
	return have, nil
}

// one makes and checks an attempt. A server that fails is an error here: a
// record must not hold what the model had no chance at.
func (r Recording) one(ctx context.Context, t verify.Task, m Model, attempt int) (records.Record, string, error) {
	seed := seedOf(t.ID, m.Name, attempt)
	a, err := Ask(ctx, m, t, "", seed, r.Settings)
	if err != nil {
		return records.Record{}, "", err
	}
	if a.Failed != "" {
		return records.Record{}, "", research.Errorf(research.EUnavailable, "record_server", "%s does not answer: %s Start its server and run the command again; what is recorded is kept.", m.Name, a.Failed).
			With(map[string]any{"Model": m.Name, "Reason": a.Failed})
	}
	v, err := r.Check.Check(ctx, t, a.Text)
	if err != nil {
		return records.Record{}, "", fmt.Errorf("verify %s: %w", t.ID, err)
	}
	rec := record(t, m, attempt, seed, a, v)
	if r.Watts > 0 && rec.Method == research.MethodCPU {
		rec.CPUSeconds = rec.Joules / r.Watts
	}
	return rec, a.Text, nil
}

func record(t verify.Task, m Model, attempt int, seed int64, a Answer, v verify.Verdict) records.Record {
	rec := records.Record{
		Task: t.ID, Suite: t.Suite, Kind: t.Kind, Model: m.Name, Tier: m.Tier, Attempt: attempt, Seed: seed,
		Verdict: v.Code, Share: v.Share, Cut: a.Cut, Tokens: records.Tokens{Input: a.Tokens.Input, Output: a.Tokens.Output},
		Joules: units(a.Energy.Joules), Low: units(a.Energy.Low), High: units(a.Energy.High), Method: a.Energy.Method, Seconds: a.Seconds,
	}
	if a.Energy.Joules == nil {
		rec.Method = research.MethodUnknown
	}
	return rec
}

func units(m *research.Micro) float64 { return research.OrZero(m).Units() }

// seedOf is the chance of an attempt: the same whenever it is made.
func seedOf(task, model string, attempt int) int64 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s\x00%s\x00%d", task, model, attempt)
	return int64(h.Sum32() >> 1)
}

// answerFile appends lines to a file.
type answerFile struct {
	*json.Encoder
	f *os.File
}

func openAnswers(path string) (*answerFile, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err == nil {
		if err = endLine(f); err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, research.Errorf(research.EInvalid, "record", "The file %s cannot be written: %v", path, err)
	}
	return &answerFile{json.NewEncoder(f), f}, nil
}

// endLine ends a line that was torn when its writer was killed, or the next one
// would be torn with it.
func endLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.Write([]byte{'\n'})
	return err
}

func (a *answerFile) Close() error { return a.f.Close() }

// Recheck verifies the recorded answers anew and rewrites the outcomes, after a
// change of how answers are checked. It says how many verdicts changed.
func (r Recording) Recheck(ctx context.Context, tasks []verify.Task) (changed int, err error) {
	texts, err := readAnswers(r.File + AnswersSuffix)
	if err != nil {
		return 0, err
	}
	byID := map[string]verify.Task{}
	for _, t := range tasks {
		byID[t.ID] = t
	}
	rs, err := records.Read(r.File)
	if err != nil {
		return 0, err
	}
	for i := range rs {
		t, known := byID[rs[i].Task]
		text, kept := texts[recordKey{rs[i].Task, rs[i].Model, rs[i].Attempt}]
		if !known || !kept {
			continue
		}
		v, err := r.Check.Check(ctx, t, text)
		if err != nil {
			return changed, fmt.Errorf("verify %s: %w", t.ID, err)
		}
		if v.Code != rs[i].Verdict {
			changed++
			r.say("%-28s attempt %d  %-28s %s → %s\n", t.ID, rs[i].Attempt+1, rs[i].Model, rs[i].Verdict, v.Code)
		}
		rs[i].Verdict, rs[i].Share = v.Code, v.Share
	}
	return changed, records.Write(r.File, rs)
}

func readAnswers(path string) (map[recordKey]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, research.Errorf(research.ENotFound, "record", "The answers in %s cannot be read: %v", path, err)
	}
	defer func() { _ = f.Close() }()
	out := map[recordKey]string{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var a answerLine
		if json.Unmarshal(in.Bytes(), &a) == nil { // a torn line is an attempt made again
			out[recordKey{a.Task, a.Model, a.Attempt}] = a.Text
		}
	}
	return out, in.Err()
}
