package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/llm/agents"
	"github.com/progrouter/progrouter/llm/embedded"
	"github.com/progrouter/progrouter/orchestrator"
	"github.com/progrouter/progrouter/progress"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/retrieval"
	"github.com/progrouter/progrouter/retrieval/extract"
	"github.com/progrouter/progrouter/retrieval/fetch"
	"github.com/progrouter/progrouter/retrieval/websearch"
	"github.com/progrouter/progrouter/router"
	"github.com/progrouter/progrouter/router/whatif"
	"github.com/progrouter/progrouter/store"
	"github.com/progrouter/progrouter/web"
)

// Whatever the parts of the program say by a code has a text in every language.
func TestEveryCodeHasATextInEveryLanguage(t *testing.T) {
	t.Parallel()
	searchKeys := []string{websearch.KeyNoNetwork, websearch.KeySearchDown, websearch.KeySearchLimit, websearch.KeySearchSetup, websearch.KeySearchDenied}
	statuses := []research.Status{research.Queued, research.Running, research.Paused, research.Complete, research.Partial, research.NoEvidence, research.Failed, research.Cancelled}
	outcomes := []research.Outcome{research.OutcomeOK, research.OutcomeEmpty, research.OutcomeInvalid, research.OutcomeError, research.OutcomeInterrupted, research.OutcomeCancelled}
	var methods []string
	for _, m := range []string{research.MethodNVML, research.MethodRAPL, research.MethodCPU, research.MethodModel, research.MethodUnknown, research.MethodMixed} {
		methods = append(methods, strings.ReplaceAll(m, ":", "_"))
	}
	groups := []struct {
		prefix string
		codes  []string
	}{
		{"discarded.", fetch.Codes()},
		{"discarded.", extract.Codes()},
		{"discarded.", embedded.DiscardedCodes()},
		{"discarded.", []string{"removed", "not_relevant"}},
		{"discarded.", skipCodes()},
		{"reason.", router.ReasonCodes()},
		{"whynot.", router.WhyCodes()},
		{"whynot.", []string{"language", "unknown_model"}}, // set by models
		{"reason.for.", router.Terms()},
		{"reason.against.", router.Terms()},
		{"stop.", orchestrator.EndingCodes()},
		{"stop.", store.EndingCodes()},
		{"note.", orchestrator.NoteCodes()},
		{"note.", embedded.NoteCodes()},
		{"note.", agents.NoteCodes()},
		{"note.", retrieval.NoteCodes()},
		{"note.", whatif.NoteCodes()},
		{"note.", searchKeys},
		{"note.", []string{noteFilesMore}},
		{"setting.", settingKeys()},
		{"status.", names(statuses...)},
		{"policy.", names(research.Policies()...)},
		{"depth.", names(research.Depths()...)},
		{"tier.", names(research.Tiers()...)},
		{"role.", names(research.Roles()...)},
		{"language.", research.Languages()},
		{"verdict.", append(names(research.Supported, research.Weak, research.Unsupported, research.Contradicted), "unreviewed")},
		{"export.verdict.", append(names(research.Weak, research.Unsupported, research.Contradicted), "unreviewed")},
		{"outcome.", append(names(outcomes...), "running")},
		{"export.outcome.", append(names(outcomes...), "in_flight")},
		{"regime.", names(research.RegimeInvalid, research.RegimeRecoverable, research.RegimePartial, research.RegimeComplete)},
		{"method.", methods},
		{"export.method.", methods},
		{"export.status.", names(statuses...)},
		{"report.empty.", names(statuses...)},
		{"export.role.", names(research.Roles()...)},
		{"export.tier.", names(research.Tiers()...)},
		{"now.doing.", names(research.Roles()...)},
		{"policy.note.", names(research.Policies()...)},
		{"provider.", []string{"library", "urls", "wikipedia", "searxng"}},
		{"state.", []string{"ok", "off", "down"}},
		{"meter.", []string{"cpu", "rapl"}},
		{"settings.source.", []string{"default", "file", "environment", "flag"}},
		{"collection.", []string{handbookCollection, uploadsCollection, "dir"}},
		{"media.", []string{"text_html", "text_markdown", "text_plain", "application_pdf"}},
		{"format.", formats()},
		{"field.", []string{"question", "joules", "dollars", "seconds"}},
		{"action.", actionKinds(t)},
		{"basis.", []string{progress.BasisPrior, progress.BasisMixed, progress.BasisLearned}},
		{"error.", requestKeys(t)},
		{"error.", callKeys()},
		{"connect.key.", []string{web.KeyNone, web.KeySet, web.KeyMissing}},
		{"connect.kind.", names(research.ProviderKinds()...)},
	}
	texts, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range texts.Languages() {
		keys := texts.Keys(lang)
		for _, g := range groups {
			if len(g.codes) == 0 {
				t.Errorf("%s: no codes", g.prefix)
			}
			for _, c := range g.codes {
				if !slices.Contains(keys, g.prefix+c) {
					t.Errorf("%s: no text for %s%s", lang, g.prefix, c)
				}
			}
		}
	}
}

