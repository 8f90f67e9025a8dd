package store

import (
	"context"
	"fmt"
	"math"
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
	query := tx.Session(&gorm.Session{})
	if len(q.Collections) > 0 {
		query = query.Where("name IN ?", q.Collections)
	}
	if err := query.Find(&rows).Error; err != nil {
		return scope{}, err
	}
	sc := scope{empty: len(rows) == 0}
	for _, r := range rows {
		sc.passages += int(r.Passages)
		sc.words += r.Words
		if len(q.Collections) > 0 {
			sc.collections = append(sc.collections, r.ID)
		}
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

// findPostgres scores by the summed inverse frequency of the words found, which
// ts_rank alone knows nothing of, and by ts_rank among equals.
func findPostgres(tx *gorm.DB, sc scope, terms []string, df map[string]int, limit int) ([]foundRow, error) {
	var score strings.Builder
	var args []any
	for _, w := range terms {
		n, k := float64(sc.passages), float64(df[w])
		if k == 0 {
			continue
		}
		score.WriteString("CASE WHEN p.search_index @@ CAST(? AS tsquery) THEN CAST(? AS float8) ELSE 0 END + ")
		args = append(args, lexeme(w), math.Log(1+(n-k+0.5)/(k+0.5)))
	}
	all := strings.Join(mapped(terms, lexeme), " | ")
	args = append(args, all, all)
	where := "p.search_index @@ CAST(? AS tsquery)"
	if sc.documents != nil {
		where, args = where+" AND p.document_id IN ?", append(args, sc.documents)
	} else if sc.collections != nil {
		where, args = where+" AND p.collection_id IN ?", append(args, sc.collections)
	}
	var rows []foundRow
	err := tx.Raw(`SELECT d.url, d.title, p.heading, p.text, p.start_at, p.end_at, p.ordinal, best.score
		FROM (SELECT p.id, `+score.String()+`ts_rank('{0.5, 0.5, 0.5, 1}', p.search_index, CAST(? AS tsquery)) AS score
			FROM passages AS p WHERE `+where+` ORDER BY score DESC, p.id LIMIT ?) AS best
		JOIN passages AS p ON p.id = best.id JOIN documents AS d ON d.id = p.document_id
		ORDER BY best.score DESC, p.id`, append(args, limit)...).Scan(&rows).Error
	return rows, err
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
