package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

// terms is a small stand-in for the real index words: lower case, Hangul as
// character bigrams.
func terms(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" .,\n", r) }) {
		r := []rune(w)
		if len(r) < 2 || r[0] < 0xAC00 || r[0] > 0xD7A3 {
			out = append(out, w)
			continue
		}
		for i := range len(r) - 1 {
			out = append(out, string(r[i:i+2]))
		}
	}
	return out
}

func document(url, title string, paragraphs ...string) (research.Document, []research.IndexedPassage) {
	text := strings.Join(paragraphs, "\n\n")
	d := research.Document{URL: url, Title: title, Text: text, MediaType: "text/plain", SHA256: research.HashText(text), Links: []string{"http://l/"}}
	ps, at := make([]research.IndexedPassage, len(paragraphs)), 0
	for i, p := range paragraphs {
		n := len([]rune(p))
		ps[i] = research.IndexedPassage{
			Passage: research.Passage{URL: url, Title: title, Text: p, Start: at, End: at + n, Ordinal: i},
			Terms:   strings.Join(terms(p), " "), TitleTerms: strings.Join(terms(title), " "),
		}
		at += n + 2
	}
	return d, ps
}

func put(t testing.TB, s *Store, collection, url, title string, paragraphs ...string) research.Document {
	t.Helper()
	d, ps := document(url, title, paragraphs...)
	must(t, s.PutDocument(t.Context(), collection, d, ps))
	return d
}

func find(t testing.TB, s *Store, q research.PassageQuery) research.PassagesFound {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	f, err := s.FindPassages(t.Context(), q)
	must(t, err)
	return f
}

func urls(f research.PassagesFound) []string {
	var out []string
	for _, h := range f.Hits {
		out = append(out, h.URL)
	}
	return out
}

func TestLibrarySearch(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		s := b.s
		put(t, s, "a", "library:wal", "WAL mode", "the log is appended", "readers never block writers")
		put(t, s, "a", "library:lock", "Locks", "the writers wait for the log", "c++ and node.js and it's \"quoted\" \\o/ too")
		put(t, s, "b", "library:other", "Other", "the log elsewhere")

		all := find(t, s, research.PassageQuery{Terms: []string{"log", "writers", "absent"}})
		if all.Passages != 5 || all.DF["log"] != 3 || all.DF["writers"] != 2 || all.DF["absent"] != 0 || len(all.Hits) != 4 {
			t.Errorf("all: %+v", all)
		}
		if want := float64(4+4+6+9+3) / 5; all.Terms != want {
			t.Errorf("mean words %v, want %v", all.Terms, want)
		}
		some := find(t, s, research.PassageQuery{Terms: []string{"log"}, Collections: []string{"b"}})
		if some.Passages != 1 || some.DF["log"] != 1 || !slices.Equal(urls(some), []string{"library:other"}) {
			t.Errorf("collection b: %+v", some)
		}
		one := find(t, s, research.PassageQuery{Terms: []string{"log"}, URLs: []string{"library:wal", "library:gone"}})
		if one.DF["log"] != 3 || !slices.Equal(urls(one), []string{"library:wal"}) {
			t.Errorf("one document: %+v", one)
		}
		title := find(t, s, research.PassageQuery{Terms: []string{"mode"}})
		if len(title.Hits) != 2 || title.DF["mode"] != 2 {
			t.Errorf("title word: %+v", title)
		}
		none := find(t, s, research.PassageQuery{Terms: []string{"log"}, Collections: []string{"nope"}})
		if none.Passages != 0 || len(none.Hits) != 0 {
			t.Errorf("unknown collection: %+v", none)
		}
		if f := find(t, s, research.PassageQuery{Terms: []string{"log"}, Limit: 2}); len(f.Hits) != 2 {
			t.Errorf("limit 2 gave %d", len(f.Hits))
		}
	})
}

