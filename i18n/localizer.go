package i18n

import (
	"fmt"
	"strings"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
)

// Localizer writes texts, numbers and dates in one language. It is safe for
// concurrent use.
type Localizer struct {
	lang  string
	form  form
	plain map[string]string   // messages without values or plurals, ready to show
	known map[string]struct{} // every key that T and N can answer
	inner *goi18n.Localizer
}

func newLocalizer(parsed *goi18n.Bundle, lang string, own, fallback map[string]*goi18n.Message) *Localizer {
	l := &Localizer{
		lang: lang, form: formOf(lang), inner: goi18n.NewLocalizer(parsed, lang, Default),
		plain: map[string]string{}, known: map[string]struct{}{},
	}
	// The library matches languages and runs templates on every call; most
	// messages need neither, and a run page asks for thousands of them.
	for _, catalogue := range []map[string]*goi18n.Message{fallback, own} {
		for key, m := range catalogue {
			l.known[key] = struct{}{}
			delete(l.plain, key)
			if m.One == "" && !strings.Contains(m.Other, "{{") {
				l.plain[key] = m.Other
			}
		}
	}
	return l
}

// Lang is the language's base tag.
func (l *Localizer) Lang() string { return l.lang }

// Has reports whether the catalogue knows a key.
func (l *Localizer) Has(key string) bool { _, ok := l.known[key]; return ok }

// T returns the text of a key. args are pairs of a name and a value, as the
// message's {{.Name}} placeholders want them. An unknown key comes back in
// brackets, so that it is seen.
func (l *Localizer) T(key string, args ...any) string {
	if text, ok := l.plain[key]; ok {
		return text
	}
	return l.localize(&goi18n.LocalizeConfig{MessageID: key, TemplateData: pairs(args)})
}

// N is T for messages that depend on a count, which they show as {{.Count}}.
func (l *Localizer) N(key string, count int, args ...any) string {
	data := pairs(args)
	data["Count"] = l.Int(count)
	return l.localize(&goi18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: count})
}

// Map is T with values that are already named.
func (l *Localizer) Map(key string, args map[string]any) string {
	if text, ok := l.plain[key]; ok {
		return text
	}
	return l.localize(&goi18n.LocalizeConfig{MessageID: key, TemplateData: args})
}

// Or returns the text of a key, or other when the catalogue does not know it:
// for codes that another part of the program may add to.
func (l *Localizer) Or(key, other string, args ...any) string {
	if !l.Has(key) {
		return other
	}
	return l.T(key, args...)
}

func (l *Localizer) localize(c *goi18n.LocalizeConfig) string {
	text, err := l.inner.Localize(c)
	if text == "" && err != nil {
		return "[" + c.MessageID + "]"
	}
	return text
}

func pairs(args []any) map[string]any {
	out := make(map[string]any, len(args)/2+1)
	for i := 0; i+1 < len(args); i += 2 {
		out[fmt.Sprint(args[i])] = args[i+1]
	}
	return out
}
