package i18n

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func newTestBundle(t *testing.T) *Bundle {
	t.Helper()
	b, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCataloguesHaveTheSameKeys(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	for _, lang := range b.Languages() {
		for _, key := range b.Keys(Default) {
			if !slices.Contains(b.Keys(lang), key) {
				t.Errorf("%s: no text for %q", lang, key)
			}
		}
		for _, key := range b.Keys(lang) {
			if !slices.Contains(b.Keys(Default), key) {
				t.Errorf("%s: %q is not in the %s catalogue", lang, key, Default)
			}
		}
	}
}

var placeholder = regexp.MustCompile(`\{\{\.(\w+)(?: [^}]*)?\}\}`)

func TestTranslationsUseOnlyTheValuesGiven(t *testing.T) {
	t.Parallel()
	given := placeholders(t, Default)
	for _, lang := range newTestBundle(t).Languages() {
		for key, names := range placeholders(t, lang) {
			for _, name := range names {
				if !slices.Contains(given[key], name) {
					t.Errorf("%s: %q wants {{.%s}}, which the English text does not have", lang, key, name)
				}
			}
		}
	}
}

// placeholders reads the raw catalogues of a language.
func placeholders(t *testing.T, lang string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	paths, err := filepath.Glob("locales/*." + lang + ".json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no catalogues of %s: %v", lang, err)
	}
	line := regexp.MustCompile(`^\s*"([^"]+)": (.*)$`)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range strings.Split(string(data), "\n") {
			if m := line.FindStringSubmatch(l); m != nil {
				for _, p := range placeholder.FindAllStringSubmatch(m[2], -1) {
					out[m[1]] = append(out[m[1]], p[1])
				}
			}
		}
	}
	return out
}

