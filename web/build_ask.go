package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/say"
)

// AskFormFromValues reads the ask form as typed. Depth and policy that are
// missing get the defaults.
func AskFormFromValues(v url.Values) AskForm {
	f := AskForm{
		Question: v.Get("question"), URLs: v.Get("urls"), Follow: v.Get("follow"), Depth: v.Get("depth"),
		Language: v.Get("language"), Policy: v.Get("policy"), Joules: v.Get("joules"),
		Dollars: v.Get("dollars"), Seconds: v.Get("seconds"),
		Library: on(v.Get("library")), Web: on(v.Get("web")),
	}
	if f.Depth == "" {
		f.Depth = string(research.Standard)
	}
	if f.Policy == "" {
		f.Policy = string(research.ProgRouter)
	}
	return f
}

// Values is the form as it would be sent; empty fields are left out.
func (f AskForm) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"question": f.Question, "urls": f.URLs, "follow": f.Follow, "depth": f.Depth, "language": f.Language,
		"policy": f.Policy, "joules": f.Joules, "dollars": f.Dollars, "seconds": f.Seconds,
		"library": ticked(f.Library), "web": ticked(f.Web),
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

func ticked(b bool) string {
	if b {
		return "on"
	}
	return ""
}

func on(s string) bool { return s == "on" || s == "true" || s == "1" }

// AskFormFromRun fills the form with a run's settings, for "ask again".
func AskFormFromRun(r research.Run) AskForm {
	return AskForm{
		Question: r.Question, Library: r.Library, Web: r.Web, URLs: strings.Join(r.URLs, "\n"),
		Follow: strconv.Itoa(r.Follow), Depth: string(r.Depth), Language: r.Language, Policy: string(r.Policy),
		Joules: plainMicro(r.Given.Joules), Dollars: plainMicro(r.Given.Dollars), Seconds: plainSeconds(r.Given.Seconds),
	}
}

// DefaultAskForm is the form of a first visit: documents is the number of
// library documents, web whether a provider answers.
func DefaultAskForm(documents int, web bool) AskForm {
	return AskForm{
		Library: documents > 0, Web: web, Follow: "0",
		Depth: string(research.Standard), Policy: string(research.ProgRouter),
	}
}

// NewAskView builds the ask page.
func NewAskView(p Page, in AskInput) AskView {
	v := AskView{
		Page: p.titled(p.T("ask.title")), Form: in.Form, Errors: in.Errors,
		DefaultBudget: map[string]Defaults{},
		Libraries:     p.L.N("ask.library_count", in.Documents), LibraryEmpty: in.Documents == 0,
		WebAvailable: len(in.Providers) > 0,
		Estimate:     NewEstimateView(p, in.Estimate),
	}
	switch {
	case v.WebAvailable:
		v.WebNote = p.T("ask.web_by", "Providers", strings.Join(p.providers(in.Providers), ", "))
	case in.WebDown:
		v.WebNote = p.T("ask.web_none")
	default:
		v.WebNote = p.T("ask.web_off")
	}
	if v.Proposal = NewProposalView(p, in.Proposal, "/"); v.Proposal == nil && !in.LanguageModel {
		v.ModelNote = p.T("ask.no_model")
	}
	for _, d := range research.Depths() {
		v.Depths = append(v.Depths, p.depthOption(d, in.Form.Depth))
		v.DefaultBudget[string(d)] = defaults(d, in.LanguageModel)
	}
	v.Placeholders = v.DefaultBudget[string(research.Standard)]
	if d, ok := v.DefaultBudget[in.Form.Depth]; ok {
		v.Placeholders = d
	}
	for _, x := range research.Policies() {
		label := p.policy(x)
		if note := p.L.Or("policy.note."+string(x), ""); note != "" {
			label += " – " + note
		}
		v.Policies = append(v.Policies, Option{string(x), label, "", string(x) == in.Form.Policy})
	}
	v.Languages = append(v.Languages, Option{"", p.T("ask.language_auto"), "", in.Form.Language == ""})
	for _, lang := range research.Languages() {
		v.Languages = append(v.Languages, Option{lang, p.language(lang), "", lang == in.Form.Language})
	}
	for i := range research.FollowMax + 1 {
		n := strconv.Itoa(i)
		v.Follow = append(v.Follow, Option{n, p.T("ask.follow." + n), "", n == in.Form.Follow || i == 0 && in.Form.Follow == ""})
	}
	for _, r := range in.LastRuns {
		v.LastRuns = append(v.LastRuns, p.runRow(r))
	}
	return v
}

