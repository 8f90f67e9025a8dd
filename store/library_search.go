package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// Title and heading words count this much more than body words.
const titleWeight = 2.0

// FindPassages returns the best passages that contain any of the words, and
// the numbers that BM25 needs to rank them again. Words count as found in body,
// title or heading.
func (s *Store) FindPassages(ctx context.Context, q research.PassageQuery) (research.PassagesFound, error) {
	found := research.PassagesFound{DF: map[string]int{}}
	err := s.read(ctx, func(tx *gorm.DB) error {
		sc, err := scopeOf(tx, q)
		if err != nil {
			return err
		}
		found.Passages = sc.passages
		if sc.passages > 0 {
			found.Terms = float64(sc.words) / float64(sc.passages)
		}
		terms, asked := queryTerms(q)
		if len(terms) == 0 || sc.empty {
			return nil
		}
		df, err := frequencies(tx, sc, terms)
		if err != nil {
			return err
		}
		for w, n := range df {
			found.DF[asked[w]] = n
		}
		find := findSQLite
		if s.postgres() {
			find = findPostgres
		}
		rows, err := find(tx, sc, terms, df, max(1, q.Limit))
		found.Hits = mapped(rows, foundRow.domain)
		return err
	})
	if err != nil {
		return research.PassagesFound{}, fmt.Errorf("find passages: %w", err)
	}
	return found, nil
}

// scope is what a query is limited to.
type scope struct {
	collections []int64 // nil: all
	documents   []int64 // nil: all
	passages    int
	words       int64
	empty       bool // nothing can be found
}

func scopeOf(tx *gorm.DB, q research.PassageQuery) (scope, error) {
	var rows []collectionRow
	if err := tx.Find(&rows).Error; err != nil {
		return scope{}, err
	}
	sc, left := scope{}, 0
	for _, r := range rows {
		if len(q.Collections) > 0 && !slices.Contains(q.Collections, r.Name) {
			left += int(r.Passages)
			continue
		}
		sc.passages += int(r.Passages)
		sc.words += r.Words
		sc.collections = append(sc.collections, r.ID)
	}
	sc.empty = len(sc.collections) == 0
	if left == 0 {
		sc.collections = nil // the same as all, and faster
	}
	if len(q.URLs) == 0 || sc.empty {
		return sc, nil
	}
	docs := tx.Model(&documentRow{}).Where("url IN ?", q.URLs)
	if sc.collections != nil {
		docs = docs.Where("collection_id IN ?", sc.collections)
	}
	err := docs.Pluck("id", &sc.documents).Error
	sc.empty = len(sc.documents) == 0
	return sc, err
}

func frequencies(tx *gorm.DB, sc scope, terms []string) (map[string]int, error) {
	var rows []struct {
		Term string
		N    int
	}
	q := tx.Table("collection_terms").Select("term, CAST(SUM(passages) AS BIGINT) AS n").Where("term IN ?", terms).Group("term")
	if sc.collections != nil {
		q = q.Where("collection_id IN ?", sc.collections)
	}
	err := q.Find(&rows).Error
	df := make(map[string]int, len(rows))
	for _, r := range rows {
		df[r.Term] = r.N
	}
	return df, err
}

// findSQLite asks FTS5. Words are quoted, so that none is taken for syntax.
func findSQLite(tx *gorm.DB, sc scope, terms []string, _ map[string]int, limit int) ([]foundRow, error) {
	match := "{title_terms terms} : (" + strings.Join(mapped(terms, ftsQuote), " OR ") + ")"
	if sc.documents != nil {
		match += " AND scope : (" + strings.Join(mapped(sc.documents, documentScope), " OR ") + ")"
	} else if sc.collections != nil {
		match += " AND scope : (" + strings.Join(mapped(sc.collections, collectionScope), " OR ") + ")"
	}
	var rows []foundRow
	err := tx.Raw(`SELECT d.url, d.title, p.heading, p.text, p.start_at, p.end_at, p.ordinal, -best.score AS score
		FROM (SELECT rowid AS id, bm25(passages_fts, 0.0, ?, 1.0) AS score FROM passages_fts
			WHERE passages_fts MATCH ? ORDER BY score LIMIT ?) AS best
		JOIN passages AS p ON p.id = best.id JOIN documents AS d ON d.id = p.document_id
		ORDER BY best.score, p.id`, titleWeight, match, limit).Scan(&rows).Error
	return rows, err
}

