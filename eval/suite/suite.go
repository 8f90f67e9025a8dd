// Package suite loads suites of questions and pages for evaluation. A suite is
// a folder with questions.jsonl and pages.jsonl. It knows nothing of how runs
// are made or measured.
package suite

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

// Question is one question with what a good report holds. A suite either has
// short answers, or an answer, or gold statements.
type Question struct {
	ID             string   `json:"id"`
	Question       string   `json:"question"`
	Type           string   `json:"type"` // single-fact, multi_fact, summary, long-form
	Answer         string   `json:"answer"`
	GoldStatements []string `json:"gold_statements"`
	GoldURLs       []string `json:"gold_urls"`
	ShortAnswers   []string `json:"short_answers"`
}

// Page is one page of a suite. Text is as the suite gives it (Markdown-like
// where Markdown is true).
type Page struct {
	URL      string
	Title    string
	Text     string
	Markdown bool
}

// Document is the page as a document, its text unchanged.
func (p Page) Document() research.Document {
	return research.Document{URL: p.URL, Title: p.Title, Text: p.Text, MediaType: "text/plain", SHA256: research.HashText(p.Text)}
}

// Suite is a loaded suite. Name is the name of its folder.
type Suite struct {
	Name      string
	Dir       string
	Questions []Question
	Pages     []Page
}

// maxLine bounds one line of a suite's files, in bytes.
const maxLine = 64 << 20

// Load reads the suite in dir. Errors say which file and line is wrong and what
// was expected there.
func Load(dir string) (*Suite, error) {
	s := &Suite{Name: filepath.Base(filepath.Clean(dir)), Dir: dir}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, research.Errorf(research.EInvalid, "suite_missing",
			"%s is not a folder. A suite is a folder with questions.jsonl and pages.jsonl.", dir).Wrap(err)
	}
	if err := s.loadQuestions(filepath.Join(dir, "questions.jsonl")); err != nil {
		return nil, err
	}
	if err := s.loadPages(filepath.Join(dir, "pages.jsonl")); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Suite) loadQuestions(path string) error {
	seen := map[string]bool{}
	err := eachLine(path, func(line []byte) error {
		var q Question
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("not a question: %w", err)
		}
		if err := q.check(); err != nil {
			return err
		}
		if seen[q.ID] {
			return fmt.Errorf("the id %q is used twice", q.ID)
		}
		seen[q.ID] = true
		s.Questions = append(s.Questions, q)
		return nil
	})
	if err == nil && len(s.Questions) == 0 {
		return invalid(path, 0, errors.New("there is no question in it"))
	}
	return err
}

func (q Question) check() error {
	switch {
	case q.ID == "":
		return errors.New(`"id" is missing`)
	case strings.TrimSpace(q.Question) == "":
		return errors.New(`"question" is missing`)
	case len(q.GoldURLs) == 0:
		return errors.New(`"gold_urls" is missing`)
	case q.Answer == "" && len(q.GoldStatements) == 0 && len(q.ShortAnswers) == 0:
		return errors.New(`one of "answer", "gold_statements" and "short_answers" is needed`)
	}
	return nil
}

func (s *Suite) loadPages(path string) error {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return invalid(path, 0, err)
	}
	defer func() { _ = root.Close() }()
	seen := map[string]bool{}
	err = eachLine(path, func(line []byte) error {
		p, err := parsePage(root, line)
		if err != nil {
			return err
		}
		if seen[p.URL] {
			return fmt.Errorf("the url %q is used twice", p.URL)
		}
		seen[p.URL] = true
		s.Pages = append(s.Pages, p)
		return nil
	})
	if err == nil && len(s.Pages) == 0 {
		return invalid(path, 0, errors.New("there is no page in it"))
	}
	return err
}

func parsePage(root *os.Root, line []byte) (Page, error) {
	var row struct {
		URL   string  `json:"url"`
		Title string  `json:"title"`
		Text  *string `json:"text"`
		File  string  `json:"file"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return Page{}, fmt.Errorf("not a page: %w", err)
	}
	p := Page{URL: row.URL, Title: row.Title}
	switch {
	case row.URL == "":
		return Page{}, errors.New(`"url" is missing`)
	case row.Text != nil:
		p.Text = *row.Text
	case row.File != "":
		b, err := root.ReadFile(filepath.FromSlash(row.File))
		if err != nil {
			return Page{}, fmt.Errorf("its file cannot be read: %w", err)
		}
		p.Text, p.Markdown = strings.ToValidUTF8(string(b), "\uFFFD"), true
	default:
		return Page{}, errors.New(`"text" or "file" is needed`)
	}
	return p, nil
}

// eachLine calls f for every line that is not blank and puts the place into its
// error.
func eachLine(path string, f func([]byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return invalid(path, 0, err)
	}
	defer func() { _ = file.Close() }()
	sc := bufio.NewScanner(file)
	sc.Buffer(nil, maxLine)
	n := 0
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := f(line); err != nil {
			return invalid(path, n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return invalid(path, n+1, err)
	}
	return nil
}

func invalid(path string, line int, err error) error {
	where := path
	if line > 0 {
		where = fmt.Sprintf("%s line %d", path, line)
	}
	return research.Errorf(research.EInvalid, "suite_broken", "The suite cannot be used: %s: %v.", where, err).Wrap(err)
}
