// Package replay keeps answers of language models, so that an experiment that
// is repeated asks every question once. A replayed answer comes with the tokens,
// the time and the energy of the call that was really made, and says that it was
// replayed. The package owns the cache and its files; it must not know roles,
// prompts or runs, nor how a server is spoken to.
//
// Nothing but experiments should use it: pages that changed meanwhile, or a
// model that was replaced under its name, go unnoticed.
package replay

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

// fileName is the file of answers inside a store's folder: one JSON object per
// line, only ever appended to.
const fileName = "answers.jsonl"

// mostLine is the longest line that is read, in bytes.
const mostLine = 16 << 20

// Store holds answers in a folder. It is safe for concurrent use; two processes
// may share the folder, and see each other's answers when they open it.
type Store struct {
	mu      sync.Mutex
	path    string
	answers map[string][]answer
	hits    int
	misses  int
}

// answer is one line of the file.
type answer struct {
	Key       string          `json:"key"`
	Model     string          `json:"model"`
	MaxTokens int             `json:"max_tokens"`
	At        time.Time       `json:"at"`
	Deltas    []chat.Delta    `json:"deltas"`
	Text      string          `json:"text"`
	Reasoning string          `json:"reasoning,omitempty"`
	Finish    chat.Finish     `json:"finish"`
	Answered  string          `json:"answered"`
	Usage     chat.Usage      `json:"usage"`
	Load      time.Duration   `json:"load"`
	First     time.Duration   `json:"first"`
	Took      time.Duration   `json:"took"`
	Energy    research.Energy `json:"energy"`
	// Halted is why whoever asked stopped the answer; empty for whole ones.
	Halted string `json:"halted,omitempty"`
}

// Open reads the answers in a folder, which is made where it is missing. Lines
// that cannot be read, as a process that was killed leaves them, are passed over.
func Open(folder string) (*Store, error) {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, fmt.Errorf("folder of recorded answers: %w", err)
	}
	s := &Store{path: filepath.Join(folder, fileName), answers: map[string][]answer{}}
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("recorded answers: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, mostLine)
	for lines.Scan() {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) == nil && a.Key != "" {
			s.answers[a.Key] = append(s.answers[a.Key], a)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("recorded answers in %s: %w", s.path, err)
	}
	return s, nil
}

// Counts says how many calls were answered from the store, and how many were
// really made, since it was opened.
func (s *Store) Counts() (hits, misses int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits, s.misses
}

// find returns the latest answer that a request with this cap would get again.
func (s *Store) find(key string, most int) (answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.answers[key]
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i].serves(most) {
			s.hits++
			return kept[i], true
		}
	}
	s.misses++
	return answer{}, false
}

// serves says whether the answer is what another cap would bring too: a cap
// that was not reached makes no difference.
func (a answer) serves(most int) bool {
	return a.MaxTokens == most || a.Finish != chat.Length && a.Usage.Output <= most
}

// drop forgets an answer that turned out not to be one any more. The hit that
// found it becomes a miss.
func (s *Store) drop(a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits, s.misses = s.hits-1, s.misses+1
	kept := s.answers[a.Key]
	for i := range kept {
		if kept[i].At.Equal(a.At) && kept[i].MaxTokens == a.MaxTokens {
			s.answers[a.Key] = append(kept[:i:i], kept[i+1:]...)
			return
		}
	}
}

// add writes an answer down. Each begins on a line of its own, also after one
// that was torn.
func (s *Store) add(a answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if torn(f) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err = f.Write(line); err != nil {
		_ = f.Close()
		return err
	}
	s.answers[a.Key] = append(s.answers[a.Key], a)
	return f.Close()
}

// torn says whether the file ends within a line.
func torn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// keyOf names what decides an answer, its cap aside.
func keyOf(model string, r chat.Request) (string, error) {
	b, err := json.Marshal(struct {
		Model       string
		Messages    []chat.Message
		Schema      json.RawMessage
		Temperature float64
		Seed        *int64
		Stop        []string
	}{model, r.Messages, r.Schema, r.Temperature, r.Seed, r.Stop})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