// Whatever stands in a query is a word, never syntax.
func TestLibraryHostileTerms(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		d, ps := document("u", "T", "x")
		ps[0].Terms = `c++ node.js it's "quoted" a\b scope:c1 near(x)`
		must(t, b.s.PutDocument(t.Context(), "a", d, ps))
		for _, w := range []string{"c++", "node.js", "it's", `"quoted"`, `a\b`, "scope:c1", "near(x)"} {
			if f := find(t, b.s, research.PassageQuery{Terms: []string{w}}); len(f.Hits) != 1 || f.DF[w] != 1 {
				t.Errorf("%q: %d hits, df %d", w, len(f.Hits), f.DF[w])
			}
		}
		for _, w := range []string{"", " ", "*", `"`, "'", `\`, "()", "AND", "OR", "NOT", "NEAR(", "c1", "d1", "{terms}", "a:b", "!", "&", "|", ":*", strings.Repeat("x", 5000)} {
			if f := find(t, b.s, research.PassageQuery{Terms: []string{w, w}}); len(f.Hits) != 0 {
				t.Errorf("%q found %v", w, urls(f))
			}
		}
	})
}

func TestLibraryRanking(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		for i := range 40 {
			put(t, b.s, "a", fmt.Sprintf("filler%d", i), "T", "common filler here")
		}
		put(t, b.s, "a", "rare", "T", "zebra here and there")
		put(t, b.s, "a", "common", "T", "common common common")
		put(t, b.s, "a", "both", "T", "the zebra met the heron among other words")
		put(t, b.s, "a", "title", "heron", "something else entirely")
		f := find(t, b.s, research.PassageQuery{Terms: []string{"common", "zebra", "heron"}, Limit: 3})
		if got := urls(f); got[0] != "both" || got[1] != "title" && got[2] != "title" {
			t.Errorf("ranked %v", got)
		}
		for i := 1; i < len(f.Hits); i++ {
			if f.Hits[i].Score > f.Hits[i-1].Score {
				t.Errorf("scores rise: %v", f.Hits)
			}
		}
	})
}

// A noun is found whatever particle sticks to it.
func TestLibraryKorean(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		forms := []string{"서버", "서버는", "서버가", "서버를", "서버에서", "웹서버의", "서버와", "서버로부터", "서버들이"}
		for i, f := range forms {
			put(t, b.s, "ko", fmt.Sprintf("library:%d", i), "문서", "이 문장에는 "+f+" 나온다")
		}
		put(t, b.s, "ko", "library:no", "문서", "이 문장에는 버섯과 서류가 나온다")
		f := find(t, b.s, research.PassageQuery{Terms: terms("서버"), Limit: 50})
		if len(f.Hits) != len(forms) || f.DF["서버"] != len(forms) {
			t.Errorf("found %d of %d: %v", len(f.Hits), len(forms), urls(f))
		}
	})
}

func TestLibraryReplaceAndRemove(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx, s := t.Context(), b.s
		put(t, s, "a", "u", "One", "alpha beta")
		first, _, err := s.Documents(ctx, "", 10, 0)
		must(t, err)
		put(t, s, "a", "u", "One", "alpha beta")
		kept, _, err := s.Documents(ctx, "", 10, 0)
		must(t, err)
		if !first[0].AddedAt.Equal(kept[0].AddedAt) {
			t.Error("an equal document was stored again")
		}
		d := put(t, s, "a", "u", "Two", "beta gamma", "gamma delta")
		if f := find(t, s, research.PassageQuery{Terms: []string{"alpha", "gamma"}}); f.DF["alpha"] != 0 || f.DF["gamma"] != 2 || len(f.Hits) != 2 || f.Passages != 2 {
			t.Errorf("after replacing: %+v", f)
		}
		got, err := s.Document(ctx, "u")
		must(t, err)
		same(t, got, d)
		put(t, s, "b", "u", "Two", "beta gamma", "gamma delta")
		list, total, err := s.Documents(ctx, "tw", 1, 1)
		must(t, err)
		if total != 2 || len(list) != 1 || list[0].Collection != "a" || list[0].Passages != 2 || list[0].Bytes != len(d.Text) {
			t.Errorf("list %+v of %d", list, total)
		}
		must(t, s.RemoveDocument(ctx, "u"))
		wantCode(t, s.RemoveDocument(ctx, "u"), research.ENotFound)
		_, err = s.Document(ctx, "u")
		wantCode(t, err, research.ENotFound)
		wantRows(t, s, map[string]int64{"documents": 0, "passages": 0, "snapshots": 0, "collection_terms": 0})
		if f := find(t, s, research.PassageQuery{Terms: []string{"gamma"}}); len(f.Hits) != 0 || f.Passages != 0 {
			t.Errorf("after removing: %+v", f)
		}
		put(t, s, "c", "v", "V", "x y")
		must(t, s.RemoveCollection(ctx, "c"))
		must(t, s.RemoveCollection(ctx, "never"))
		wantRows(t, s, map[string]int64{"documents": 0, "collection_terms": 0})
	})
}

func TestLibraryBatch(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, b bundle) {
		ctx := t.Context()
		var docs []research.Document
		var passages [][]research.IndexedPassage
		for i := range 300 {
			d, ps := document(fmt.Sprintf("u%d", i%250), "T", fmt.Sprintf("common word%d", i), "common other")
			docs, passages = append(docs, d), append(passages, ps)
		}
		must(t, b.s.PutDocuments(ctx, "a", docs, passages))
		must(t, b.s.PutDocuments(ctx, "a", docs[100:], passages[100:]))
		f := find(t, b.s, research.PassageQuery{Terms: []string{"common", "word299", "word249", "word49"}})
		want := map[string]int{"common": 500, "word299": 1, "word249": 1}
		if f.Passages != 500 || !maps.Equal(f.DF, want) {
			t.Errorf("%d passages, df %v", f.Passages, f.DF)
		}
		if err := b.s.PutDocuments(ctx, "a", docs, nil); err == nil {
			t.Error("documents without passages were taken")
		}
		wrong := docs[0]
		wrong.Text += "x"
		if err := b.s.PutDocument(ctx, "z", wrong, nil); err == nil {
			t.Error("a text that does not match its hash was stored")
		}
	})
}

func wantRows(t testing.TB, s *Store, want map[string]int64) {
	t.Helper()
	for table, n := range want {
		var got int64
		must(t, s.db.Table(table).Count(&got).Error)
		if got != n {
			t.Errorf("%s has %d rows, want %d", table, got, n)
		}
	}
}
