package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/progrouter/progrouter/research"
)

// maxTerm is the longest word the index takes, in bytes; longer ones are data,
// not words, and Postgres refuses them.
const maxTerm = 200

// addPassages stores and indexes the passages of new documents.
func (t *txn) addPassages(collection int64, docs []documentRow, list []indexed) error {
	var rows []passageRow
	for i, x := range list {
		for _, p := range x.passages {
			rows = append(rows, passageRow{
				DocumentID: docs[i].ID, Ordinal: p.Ordinal, Heading: p.Heading, Text: p.Text, StartAt: p.Start, EndAt: p.End,
				Terms: words(p.Terms), TitleTerms: words(p.TitleTerms),
			})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := t.insertPassages(collection, rows); err != nil {
		return err
	}
	return t.count(collection, rows, 1)
}

func (t *txn) insertPassages(collection int64, rows []passageRow) error {
	if t.s.postgres() {
		for i := range rows {
			rows[i].CollectionID, rows[i].SearchIndex = collection, searchVector(rows[i])
		}
		return insert(t, rows)
	}
	if err := t.Omit("collection_id", "search_index").CreateInBatches(rows, insertBatch).Error; err != nil {
		return fmt.Errorf("store passages: %w", err)
	}
	// One writer at a time: the new rows have the numbers from the first to the last.
	err := t.Exec(`INSERT INTO passages_fts (rowid, scope, title_terms, terms)
		SELECT id, ? || ' d' || document_id, title_terms, terms FROM passages WHERE id BETWEEN ? AND ?`,
		collectionScope(collection), rows[0].ID, rows[len(rows)-1].ID).Error
	if err != nil {
		return fmt.Errorf("index passages: %w", err)
	}
	return nil
}

// removeDocuments takes documents of one collection out of the index.
func (t *txn) removeDocuments(collection int64, docs []documentRow) error {
	if len(docs) == 0 {
		return nil
	}
	ids := mapped(docs, func(d documentRow) int64 { return d.ID })
	var rows []passageRow
	if err := t.Select("id", "terms", "title_terms").Where("document_id IN ?", ids).Find(&rows).Error; err != nil {
		return fmt.Errorf("read passages: %w", err)
	}
	if err := t.count(collection, rows, -1); err != nil {
		return err
	}
	if !t.s.postgres() {
		err := t.Exec("DELETE FROM passages_fts WHERE rowid IN (SELECT id FROM passages WHERE document_id IN ?)", ids).Error
		if err != nil {
			return fmt.Errorf("remove from index: %w", err)
		}
	}
	if err := t.Where("id IN ?", ids).Delete(&documentRow{}).Error; err != nil {
		return fmt.Errorf("remove documents: %w", err)
	}
	return t.dropUnused(mapped(docs, func(d documentRow) string { return d.SHA256 }))
}

// count keeps the collection's numbers: passages, words, and in how many
// passages each word occurs. sign is 1 to add the rows and -1 to take them out.
func (t *txn) count(collection int64, rows []passageRow, sign int) error {
	df, total := map[string]int{}, 0
	for _, r := range rows {
		body := strings.Fields(r.Terms)
		total += len(body)
		seen := map[string]bool{}
		for _, w := range append(body, strings.Fields(r.TitleTerms)...) {
			if !seen[w] {
				seen[w] = true
				df[w] += sign
			}
		}
	}
	err := t.Exec("UPDATE collections SET passages = passages + ?, words = words + ? WHERE id = ?",
		sign*len(rows), sign*total, collection).Error
	if err != nil {
		return fmt.Errorf("count passages: %w", err)
	}
	return t.countTerms(collection, df, sign)
}

func (t *txn) countTerms(collection int64, df map[string]int, sign int) error {
	b, err := json.Marshal(df)
	if err != nil {
		return fmt.Errorf("count words: %w", err)
	}
	from := "SELECT key, ?, value FROM json_each(?) WHERE true"
	if t.s.postgres() {
		from = "SELECT key, ?, value::bigint FROM json_each_text(?::json)"
	}
	err = t.Exec(`INSERT INTO collection_terms (term, collection_id, passages) `+from+`
		ON CONFLICT (term, collection_id) DO UPDATE SET passages = collection_terms.passages + excluded.passages`,
		collection, string(b)).Error
	if err == nil && sign < 0 {
		err = t.Exec("DELETE FROM collection_terms WHERE collection_id = ? AND passages <= 0", collection).Error
	}
	if err != nil {
		return fmt.Errorf("count words: %w", err)
	}
	return nil
}

// words puts index words into the form both databases keep.
func words(terms string) string {
	list := strings.Fields(terms)
	kept := list[:0]
	for _, w := range list {
		if w, ok := indexWord(w); ok {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// indexWord is a word as it is indexed: lower case, and everything in it but
// letters and digits moved to code points for private use, which FTS5 takes for
// letters. So "c++" stays one word on both databases. Words without letters or
// digits are left out.
func indexWord(word string) (string, bool) {
	if len(word) > maxTerm || strings.IndexFunc(word, alphanumeric) < 0 {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); alphanumeric(r) {
			return r
		}
		return privateUse + r%privateUseSize
	}, word), true
}

const (
	privateUse     = 0xE000
	privateUseSize = 0xF900 - privateUse
)

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

func collectionScope(id int64) string { return fmt.Sprintf("c%d", id) }

func documentScope(id int64) string { return fmt.Sprintf("d%d", id) }

// queryTerms are the distinct usable words of a query as they are indexed, in
// order, each with the way it was asked.
func queryTerms(q research.PassageQuery) (terms []string, asked map[string]string) {
	asked = map[string]string{}
	for _, a := range q.Terms {
		w, ok := indexWord(strings.TrimSpace(a))
		if _, seen := asked[w]; ok && !seen {
			asked[w] = a
			terms = append(terms, w)
		}
	}
	return terms, asked
}
