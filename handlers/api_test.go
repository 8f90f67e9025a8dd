package handlers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

func object(t *testing.T, body string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
	return m
}

func TestAPICreate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.json("POST", "/api/v1/runs", `{"question":"How are WAL files archived?","url":"https://example.org/a","web":true,"joules":1.5e1,"dollars":"0.25","seconds":30,"policy":"fixed-small","depth":"deep","lang":"en","follow":2}`)
	s.want(a, 201)
	if object(t, a.body)["id"] != "run1" || a.Header.Get("Location") != "/api/v1/runs/run1" {
		t.Errorf("answer %s, location %s", a.body, a.Header.Get("Location"))
	}
	r := s.store.runs["run1"].Run
	if *r.Budget.Joules != 15_000_000 || *r.Budget.Dollars != 250_000 || *r.Budget.Seconds != 30 ||
		r.Policy != research.FixedSmall || r.Depth != research.Deep || r.Follow != 2 || r.Library || !r.Web || len(r.URLs) != 1 {
		t.Errorf("stored %+v %+v", r.Request, r.Budget)
	}
	s.want(s.json("POST", "/api/v1/runs", `{"question":"What is it?","url":["https://a.example","https://b.example"]}`), 201)
	if r := s.store.runs["run2"].Run; len(r.URLs) != 2 || r.Library || r.Web {
		t.Errorf("stored %+v", r.Request)
	}
	s.want(s.json("POST", "/api/v1/runs", `{"question":"What is it?"}`), 201)
	if r := s.store.runs["run3"].Run; !r.Library || !r.Web {
		t.Errorf("stored %+v", r.Request)
	}
}

func TestAPICreateFaults(t *testing.T) {
	t.Parallel()
	s := setup(t)
	tests := []struct {
		body, field string
		status      int
	}{
		{`{"question":""}`, "question", 422},
		{`{"question":"What is it?","url":"x"}`, "url", 422},
		{`{"question":"What is it?","joules":0}`, "joules", 422},
		{`{"question":"What is it?","dollars":-1}`, "dollars", 422},
		{`{"question":"What is it?","seconds":"NaN"}`, "seconds", 422},
		{`{"question":"What is it?","seconds":1e300}`, "seconds", 422},
		{`{"question":"What is it?","policy":"oracle"}`, "policy", 422},
		{`{"question":"What is it?","depth":"x"}`, "depth", 422},
		{`{"question":"What is it?","lang":"x"}`, "lang", 422},
		{`{"question":"What is it?","follow":1}`, "follow", 422},
		{`{"question":"What is it?","library":false,"web":false}`, "sources", 422},
		{`{"question":"What is it?","joules":true}`, "", 400},
		{`{"question":"What is it?","url":7}`, "", 400},
		{`{"question":7}`, "", 400},
		{`{"question":"What is it?","qestion":"typo"}`, "", 400},
		{`{"question":"What is it?"} {}`, "", 400},
		{`{"question":`, "", 400},
		{`[]`, "", 400},
		{``, "", 400},
	}
	for _, tt := range tests {
		a := s.json("POST", "/api/v1/runs", tt.body)
		s.want(a, tt.status)
		p := object(t, a.body)
		if a.Header.Get("Content-Type") != "application/problem+json" || p["status"] != float64(tt.status) {
			t.Errorf("%s: %s", tt.body, a.body)
		}
		if tt.field != "" && p["field"] != tt.field {
			t.Errorf("%s: field %v, want %s", tt.body, p["field"], tt.field)
		}
		if d, _ := p["detail"].(string); d == "" || strings.Contains(d, "Go value") || strings.Contains(d, "handlers.") {
			t.Errorf("%s: detail %q", tt.body, d)
		}
		validate(t, "Problem", p)
	}
	if n := len(s.store.runs); n != 0 {
		t.Errorf("%d runs stored", n)
	}
	s.want(s.do("POST", "/api/v1/runs", `{"question":"What is it?"}`, "Content-Type", "text/plain"), 415)
	s.want(s.json("POST", "/api/v1/runs", `{"question":"`+strings.Repeat("x", formLimit)+`"}`), 413)
	two := object(t, s.json("POST", "/api/v1/runs", `{"question":"","joules":0}`).body)
	if len(two["errors"].([]any)) != 2 {
		t.Errorf("errors %v, want both", two["errors"])
	}
}