// formats are the export formats as catalogues write them.
func formats() []string {
	var out []string
	for _, f := range export.Formats() {
		out = append(out, strings.ReplaceAll(string(f), ".", "_"))
	}
	return out
}

// actionKinds are the kinds of work inside a step, read from the sources of the
// engine.
func actionKinds(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../../llm/embedded/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "act") {
					if lit, ok := call.Args[0].(*ast.BasicLit); ok {
						if kind, err := strconv.Unquote(lit.Value); err == nil {
							out = append(out, kind)
						}
					}
				}
			}
			return true
		})
	}
	return out
}

func names[T ~string](list ...T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

func settingKeys() []string {
	var out []string
	for _, o := range options() {
		out = append(out, o.key)
	}
	return out
}

// What --help says of a setting is what the settings page says of it.
func TestSettingsPageSaysWhatHelpSays(t *testing.T) {
	t.Parallel()
	texts, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range options() {
		if got := texts.Localizer("en").T("setting." + o.key); got != o.usage {
			t.Errorf("%s: page %q, help %q", o.key, got, o.usage)
		}
	}
}

// requestKeys are the keys of every fault that a page can show: those made in
// the packages behind the forms. They are read from the sources, so that a new
// one cannot be forgotten.
func requestKeys(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{"../../research", "../../handlers", "../../store", "../../orchestrator", "../../export"} {
		paths, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				out = append(out, keysIn(t, path)...)
			}
		}
	}
	if len(out) < 30 {
		t.Fatalf("only %d keys found: the pattern no longer fits the sources", len(out))
	}
	return out
}

// keysIn lists the literal keys given to Errorf, conflict and stateConflict.
func keysIn(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		at := -1
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			if f.Sel.Name == "Errorf" && len(call.Args) > 2 {
				at = 1
			}
		case *ast.Ident:
			switch f.Name {
			case "conflict", "stateConflict":
				at = 0
			case "Errorf":
				at = 1
			}
		}
		if at < 0 {
			return true
		}
		if lit, ok := call.Args[at].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if key, err := strconv.Unquote(lit.Value); err == nil && key != "" && !strings.ContainsAny(key, " %") && !english[key] {
				out = append(out, key)
			}
		}
		return true
	})
	return out
}

// english are faults that no page shows: the terminal and the API speak English.
var english = map[string]bool{
	"store.no_folder": true, "store.unwritable_folder": true, "store.foreign": true, "store.corrupt_file": true,
	"store.second_worker": true, "store.second_worker_id": true, "store.bad_url": true, "store.connect": true,
	"store.newer": true, "store.migrating": true, "store.unreachable": true,
	"json": true, "json_type": true, "query_word": true, "query_number": true, "query_order": true, "query_day": true,
	"login_api": true, "foreign_host": true, "cursor": true,
	// Conflicts between workers, which reach the log and no page.
	"store.not_startable": true, "store.step_exists": true, "store.not_running": true, "store.step_closed": true,
}
