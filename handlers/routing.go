package handlers

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
	"github.com/progrouter/progrouter/web/reckon"
)

const routingPath = "/dashboard/routing"

// periodOf reads ?days= (7, 30, 90; 0 is everything; anything else is 30) and
// gives the moment with which it begins, the zero time for everything.
func (s *Server) periodOf(c echo.Context) (days int, from time.Time) {
	days = 30
	if n, err := strconv.Atoi(c.QueryParam("days")); err == nil && (n == 0 || n == 7 || n == 90) {
		days = n
	}
	return days, s.daysAgo(days)
}

// daysAgo is the beginning (UTC) of a period of whole days that ends today.
func (s *Server) daysAgo(days int) time.Time {
	if days <= 0 {
		return time.Time{}
	}
	now := s.cfg.Now().UTC()
	return time.Date(now.Year(), now.Month(), now.Day()-days+1, 0, 0, 0, 0, time.UTC)
}

// learned is what was learned, nothing where nobody knows. full adds the groups of
// the quality of predictions since from.
func (s *Server) learned(ctx context.Context, from time.Time, full bool) (research.Learning, error) {
	switch {
	case s.deps.Learned == nil:
		return research.Learning{}, nil
	case full:
		return s.deps.Learned.Learning(ctx, from)
	}
	return s.deps.Learned.LearningNow(ctx)
}

func taught(l research.Learning) reckon.Learning {
	return reckon.Learning{Joules: l.State.TrainingJoules, Samples: l.State.Samples}
}

// routing is everything the page and the API say about the router.
func (s *Server) routing(ctx context.Context, days int, from time.Time) (web.RoutingInput, error) {
	in := web.RoutingInput{Days: days, FirstFit: progress.FirstFit}
	var err error
	if in.Learning, err = s.learned(ctx, from, true); err != nil {
		return in, err
	}
	if in.Period, err = s.routed.period(ctx, from, taught(in.Learning)); err != nil {
		return in, err
	}
	if in.Targets, err = s.routed.targets(ctx, from); err != nil {
		return in, err
	}
	if s.deps.Decided != nil {
		_, in.Allowance = s.deps.Decided.Routing()
	}
	return in, nil
}

// routingPage says what routing saved over ?days=, what was learned and how well
// gains are foreseen. htmx gets what the dashboard shows of it.
func (s *Server) routingPage(c echo.Context) error {
	days, from := s.periodOf(c)
	if isFragment(c) {
		p, err := s.savings(c.Request().Context(), from)
		if err != nil {
			return err
		}
		return render(c, http.StatusOK, web.SavingsPart(web.NewSavingsView(s.newPage(c, web.NavDashboard), p, days)))
	}
	in, err := s.routing(c.Request().Context(), days, from)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, web.RoutingPage(web.NewRoutingView(s.newPage(c, web.NavDashboard), in)))
}

func (s *Server) savings(ctx context.Context, from time.Time) (reckon.Period, error) {
	l, err := s.learned(ctx, from, false)
	if err != nil {
		return reckon.Period{}, err
	}
	return s.routed.period(ctx, from, taught(l))
}

// savingsFile sends what routing saved over ?days= as a file, ?format=csv or json.
func (s *Server) savingsFile(c echo.Context) error {
	ctx := c.Request().Context()
	days, from := s.periodOf(c)
	p, err := s.savings(ctx, from)
	if err != nil {
		return err
	}
	runs, err := s.routed.byRun(ctx, from)
	if err != nil {
		return err
	}
	file, err := export.Savings(export.SavingsOf{Days: days, Made: s.cfg.Now(), Period: p, Runs: runs}, export.Format(c.QueryParam("format")))
	if err != nil {
		return err
	}
	return sendFile(c, file)
}

func sendFile(c echo.Context, file export.Rendered) error {
	h := c.Response().Header()
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	h.Set("Cache-Control", "private, no-cache")
	return c.Blob(http.StatusOK, file.MediaType, file.Body)
}

// apiWhatIf answers what a run would have cost under other assignments of tiers.
func (s *Server) apiWhatIf(c echo.Context) error {
	l, err := s.deps.Runs.Ledger(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, mediaJSON, struct {
		ID     string          `json:"id"`
		Status research.Status `json:"status"`
		Policy research.Policy `json:"policy"`
		reckon.Run
	}{l.Run.ID, l.Run.Status, l.Run.Policy, reckon.OfRun(l)})
}

