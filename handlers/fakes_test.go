package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"go.uber.org/goleak"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store, library and everything else the server needs.
type memory struct {
	mu        sync.Mutex
	runs      map[string]*research.Ledger
	order     []string
	events    map[string]int64
	pokes     map[chan struct{}]string
	next      int64
	library   []research.LibraryDocument
	raised    research.Budget
	resumed   int
	uploaded  map[string][]byte
	estimate  error
	broken    error // answered by Ping, ListRuns and Usage
	panics    bool
	windows   [][2]time.Time
	connected connected
	slow      chan struct{} // not nil: ListRuns says so here and waits for its context
}

func newMemory() *memory {
	return &memory{
		runs: map[string]*research.Ledger{}, events: map[string]int64{},
		pokes: map[chan struct{}]string{}, uploaded: map[string][]byte{},
		library: []research.LibraryDocument{{URL: "library:handbook/a.md", Title: "A <b>", Collection: "handbook", Passages: 3, Bytes: 10}},
	}
}

func (m *memory) add(l *research.Ledger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[l.Run.ID] = l
	m.order = append(m.order, l.Run.ID)
	m.event(l.Run.ID)
}

// change alters a run, or deletes it when fn is nil, and tells the subscribers.
func (m *memory) change(id string, fn func(*research.Ledger)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if fn == nil {
		delete(m.runs, id)
		delete(m.events, id)
	} else {
		l := *m.runs[id]
		fn(&l)
		m.runs[id] = &l
		m.event(id)
	}
	for ch, run := range m.pokes {
		if run == id {
			select {
			case ch <- struct{}{}:
			default:
			}
		}
	}
}

func (m *memory) event(id string) {
	m.next++
	m.events[id] = m.next
}

func (m *memory) subscribers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pokes)
}

func (m *memory) CreateRun(_ context.Context, r research.Request, b research.Budget) (string, error) {
	id := fmt.Sprintf("run%d", len(m.order)+1)
	m.add(&research.Ledger{Run: research.Run{ID: id, Request: r, Budget: b, Status: research.Queued, CreatedAt: noon()}})
	return id, nil
}

func (m *memory) Ledger(_ context.Context, id string) (*research.Ledger, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panics {
		panic("the store fell over")
	}
	l, ok := m.runs[id]
	if !ok {
		return nil, research.Errorf(research.ENotFound, "store.no_run", "There is no run %q. It may have been deleted.", id)
	}
	c := *l // tests go on changing theirs
	return &c, nil
}

func (m *memory) Run(ctx context.Context, id string) (research.Run, error) {
	l, err := m.Ledger(ctx, id)
	if err != nil {
		return research.Run{}, err
	}
	return l.Run, nil
}

func (m *memory) ListRuns(ctx context.Context, f research.RunFilter) ([]research.RunSummary, int, error) {
	if m.slow != nil {
		m.slow <- struct{}{}
		<-ctx.Done()
		return nil, 0, fmt.Errorf("list runs: %w", ctx.Err())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return nil, 0, m.broken
	}
	var out []research.RunSummary
	for _, id := range m.order {
		l, ok := m.runs[id]
		if !ok || (f.Status != "" && l.Run.Status != f.Status) || !strings.Contains(l.Run.Question, f.Text) {
			continue
		}
		out = append(out, research.RunSummary{ID: id, Question: l.Run.Question, Status: l.Run.Status, Depth: l.Run.Depth, Policy: l.Run.Policy, CreatedAt: l.Run.CreatedAt, Totals: l.Totals()})
	}
	total := len(out)
	out = out[min(f.Offset, total):]
	return out[:min(f.Limit, len(out))], total, nil
}

func (m *memory) QueuePosition(context.Context, string) (int, error) { return 2, nil }

func (m *memory) DeleteRun(ctx context.Context, id string) error {
	l, err := m.Ledger(ctx, id)
	if err != nil {
		return err
	}
	if l.Run.Status == research.Running {
		return research.Errorf(research.EConflict, "store.delete_running", "The run is being worked on. Cancel it first, then delete it.")
	}
	m.change(id, nil)
	return nil
}

func (m *memory) set(ctx context.Context, id string, s research.Status) error {
	if _, err := m.Ledger(ctx, id); err != nil {
		return err
	}
	m.change(id, func(l *research.Ledger) { l.Run.Status = s })
	return nil
}

