package research

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what a user may ask.
const (
	QuestionMin = 3       // characters after trimming
	QuestionMax = 2000    // characters after trimming
	URLMax      = 2048    // bytes of one URL
	URLsMax     = 20      // URLs of one run
	FollowMax   = 2       // links deep
	AmountMax   = 1e9     // joules, dollars or seconds of a budget
	amountMin   = 1 / 1e6 // below this a budget rounds to zero
)

// RequestInput is what a form, the command line or the API was given: text as
// typed. Library and Web are nil when the user said nothing about them.
type RequestInput struct {
	Question    string
	URLs        []string // blank ones are ignored
	Library     *bool
	Web         *bool
	Collections []string
	Joules      string
	Dollars     string
	Seconds     string
	Policy      string // empty: progrouter
	Depth       string // empty: standard
	Lang        string // empty or auto: guessed from the question
	Follow      string // empty: 0
	Seed        int64
}

// RequestErrors are all the faults of a request, in the order of the form. Each
// has a Field and a Key.
type RequestErrors []*Error

// Error joins the messages, one per line.
func (e RequestErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Message
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As and CodeOf see the single faults.
func (e RequestErrors) Unwrap() []error {
	out := make([]error, len(e))
	for i, one := range e {
		out[i] = one
	}
	return out
}

// For returns the fault of a field, nil when it is fine.
func (e RequestErrors) For(field string) *Error {
	for _, one := range e {
		if one.Field == field {
			return one
		}
	}
	return nil
}

// ParseRequest checks everything a user can say about a run, in one place for
// the form, the command line and the API. The request returned beside errors
// holds what could be read.
//
// Sources: what is given is all that is searched. Who names neither URLs, nor
// library, nor web gets the library and the web.
func ParseRequest(in RequestInput) (Request, RequestErrors) {
	p := &requestParser{}
	r := Request{
		Question:    p.question(in.Question),
		URLs:        p.urls(in.URLs),
		Collections: in.Collections,
		Seed:        in.Seed,
		Policy:      p.policy(in.Policy),
		Depth:       choose(p, "depth", in.Depth, Standard, Depths()),
	}
	var faults RequestErrors
	r.Given, faults = ParseBudget(in.Joules, in.Dollars, in.Seconds)
	p.errs = append(p.errs, faults...)
	r.Language = p.language(in.Lang, r.Question)
	r.Library, r.Web = sourcesAsked(in)
	r.Follow = p.follow(in.Follow, len(r.URLs))
	if !r.Library && !r.Web && len(r.URLs) == 0 && p.errs.For("url") == nil {
		p.fail("sources", "no_sources", nil, "There is nothing to search. Choose the library or the web, or give a URL.")
	}
	return r, p.errs
}

// ParseBudget reads the three amounts of a budget by the same rules; empty ones
// stay open.
func ParseBudget(joules, dollars, seconds string) (Budget, RequestErrors) {
	p := &requestParser{}
	b := Budget{
		Joules:  p.micro("joules", joules),
		Dollars: p.micro("dollars", dollars),
		Seconds: p.amount("seconds", seconds),
	}
	return b, p.errs
}

// EffectiveBudget is what a run may spend: what was given, and the depth's
// default where a limit was left open. The defaults are wider where language
// models take the steps.
func (r Request) EffectiveBudget(languageModels bool) Budget {
	b := DefaultBudget(r.Depth, languageModels)
	if r.Given.Joules != nil {
		b.Joules = r.Given.Joules
	}
	if r.Given.Dollars != nil {
		b.Dollars = r.Given.Dollars
	}
	if r.Given.Seconds != nil {
		b.Seconds = r.Given.Seconds
	}
	return b
}

func sourcesAsked(in RequestInput) (library, web bool) {
	named := in.Library != nil || in.Web != nil
	for _, u := range in.URLs {
		named = named || strings.TrimSpace(u) != ""
	}
	if !named {
		return true, true
	}
	return in.Library != nil && *in.Library, in.Web != nil && *in.Web
}

type requestParser struct{ errs RequestErrors }

func (p *requestParser) fail(field, key string, args map[string]any, format string, a ...any) {
	if p.errs.For(field) == nil {
		p.errs = append(p.errs, Errorf(EInvalid, key, format, a...).At(field).With(args))
	}
}

func (p *requestParser) question(s string) string {
	if !utf8.ValidString(s) {
		p.fail("question", "question_encoding", nil, "The question is not valid UTF-8 text. Type it again or fix the encoding of the input.")
		return ""
	}
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.IndexFunc(s, unicode.IsControl); i >= 0 {
		p.fail("question", "question_control", nil, "The question contains a control character. Remove it and try again.")
		return s
	}
	n := utf8.RuneCountInString(s)
	args := map[string]any{"Count": n, "Min": QuestionMin, "Max": QuestionMax}
	switch {
	case n == 0:
		p.fail("question", "question_empty", args, "The question is empty. Write what you want to know.")
	case n < QuestionMin:
		p.fail("question", "question_short", args, "The question is too short: it needs at least %d characters.", QuestionMin)
	case n > QuestionMax:
		p.fail("question", "question_long", args, "The question has %d characters; at most %d are allowed. Shorten it, or split it into several runs.", n, QuestionMax)
	}
	return s
}

func (p *requestParser) urls(list []string) []string {
	var out []string
	for _, raw := range list {
		raw = strings.TrimSpace(raw)
		if raw == "" {
			continue
		}
		u, why, key := cleanURL(raw)
		if why != "" {
			shown := shorten(raw, 80)
			p.fail("url", key, map[string]any{"URL": shown}, "%q cannot be used as a URL: %s", shown, why)
			continue
		}
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	if len(out) > URLsMax {
		p.fail("url", "url_many", map[string]any{"Count": len(out), "Max": URLsMax}, "%d URLs were given; at most %d are allowed. Leave some out, or follow links from one start page.", len(out), URLsMax)
	}
	return out
}

// cleanURL checks the syntax only; whether the address may be reached is the
// fetcher's business, at dial time.
func cleanURL(raw string) (clean, why, key string) {
	u, err := url.Parse(raw)
	switch {
	case len(raw) > URLMax:
		return "", "it is longer than " + strconv.Itoa(URLMax) + " characters.", "url_long"
	case !utf8.ValidString(raw) || strings.ContainsFunc(raw, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return "", "it contains a space or a control character. Put each URL on its own line.", "url_space"
	case err != nil:
		return "", "it is malformed. It should look like https://example.org/page.", "url_malformed"
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "only http and https addresses are fetched. It should look like https://example.org/page.", "url_scheme"
	case u.Hostname() == "":
		return "", "it names no host. It should look like https://example.org/page.", "url_host"
	case u.User != nil:
		return "", "it contains a user name or password. Remove them; they would be stored with the run.", "url_userinfo"
	case !validPort(u.Port()):
		return "", "its port is not between 1 and 65535.", "url_port"
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String(), "", ""
}

func validPort(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.Atoi(s)
	return err == nil && n >= 1 && n <= 65535
}

var plainNumber = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// amount reads a budget. Only "12" and "1.5" are numbers here: a comma means
// different things to different people, and "1e9" is rarely what was meant.
func (p *requestParser) amount(field, s string) *float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	args := map[string]any{"Field": field, "Value": shorten(s, 40), "Max": int64(AmountMax)}
	if strings.Contains(s, ",") {
		p.fail(field, "budget_comma", args, "%s: %q contains a comma. Write decimals with a point and no thousands separators, like 1.5 or 1500.", field, shorten(s, 40))
		return nil
	}
	if strings.HasPrefix(s, "-") && plainNumber.MatchString(s[1:]) {
		p.fail(field, "budget_positive", args, "%s: %q is not above zero. Give a positive number, or leave it empty for the default.", field, shorten(s, 40))
		return nil
	}
	if !plainNumber.MatchString(s) {
		p.fail(field, "budget_number", args, "%s: %q is not a number. Write it like 12 or 1.5.", field, shorten(s, 40))
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || f > AmountMax:
		p.fail(field, "budget_large", args, "%s: %s is more than the largest budget, %d. Leave it empty for the default.", field, shorten(s, 40), int64(AmountMax))
	case f < amountMin:
		p.fail(field, "budget_positive", args, "%s: %q is not above zero. Give a positive number, or leave it empty for the default.", field, shorten(s, 40))
	default:
		return &f
	}
	return nil
}

func (p *requestParser) micro(field, s string) *Micro {
	f := p.amount(field, s)
	if f == nil {
		return nil
	}
	return Known(ToMicro(*f))
}

func (p *requestParser) follow(s string, urls int) int {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 0 || n > FollowMax:
		p.fail("follow", "follow_range", map[string]any{"Value": shorten(s, 40), "Max": FollowMax}, "follow: %q is not a depth of links. Give a whole number from 0 to %d.", shorten(s, 40), FollowMax)
		return 0
	case n > 0 && urls == 0 && p.errs.For("url") == nil:
		p.fail("follow", "follow_without_url", nil, "Links can be followed only from a given URL. Add a URL, or set follow to 0.")
	}
	return n
}

func (p *requestParser) language(s, question string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" || s == "auto" {
		return GuessLanguage(question)
	}
	base, _, _ := strings.Cut(strings.ReplaceAll(s, "_", "-"), "-")
	if !slices.Contains(Languages(), base) {
		p.fail("lang", "lang_unknown", map[string]any{"Value": shorten(s, 40), "Known": strings.Join(Languages(), ", ")}, "lang: %q is not a known language. Choose one of %s, or auto.", shorten(s, 40), strings.Join(Languages(), ", "))
		return GuessLanguage(question)
	}
	return base
}

// policy says of the evaluation's own policies what they are.
func (p *requestParser) policy(s string) Policy {
	name := strings.ToLower(strings.TrimSpace(s))
	if !slices.Contains(EvaluationPolicies(), Policy(name)) {
		return choose(p, "policy", s, ProgRouter, Policies())
	}
	list := listed(Policies())
	p.fail("policy", "policy_evaluation", map[string]any{"Value": name, "Known": list},
		"policy: %q is for evaluation only, and no run can use it. Choose one of %s.", name, list)
	return ProgRouter
}

func listed[T ~string](known []T) string {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

func choose[T ~string](p *requestParser, field, s string, fallback T, known []T) T {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" {
		return fallback
	}
	if slices.Contains(known, T(s)) {
		return T(s)
	}
	list := listed(known)
	p.fail(field, field+"_unknown", map[string]any{"Value": shorten(s, 40), "Known": list}, "%s: %q is not known. Choose one of %s.", field, shorten(s, 40), list)
	return fallback
}

func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
