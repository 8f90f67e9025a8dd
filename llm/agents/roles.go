package agents

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval/text"
)

// Plan asks for narrower questions and search words.
func (d *director) Plan(ctx context.Context, _ string, named []research.Subquestion, room int) (embedded.Proposal, error) {
	var out embedded.Proposal
	var already []string
	for _, q := range named {
		if !q.Main {
			already = append(already, clip(q.Text, 120))
		}
	}
	p := prompts[research.Planner]
	_, err := d.ask(ctx, query{
		prompt: p, size: sizes[p.role],
		data: func(_ float64, _ func(string) float64) any {
			return map[string]any{"Question": d.question, "Language": languageName(d.language), "Room": room, "Named": already}
		},
		read: func(answer string) *flaw {
			got, f := readPlan(answer)
			if f == nil {
				f = d.otherLanguage(strings.Join(append(got.Subquestions, got.Queries...), " ")) // names may stand in any
			}
			if f != nil {
				return f
			}
			out = d.proper(got)
			return nil
		},
	})
	return out, err
}

var (
	reDigits = regexp.MustCompile(`\d+`)
	reAsks   = regexp.MustCompile(`(?i)[?？]$|^(?:what|which|who|whom|whose|when|where|why|how)\b`)
	reSays   = regexp.MustCompile(`(?i)[.。!！]$|\b(?:is|are|was|were|has|had|have|does|did|will|can|became|made|built)\b|(?:다|요)$`)
)

// wordsOfOne is how many words a part has at most.
const wordsOfOne = 20

// isPart says whether a text may be part of a plan: a question or a topic. What
// states something would stand in the report as a heading that nobody checked,
// and so would a number that the question does not name.
func isPart(s, question string) bool {
	if len([]rune(s)) > 160 || len(strings.Fields(s)) > wordsOfOne {
		return false
	}
	for _, n := range reDigits.FindAllString(s, -1) {
		if !strings.Contains(question, n) {
			return false
		}
	}
	return reAsks.MatchString(s) || !reSays.MatchString(s)
}

// proper leaves out what no plan may hold: addresses, texts too long for a
// question, and parts that do not name what the question is about.
func (d *director) proper(in embedded.Proposal) embedded.Proposal {
	var out embedded.Proposal
	dropped := 0
	for _, s := range in.Subquestions {
		if s = plain(s); hasAddress(s, d.question) || !isPart(s, d.question) || !sameWords(s, d.question) {
			dropped++
			continue
		}
		out.Subquestions = append(out.Subquestions, s)
	}
	out.Queries = d.searchable(in.Queries, &dropped)
	if dropped > 0 {
		d.note(noteDropped, args{"Count": dropped}, fmt.Sprintf("Proposals that were left out: %d.", dropped))
	}
	return out
}

// searchable leaves out queries that are none.
func (d *director) searchable(in []string, dropped *int) []string {
	var out []string
	for _, s := range in {
		if s = plain(s); len(text.Terms(s)) == 0 || hasAddress(s, d.question) || len([]rune(s)) > 120 {
			*dropped++
			continue
		}
		out = append(out, s)
	}
	return out
}

// otherLanguage is the flaw of a text that is in none of the languages that an
// answer may be in.
func (d *director) otherLanguage(s string, also ...string) *flaw {
	if speaks(s, append(also, d.language)...) {
		return nil
	}
	return flawLanguage
}

// Queries asks for other wordings.
func (d *director) Queries(ctx context.Context, open []research.Subquestion, used map[string][]string) (map[string][]string, error) {
	var out map[string][]string
	var lines []string
	for _, q := range open {
		lines = append(lines, fmt.Sprintf("%s: %s", q.ID, clip(q.Text, 160)))
		if tried := used[q.ID]; len(tried) > 0 {
			lines = append(lines, "tried for "+q.ID+": "+clip(strings.Join(tried, " | "), 160))
		}
	}
	p := prompts[research.Searcher]
	_, err := d.ask(ctx, query{
		prompt: p, size: sizes[p.role],
		data: func(room float64, count func(string) float64) any {
			return map[string]any{"Question": d.question, "Language": languageName(d.language), "Parts": pack(lines, room, count)}
		},
		read: func(answer string) *flaw {
			got, f := readQueries(answer, open)
			if f != nil {
				return f
			}
			dropped := 0
			for id := range got {
				got[id] = d.searchable(got[id], &dropped)
			}
			out = got
			return nil
		},
	})
	return out, err
}

