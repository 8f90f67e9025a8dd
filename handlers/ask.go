package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

const lastRuns = 6

// askPage is the first page. ?again=RUN fills the form with a run's settings;
// ?question= fills in the question, and with depth= the form's own names fill
// all of it.
func (s *Server) askPage(c echo.Context) error {
	form, err := s.askForm(c)
	if err != nil {
		return err
	}
	return s.renderAsk(c, http.StatusOK, form, nil)
}

func (s *Server) askForm(c echo.Context) (web.AskForm, error) {
	ctx := c.Request().Context()
	if id := c.QueryParam("again"); id != "" {
		run, err := s.deps.Runs.Run(ctx, id)
		if err != nil {
			return web.AskForm{}, err
		}
		return web.AskFormFromRun(run), nil
	}
	if typed := c.QueryParams(); typed.Has("depth") {
		return web.AskFormFromValues(typed), nil
	}
	_, documents, err := s.deps.Library.Documents(ctx, "", 1, 0)
	if err != nil {
		return web.AskForm{}, err
	}
	form := web.DefaultAskForm(documents, len(webProviders(s.deps.Setup.Settings(ctx))) > 0)
	if q := c.QueryParam("question"); q != "" {
		form.Question = q
	}
	return form, nil
}

func (s *Server) renderAsk(c echo.Context, status int, form web.AskForm, faults error) error {
	ctx := c.Request().Context()
	page := s.newPage(c, web.NavAsk)
	if c.Request().Method != http.MethodGet {
		page.Path = withQuery("/", form.Values())
	}
	_, documents, err := s.deps.Library.Documents(ctx, "", 1, 0)
	if err != nil {
		return err
	}
	recent, _, err := s.deps.Runs.ListRuns(ctx, research.RunFilter{Limit: lastRuns})
	if err != nil {
		return err
	}
	setup := s.deps.Setup.Settings(ctx)
	connected, err := s.deps.Models.Models(ctx)
	if err != nil {
		return err
	}
	view := web.NewAskView(page, web.AskInput{
		Form: form, Errors: fieldTexts(page.L, faults), Providers: webProviders(setup), WebDown: webDown(setup), Documents: documents,
		LanguageModel: hasLanguageModel(setup), Proposal: connected.Proposal, Estimate: s.estimateFor(ctx, page.L, form), LastRuns: recent,
	})
	return render(c, status, web.AskPage(view))
}

// estimate answers the fragment that follows the form while it is filled in.
func (s *Server) estimate(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return badForm(err)
	}
	page := s.newPage(c, web.NavAsk)
	in := s.estimateFor(c.Request().Context(), page.L, web.AskFormFromValues(values))
	return render(c, http.StatusOK, web.EstimateFragment(web.NewEstimateView(page, in)))
}

// estimateFor prices the form. A question is not needed for that, and faults of
// other fields do not matter; a budget that cannot work is said.
func (s *Server) estimateFor(ctx context.Context, l *i18n.Localizer, form web.AskForm) web.EstimateInput {
	r, faults := research.ParseRequest(requestInput(form))
	in := web.EstimateInput{Depth: r.Depth, Policy: r.Policy, Budget: r.EffectiveBudget(hasLanguageModel(s.deps.Setup.Settings(ctx))), Meter: s.cfg.Meter}
	for _, f := range faults {
		if f.Field != "question" && f.Field != "url" {
			in.Error = web.ErrorText(l, f)
			return in
		}
	}
	e, err := s.deps.Estimates.EstimateRun(ctx, r, in.Budget)
	if err != nil {
		in.Error = web.ErrorText(l, err)
		if research.CodeOf(err) == research.EInternal && !s.left(ctx) {
			s.deps.Log.WarnContext(ctx, "estimate failed", "error", causes(err))
		}
		return in
	}
	in.Budget, in.Expected, in.High, in.Method, in.PastRuns = e.Budget, e.Expected, e.High, e.Method, e.PastRuns
	return in
}

// requestInput reads the form. Its boxes always say something, so nothing is
// searched that is not ticked.
func requestInput(f web.AskForm) research.RequestInput {
	return research.RequestInput{
		Question: f.Question, URLs: lines(f.URLs), Library: &f.Library, Web: &f.Web, Follow: f.Follow,
		Joules: f.Joules, Dollars: f.Dollars, Seconds: f.Seconds,
		Policy: f.Policy, Depth: f.Depth, Lang: f.Language,
	}
}

func lines(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
}

// fieldTexts sorts faults by the form's field names, in the reader's language.
func fieldTexts(l *i18n.Localizer, faults error) map[string]string {
	out := map[string]string{}
	var many research.RequestErrors
	var one *research.Error
	switch {
	case faults == nil:
	case errors.As(faults, &many):
		for _, e := range many {
			out[formField(e.Field)] = web.ErrorText(l, e)
		}
	case errors.As(faults, &one):
		out[formField(one.Field)] = web.ErrorText(l, one)
	default:
		out[""] = web.ErrorText(l, faults)
	}
	return out
}

// formField is the form's name of a field, which differs from the flag's in two
// cases.
func formField(field string) string {
	switch field {
	case "url":
		return "urls"
	case "lang":
		return "language"
	}
	return field
}

// webProviders lists the search providers that reach the web and are not off.
func webProviders(in web.SettingsInput) []string {
	var out []string
	for _, p := range in.Providers {
		if p.State == "ok" && p.Name != "library" {
			out = append(out, p.Name)
		}
	}
	return out
}

// webDown reports that a provider is set up and does not answer.
func webDown(in web.SettingsInput) bool {
	for _, p := range in.Providers {
		if p.State == "down" {
			return true
		}
	}
	return false
}

func hasLanguageModel(in web.SettingsInput) bool {
	for _, m := range in.Models {
		if !m.Embedded {
			return true
		}
	}
	return false
}

func badForm(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return withStatus(http.StatusBadRequest, research.Errorf(research.EInvalid, "bad_form", "The form could not be read. Reload the page and send it again.").Wrap(err))
}

// formValues reads a posted form.
func formValues(c echo.Context) (url.Values, error) {
	values, err := c.FormParams()
	if err != nil {
		return nil, badForm(err)
	}
	return values, nil
}
