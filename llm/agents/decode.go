package agents

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/llm/agents/parse"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

func speaks(s string, languages ...string) bool { return parse.Speaks(s, languages...) }

// Bounds of what is taken from one answer.
const (
	mostParts   = 12
	mostQueries = 6
	mostClaims  = 24
	mostCites   = 6
)

func readPlan(answer string) (embedded.Proposal, *flaw) {
	m, _, ok := parse.Object(answer, "subquestions", "sub_questions", "questions", "queries")
	if !ok {
		parts := questionsIn(answer)
		if len(parts) == 0 {
			return embedded.Proposal{}, flawForm
		}
		return embedded.Proposal{Subquestions: parts}, nil
	}
	p := embedded.Proposal{
		Subquestions: some(parse.Texts(parse.First(m, "subquestions", "sub_questions", "questions"), "question", "text", "subquestion"), mostParts),
		Queries:      some(parse.Texts(parse.First(m, "queries", "search", "searches"), "query", "text", "q"), mostQueries),
	}
	if wordless(p.Subquestions) && wordless(p.Queries) {
		return p, flawEmpty
	}
	return p, nil
}

// wordless says whether texts hold no word: empty ones, or copies of "...".
func wordless(list []string) bool {
	return !strings.ContainsFunc(strings.Join(list, ""), unicode.IsLetter)
}

// questionsIn are the lines of an answer in prose that are questions.
func questionsIn(answer string) []string {
	var out []string
	for line := range strings.Lines(answer) {
		line = parse.Unlisted(line)
		if len(line) > 12 && (strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？")) {
			out = append(out, line)
		}
	}
	return some(out, mostParts)
}

func some[T any](in []T, n int) []T { return in[:min(n, len(in))] }

// readQueries reads queries by part; those without one belong to the first.
func readQueries(answer string, open []research.Subquestion) (map[string][]string, *flaw) {
	known := map[string]bool{}
	keys := []string{"queries", "searches"}
	for _, q := range open {
		known[q.ID] = true
		keys = append(keys, q.ID)
	}
	out := map[string][]string{}
	add := func(part string, qs ...string) {
		if !known[part] {
			part = open[0].ID
		}
		out[part] = some(append(out[part], qs...), mostQueries)
	}
	var list any
	if m, _, ok := parse.Object(answer, keys...); ok {
		for _, q := range open {
			if v, there := m[q.ID]; there {
				add(q.ID, parse.Texts(v, "query", "text")...)
			}
		}
		list = parse.First(m, "queries", "searches")
	} else if a, _, ok := parse.Array(answer); ok {
		list = a
	}
	switch list := list.(type) {
	case []any:
		for _, x := range list {
			if o, isObject := x.(map[string]any); isObject {
				add(parse.Text(o, "part", "id", "subquestion"), parse.Texts([]any{o}, "query", "text", "q")...)
			} else {
				add("", parse.Texts([]any{x})...)
			}
		}
	case map[string]any:
		for part, v := range list {
			add(part, parse.Texts(v, "query", "text")...)
		}
	case string:
		add("", parse.Texts(list)...)
	}
	if len(out) == 0 {
		return nil, flawForm
	}
	return out, nil
}

// readNumbers reads the numbers of a list of n items, each once, in the order
// given.
func readNumbers(answer string, n int, keys ...string) ([]int, *flaw) {
	var all []int
	if m, _, ok := parse.Object(answer, keys...); ok {
		all = parse.Integers(parse.First(m, keys...))
	} else if a, _, ok := parse.Array(answer); ok {
		all = parse.Integers(a)
	} else if bare(answer) {
		all = parse.Integers(answer)
	} else {
		return nil, flawForm
	}
	seen := map[int]bool{}
	out := []int{}
	for _, i := range all {
		if i >= 1 && i <= n && !seen[i] {
			seen[i] = true
			out = append(out, i)
		}
	}
	if len(out) == 0 && len(all) > 0 {
		return nil, flawNumbers
	}
	return out, nil
}

// bare says whether an answer is a list of numbers without more than a word or
// two around it.
func bare(s string) bool {
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= 24 && len(s) < 160
}

var reCite = regexp.MustCompile(`[\[(（【]\s*((?:[eE]\d+)(?:\s*[,;，、]\s*[eE]\d+)*)\s*[\])）】]`)
var reCiteID = regexp.MustCompile(`[eE]\d+`)