func (m *memory) RequestCancel(ctx context.Context, id string) error {
	l, err := m.Ledger(ctx, id)
	if err == nil && l.Run.Status.Final() {
		return research.Errorf(research.EConflict, "store.run_ended", "The run has ended already.")
	}
	return m.set(ctx, id, research.Cancelled)
}

func (m *memory) RequestPause(ctx context.Context, id string) error {
	return m.set(ctx, id, research.Paused)
}

func (m *memory) Resume(ctx context.Context, id string) error {
	m.resumed++
	return m.set(ctx, id, research.Queued)
}

func (m *memory) RaiseBudget(_ context.Context, _ string, b research.Budget) error {
	m.raised = b
	return nil
}

func (m *memory) LastEventID(_ context.Context, id string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == "" {
		return m.next, nil
	}
	return m.events[id], nil
}

func (m *memory) Subscribe(id string) (<-chan struct{}, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ch := make(chan struct{}, 1)
	m.pokes[ch] = id
	return ch, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.pokes, ch)
	}
}

func (m *memory) Usage(_ context.Context, from, to time.Time) (research.Usage, error) {
	m.windows = append(m.windows, [2]time.Time{from, to})
	row := research.UsageRow{Tier: research.Small, Steps: 2, Runs: 1, Joules: 1_500_000, Method: research.MethodCPU}
	return research.Usage{Total: row, ByTier: []research.UsageRow{row}}, m.broken
}

func (m *memory) Documents(_ context.Context, text string, limit, offset int) ([]research.LibraryDocument, int, error) {
	return m.library, len(m.library), nil
}

func (m *memory) RemoveDocument(_ context.Context, u string) error {
	for i, d := range m.library {
		if d.URL == u {
			m.library = append(m.library[:i:i], m.library[i+1:]...)
			return nil
		}
	}
	return research.Errorf(research.ENotFound, "store.no_document", "There is no document %q.", u)
}

func (m *memory) Add(_ context.Context, name, mediaType string, data []byte) (research.LibraryDocument, error) {
	if bytes.HasPrefix(data, []byte("broken")) {
		return research.LibraryDocument{}, research.Errorf(research.EInvalid, "extract.broken", "%s cannot be read: it is damaged. Save it again.", name)
	}
	if bytes.HasPrefix(data, []byte("disk")) {
		return research.LibraryDocument{}, errors.New("disk secret at /var/x")
	}
	m.uploaded[name] = data
	return research.LibraryDocument{Title: name, Passages: 4, MediaType: mediaType}, nil
}

func (m *memory) EstimateRun(_ context.Context, r research.Request, b research.Budget) (Estimate, error) {
	if m.estimate != nil {
		return Estimate{}, m.estimate
	}
	return Estimate{Expected: research.Cost{Joules: research.Known(3_000_000), Dollars: research.Known(0), Seconds: 2}, Method: research.MethodCPU}, nil
}

func (m *memory) Settings(context.Context) web.SettingsInput {
	return web.SettingsInput{
		Version: "test", Data: "data", Providers: []web.ProviderInput{{Name: "wikipedia", State: "ok"}},
		Models: []web.ModelInput{{Name: "embedded/small", Tier: research.Small, Embedded: true}},
	}
}

func (m *memory) Ping(context.Context) error { return m.broken }

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// site is a server under test with a client that keeps cookies and does not
// follow redirects.
type site struct {
	*testing.T
	srv    *Server
	http   *httptest.Server
	store  *memory
	client *http.Client
	log    *lockedBuffer
	cookie map[string]string
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func setup(t *testing.T, with ...func(*Config, *Deps)) *site {
	t.Helper()
	m, logs := newMemory(), &lockedBuffer{}
	texts, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Addr: "127.0.0.1:8080", Now: noon, UploadLimit: 1 << 20}
	deps := Deps{
		Runs: m, Events: m, Usage: m, Library: m, Uploads: m, Estimates: m, Setup: m, Models: &m.connected, Health: m, Metered: m,
		Texts: texts, Log: slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, w := range with {
		w(&cfg, &deps)
	}
	s := &site{T: t, srv: New(cfg, deps), store: m, log: logs, cookie: map[string]string{}}
	s.http = httptest.NewServer(s.srv.Handler())
	s.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(func() {
		s.srv.Close()
		s.client.CloseIdleConnections()
		s.http.Close()
	})
	return s
}

func withPassword(c *Config, _ *Deps) { c.Password = "correct horse" }

type answer struct {
	*http.Response
	body string
}

// do sends a request; header is pairs of names and values. "Host" sets the host.
func (s *site) do(method, path, body string, header ...string) answer {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.http.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
		req.Header.Set(header[i], header[i+1])
	}
	for name, value := range s.cookie {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	res, err := s.client.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		s.Fatal(err)
	}
	for _, c := range res.Cookies() {
		if c.MaxAge < 0 {
			delete(s.cookie, c.Name)
		} else {
			s.cookie[c.Name] = c.Value
		}
	}
	return answer{res, b.String()}
}

