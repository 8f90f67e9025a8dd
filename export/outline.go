package export

import (
	"slices"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// Citation is a quote with the number that claims refer to it by.
type Citation struct {
	Number   int
	Evidence research.Evidence
	Source   research.Source
}

// Citations numbers the quotes a report rests on from 1, in the order a reader
// meets them. Pages and exports share these numbers.
func Citations(l *research.Ledger) []Citation {
	var out []Citation
	seen := map[string]bool{}
	for _, c := range l.Report.InOrder() {
		for _, id := range c.EvidenceIDs {
			e, ok := l.EvidenceByID(id)
			if !ok || seen[id] {
				continue
			}
			seen[id] = true
			s, _ := l.SourceByID(e.SourceID)
			out = append(out, Citation{Number: len(out) + 1, Evidence: e, Source: s})
		}
	}
	return out
}

// UsesOnlyEmbedded reports whether every model that was chosen for the run is an
// embedded engine, that is: whether no language model was to be used.
func UsesOnlyEmbedded(l *research.Ledger) bool {
	return len(l.ModelsUsed()) > 0 && !l.ChoseLanguageModel()
}

// modelsUsed names the language models of a run with their roles, and says where
// all were asked in vain; empty where none was chosen.
func modelsUsed(l *research.Ledger, w words) string {
	var names []string
	key := "models_used"
	for _, u := range l.ModelsUsed() {
		if strings.HasPrefix(u.Model, "embedded/") {
			key = "models_mixed"
			continue
		}
		roles := make([]string, len(u.Roles))
		for i, r := range u.Roles {
			roles[i] = w.Or("export.role."+string(r), string(r))
		}
		names = append(names, u.Model+" ("+strings.Join(roles, ", ")+")")
	}
	switch {
	case len(names) > 0:
	case l.ChoseLanguageModel() && l.Run.Status.Final():
		return w.Say("models_in_vain")
	default:
		return ""
	}
	return w.Say(key, "Models", strings.Join(names, ", "))
}

// outline is the report as every text format shows it, before markup.
type outline struct {
	Words     words
	Lang      string
	Title     string
	Question  string // empty when it is the title
	Status    string
	Reason    string
	Notices   []string
	Embedded  bool
	Models    string // which language models were used, empty where none was
	NoClaims  string // said in place of a report
	Summary   []line
	Sections  []section
	NotFound  []string
	Tried     []tried
	Citations []Citation
	Sources   []sourceLine
	Discarded []research.Discarded
	Cost      costTable
	Facts     []fact
}

type fact struct{ Name, Value string }

type line struct {
	Text    string
	Numbers []int
	Mark    string // verdict and remark when the claim is not simply supported
}

// paragraph holds claims from one source, named once in front, or (Versus) claims
// that contradict each other.
type paragraph struct {
	Source string
	Versus bool
	Lines  []line
}

type section struct {
	Heading    string
	Paragraphs []paragraph
}

type sourceLine struct {
	research.Source
	Numbers []int
}

type tried struct {
	Text, Provider, Error string
	Results               int
}

func newOutline(l *research.Ledger, lang string) (outline, error) {
	if lang == "" {
		lang = l.Run.Language
	}
	w, err := wordsFor(lang)
	if err != nil {
		return outline{}, err
	}
	o := outline{
		Words: w, Lang: w.Lang(), Title: titleOf(l),
		Status: w.status(l.Run.Status), Reason: oneLine(say.Stop(w.Localizer, l)),
		Embedded: UsesOnlyEmbedded(l), Models: modelsUsed(l, w), Citations: Citations(l), Discarded: discarded(l, w),
		Cost: newCostTable(l, w),
	}
	if q := oneLine(l.Run.Question); q != o.Title {
		o.Question = q
	}
	for _, n := range l.Run.Notices {
		o.Notices = append(o.Notices, oneLine(say.Note(w.Localizer, n)))
	}
	b := claimLines{l: l, w: w, numbers: map[string]int{}}
	for _, c := range o.Citations {
		b.numbers[c.Evidence.ID] = c.Number
	}
	o.Summary = b.summary()
	o.Sections = b.sections()
	o.Sources = b.sources(o.Citations)
	o.NotFound = notFound(l)
	o.NoClaims = w.Say("no_report")
	if l.Run.Status.Final() {
		o.NoClaims = w.Say("no_claims")
	}
	if len(l.Report.Claims) == 0 {
		o.Tried = searches(l, w)
	}
	o.Facts = facts(l, w)
	return o, nil
}

func notFound(l *research.Ledger) []string {
	var out []string
	for _, s := range l.Report.NotFound {
		if s = oneLine(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// discarded are the documents that were not used, with the reason in words.
func discarded(l *research.Ledger, w words) []research.Discarded {
	var out []research.Discarded
	for _, d := range l.Discarded {
		d.Reason = oneLine(say.Discarded(w.Localizer, d))
		out = append(out, d)
	}
	return out
}

func searches(l *research.Ledger, w words) []tried {
	var out []tried
	for _, q := range l.Queries {
		out = append(out, tried{oneLine(q.Text), say.Provider(w.Localizer, q.Provider), oneLine(say.QueryTrouble(w.Localizer, q)), q.Results})
	}
	return out
}

func facts(l *research.Ledger, w words) []fact {
	out := []fact{
		{w.Say("asked"), stamp(l.Run.CreatedAt)},
		{w.Say("depth"), w.Or("depth."+string(l.Run.Depth), string(l.Run.Depth))},
		{w.Say("policy"), w.Or("policy."+string(l.Run.Policy), string(l.Run.Policy))},
	}
	if l.Run.FinishedAt != nil {
		out = slices.Insert(out, 1, fact{w.Say("finished"), stamp(*l.Run.FinishedAt)})
	}
	return append(out, fact{w.Say("run"), l.Run.ID})
}

type claimLines struct {
	l       *research.Ledger
	w       words
	numbers map[string]int
}

func (b claimLines) line(c research.Claim) line {
	out := line{Text: oneLine(c.Text)}
	for _, id := range c.EvidenceIDs {
		if n, ok := b.numbers[id]; ok {
			out.Numbers = append(out.Numbers, n)
		}
	}
	if v := b.w.verdict(c.Verdict); v != "" {
		out.Mark = v
		if note := oneLine(c.Note); note != "" {
			out.Mark += ": " + note
		}
	}
	return out
}

func (b claimLines) summary() []line {
	var out []line
	for _, id := range say.Summary(&b.l.Report) {
		if c, ok := b.l.Report.Claim(id); ok {
			out = append(out, b.line(c))
		}
	}
	return out
}

func (b claimLines) sections() []section {
	var out []section
	placed := map[string]bool{}
	for _, s := range b.l.Report.Sections {
		var claims []research.Claim
		for _, id := range s.ClaimIDs {
			if c, ok := b.l.Report.Claim(id); ok && !placed[id] {
				placed[id] = true
				claims = append(claims, c)
			}
		}
		if len(claims) > 0 {
			out = append(out, section{Heading: oneLine(s.Heading), Paragraphs: b.paragraphs(claims)})
		}
	}
	// A claim outside every section and the summary would otherwise vanish.
	var rest []research.Claim
	for _, c := range b.l.Report.Claims {
		if !placed[c.ID] && !slices.Contains(b.l.Report.Summary, c.ID) {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		out = append(out, section{Heading: b.w.Say("further"), Paragraphs: b.paragraphs(rest)})
	}
	return out
}

// paragraphLines is how many claims make a paragraph at most.
const paragraphLines = 5

// paragraphs joins neighbours from one source under one attribution and puts
// contradicting claims side by side. The order of claims is otherwise kept.
func (b claimLines) paragraphs(claims []research.Claim) []paragraph {
	var out []paragraph
	done := map[string]bool{}
	last := ""
	for _, c := range claims {
		if done[c.ID] {
			continue
		}
		if p, ids := b.versus(c, claims, done); len(ids) > 1 {
			for _, id := range ids {
				done[id] = true
			}
			out, last = append(out, p), ""
			continue
		}
		done[c.ID] = true
		source := b.sourceOf(c)
		n := len(out) - 1
		switch {
		case n >= 0 && !out[n].Versus && source == last && len(out[n].Lines) < paragraphLines:
			out[n].Lines = append(out[n].Lines, b.line(c))
		case n >= 0 && source == last:
			out = append(out, paragraph{Lines: []line{b.line(c)}})
		default:
			out = append(out, paragraph{Source: b.sourceTitle(source), Lines: []line{b.line(c)}})
		}
		last = source
	}
	return out
}

func (b claimLines) versus(c research.Claim, claims []research.Claim, done map[string]bool) (paragraph, []string) {
	p, ids := paragraph{Versus: true, Lines: []line{b.line(c)}}, []string{c.ID}
	for _, d := range claims {
		if d.ID == c.ID || done[d.ID] {
			continue
		}
		if slices.Contains(c.Contradicts, d.ID) || slices.Contains(d.Contradicts, c.ID) {
			p.Lines, ids = append(p.Lines, b.line(d)), append(ids, d.ID)
		}
	}
	return p, ids
}

func (b claimLines) sourceOf(c research.Claim) string {
	for _, id := range c.EvidenceIDs {
		if e, ok := b.l.EvidenceByID(id); ok {
			return e.SourceID
		}
	}
	return ""
}

func (b claimLines) sourceTitle(id string) string {
	s, ok := b.l.SourceByID(id)
	if !ok {
		return ""
	}
	return sourceName(s)
}

func sourceName(s research.Source) string {
	if t := oneLine(s.Title); t != "" {
		return t
	}
	return oneLine(s.URL)
}

func (b claimLines) sources(cited []Citation) []sourceLine {
	var out []sourceLine
	for _, s := range b.l.Sources {
		sl := sourceLine{Source: s}
		for _, c := range cited {
			if c.Evidence.SourceID == s.ID {
				sl.Numbers = append(sl.Numbers, c.Number)
			}
		}
		out = append(out, sl)
	}
	return out
}