// readDraft reads claims. An answer in prose is read sentence by sentence where
// it cites.
func readDraft(answer string) (embedded.Draft, *flaw) {
	var out embedded.Draft
	m, _, ok := parse.Object(answer, "claims", "report", "sentences", "summary")
	if !ok {
		if a, _, isArray := parse.Array(answer); isArray && !citesOnly(a) {
			m, ok = map[string]any{"claims": a}, true
		}
	}
	if ok {
		out.Summary = uncited(parse.Text(m, "summary", "answer"))
		list, _ := parse.First(m, "claims", "report", "sentences").([]any)
		for _, x := range list {
			out.Claims = append(out.Claims, oneByOne(claimOf(x))...)
		}
	} else {
		out.Claims = prose(answer)
	}
	if len(out.Claims) == 0 {
		out.Claims = begun(answer)
	}
	out.Claims = some(unique(out.Claims), mostClaims)
	if len(out.Claims) == 0 && out.Summary == "" {
		return out, flawForm
	}
	return out, nil
}

// citesOnly says whether a list is a mark such as [e1, e2].
func citesOnly(list []any) bool {
	for _, x := range list {
		if s, ok := x.(string); !ok || !reCiteID.MatchString(s) || len(s) > 8 {
			return false
		}
	}
	return true
}

func claimOf(x any) embedded.DraftClaim {
	var c embedded.DraftClaim
	switch x := x.(type) {
	case string:
		c.Text = x
	case map[string]any:
		c.Text = parse.Text(x, "text", "claim", "sentence", "statement")
		switch cites := parse.First(x, "cite", "cites", "citations", "citation", "evidence", "sources", "quotes").(type) {
		case string:
			c.Cite = ids(cites)
		case []any:
			c.Cite = ids(strings.Join(parse.Texts(cites, "id", "cite"), " "))
		}
	}
	for _, m := range reCite.FindAllString(c.Text, -1) {
		c.Cite = append(c.Cite, ids(m)...)
	}
	c.Text, c.Cite = uncited(c.Text), some(c.Cite, mostCites)
	return c
}

func ids(s string) []string {
	var out []string
	for _, id := range reCiteID.FindAllString(s, -1) {
		out = append(out, strings.ToLower(id))
	}
	return out
}

// uncited is a text without the marks of citations.
func uncited(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(reCite.ReplaceAllString(s, ""), " .", "."))
}

// oneByOne makes a claim of every sentence of one.
func oneByOne(c embedded.DraftClaim) []embedded.DraftClaim {
	runes := []rune(c.Text)
	var out []embedded.DraftClaim
	for _, s := range text.Sentences(c.Text) {
		if t := strings.TrimSpace(string(runes[s.Start:s.End])); strings.ContainsFunc(t, unicode.IsLetter) {
			out = append(out, embedded.DraftClaim{Text: t, Cite: c.Cite})
		}
	}
	return out
}

var reBegun = regexp.MustCompile(`"(?:text|claim|sentence)"\s*:\s*"((?:[^"\\]|\\.)*)`)

// begun are the whole sentences of claims that were never finished, as when a
// model repeats itself within one.
func begun(answer string) []embedded.DraftClaim {
	var out []embedded.DraftClaim
	for _, m := range reBegun.FindAllStringSubmatch(answer, -1) {
		for _, c := range oneByOne(claimOf(m[1])) {
			if strings.ContainsAny(c.Text[len(c.Text)-1:], ".!") || strings.HasSuffix(c.Text, "。") {
				out = append(out, c)
			}
		}
	}
	return out
}

var reSentenceEnd = regexp.MustCompile(`[^.!?。！？]+[.!?。！？]*(?:\s*[\[(（【]\s*[eE]\d+[^\])）】]*[\])）】][.!?。]?)*`)

// prose are the sentences of a text that cite.
func prose(s string) []embedded.DraftClaim {
	var out []embedded.DraftClaim
	for line := range strings.Lines(s) {
		for _, sen := range reSentenceEnd.FindAllString(parse.Unlisted(line), -1) {
			if c := claimOf(sen); len(c.Cite) > 0 && len(c.Text) > 12 {
				out = append(out, c)
			}
		}
	}
	return out
}

// unique leaves out claims that are there already: models that loop repeat them.
func unique(in []embedded.DraftClaim) []embedded.DraftClaim {
	seen := map[string]bool{}
	var out []embedded.DraftClaim
	for _, c := range in {
		if k := lower(c.Text); !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	return out
}