func (s *site) get(path string, header ...string) answer { return s.do("GET", path, "", header...) }

func (s *site) post(path string, form url.Values, header ...string) answer {
	return s.do("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

func (s *site) json(method, path, body string, header ...string) answer {
	return s.do(method, path, body, append([]string{"Content-Type", "application/json"}, header...)...)
}

func (s *site) want(a answer, status int) {
	s.Helper()
	if a.StatusCode != status {
		s.Fatalf("%s %s: status %d, want %d\n%.600s", a.Request.Method, a.Request.URL, a.StatusCode, status, a.body)
	}
}

func (s *site) doc(a answer) *goquery.Document {
	s.Helper()
	d, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// finished is a complete run with one claim.
func finished(id string) *research.Ledger {
	done, text := noon(), "WAL files are archived. More text."
	return &research.Ledger{
		Run: research.Run{
			ID: id, Status: research.Complete, CreatedAt: noon(), StartedAt: &done, FinishedAt: &done, ActiveSeconds: 1.5,
			Request: research.Request{Question: "How are WAL files archived?", Language: "en", Depth: research.Quick, Policy: research.ProgRouter, Library: true},
			Budget:  research.DefaultBudget(research.Quick, false),
		},
		Plan:     research.Plan{Subquestions: []research.Subquestion{{ID: "q1", Text: "How?", Heading: "How"}}},
		Sources:  []research.Source{{ID: "s1", URL: "https://example.org/wal", Title: "WAL", Text: text, SHA256: research.HashText(text), FetchedAt: noon()}},
		Evidence: []research.Evidence{{ID: "e1", SourceID: "s1", Subquestion: "q1", Quote: "WAL files are archived.", Start: 0, End: 23}},
		Report: research.Report{
			Title: "Archiving WAL", Summary: []string{"c1"}, Draft: 1, Reviewed: true,
			Sections: []research.Section{{Subquestion: "q1", Heading: "How", ClaimIDs: []string{"c1"}}},
			Claims:   []research.Claim{{ID: "c1", Subquestion: "q1", Text: "WAL files are archived.", EvidenceIDs: []string{"e1"}, Verdict: research.Supported}},
		},
		Steps: []research.Step{step(0, research.OutcomeOK)},
	}
}

func step(index int, outcome research.Outcome) research.Step {
	done := noon()
	s := research.Step{
		Index: index, Role: research.Reader, Tier: research.Small, Model: "embedded/small", Outcome: outcome, StartedAt: noon(),
		Decision: research.Decision{Policy: research.ProgRouter, Chosen: "embedded/small", Propensity: 1, Reason: "The cheapest that helps.", Candidates: []research.Candidate{{Model: "embedded/small", Tier: research.Small, Eligible: true}}},
	}
	if outcome != research.InFlight {
		s.FinishedAt, s.Seconds, s.Dollars = &done, 0.5, research.Known(0)
		s.Energy = research.Energy{Joules: research.Known(500_000), Low: research.Known(250_000), High: research.Known(1_000_000), Method: research.MethodCPU}
		s.Decision.Realised = &research.Realised{Gain: 0.1, Joules: research.Known(500_000), Seconds: 0.5}
	}
	return s
}

func running(id string) *research.Ledger {
	l := finished(id)
	l.Run.Status, l.Run.FinishedAt = research.Running, nil
	l.Steps = append(l.Steps, step(1, research.InFlight))
	return l
}

// contextWithAddr is a request that came in on an address.
func contextWithAddr(r *http.Request, a net.Addr) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, a))
}

// newTimedServer cuts requests and answers off after a time, as a real server does.
func newTimedServer(s *Server, limit time.Duration) *httptest.Server {
	ts := httptest.NewUnstartedServer(s.Handler())
	ts.Config.WriteTimeout, ts.Config.ReadTimeout = limit, limit
	ts.Start()
	return ts
}