// sources are the texts of every Go and templ file that is not generated and
// not a test.
func sources(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == ".git" || name == "data" || name == "node_modules") {
			return filepath.SkipDir
		}
		source := strings.HasSuffix(name, ".templ") || strings.HasSuffix(name, ".go") &&
			!strings.HasSuffix(name, "_templ.go") && !strings.HasSuffix(name, "_test.go")
		if d.IsDir() || !source {
			return nil
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestKeysInTheSourcesExist(t *testing.T) {
	t.Parallel()
	l := newTestBundle(t).Localizer(Default)
	call := regexp.MustCompile(`\.(?:T|N)\("([a-z_]+\.[a-z_0-9.]+)"[,)]`)
	found := call.FindAllStringSubmatch(sources(t), -1)
	if len(found) < 100 {
		t.Fatalf("only %d uses found: the pattern no longer fits the sources", len(found))
	}
	for _, m := range found {
		if !l.Has(m[1]) {
			t.Errorf("%q is used and has no text", m[1])
		}
	}
}

func TestEveryKeyIsUsed(t *testing.T) {
	t.Parallel()
	text := sources(t)
	literal, prefixes := map[string]bool{}, []string{}
	for _, m := range regexp.MustCompile(`"([a-z_]+\.[A-Za-z_0-9.:-]*)"(\s*\+)?`).FindAllStringSubmatch(text, -1) {
		literal[m[1]] = true
		if m[2] != "" { // "status."+code and the like
			prefixes = append(prefixes, m[1])
		}
	}
	for _, key := range newTestBundle(t).Keys(Default) {
		dynamic := slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
		if !literal[key] && !dynamic && !strings.Contains(text, `"`+key+`"`) {
			t.Errorf("%q is never used", key)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	for _, tc := range []struct{ accept, cookie, want string }{
		{"", "", "en"},
		{"ko-KR,ko;q=0.9,en;q=0.8", "", "ko"},
		{"en-GB,ko;q=0.5", "", "en"},
		{"fr-FR", "", "en"},
		{"fr-FR, ko;q=0.3", "", "ko"},
		{"ko", "en", "en"},
		{"en", "KO", "ko"},
		{"en", "<script>", "en"},
		{";;;q=q", "", "en"},
		{strings.Repeat("x-", 5000), "", "en"},
	} {
		if got := b.Match(tc.accept, tc.cookie); got != tc.want {
			t.Errorf("Match(%.40q, %q) = %s, want %s", tc.accept, tc.cookie, got, tc.want)
		}
	}
}

func TestLocalizerFallsBack(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	if got := b.Localizer("ko-KR").Lang(); got != "ko" {
		t.Errorf("ko-KR gets %s", got)
	}
	if got := b.Localizer("tlh").Lang(); got != Default {
		t.Errorf("an unknown language gets %s", got)
	}
	l := b.Localizer("ko")
	if got := l.T("no.such_key"); got != "[no.such_key]" {
		t.Errorf("a missing key reads %q", got)
	}
	if got := l.Or("no.such_key", "stored words"); got != "stored words" {
		t.Errorf("Or gives %q", got)
	}
}

func TestPlurals(t *testing.T) {
	t.Parallel()
	b := newTestBundle(t)
	en, ko := b.Localizer("en"), b.Localizer("ko")
	for _, tc := range []struct{ got, want string }{
		{en.N("ago.minutes", 1), "1 minute ago"},
		{en.N("ago.minutes", 3), "3 minutes ago"},
		{en.N("count.claims", 0), "0 claims"},
		{ko.N("ago.minutes", 1), "1분 전"},
		{ko.N("count.claims", 1200), "주장 1,200건"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestLoadRefusesBadCatalogues(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]fstest.MapFS{
		"malformed":  {"c/a.en.json": {Data: []byte(`{"a.b": `)}},
		"twice":      {"c/a.en.json": {Data: []byte(`{"a.b": "x"}`)}, "c/b.en.json": {Data: []byte(`{"a.b": "y"}`)}},
		"no English": {"c/a.ko.json": {Data: []byte(`{"a.b": "x"}`)}},
		"no folder":  {},
	} {
		if _, err := load(files, "c"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAMissingTranslationShowsEnglish(t *testing.T) {
	t.Parallel()
	b, err := load(fstest.MapFS{
		"c/a.en.json": {Data: []byte(`{"a.plain": "plain", "a.args": "hello {{.Name}}"}`)},
		"c/a.ko.json": {Data: []byte(`{"a.other": "다른 글"}`)},
	}, "c")
	if err != nil {
		t.Fatal(err)
	}
	l := b.Localizer("ko")
	if got := l.T("a.plain"); got != "plain" {
		t.Errorf("plain: %q", got)
	}
	if got := l.T("a.args", "Name", "you"); got != "hello you" {
		t.Errorf("with values: %q", got)
	}
	if got := l.T("a.args", "Other", "you"); got != "hello {{.Name}}" {
		t.Errorf("a missing value must be seen: %q", got)
	}
	if got := l.Map("a.args", map[string]any{"Name": 3}); got != "hello 3" {
		t.Errorf("named values: %q", got)
	}
}

// A count in front of a word in the plural would read "1 documents": English
// words agree with their counts.
func TestEnglishWordsAgreeWithTheirCounts(t *testing.T) {
	t.Parallel()
	never := []string{ // counts that are never one
		"error.question_short", "error.question_long", "error.url_many", "error.many_files", "ask.depth_note",
	}
	paths, err := filepath.Glob("locales/*.en.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	stiff := regexp.MustCompile(`"([a-z_.]+)": .*\{\{\.\w+\}\} (?:searches|documents|sub-questions|parts|passages|sentences|quotes|claims|sources|steps|models|seconds|files|characters|addresses|runs|results)\b`)
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(raw), "\n") {
			m := stiff.FindStringSubmatch(line)
			if m == nil || m[1] == "other" || strings.Contains(line, `"one"`) || slices.Contains(never, m[1]) {
				continue
			}
			t.Errorf("%s: %s", path, strings.TrimSpace(line))
		}
	}
}

func TestWordsAgreeWithCounts(t *testing.T) {
	t.Parallel()
	l := newTestBundle(t).Localizer("en")
	for _, tt := range []struct{ got, want string }{
		{l.Map("note.read", map[string]any{"Documents": 1, "Quotes": "1"}), "1 document read, 1 quote kept."},
		{l.Map("note.read", map[string]any{"Documents": "1,001", "Quotes": 0}), "1,001 documents read, 0 quotes kept."},
		{l.T("stop.no_evidence", "Searches", "1", "Sources", "21"), "1 search and 21 documents read brought no passage that answers the question."},
		{l.T("stop.discarded", "Count", "1", "Reason", "R."), "1 document was discarded, the last because: R."},
		{l.T("stop.discarded", "Count", "2", "Reason", "R."), "2 documents were discarded, the last because: R."},
		{l.Map("note.read", map[string]any{"Documents": 1}), "1 document read, {{.Quotes}} {{.Quotes quote|quotes}} kept."},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