func TestAPIRuns(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.add(finished("r1"))
	s.store.add(running("r2"))
	for _, id := range []string{"r1", "r2"} {
		a := s.get("/api/v1/runs/" + id)
		s.want(a, 200)
		validate(t, "Run", object(t, a.body))
	}
	run := object(t, s.get("/api/v1/runs/r1").body)
	claim := run["report"].(map[string]any)["claims"].([]any)[0].(map[string]any)
	if q := claim["evidence"].([]any)[0].(map[string]any); q["quote"] != "WAL files are archived." || q["start"] != 0.0 || q["end"] != 23.0 {
		t.Errorf("evidence %v", q)
	}
	if md := run["report"].(map[string]any)["markdown"].(string); !strings.HasPrefix(md, "# Archiving WAL") {
		t.Errorf("markdown %.100s", md)
	}
	list := object(t, s.get("/api/v1/runs?status=complete&limit=1").body)
	validate(t, "RunList", list)
	if list["total"] != 1.0 || len(list["runs"].([]any)) != 1 {
		t.Errorf("list %v", list)
	}
	empty := s.get("/api/v1/runs?offset=99")
	if !strings.Contains(empty.body, `"runs":[]`) {
		t.Errorf("empty list %s", empty.body)
	}
	for _, q := range []string{"status=x", "policy=x", "limit=0", "limit=201", "limit=x", "offset=-1"} {
		a := s.get("/api/v1/runs?" + q)
		s.want(a, 422)
		if name, _, _ := strings.Cut(q, "="); object(t, a.body)["field"] != name {
			t.Errorf("%s: %s", q, a.body)
		}
	}
	s.want(s.get("/api/v1/runs/none"), 404)
	s.want(s.get("/api/v1/nothing"), 404)
	for action, status := range map[string]string{"pause": "paused", "resume": "queued", "cancel": "cancelled"} {
		a := s.json("POST", "/api/v1/runs/r2/"+action, "")
		s.want(a, 202)
		state := object(t, a.body)
		validate(t, "State", state)
		if state["status"] != status {
			t.Errorf("%s: %v", action, state)
		}
	}
	s.want(s.json("POST", "/api/v1/runs/r1/cancel", ""), 409)
	s.want(s.do("DELETE", "/api/v1/runs/r1", ""), 204)
	s.want(s.do("DELETE", "/api/v1/runs/r1", ""), 404)
}

// A run goes on with a higher budget by the same rules as on its page.
func TestAPIResumeRaisesTheBudget(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body            string
		status                int
		field                 string // of the fault
		joules, dollars, secs bool   // raised
		resumed               int
	}{
		{"no body", "", 202, "", false, false, false, 1},
		{"empty object", "{}", 202, "", false, false, false, 1},
		{"nulls", `{"joules":null,"seconds":null}`, 202, "", false, false, false, 1},
		{"joules", `{"joules":20}`, 202, "", true, false, false, 1},
		{"text and exponent", `{"dollars":"2.5","seconds":1.2e2}`, 202, "", false, true, true, 1},
		{"one raised, one the same", `{"joules":10,"seconds":60}`, 202, "", false, false, true, 1},
		{"the same", `{"joules":10}`, 422, "joules", false, false, false, 0},
		{"lower", `{"joules":20,"dollars":0.5}`, 422, "dollars", false, false, false, 0},
		{"zero", `{"seconds":0}`, 422, "seconds", false, false, false, 0},
		{"negative", `{"joules":-20}`, 422, "joules", false, false, false, 0},
		{"words", `{"joules":"many"}`, 422, "joules", false, false, false, 0},
		{"too much", `{"joules":1e300}`, 422, "joules", false, false, false, 0},
		{"a list", `{"joules":[20]}`, 400, "", false, false, false, 0},
		{"unknown name", `{"watts":20}`, 400, "", false, false, false, 0},
		{"not JSON", `joules=20`, 400, "", false, false, false, 0},
		{"two values", `{"joules":20}{}`, 400, "", false, false, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			l := finished("r1")
			thirty := 30.0
			l.Run.Status = research.Partial
			l.Run.Budget = research.Budget{Joules: research.Known(10_000_000), Dollars: research.Known(1_000_000), Seconds: &thirty}
			s.store.add(l)
			a := s.json("POST", "/api/v1/runs/r1/resume", tt.body)
			s.want(a, tt.status)
			if b := s.store.raised; (b.Joules != nil) != tt.joules || (b.Dollars != nil) != tt.dollars || (b.Seconds != nil) != tt.secs || s.store.resumed != tt.resumed {
				t.Errorf("raised %+v, resumed %d times", b, s.store.resumed)
			}
			got := object(t, a.body)
			if tt.status == 202 {
				validate(t, "State", got)
				return
			}
			validate(t, "Problem", got)
			if f, _ := got["field"].(string); f != tt.field || got["detail"] == "" {
				t.Errorf("problem %v", got)
			}
		})
	}
	s := setup(t)
	s.store.add(finished("r1"))
	s.want(s.do("POST", "/api/v1/runs/r1/resume", "joules=20", "Content-Type", "application/x-www-form-urlencoded"), 415)
	s.want(s.json("POST", "/api/v1/runs/none/resume", `{"joules":20}`), 404)
}

