package handlers

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

//go:embed openapi.json
var openAPI []byte

const mediaJSON = "application/json"

func (s *Server) apiDescription(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", "no-cache")
	return c.Blob(http.StatusOK, mediaJSON, openAPI)
}

// apiRequest is the body of POST /runs: the names of the research flags. Amounts
// may be numbers or text, url one address or a list.
type apiRequest struct {
	Question    string   `json:"question"`
	URL         texts    `json:"url"`
	Library     *bool    `json:"library"`
	Web         *bool    `json:"web"`
	Collections []string `json:"collections"`
	Joules      literal  `json:"joules"`
	Dollars     literal  `json:"dollars"`
	Seconds     literal  `json:"seconds"`
	Policy      string   `json:"policy"`
	Depth       string   `json:"depth"`
	Lang        string   `json:"lang"`
	Follow      literal  `json:"follow"`
}

// texts is a JSON string or a list of them.
type texts []string

func (t *texts) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var one string
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		*t = texts{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(b, &many); err != nil {
		return errors.New("url must be a text or a list of texts")
	}
	*t = many
	return nil
}

// literal is a JSON number or string, kept as it was written: one parser decides
// for form, flags and API what a number is.
type literal string

func (l *literal) UnmarshalJSON(b []byte) error {
	var text string
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '"':
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		*l = literal(text)
	case b[0] == '-' || (b[0] >= '0' && b[0] <= '9'):
		*l = literal(plain(b))
	default:
		return errors.New("an amount must be a number")
	}
	return nil
}

// plain writes JSON's 1.5e3 as 1500, which people may not type but programs do.
func plain(b []byte) string {
	if !bytes.ContainsAny(b, "eE") {
		return string(b)
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return string(b)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func (r apiRequest) input() research.RequestInput {
	return research.RequestInput{
		Question: r.Question, URLs: r.URL, Library: r.Library, Web: r.Web, Collections: r.Collections,
		Joules: string(r.Joules), Dollars: string(r.Dollars), Seconds: string(r.Seconds),
		Policy: r.Policy, Depth: r.Depth, Lang: r.Lang, Follow: string(r.Follow),
	}
}

func (s *Server) apiCreateRun(c echo.Context) error {
	var body apiRequest
	if err := readJSON(c, &body); err != nil {
		return err
	}
	id, err := s.startRun(c.Request().Context(), body.input())
	if err != nil {
		return err
	}
	c.Response().Header().Set("Location", apiPrefix+runPath(id))
	return writeJSON(c, http.StatusCreated, mediaJSON, map[string]string{"id": id})
}

func readJSON(c echo.Context, into any) error {
	// A JSON body cannot be sent by a plain form of another site.
	if t, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type")); err != nil || (t != mediaJSON && !strings.HasSuffix(t, "+json")) {
		return withStatus(http.StatusUnsupportedMediaType, research.Errorf(research.EInvalid, "json_type", "The body must be JSON: send the header “Content-Type: application/json”."))
	}
	dec := json.NewDecoder(c.Request().Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows the first JSON value")
		}
	}
	var tooLarge *http.MaxBytesError
	if err == nil || errors.As(err, &tooLarge) {
		return err
	}
	return withStatus(http.StatusBadRequest, research.Errorf(research.EInvalid, "json", "The body is not the JSON this address takes: %s. See %s/openapi.json.", jsonTrouble(err), apiPrefix))
}