func ftsQuote(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// findPostgres first sums the inverse frequencies of the words found, which
// needs the index alone, and then lets ts_rank, which must unpack every vector
// and knows nothing of frequencies, order the best of them.
func findPostgres(tx *gorm.DB, sc scope, terms []string, df map[string]int, limit int) ([]foundRow, error) {
	branches, args := postgresBranches(sc, terms, df)
	if len(branches) == 0 {
		return nil, nil
	}
	// Starting helpers takes longer than the search.
	if err := tx.Exec("SET LOCAL max_parallel_workers_per_gather = 0").Error; err != nil {
		return nil, err
	}
	args = append(args, 4*limit, strings.Join(mapped(terms, lexeme), " | "), limit)
	var rows []foundRow
	err := tx.Raw(`WITH best AS (SELECT id, SUM(idf) AS idf FROM (`+strings.Join(branches, " UNION ALL ")+`) AS found
			GROUP BY id ORDER BY idf DESC, id LIMIT ?)
		SELECT d.url, d.title, p.heading, p.text, p.start_at, p.end_at, p.ordinal,
			best.idf * (1 + ts_rank('{0.5, 0.5, 0.5, 1}', p.search_index, CAST(? AS tsquery))) AS score
		FROM best JOIN passages AS p ON p.id = best.id JOIN documents AS d ON d.id = p.document_id
		ORDER BY score DESC, p.id LIMIT ?`, args...).Scan(&rows).Error
	return rows, err
}

// postgresBranches is one index search per word that occurs at all.
func postgresBranches(sc scope, terms []string, df map[string]int) (branches []string, args []any) {
	limits, limitArgs := "", []any(nil)
	if sc.documents != nil {
		limits, limitArgs = " AND document_id IN ?", []any{sc.documents}
	} else if sc.collections != nil {
		limits, limitArgs = " AND collection_id IN ?", []any{sc.collections}
	}
	for _, w := range terms {
		n, k := float64(sc.passages), float64(df[w])
		if k == 0 {
			continue
		}
		branches = append(branches, "SELECT id, CAST(? AS float8) AS idf FROM passages WHERE search_index @@ CAST(? AS tsquery)"+limits)
		args = append(append(args, math.Log(1+(n-k+0.5)/(k+0.5)), lexeme(w)), limitArgs...)
	}
	return branches, args
}

// lexeme is a word as a literal of tsvector and tsquery.
func lexeme(word string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(word) + "'"
}

// Postgres's limits on positions in a tsvector; a passage stays far below.
const (
	maxPosition  = 16383
	maxPositions = 255
)

// searchVector writes the passage's words as a tsvector, so that Postgres
// indexes the words as they are instead of parsing text by its own rules.
func searchVector(r passageRow) string {
	positions := map[string][]string{}
	var order []string
	at := 0
	add := func(terms, weight string) {
		for _, w := range strings.Fields(terms) {
			at = min(at+1, maxPosition)
			if positions[w] == nil {
				order = append(order, w)
			}
			if len(positions[w]) < maxPositions {
				positions[w] = append(positions[w], fmt.Sprintf("%d%s", at, weight))
			}
		}
	}
	add(r.TitleTerms, "A")
	add(r.Terms, "")
	parts := mapped(order, func(w string) string {
		return lexeme(w) + ":" + strings.Join(positions[w], ",")
	})
	return strings.Join(parts, " ")
}