// Choose asks which sentences help.
func (d *director) Choose(ctx context.Context, q research.Subquestion, from []embedded.Candidate, room int) (embedded.Choice, error) {
	var out embedded.Choice
	lines := make([]string, len(from))
	for i, c := range from {
		lines[i] = strconv.Itoa(i+1) + ". " + shown(c)
	}
	shownLines := 0
	p := prompts[research.Reader]
	_, err := d.ask(ctx, query{
		prompt: p, size: sizes[p.role],
		data: func(tokens float64, count func(string) float64) any {
			data := map[string]any{"Question": d.question, "Part": !q.Main}
			var head []string
			if !q.Main {
				head = []string{"Part: " + clip(q.Text, 160)}
				tokens -= count(head[0])
			}
			some := pack(lines, tokens, count)
			shownLines = len(some)
			data["Sentences"] = append(head, some...)
			// Small models take all they may: half of the sentences is a choice.
			data["Room"] = min(room, max(leastChoice, len(some)/2))
			return data
		},
		read: func(answer string) *flaw {
			got, f := readNumbers(answer, shownLines, "use", "numbers", "sentences", "indices", "ids", "evidence")
			if f != nil {
				return f
			}
			for _, n := range got {
				out.Use = append(out.Use, n-1)
			}
			out.None = len(got) == 0
			return nil
		},
	})
	switch {
	case err != nil:
		return embedded.Choice{}, err
	case out.None:
		d.note(noteNothing, args{"Model": d.name(), "Part": q.ID}, fmt.Sprintf("%s finds no sentence that helps with %s.", d.name(), q.ID))
		// Tiny models say so most of the time.
		out.None = d.answered == nil || !d.answered.tiny()
	case shownLines >= 6 && len(out.Use)*4 > shownLines*3:
		// Everything is no choice.
		d.note(noteNoOpinion, args{"Model": d.name(), "Part": q.ID}, fmt.Sprintf("%s chose nearly every sentence for %s, which is no choice.", d.name(), q.ID))
		out = embedded.Choice{}
	}
	return out, nil
}

// leastChoice is how many sentences a reader may always choose.
const leastChoice = 2

// shown is a sentence with where it stands, as far as it does not say that.
func shown(c embedded.Candidate) string {
	s := clip(c.Text, 190)
	for _, from := range []string{c.Title, c.Heading} {
		if from != "" && !sameWords(from, c.Text) {
			return clip(from, 40) + ": " + s
		}
	}
	return s
}

func (d *director) name() string {
	if d.answered != nil {
		return d.answered.Name
	}
	return d.task.Model
}

// Draft asks for claims on quotes.
func (d *director) Draft(ctx context.Context, plan research.Plan, from []embedded.Quotation) (embedded.Draft, error) {
	var out embedded.Draft
	p := prompts[research.Writer]
	s := sizes[p.role]
	language := d.writtenIn(from)
	_, err := d.ask(ctx, query{
		prompt: p, size: s,
		data: func(room float64, count func(string) float64) any {
			return map[string]any{
				"Question": d.question, "Language": languageName(language), "Quotes": pack(quoteLines(plan, from), room, count),
				"Most": min(14, max(3, s.output(d.models[0], d.language)/45)),
			}
		},
		read: func(answer string) *flaw {
			got, f := readDraft(answer)
			if f != nil {
				return f
			}
			got = d.withoutAddresses(got)
			if f := d.otherLanguage(allText(got), languagesOf(from)...); f != nil {
				return f
			}
			out = got
			return nil
		},
	})
	return out, err
}

