package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// connected is what a test server has connected.
type connected struct {
	servers  []web.ServerInput
	models   []web.LanguageModelInput
	proposal *web.ProposalInput
	list     []web.AvailableModel
	saved    []research.Provider
	options  []SaveOptions
	model    research.LanguageModel
	assigned []Assignment
	calls    []string
	err      error
}

func (c *connected) Models(context.Context) (web.ModelsInput, error) {
	return web.ModelsInput{
		Presets: []web.PresetInput{{Word: "openai", Title: "OpenAI", Kind: research.OpenAICompatible, BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY"}, {Word: "other", Kind: research.OpenAICompatible}},
		Servers: c.servers, Models: c.models, Proposal: c.proposal, CanFind: true,
	}, nil
}

func (c *connected) SaveServer(_ context.Context, p research.Provider, o SaveOptions) error {
	c.saved, c.options = append(c.saved, p), append(c.options, o)
	return c.err
}

func (c *connected) RemoveServer(_ context.Context, name string) error {
	return c.did("remove " + name)
}

func (c *connected) Available(context.Context, string) ([]web.AvailableModel, error) {
	return c.list, c.err
}

func (c *connected) AddModels(_ context.Context, server string, a []Assignment) error {
	c.assigned = a
	return c.did("add " + server)
}

func (c *connected) SaveModel(_ context.Context, m research.LanguageModel) error {
	c.model = m
	return c.err
}

func (c *connected) RemoveModel(_ context.Context, name string) error { return c.did("forget " + name) }

func (c *connected) TestModel(context.Context, string) (web.TestInput, error) {
	return web.TestInput{Answered: "the-model", Text: "ready <b>", Seconds: 1.5, Tokens: research.Tokens{Input: 12, Output: 3}, Energy: research.Energy{Method: research.MethodUnknown}}, c.err
}

func (c *connected) FindModels(context.Context) error      { return c.did("find") }
func (c *connected) AcceptProposal(context.Context) error  { return c.did("accept") }
func (c *connected) DismissProposal(context.Context) error { return c.did("dismiss") }
func (c *connected) Mix(_ context.Context, t research.Tier, on bool) error {
	return c.did(fmt.Sprintf("mix %s %v", t, on))
}

func (c *connected) did(what string) error {
	c.calls = append(c.calls, what)
	return c.err
}

func withModels(c *connected) {
	c.servers = []web.ServerInput{
		{Provider: research.Provider{Name: "own", Kind: research.OpenAICompatible, BaseURL: "http://127.0.0.1:8081/v1", Local: true, From: "settings"}, KeyState: web.KeySet, Editable: true},
		{Provider: research.Provider{Name: "fixed", Kind: research.Anthropic, BaseURL: "https://api.anthropic.com", KeyEnv: "SOME_KEY", From: "file"}, KeyState: web.KeyMissing},
	}
	c.models = []web.LanguageModelInput{
		{LanguageModel: research.LanguageModel{Name: "own/a", Provider: "own", ID: "a", Tier: research.Small, Parameters: 3, Context: 8192, From: "settings"}, EnergyState: web.EnergyUnknown, Editable: true},
		{LanguageModel: research.LanguageModel{Name: "fixed/b", Provider: "fixed", ID: "b", Tier: research.Large, Roles: []research.Role{research.Writer}, From: "file"}, Costs: &research.Price{Input: 1, Output: 5, AsOf: "2026-11-01"}, Coefficients: &research.Coefficients{Decode: 2, Low: 0.5, High: 2, Method: research.MethodModel}, EnergyState: web.EnergyModelled},
	}
}

func TestConnectAServer(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := &s.store.connected
	// Without a script: choose a kind, get the filled-in form, send it.
	form := s.doc(s.get("/settings?connect=openai")).Find("#connect form[action='/settings/servers']")
	if got := form.Find("[name=base_url]").AttrOr("value", ""); got != "https://api.openai.com/v1" {
		t.Errorf("address %q", got)
	}
	if form.Find("[name=key][type=password]").Length() != 1 || form.Find("[name=key]").AttrOr("value", "") != "" {
		t.Error("the key's field")
	}
	values := url.Values{"new": {"on"}, "preset": {"openai"}, "name": {"openai"}, "kind": {"openai"}, "base_url": {"https://api.openai.com/v1/"}, "key": {" sk-secret "}, "per_minute": {"60"}}
	a := s.post("/settings/servers", values)
	s.want(a, http.StatusSeeOther)
	if got := a.Header.Get("Location"); got != "/settings?available=openai#servers" {
		t.Errorf("leads to %q", got)
	}
	p := c.saved[0]
	if p.Key != "sk-secret" || p.BaseURL != "https://api.openai.com/v1" || p.PerMinute != 60 || !c.options[0].New {
		t.Errorf("saved %+v", p)
	}
	if strings.Contains(s.log.String(), "sk-secret") {
		t.Error("the key is in the log")
	}
}

func TestServerFormKeepsWhatWasTypedButTheKey(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.store.connected.err = research.Errorf(research.EInvalid, "model.base_url", "x").At("base_url").With(map[string]any{"URL": "nonsense"})
	a := s.post("/settings/servers", url.Values{"new": {"on"}, "preset": {"other"}, "name": {"mine"}, "kind": {"ollama"}, "base_url": {"nonsense"}, "key": {"sk-secret"}})
	s.want(a, http.StatusUnprocessableEntity)
	form := s.doc(a).Find("#connect form.card")
	if form.Find("[name=name]").AttrOr("value", "") != "mine" || form.Find("[name=kind] [selected]").AttrOr("value", "") != "ollama" || form.Find("[name=base_url][aria-invalid=true]").Length() != 1 {
		t.Error("the form was not kept")
	}
	if strings.Contains(a.body, "sk-secret") {
		t.Error("the key is shown")
	}
	// Faults of numbers are said together, before anything is saved.
	saved := len(s.store.connected.saved)
	a = s.post("/settings/servers", url.Values{"new": {"on"}, "preset": {"other"}, "name": {"mine"}, "concurrency": {"many"}, "pue": {"1,2"}})
	s.want(a, http.StatusUnprocessableEntity)
	doc := s.doc(a)
	if n := doc.Find("#connect [aria-invalid=true]").Length(); n != 2 || len(s.store.connected.saved) != saved {
		t.Errorf("%d faults, %d saved", n, len(s.store.connected.saved))
	}
	if _, open := doc.Find("#connect details.more").Attr("open"); !open {
		t.Error("the part with the faults is closed")
	}
}

func TestModelsOnThePages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	withModels(&s.store.connected)
	doc := s.doc(s.get("/settings"))
	text := strings.Join(strings.Fields(doc.Find("#models").Text()), " ")
	for _, want := range []string{"own/a", "3 B parameters", "price unknown", "energy unknown", "fixed/b", "only Writer", "2 J per written token", "1–4 J", "$1.00 in, $5.00 out", "as of 1 Nov 2026", "key set", "SOME_KEY is not set", "set in: file"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if doc.Find("form[action='/settings/models/save']").Length() != 1 {
		t.Error("only what was made here can be changed here")
	}
	if doc.Find("#models").Text() == "" || strings.Contains(text, "No language model") {
		t.Error("a model is connected")
	}
}

func TestListAndAssignModels(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := &s.store.connected
	withModels(c)
	c.list = []web.AvailableModel{{ID: "a", Tier: research.Small, Used: true, Chats: true}, {ID: "x:3b", Tier: research.Medium, Chats: true, Parameters: 3.2, Bytes: 2 << 30}, {ID: "embed"}}
	listing := s.doc(s.get("/settings?available=own")).Find("#server-0-models form")
	if listing.Find("li").Length() != 2 || !strings.Contains(listing.Text(), "3.2 B") || listing.Find("li select [selected]").Last().AttrOr("value", "") != "medium" {
		t.Errorf("listed %s", listing.Text())
	}
	a := s.post("/settings/models", url.Values{"server": {"own"}, "id": {"a", "x:3b", " "}, "tier": {"", "medium", "small"}})
	s.want(a, http.StatusSeeOther)
	if len(c.assigned) != 2 || c.assigned[1] != (Assignment{"x:3b", research.Medium}) || c.assigned[0].Tier != "" {
		t.Errorf("assigned %+v", c.assigned)
	}
	a = s.post("/settings/models", url.Values{"server": {"own"}, "id": {"a", ""}, "tier": {"", "small"}})
	s.want(a, http.StatusUnprocessableEntity)
	if !strings.Contains(a.body, "No model was chosen") {
		t.Error("no word about nothing chosen")
	}
	// A server that cannot be asked says so, and a model can still be typed.
	c.err = research.Errorf(research.EUnavailable, "model.unreachable", "x").With(map[string]any{"URL": "http://127.0.0.1:8081/v1", "Detail": "", "Name": "own"})
	doc := s.doc(s.get("/settings?available=own"))
	if got := doc.Find("#server-0-models .problem").Text(); !strings.Contains(got, "Nothing answers at http://127.0.0.1:8081/v1") || doc.Find("#server-0-models .by-hand input").Length() != 1 {
		t.Errorf("trouble %q", got)
	}
}

func TestLongListsAreTyped(t *testing.T) {
	t.Parallel()
	s := setup(t)
	withModels(&s.store.connected)
	for range 300 {
		s.store.connected.list = append(s.store.connected.list, web.AvailableModel{ID: "org/model", Chats: true})
	}
	doc := s.doc(s.get("/settings?available=own"))
	if doc.Find(".listing li").Length() != 0 || doc.Find(".listing datalist option").Length() != 300 {
		t.Error("a catalogue of hundreds is searched by name")
	}
}

func TestChangeAModel(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := &s.store.connected
	withModels(c)
	all := []string{"planner", "searcher", "reader", "writer", "reviewer"}
	s.want(s.post("/settings/models/save", url.Values{"name": {"own/a"}, "tier": {"medium"}, "place": {"2"}, "role": all, "context": {"8192"}, "parameters": {"3.2"}, "price_input": {"0.1"}, "price_output": {"0.4"}}), http.StatusSeeOther)
	if m := c.model; m.Tier != research.Medium || m.Place != 2 || m.Roles != nil || m.Context != 8192 || m.Parameters != 3.2 || m.Price == nil || m.Price.Cached != 0.1 || m.Price.AsOf != "2026-11-30" {
		t.Errorf("saved %+v %+v", m, m.Price)
	}
	s.want(s.post("/settings/models/save", url.Values{"name": {"own/a"}, "tier": {"medium"}, "role": {"reader"}}), http.StatusSeeOther)
	if m := c.model; len(m.Roles) != 1 || m.Price != nil {
		t.Errorf("an empty price is unknown, not 0: %+v", m)
	}
	for name, v := range map[string]url.Values{
		"no role":      {"name": {"own/a"}, "tier": {"small"}},
		"half a price": {"name": {"own/a"}, "tier": {"small"}, "role": all, "price_input": {"1"}},
		"not a number": {"name": {"own/a"}, "tier": {"small"}, "role": all, "context": {"4,096"}},
		"not a date":   {"name": {"own/a"}, "tier": {"small"}, "role": all, "price_input": {"1"}, "price_output": {"1"}, "price_as_of": {"yesterday"}},
	} {
		a := s.post("/settings/models/save", v)
		s.want(a, http.StatusUnprocessableEntity)
		if _, open := s.doc(a).Find("#model-0 details.model-edit").Attr("open"); !open || s.doc(a).Find("#model-0 .problem").Length() != 1 {
			t.Errorf("%s: the form with the fault is not shown", name)
		}
	}
}

func TestTestAModel(t *testing.T) {
	t.Parallel()
	s := setup(t)
	withModels(&s.store.connected)
	for _, header := range [][]string{nil, {"HX-Request", "true"}} {
		a := s.post("/settings/models/test", url.Values{"name": {"own/a"}}, header...)
		s.want(a, http.StatusOK)
		got := strings.Join(strings.Fields(s.doc(a).Find("#model-0-test").Text()), " ")
		for _, want := range []string{"ready <b>", "1.5 s", "12 read, 3 written", "unknown", "the-model"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
	}
	s.store.connected.err = research.Errorf(research.EUnavailable, "model.unauthorized", "x").With(map[string]any{"Name": "own", "URL": "", "Detail": ""})
	a := s.post("/settings/models/test", url.Values{"name": {"own/a"}})
	s.want(a, http.StatusOK)
	if got := s.doc(a).Find("#model-0-test .problem").Text(); !strings.Contains(got, "refuses the key") {
		t.Errorf("trouble %q", got)
	}
}

func TestProposal(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := &s.store.connected
	c.proposal = &web.ProposalInput{Server: "ollama", URL: "http://127.0.0.1:11434", Models: []web.AvailableModel{{ID: "llama3.2:3b", Tier: research.Small, Parameters: 3.2}}}
	for path, next := range map[string]string{"/": "/", "/settings": "/settings#models"} {
		form := s.doc(s.get(path)).Find("form[action='/settings/models/accept']")
		if form.Length() != 1 || form.Find("[name=next]").AttrOr("value", "") != next {
			t.Errorf("%s: %d forms", path, form.Length())
		}
	}
	a := s.post("/settings/models/accept", url.Values{"next": {"/"}})
	s.want(a, http.StatusSeeOther)
	b := s.post("/settings/models/dismiss", url.Values{"next": {"https://evil.example/"}})
	s.want(b, http.StatusSeeOther)
	if a.Header.Get("Location") != "/" || strings.Contains(b.Header.Get("Location"), "evil") || strings.Join(c.calls, ",") != "accept,dismiss" {
		t.Errorf("%q, %q, %v", a.Header.Get("Location"), b.Header.Get("Location"), c.calls)
	}
	c.err = research.Errorf(research.EUnavailable, "model.not_found", "x").With(map[string]any{"URL": "http://127.0.0.1:11434"})
	f := s.post("/settings/models/find", nil)
	s.want(f, http.StatusServiceUnavailable)
	if got := s.doc(f).Find("#models > .problem").Text(); !strings.Contains(got, "ollama pull") {
		t.Errorf("trouble %q", got)
	}
}

// Everything that changes models is refused when another site asks for it.
func TestModelsRefuseForeignForms(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, path := range []string{"/settings/servers", "/settings/servers/remove", "/settings/models", "/settings/models/save", "/settings/models/remove", "/settings/models/test", "/settings/models/find", "/settings/models/accept", "/settings/models/dismiss"} {
		s.want(s.post(path, url.Values{"name": {"own"}}, "Sec-Fetch-Site", "cross-site"), http.StatusForbidden)
	}
	if len(s.store.connected.calls)+len(s.store.connected.saved) > 0 {
		t.Error("something was done")
	}
}

func TestAPIModels(t *testing.T) {
	t.Parallel()
	s := setup(t)
	withModels(&s.store.connected)
	s.store.connected.servers[0].Key = "sk-secret" // even if a key came this far
	a := s.get("/api/v1/models")
	s.want(a, http.StatusOK)
	var list struct {
		Models  []map[string]any `json:"models"`
		Servers []map[string]any `json:"servers"`
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Models) != 3 || len(list.Servers) != 2 || list.Models[0]["price"] != nil || list.Models[0]["energy"] != nil || list.Models[2]["embedded"] != true || list.Servers[0]["key"] != "set" {
		t.Errorf("%s", a.body)
	}
	validate(t, "ModelList", object(t, a.body))
	if strings.Contains(a.body, "sk-secret") || strings.Contains(s.get("/settings").body, "sk-secret") {
		t.Error("a key came out")
	}
}

func TestMixTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	s := setup(t)
	c := &s.store.connected
	if n := s.doc(s.get("/settings")).Find("form[action='/settings/models/mix']").Length(); n != 0 {
		t.Errorf("%d choices although no language model is in use", n)
	}
	withModels(c)
	form := s.doc(s.get("/settings")).Find("form[action='/settings/models/mix']").First()
	tier, on := form.Find("[name=tier]").AttrOr("value", ""), form.Find("[name=on]").AttrOr("value", "")
	s.want(s.post("/settings/models/mix", url.Values{"tier": {tier}, "on": {on}}), http.StatusSeeOther)
	s.want(s.post("/settings/models/mix", url.Values{"tier": {tier}, "on": {""}}), http.StatusSeeOther)
	if got := strings.Join(c.calls, ", "); got != "mix small true, mix small false" {
		t.Errorf("did %q", got)
	}
	c.calls = nil
	s.want(s.post("/settings/models/mix", url.Values{"tier": {"huge"}, "on": {"on"}}), http.StatusUnprocessableEntity)
	if len(c.calls) > 0 {
		t.Errorf("an unknown tier did %q", c.calls)
	}
}