func (p Page) providers(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = say.Provider(p.L, n)
	}
	return out
}

func (p Page) depthOption(d research.Depth, chosen string) Option {
	m := research.LimitsFor(d)
	note := p.T("ask.depth_note", "Parts", p.L.Int(m.Subquestions), "Sources", p.L.Int(m.Sources), "Rounds", p.L.Int(m.ReviewRounds))
	return Option{string(d), p.depth(d), note, string(d) == chosen}
}

func defaults(d research.Depth, languageModel bool) Defaults {
	b := research.DefaultBudget(d, languageModel)
	return Defaults{plainMicro(b.Joules), plainMicro(b.Dollars), plainSeconds(b.Seconds)}
}

// Problem is the error shown beside a field; a field may have been reported
// under any of its names (form, command line).
func (v AskView) Problem(names ...string) string {
	for _, n := range names {
		if s := v.Errors[n]; s != "" {
			return s
		}
	}
	return ""
}

// askFields are the names that have their own place in the form.
var askFields = []string{"question", "url", "urls", "follow", "depth", "lang", "language", "policy", "joules", "dollars", "seconds", "sources"}

// OtherProblems are errors that belong to no field of the form.
func (v AskView) OtherProblems() []string {
	var out []string
	for name, text := range v.Errors {
		if !slices.Contains(askFields, name) {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// MoreOpen keeps the extra settings open when something in them was set or is
// wrong.
func (v AskView) MoreOpen() bool {
	f := v.Form
	return f.Joules != "" || f.Dollars != "" || f.Seconds != "" || f.Language != "" ||
		f.Policy != string(research.ProgRouter) ||
		v.Problem("joules", "dollars", "seconds", "lang", "language", "policy") != ""
}

// NewEstimateView builds the cost estimate fragment.
func NewEstimateView(p Page, in EstimateInput) EstimateView {
	v := EstimateView{Page: p, Error: in.Error}
	if in.Error != "" {
		return v
	}
	v.Joules = Amount{Text: p.joules(in.Expected.Joules), Known: in.Expected.Joules != nil}
	if in.Expected.Joules != nil && in.High.Joules != nil && *in.High.Joules > *in.Expected.Joules {
		v.Joules.Range = p.T("estimate.up_to", "Amount", p.joules(in.High.Joules))
	}
	v.Dollars = p.money(in.Expected.Dollars)
	if in.Expected.Dollars != nil && in.High.Dollars != nil && *in.High.Dollars > *in.Expected.Dollars {
		v.Dollars.Range = p.T("estimate.up_to", "Amount", p.dollars(in.High.Dollars))
	}
	v.Seconds = Amount{Text: p.L.Seconds(in.Expected.Seconds), Known: true}
	if in.High.Seconds > in.Expected.Seconds {
		v.Seconds.Range = p.T("estimate.up_to", "Amount", p.L.Seconds(in.High.Seconds))
	}
	if b := in.Budget.Joules; b != nil {
		v.BudgetJoules = p.T("estimate.of", "Budget", p.joules(b))
	}
	if b := in.Budget.Dollars; b != nil {
		v.BudgetDollars = p.T("estimate.of", "Budget", p.dollars(b))
	}
	if b := in.Budget.Seconds; b != nil {
		v.BudgetSeconds = p.T("estimate.of", "Budget", p.L.Seconds(*b))
	}
	v.Basis = p.T("estimate.basis_rule")
	if in.PastRuns > 0 {
		v.Basis = p.L.N("estimate.basis_runs", in.PastRuns)
	}
	v.Method = p.method(in.Method, in.Meter)
	v.Over = p.over(in)
	return v
}

func (p Page) over(in EstimateInput) []string {
	var out []string
	if b, e := in.Budget.Joules, in.Expected.Joules; b != nil && e != nil && *e > *b {
		out = append(out, p.T("estimate.over", "What", p.T("unit.joules")))
	}
	if b, e := in.Budget.Dollars, in.Expected.Dollars; b != nil && e != nil && *e > *b {
		out = append(out, p.T("estimate.over", "What", p.T("unit.dollars")))
	}
	if b := in.Budget.Seconds; b != nil && in.Expected.Seconds > *b {
		out = append(out, p.T("estimate.over", "What", p.T("unit.time")))
	}
	return out
}
