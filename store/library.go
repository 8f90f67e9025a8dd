package store

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// PutDocument indexes a document in a collection. One of the same URL there is
// replaced when its text differs and kept as it is when it does not.
func (s *Store) PutDocument(ctx context.Context, collection string, doc research.Document, passages []research.IndexedPassage) error {
	return s.PutDocuments(ctx, collection, []research.Document{doc}, [][]research.IndexedPassage{passages})
}

// PutDocuments indexes many documents in one transaction, which is several
// times faster than one by one. passages[i] belong to docs[i].
func (s *Store) PutDocuments(ctx context.Context, collection string, docs []research.Document, passages [][]research.IndexedPassage) error {
	if len(docs) != len(passages) {
		return fmt.Errorf("put documents: %d documents, passages of %d", len(docs), len(passages))
	}
	return s.write(ctx, func(t *txn) error {
		id, err := t.collection(collection)
		if err != nil {
			return err
		}
		fresh, err := t.changed(id, docs, passages)
		if err != nil || len(fresh) == 0 {
			return err
		}
		return t.addDocuments(id, fresh)
	})
}

// indexed is a document on its way into the index.
type indexed struct {
	doc      research.Document
	passages []research.IndexedPassage
}

// collection finds or makes a collection and keeps others from changing it
// until the transaction ends.
func (t *txn) collection(name string) (int64, error) {
	var id int64
	err := t.Raw(`INSERT INTO collections (name, passages, words) VALUES (?, 0, 0)
		ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id`, name).Scan(&id).Error
	if err != nil {
		return 0, fmt.Errorf("collection: %w", err)
	}
	return id, nil
}

// changed drops what is stored already, takes out what will be replaced, and
// keeps the last of several documents with one URL.
func (t *txn) changed(collection int64, docs []research.Document, passages [][]research.IndexedPassage) ([]indexed, error) {
	byURL := make(map[string]int, len(docs))
	urls := make([]string, 0, len(docs))
	for i, d := range docs {
		if _, seen := byURL[d.URL]; !seen {
			urls = append(urls, d.URL)
		}
		byURL[d.URL] = i
	}
	var have []documentRow
	if err := t.Select("id", "url", "sha256").Where("collection_id = ? AND url IN ?", collection, urls).Find(&have).Error; err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	var stale []documentRow
	for _, h := range have {
		if docs[byURL[h.URL]].SHA256 == h.SHA256 {
			delete(byURL, h.URL)
			continue
		}
		stale = append(stale, h)
	}
	var fresh []indexed
	for _, u := range urls {
		if i, ok := byURL[u]; ok {
			fresh = append(fresh, indexed{docs[i], passages[i]})
		}
	}
	return fresh, t.removeDocuments(collection, stale)
}

func (t *txn) addDocuments(collection int64, list []indexed) error {
	rows := make([]documentRow, len(list))
	snaps := make([]snapshotRow, len(list))
	for i, x := range list {
		d := x.doc
		var err error
		if snaps[i], err = newSnapshot(d.URL, d.Text, d.SHA256); err != nil {
			return err
		}
		rows[i] = documentRow{
			CollectionID: collection, URL: d.URL, Title: d.Title, SearchFold: strings.ToLower(d.Title + "\n" + d.URL),
			MediaType: d.MediaType, Published: d.Published, Language: d.Language, Links: d.Links,
			SHA256: d.SHA256, Bytes: len(d.Text), Passages: len(x.passages), AddedAt: micros(t.s.now()),
		}
	}
	if err := t.addSnapshots(snaps); err != nil {
		return err
	}
	if err := insert(t, rows); err != nil {
		return err
	}
	return t.addPassages(collection, rows, list)
}

// Document reads a library document with its text; when several collections
// have the URL, the one added last.
func (s *Store) Document(ctx context.Context, url string) (research.Document, error) {
	var row documentRow
	err := s.db.WithContext(ctx).Select("documents.*, snapshots.text").
		Joins("JOIN snapshots ON snapshots.sha256 = documents.sha256").
		Where("url = ?", url).Order("documents.id DESC").Limit(1).Take(&row).Error
	if isMissing(err) {
		return research.Document{}, notFound("document", url)
	}
	if err != nil {
		return research.Document{}, safe(fmt.Errorf("read document: %w", err))
	}
	return row.document(), nil
}

// Documents lists the library, the newest first, and how many there are in
// all. text searches titles and URLs.
func (s *Store) Documents(ctx context.Context, text string, limit, offset int) ([]research.LibraryDocument, int, error) {
	if limit <= 0 {
		limit = defaultListLimit
	}
	var rows []documentRow
	var total int64
	err := s.read(ctx, func(tx *gorm.DB) error {
		where := func() *gorm.DB {
			q := tx.Session(&gorm.Session{})
			if text != "" {
				q = q.Where(`search_fold LIKE ? ESCAPE '\'`, contains(text))
			}
			return q
		}
		if err := where().Model(&documentRow{}).Count(&total).Error; err != nil {
			return err
		}
		return where().Select("documents.*, collections.name AS collection").
			Joins("JOIN collections ON collections.id = documents.collection_id").
			Order("added_at DESC, documents.id DESC").Limit(limit).Offset(max(0, offset)).Find(&rows).Error
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list documents: %w", err)
	}
	return mapped(rows, documentRow.listed), int(total), nil
}

// RemoveDocument takes a URL out of every collection. Runs that read it keep
// their snapshots.
func (s *Store) RemoveDocument(ctx context.Context, url string) error {
	return s.removeWhere(ctx, func(q *gorm.DB) *gorm.DB { return q.Where("url = ?", url) }, notFound("document", url))
}

// RemoveCollection takes every document of a collection out; none is no error.
func (s *Store) RemoveCollection(ctx context.Context, name string) error {
	return s.removeWhere(ctx, func(q *gorm.DB) *gorm.DB {
		return q.Where("collection_id = (SELECT id FROM collections WHERE name = ?)", name)
	}, nil)
}

func (s *Store) removeWhere(ctx context.Context, where func(*gorm.DB) *gorm.DB, none error) error {
	return s.write(ctx, func(t *txn) error {
		var rows []documentRow
		if err := where(t.Select("id", "collection_id", "sha256")).Order("collection_id").Find(&rows).Error; err != nil {
			return fmt.Errorf("read documents: %w", err)
		}
		if len(rows) == 0 {
			return none
		}
		byCollection := map[int64][]documentRow{}
		var order []int64
		for _, r := range rows {
			if byCollection[r.CollectionID] == nil {
				order = append(order, r.CollectionID)
			}
			byCollection[r.CollectionID] = append(byCollection[r.CollectionID], r)
		}
		for _, c := range order { // the collections that share the URL
			if err := t.removeDocuments(c, byCollection[c]); err != nil {
				return err
			}
		}
		return nil
	})
}
