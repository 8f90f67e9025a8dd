package i18n

import (
	"fmt"
	"sync"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
)

// Localizer writes texts, numbers and dates in one language. It is safe for
// concurrent use.
type Localizer struct {
	lang  string
	form  form
	texts map[string]message // own catalogue over the default one
	inner *goi18n.Localizer  // knows the language's plural rule
	forms sync.Map           // count → plural form
}

// message is a catalogue entry ready to show: one text per plural form ("other"
// for those without a count).
type message struct {
	forms  map[string]text
	plural bool
}

func newLocalizer(parsed *goi18n.Bundle, lang string, own, fallback map[string]*goi18n.Message) *Localizer {
	l := &Localizer{lang: lang, form: formOf(lang), inner: goi18n.NewLocalizer(parsed, lang, Default), texts: map[string]message{}}
	for _, catalogue := range []map[string]*goi18n.Message{fallback, own} {
		for key, m := range catalogue {
			l.texts[key] = compile(m)
		}
	}
	return l
}

// compile cuts a message into texts once: the library would match languages and
// run a template on every call (20 µs), and a run page asks for thousands.
func compile(m *goi18n.Message) message {
	out := message{forms: map[string]text{"other": cut(m.Other)}}
	for name, s := range map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many} {
		if s != "" {
			out.forms[name], out.plural = cut(s), true
		}
	}
	return out
}

// Lang is the language's base tag.
func (l *Localizer) Lang() string { return l.lang }

// Has reports whether the catalogue knows a key.
func (l *Localizer) Has(key string) bool { _, ok := l.texts[key]; return ok }

// T returns the text of a key. args are pairs of a name and a value, as the
// message's {{.Name}} placeholders want them. An unknown key comes back in
// brackets, so that it is seen.
func (l *Localizer) T(key string, args ...any) string {
	m, ok := l.texts[key]
	if !ok {
		return "[" + key + "]"
	}
	return m.forms["other"].fill(func(name string) (any, bool) { return pair(args, name) }, l.pluralForm)
}

// N is T for messages that depend on a count, which they show as {{.Count}}.
func (l *Localizer) N(key string, count int, args ...any) string {
	m, ok := l.texts[key]
	if !ok {
		return "[" + key + "]"
	}
	chosen, ok := m.forms[l.pluralForm(count)]
	if !ok || !m.plural {
		chosen = m.forms["other"]
	}
	return chosen.fill(func(name string) (any, bool) {
		if name == "Count" {
			return l.Int(count), true
		}
		return pair(args, name)
	}, l.pluralForm)
}

// Map is T with values that are already named.
func (l *Localizer) Map(key string, args map[string]any) string {
	m, ok := l.texts[key]
	if !ok {
		return "[" + key + "]"
	}
	return m.forms["other"].fill(func(name string) (any, bool) { v, ok := args[name]; return v, ok }, l.pluralForm)
}

// Or returns the text of a key, or other when the catalogue does not know it:
// for codes that another part of the program may add to.
func (l *Localizer) Or(key, other string, args ...any) string {
	if !l.Has(key) {
		return other
	}
	return l.T(key, args...)
}

// probe is a message of every language whose text is the name of its plural form.
var probe = &goi18n.Message{ID: "probe", Zero: "zero", One: "one", Two: "two", Few: "few", Many: "many", Other: "other"}

// pluralForm asks the library which form a count takes, once per count.
func (l *Localizer) pluralForm(count int) string {
	if f, ok := l.forms.Load(count); ok {
		return f.(string)
	}
	f, err := l.inner.Localize(&goi18n.LocalizeConfig{MessageID: probe.ID, PluralCount: count})
	if err != nil && f == "" {
		f = "other"
	}
	if count >= 0 && count < 10_000 { // bounds the memory
		l.forms.Store(count, f)
	}
	return f
}

func pair(args []any, name string) (any, bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return args[i+1], true
		}
	}
	return nil, false
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}