func TestAPIUsage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.get("/api/v1/usage?from=2026-11-01&to=2026-11-30")
	s.want(a, 200)
	validate(t, "Usage", object(t, a.body))
	got := s.store.windows[0]
	if !got[0].Equal(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) || !got[1].Equal(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("window %v", got)
	}
	s.want(s.get("/api/v1/usage"), 200)
	s.want(s.get("/api/v1/usage?from=2026-11-30&to=2026-11-30"), 200)
	for _, q := range []string{"from=yesterday", "to=2026-13-01", "from=2026-12-02&to=2026-12-01"} {
		s.want(s.get("/api/v1/usage?"+q), 422)
	}
	s.want(s.get("/dashboard?days=7"), 200)
	if got := s.store.windows[len(s.store.windows)-1][0]; !got.Equal(time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("seven days begin at %v", got)
	}
}

func TestOpenAPIMatchesTheRoutes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	a := s.get("/api/v1/openapi.json")
	s.want(a, 200)
	doc := object(t, a.body)
	if doc["openapi"] != "3.1.0" {
		t.Errorf("version %v", doc["openapi"])
	}
	var described, routed []string
	for path, ops := range doc["paths"].(map[string]any) {
		for method := range ops.(map[string]any) {
			described = append(described, strings.ToUpper(method)+" "+apiPrefix+strings.ReplaceAll(path, "{id}", ":id"))
		}
	}
	for _, r := range s.srv.echo.Routes() {
		if strings.HasPrefix(r.Path, apiPrefix+"/") && r.Method != "echo_route_not_found" {
			routed = append(routed, r.Method+" "+r.Path)
		}
	}
	slices.Sort(described)
	slices.Sort(routed)
	if !slices.Equal(described, routed) {
		t.Errorf("described %v\nrouted    %v", described, routed)
	}
	checkRefs(t, doc, doc)
	// The request's fields are those of the struct, and no others.
	var fields []string
	body, _ := json.Marshal(apiRequest{})
	for name := range object(t, string(body)) {
		fields = append(fields, name)
	}
	var documented []string
	for name := range schema(t, "NewRun")["properties"].(map[string]any) {
		documented = append(documented, name)
	}
	slices.Sort(fields)
	slices.Sort(documented)
	if !slices.Equal(fields, documented) {
		t.Errorf("NewRun documents %v, the code reads %v", documented, fields)
	}
}

func checkRefs(t *testing.T, doc map[string]any, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			schema(t, strings.TrimPrefix(ref, "#/components/schemas/"))
		}
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	case []any:
		for _, x := range v {
			checkRefs(t, doc, x)
		}
	}
}

func schema(t *testing.T, name string) map[string]any {
	t.Helper()
	doc := object(t, string(openAPI))
	s, ok := doc["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	return s
}

// validate checks an answer against the document, for the keywords it uses; and
// that the document names every field of the answer.
func validate(t *testing.T, name string, v any) {
	t.Helper()
	for _, fault := range faultsOf(t, name, schema(t, name), v) {
		t.Error(fault)
	}
}

func faultsOf(t *testing.T, at string, s map[string]any, v any) []string {
	if ref, ok := s["$ref"].(string); ok {
		return faultsOf(t, at, schema(t, strings.TrimPrefix(ref, "#/components/schemas/")), v)
	}
	if one, ok := s["oneOf"].([]any); ok {
		var last []string
		for _, o := range one {
			if last = faultsOf(t, at, o.(map[string]any), v); len(last) == 0 {
				return nil
			}
		}
		return last
	}
	var out []string
	if !typeFits(s["type"], v) {
		return []string{fmt.Sprintf("%s is %T, want %v", at, v, s["type"])}
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		out = append(out, fmt.Sprintf("%s is %v, want one of %v", at, v, enum))
	}
	switch v := v.(type) {
	case map[string]any:
		props, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, k := range required {
			if _, ok := v[k.(string)]; !ok {
				out = append(out, fmt.Sprintf("%s lacks %v", at, k))
			}
		}
		for k, x := range v {
			if p, ok := props[k].(map[string]any); ok {
				out = append(out, faultsOf(t, at+"."+k, p, x)...)
			} else if props != nil {
				out = append(out, fmt.Sprintf("%s.%s is not in the document", at, k))
			}
		}
	case []any:
		items, _ := s["items"].(map[string]any)
		for i, x := range v {
			out = append(out, faultsOf(t, fmt.Sprintf("%s[%d]", at, i), items, x)...)
		}
	}
	return out
}

func typeFits(want, v any) bool {
	switch w := want.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(w, func(one any) bool { return typeFits(one, v) })
	case string:
		switch x := v.(type) {
		case nil:
			return w == "null"
		case bool:
			return w == "boolean"
		case string:
			return w == "string"
		case float64:
			return w == "number" || (w == "integer" && x == float64(int64(x)))
		case map[string]any:
			return w == "object"
		case []any:
			return w == "array"
		}
	}
	return false
}
