// Package i18n owns the catalogues of every text people read and the way
// numbers, amounts, dates and ages are written in a language. It must not know
// pages, HTTP or the domain types: it takes plain values and returns strings.
package i18n

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	goi18n "github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

//go:embed locales/*.json
var locales embed.FS

// Default is the language used when nothing else fits.
const Default = "en"

// Bundle holds every catalogue. It does not change after New and is safe for
// concurrent use.
type Bundle struct {
	tags       []language.Tag // Default first
	matcher    language.Matcher
	localizers map[string]*Localizer
	keys       map[string][]string // language → sorted keys
}

// New loads the embedded catalogues, one file per area and language
// ("web.en.json"). A malformed file is an error.
func New() (*Bundle, error) { return load(locales, "locales") }

func load(files fs.FS, dir string) (*Bundle, error) {
	parsed := goi18n.NewBundle(language.English)
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read catalogues: %w", err)
	}
	messages := map[string]map[string]*goi18n.Message{}
	for _, e := range entries {
		data, err := fs.ReadFile(files, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read catalogue %s: %w", e.Name(), err)
		}
		file, err := parsed.ParseMessageFileBytes(data, e.Name())
		if err != nil {
			return nil, fmt.Errorf("catalogue %s: %w", e.Name(), err)
		}
		lang := file.Tag.String()
		if messages[lang] == nil {
			messages[lang] = map[string]*goi18n.Message{}
		}
		for _, m := range file.Messages {
			if _, twice := messages[lang][m.ID]; twice {
				return nil, fmt.Errorf("catalogue %s: key %q is defined twice", e.Name(), m.ID)
			}
			messages[lang][m.ID] = m
		}
	}
	if len(messages[Default]) == 0 {
		return nil, fmt.Errorf("no catalogue for %q", Default)
	}
	for lang := range messages {
		if err := parsed.AddMessages(language.Make(lang), probe); err != nil {
			return nil, fmt.Errorf("plural forms of %s: %w", lang, err)
		}
	}
	return newBundle(parsed, messages), nil
}

func newBundle(parsed *goi18n.Bundle, messages map[string]map[string]*goi18n.Message) *Bundle {
	b := &Bundle{localizers: map[string]*Localizer{}, keys: map[string][]string{}}
	langs := make([]string, 0, len(messages))
	for lang, byKey := range messages {
		langs = append(langs, lang)
		for key := range byKey {
			b.keys[lang] = append(b.keys[lang], key)
		}
		sort.Strings(b.keys[lang])
	}
	sort.Slice(langs, func(i, j int) bool { // Default first, then by name
		if (langs[i] == Default) != (langs[j] == Default) {
			return langs[i] == Default
		}
		return langs[i] < langs[j]
	})
	for _, lang := range langs {
		b.tags = append(b.tags, language.MustParse(lang))
		b.localizers[lang] = newLocalizer(parsed, lang, messages[lang], messages[Default])
	}
	b.matcher = language.NewMatcher(b.tags)
	return b
}

// Languages lists the catalogue languages, the default first.
func (b *Bundle) Languages() []string {
	out := make([]string, len(b.tags))
	for i, t := range b.tags {
		out[i] = t.String()
	}
	return out
}

// Keys lists the keys of one language's catalogue, sorted.
func (b *Bundle) Keys(lang string) []string { return b.keys[lang] }

// Match picks the catalogue language for a reader: the cookie when it names a
// language we have, else the best fit for an Accept-Language header, else
// Default.
func (b *Bundle) Match(accept, cookie string) string {
	if _, ok := b.localizers[strings.ToLower(cookie)]; ok {
		return strings.ToLower(cookie)
	}
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil || len(wanted) == 0 {
		return Default
	}
	_, index, confidence := b.matcher.Match(wanted...)
	if confidence == language.No {
		return Default
	}
	return b.tags[index].String()
}

// Localizer returns the texts of a language; an unknown language gets Default.
func (b *Bundle) Localizer(lang string) *Localizer {
	if l, ok := b.localizers[lang]; ok {
		return l
	}
	if base, _, found := strings.Cut(lang, "-"); found {
		return b.Localizer(base)
	}
	return b.localizers[Default]
}
