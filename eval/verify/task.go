// Package verify checks the answer of a language model to a task that has a
// right answer: code by its tests, which run in a sandbox, and mathematics by
// comparing what stands in the box. It owns the forms of tasks and what counts
// as solved. It must not know models, prompts or budgets.
package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/progrouter/progrouter/research"
)

// Kinds of tasks.
const (
	Code        = "code"
	Mathematics = "mathematics"
)

// Task is one task. Code tasks have either Entry and Test (a file that defines
// check, called with the function named Entry, whose head is the prompt) or
// Tests (assert statements that name the function) with Setup. Mathematics has
// Answer: LaTeX where Level and Subject are given, else an integer.
type Task struct {
	ID      string
	Suite   string // name of the file, without its ending
	Kind    string // Code or Mathematics
	Prompt  string
	Entry   string
	Test    string
	Tests   []string
	Setup   string
	Answer  string
	Level   int
	Subject string
}

// maxLine bounds one line of a file of tasks, in bytes.
const maxLine = 4 << 20

// Load reads a file of tasks, one JSON object a line. What form a task has is
// told by its fields. Errors name the file, the line and what was expected.
func Load(path string) ([]Task, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, broken(path, 0, err)
	}
	defer func() { _ = f.Close() }()
	suite := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	var tasks []Task
	seen := map[string]bool{}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, maxLine)
	n := 0
	for sc.Scan() {
		n++
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		t, err := parse(sc.Bytes())
		if err == nil && seen[t.ID] {
			err = fmt.Errorf("the id %q is used twice", t.ID)
		}
		if err != nil {
			return nil, broken(path, n, err)
		}
		seen[t.ID] = true
		t.Suite = suite
		tasks = append(tasks, t)
	}
	if err := sc.Err(); err != nil {
		return nil, broken(path, n+1, err)
	}
	if len(tasks) == 0 {
		return nil, broken(path, 0, errors.New("there is no task in it"))
	}
	return tasks, nil
}

func parse(line []byte) (Task, error) {
	var row struct {
		ID      string   `json:"id"`
		Prompt  string   `json:"prompt"`
		Entry   string   `json:"entry_point"`
		Test    string   `json:"test"`
		Tests   []string `json:"tests"`
		Setup   string   `json:"setup"`
		Answer  *string  `json:"answer"`
		Level   int      `json:"level"`
		Subject string   `json:"subject"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return Task{}, fmt.Errorf("not a task: %w", err)
	}
	t := Task{ID: row.ID, Prompt: row.Prompt, Kind: Code, Entry: row.Entry, Test: row.Test, Tests: row.Tests, Setup: row.Setup, Level: row.Level, Subject: row.Subject}
	switch {
	case t.ID == "":
		return Task{}, errors.New(`"id" is missing`)
	case strings.TrimSpace(t.Prompt) == "":
		return Task{}, errors.New(`"prompt" is missing`)
	case row.Answer != nil:
		t.Kind, t.Answer = Mathematics, *row.Answer
		if strings.TrimSpace(t.Answer) == "" {
			return Task{}, errors.New(`"answer" is empty`)
		}
		if _, ok := number(t.Answer); !ok && !t.latex() {
			return Task{}, errors.New(`"answer" is no number; LaTeX needs "level" and "subject" beside it`)
		}
	case t.Entry != "" && strings.TrimSpace(t.Test) != "", len(t.Tests) > 0:
	default:
		return Task{}, errors.New(`one of "answer", "tests", and "entry_point" with "test" is needed`)
	}
	return t, nil
}

// latex reports whether answers are compared as LaTeX, else as numbers.
func (t Task) latex() bool { return t.Level > 0 || t.Subject != "" }

func broken(path string, line int, err error) error {
	where := path
	if line > 0 {
		where = fmt.Sprintf("%s line %d", path, line)
	}
	return research.Errorf(research.EInvalid, "tasks_broken", "The tasks cannot be used: %s: %v.", where, err).Wrap(err)
}