// jsonTrouble words the decoder's errors without Go's type names.
func jsonTrouble(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("%q must not be a %s", kind.Field, kind.Value)
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// apiGetRun answers the contract of `research --format json`.
func (s *Server) apiGetRun(c echo.Context) error {
	ctx := c.Request().Context()
	l, err := s.deps.Runs.Ledger(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	file, err := export.Render(ctx, l, export.FormatJSON, c.QueryParam("lang"))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "private, no-cache")
	return c.Blob(http.StatusOK, mediaJSON, file.Body)
}

func (s *Server) apiDeleteRun(c echo.Context) error {
	if err := s.drop(c.Request().Context(), c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

func (s *Server) apiCancelRun(c echo.Context) error { return s.apiAct(c, s.deps.Runs.RequestCancel) }
func (s *Server) apiPauseRun(c echo.Context) error  { return s.apiAct(c, s.deps.Runs.RequestPause) }

// apiAct answers 202: the worker follows within a second.
func (s *Server) apiAct(c echo.Context, do func(context.Context, string) error) error {
	ctx, id := c.Request().Context(), c.Param("id")
	if err := do(ctx, id); err != nil {
		return err
	}
	run, err := s.deps.Runs.Run(ctx, id)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusAccepted, mediaJSON, map[string]any{"id": id, "status": run.Status})
}

// apiBudget is the body of a resumption: the limits to raise, all of them open.
type apiBudget struct {
	Joules  literal `json:"joules"`
	Dollars literal `json:"dollars"`
	Seconds literal `json:"seconds"`
}

// apiResumeRun lets a run go on, with higher limits when a body names some.
func (s *Server) apiResumeRun(c echo.Context) error {
	var body apiBudget
	switch some, err := hasBody(c); {
	case err != nil:
		return err
	case some:
		if err := readJSON(c, &body); err != nil {
			return err
		}
	}
	return s.apiAct(c, func(ctx context.Context, id string) error {
		if body == (apiBudget{}) {
			return s.deps.Runs.Resume(ctx, id)
		}
		run, err := s.deps.Runs.Run(ctx, id)
		if err != nil {
			return err
		}
		return s.raise(ctx, run, web.RaiseForm{Joules: string(body.Joules), Dollars: string(body.Dollars), Seconds: string(body.Seconds)})
	})
}

// hasBody looks whether anything was sent, and leaves it to be read.
func hasBody(c echo.Context) (bool, error) {
	r := bufio.NewReader(c.Request().Body)
	_, err := r.Peek(1)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	c.Request().Body = io.NopCloser(r) // the server closes the connection's own
	return true, err
}

const apiListMax = 200

// apiRun is a run in a list.
type apiRun struct {
	ID            string          `json:"id"`
	Question      string          `json:"question"`
	Language      string          `json:"language"`
	Depth         research.Depth  `json:"depth"`
	Policy        research.Policy `json:"policy"`
	Status        research.Status `json:"status"`
	StopReason    string          `json:"stop_reason"`
	StopCode      string          `json:"stop_code"`
	CreatedAt     time.Time       `json:"created_at"`
	FinishedAt    *time.Time      `json:"finished_at"`
	Budget        research.Budget `json:"budget"`
	Totals        research.Totals `json:"totals"`
	Steps         int             `json:"steps"`
	Claims        int             `json:"claims"`
	Sources       int             `json:"sources"`
	Progress      float64         `json:"progress"`
	QueuePosition int             `json:"queue_position"`
}

func newAPIRun(r research.RunSummary) apiRun {
	return apiRun{
		r.ID, r.Question, r.Language, r.Depth, r.Policy, r.Status, r.StopReason, r.StopCode, r.CreatedAt, r.FinishedAt,
		r.Budget, r.Totals, r.Steps, r.Claims, r.Sources, r.Progress, r.QueuePosition,
	}
}

type apiRunList struct {
	Runs   []apiRun `json:"runs"`
	Total  int      `json:"total"`
	Limit  int      `json:"limit"`
	Offset int      `json:"offset"`
}

func (s *Server) apiListRuns(c echo.Context) error {
	f := research.RunFilter{Text: clip(c.QueryParam("q"), research.QuestionMax)}
	var err error
	if f.Status, err = oneOf(c, "status", statuses()); err != nil {
		return err
	}
	if f.Policy, err = oneOf(c, "policy", research.Policies()); err != nil {
		return err
	}
	if f.Limit, err = wholeNumber(c, "limit", pageSize, 1, apiListMax); err != nil {
		return err
	}
	if f.Offset, err = wholeNumber(c, "offset", 0, 0, 1_000_000_000); err != nil {
		return err
	}
	runs, total, err := s.deps.Runs.ListRuns(c.Request().Context(), f)
	if err != nil {
		return err
	}
	list := apiRunList{Runs: []apiRun{}, Total: total, Limit: f.Limit, Offset: f.Offset}
	for _, r := range runs {
		list.Runs = append(list.Runs, newAPIRun(r))
	}
	return writeJSON(c, http.StatusOK, mediaJSON, list)
}

func statuses() []research.Status {
	return []research.Status{
		research.Queued, research.Running, research.Paused, research.Complete,
		research.Partial, research.NoEvidence, research.Failed, research.Cancelled,
	}
}

func oneOf[T ~string](c echo.Context, name string, known []T) (T, error) {
	v := T(c.QueryParam(name))
	if v == "" || slices.Contains(known, v) {
		return v, nil
	}
	return "", research.Errorf(research.EInvalid, "query_word", "%s: %q is not known. Choose one of %v.", name, clip(string(v), 40), known).At(name)
}

func wholeNumber(c echo.Context, name string, fallback, low, high int) (int, error) {
	text := c.QueryParam(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, research.Errorf(research.EInvalid, "query_number", "%s: %q is not a whole number from %d to %d.", name, clip(text, 40), low, high).At(name)
	}
	return n, nil
}

// apiUsage sums steps; from and to are days (YYYY-MM-DD, UTC), to included.
func (s *Server) apiUsage(c echo.Context) error {
	from, err := day(c, "from")
	if err != nil {
		return err
	}
	to, err := day(c, "to")
	if err != nil {
		return err
	}
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return research.Errorf(research.EInvalid, "query_order", "from: the first day is after the last one. Swap from and to.").At("from")
	}
	u, err := s.deps.Usage.Usage(c.Request().Context(), from, to)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, mediaJSON, newAPIUsage(u))
}

func day(c echo.Context, name string) (time.Time, error) {
	text := c.QueryParam(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return t, research.Errorf(research.EInvalid, "query_day", "%s: %q is not a day. Write it like 2026-11-30.", name, clip(text, 40)).At(name)
	}
	return t, nil
}