const apiDaysMax = 3660

// apiRouter answers what the router has learned, how well it foresees gains, and
// what routing saved over ?days= (0: everything).
func (s *Server) apiRouter(c echo.Context) error {
	days, err := wholeNumber(c, "days", 30, 0, apiDaysMax)
	if err != nil {
		return err
	}
	from := s.daysAgo(days)
	in, err := s.routing(c.Request().Context(), days, from)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, mediaJSON, newAPIRouter(in, from))
}

type apiRouter struct {
	Days      int                  `json:"days"`
	From      *time.Time           `json:"from"`
	State     research.RouterState `json:"state"`
	Allowance research.Micro       `json:"allowance_joules"`
	Epsilon   float64              `json:"epsilon"`
	Quality   apiQuality           `json:"prediction_quality"`
	Savings   reckon.Period        `json:"savings"`
	OneStep   []reckon.Target      `json:"one_step"`
}

func newAPIRouter(in web.RoutingInput, from time.Time) apiRouter {
	out := apiRouter{
		Days: in.Days, State: in.Learning.State, Allowance: in.Allowance, Epsilon: in.Learning.Epsilon,
		Quality: newAPIQuality(in.Learning.Quality), Savings: in.Period, OneStep: in.Targets,
	}
	if !from.IsZero() {
		out.From = &from
	}
	return out
}

type apiQuality struct {
	Total   apiQualityRow   `json:"total"`
	ByDay   []apiQualityRow `json:"by_day"`
	ByRole  []apiQualityRow `json:"by_role"`
	ByModel []apiQualityRow `json:"by_model"`
	ByRange []apiQualityRow `json:"by_predicted"`
}

// apiQualityRow is how well the gains of a group of steps were predicted.
type apiQualityRow struct {
	Day   string        `json:"day,omitempty"`
	Role  research.Role `json:"role,omitempty"`
	Model string        `json:"model,omitempty"`
	// Range is that of the predicted gain, half open; the ends are open.
	Range     string              `json:"range,omitempty"`
	N         int64               `json:"steps"`
	Predicted *float64            `json:"mean_predicted"`
	Realised  *float64            `json:"mean_realised"`
	Bias      *float64            `json:"bias"`
	MAE       map[string]*float64 `json:"mean_absolute_error"` // by path; null where it has predicted nothing
	PathsN    int64               `json:"steps_with_paths"`
}

func newAPIQuality(q research.PredictionQuality) apiQuality {
	rows := func(in []research.QualityRow, binned bool) []apiQualityRow {
		out := make([]apiQualityRow, 0, len(in))
		for _, r := range in {
			row := newAPIQualityRow(r)
			if binned {
				row.Range = rangeOf(r.Bin)
			}
			out = append(out, row)
		}
		return out
	}
	return apiQuality{
		Total: newAPIQualityRow(research.QualityRow{QualitySums: q.Total}), ByDay: rows(q.ByDay, false),
		ByRole: rows(q.ByRole, false), ByModel: rows(q.ByModel, false), ByRange: rows(q.ByBin, true),
	}
}

func newAPIQualityRow(r research.QualityRow) apiQualityRow {
	out := apiQualityRow{Day: r.Day, Role: r.Role, Model: r.Model, N: r.N, PathsN: r.PathsN, MAE: map[string]*float64{}}
	if r.N > 0 {
		predicted, realised, bias := r.Predicted/float64(r.N), r.Realised/float64(r.N), r.Bias()
		out.Predicted, out.Realised, out.Bias = &predicted, &realised, &bias
	}
	for _, path := range research.Paths() {
		out.MAE[path] = nil
		if mae, _, ok := r.MAE(path); ok {
			out.MAE[path] = &mae
		}
	}
	return out
}

func rangeOf(bin int) string {
	low := fmt.Sprintf("%.2f", float64(bin)*research.BinWidth)
	switch {
	case bin <= research.FirstBin:
		return "below 0"
	case bin >= research.LastBin:
		return low + " and above"
	}
	return low + " to " + fmt.Sprintf("%.2f", float64(bin+1)*research.BinWidth)
}