// withoutAddresses takes links, images and tags out of what was written, and
// leaves out whole sentences that still name an address.
func (d *director) withoutAddresses(in embedded.Draft) embedded.Draft {
	out := embedded.Draft{Summary: sentence(in.Summary)}
	if hasAddress(out.Summary, d.question) {
		out.Summary = ""
	}
	for _, c := range in.Claims {
		if c.Text = sentence(c.Text); !hasAddress(c.Text, d.question) {
			out.Claims = append(out.Claims, c)
		}
	}
	return out
}

// quoteLines lists quotes under the parts of the plan, the main one first. The
// best of every part come before the second best, so that none is left out where
// not all fit.
func quoteLines(plan research.Plan, from []embedded.Quotation) []string {
	head := map[string]string{}
	for _, q := range plan.Subquestions {
		if !q.Main {
			head[q.ID] = " (" + clip(q.Heading, 40) + ")"
		}
	}
	by := map[string][]embedded.Quotation{}
	longest := 0
	for _, e := range from {
		by[e.Subquestion] = append(by[e.Subquestion], e)
		longest = max(longest, len(by[e.Subquestion]))
	}
	var out []string
	for i := range longest {
		for _, q := range plan.Subquestions {
			if es := by[q.ID]; i < len(es) {
				out = append(out, "["+es[i].ID+"]"+head[q.ID]+" "+clip(es[i].Text, 320))
			}
		}
	}
	return out
}

func allText(d embedded.Draft) string {
	var b strings.Builder
	for _, c := range d.Claims {
		b.WriteString(c.Text + " ")
	}
	return b.String() + d.Summary
}

// writtenIn is the language claims are written in: the question's, unless no
// quote is in it. A claim in another language than its quotes cannot be checked
// against them and would be replaced by them.
func (d *director) writtenIn(from []embedded.Quotation) string {
	count, best := map[string]int{}, d.language
	for _, l := range languagesOf(from) {
		count[l]++
	}
	if count[d.language] > 0 {
		return d.language
	}
	for _, l := range research.Languages() {
		if count[l] > count[best] {
			best = l
		}
	}
	return best
}

func languagesOf(from []embedded.Quotation) []string {
	var out []string
	for _, e := range from[:min(len(from), 12)] {
		out = append(out, research.GuessLanguage(e.Text))
	}
	return out
}

// Judge asks which claims their quotes do not say.
func (d *director) Judge(ctx context.Context, claims []embedded.Judged) ([]string, error) {
	if len(claims) == 0 {
		return nil, nil
	}
	var lines []string
	for i, c := range claims {
		line := fmt.Sprintf("%d. %s", i+1, c.Text)
		for _, q := range c.Quotes {
			line += fmt.Sprintf("  Quote: \"%s\"", clip(q, 300))
		}
		lines = append(lines, line)
	}
	n := 0
	var doubted []int
	p := prompts[research.Reviewer]
	ok, err := d.ask(ctx, query{
		prompt: p, size: sizes[p.role],
		data: func(room float64, count func(string) float64) any {
			some := pack(lines, room, count)
			n = len(some)
			return map[string]any{"Question": d.question, "Claims": some}
		},
		read: func(answer string) (f *flaw) {
			doubted, f = readNumbers(answer, n, "not_supported", "unsupported", "notSupported", "wrong", "claims")
			return f
		},
	})
	if err != nil || !ok {
		return nil, err
	}
	if n >= 3 && len(doubted) == n {
		d.note(noteNoJudgment, args{"Model": d.name()}, fmt.Sprintf("%s doubts every claim, which is not taken for a judgment.", d.name()))
		return nil, nil
	}
	var out []string
	for _, i := range doubted {
		out = append(out, claims[i-1].ID)
	}
	if len(out) > 0 {
		d.note(noteDoubted, args{"Model": d.name(), "Count": len(out)}, fmt.Sprintf("Claims that %s doubts: %d.", d.name(), len(out)))
	}
	return out, nil
}
