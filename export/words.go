package export

import (
	"strings"
	"sync"

	"github.com/progrouter/progrouter/i18n"
	"github.com/progrouter/progrouter/research"
)

// catalogue is parsed once, on first use, from the embedded files.
var catalogue = sync.OnceValues(i18n.New)

// words are the texts around a report in one language.
type words struct{ *i18n.Localizer }

// wordsFor returns the texts of a language; English stands in for languages
// without texts.
func wordsFor(lang string) (words, error) {
	texts, err := catalogue()
	if err != nil {
		return words{}, err
	}
	return words{texts.Localizer(lang)}, nil
}

// Say is the text of a key of this package.
func (w words) Say(key string, args ...any) string { return w.T("export."+key, args...) }

// Count is Say for a text that depends on a count.
func (w words) Count(key string, n int, args ...any) string { return w.N("export."+key, n, args...) }

func (w words) status(s research.Status) string { return w.Or("export.status."+string(s), string(s)) }

// verdict is empty for supported claims, which need no remark.
func (w words) verdict(v research.Verdict) string {
	switch v {
	case research.Supported:
		return ""
	case research.Unreviewed:
		return w.Say("verdict.unreviewed")
	}
	return w.Or("export.verdict."+string(v), string(v))
}

// method names how joules were found, in words.
func (w words) method(m string) string {
	return w.Or("export.method."+strings.ReplaceAll(m, ":", "_"), m)
}

// amount writes an optional amount; unknown says so and is never zero.
func (w words) amount(m *research.Micro) string {
	if m == nil {
		return w.Say("unknown")
	}
	return w.Short(m.Units())
}
