package store

import "github.com/progrouter/progrouter/research"

// collectionRow keeps what a search needs to know of a whole collection.
type collectionRow struct {
	ID       int64
	Name     string
	Passages int64
	Words    int64 // body words of all passages
}

func (collectionRow) TableName() string { return "collections" }

type documentRow struct {
	ID           int64
	CollectionID int64
	URL          string
	Title        string
	SearchFold   string // title and URL in lower case
	MediaType    string
	Published    string
	Language     string
	Links        []string `gorm:"serializer:json"`
	SHA256       string   `gorm:"column:sha256"`
	Bytes        int
	Passages     int
	AddedAt      int64
	Text         string `gorm:"->"` // joined from snapshots
	Collection   string `gorm:"->"` // joined from collections
}

func (documentRow) TableName() string { return "documents" }

func (r documentRow) document() research.Document {
	return research.Document{
		URL: r.URL, Title: r.Title, Text: r.Text, MediaType: r.MediaType, Published: r.Published,
		Language: r.Language, Links: r.Links, SHA256: r.SHA256,
	}
}

func (r documentRow) listed() research.LibraryDocument {
	return research.LibraryDocument{
		URL: r.URL, Title: r.Title, Collection: r.Collection, MediaType: r.MediaType, SHA256: r.SHA256,
		Passages: r.Passages, Bytes: r.Bytes, AddedAt: at(r.AddedAt),
	}
}

// passageRow has its index words stored too: they are needed to take it out of
// the index again.
type passageRow struct {
	ID         int64
	DocumentID int64
	Ordinal    int
	Heading    string
	Text       string
	StartAt    int
	EndAt      int
	Terms      string
	TitleTerms string
	// On Postgres the row itself is indexed.
	CollectionID int64
	SearchIndex  string
}

func (passageRow) TableName() string { return "passages" }

// foundRow is a passage that a search found.
type foundRow struct {
	URL     string
	Title   string
	Heading string
	Text    string
	StartAt int
	EndAt   int
	Ordinal int
	Score   float64
}

func (r foundRow) domain() research.PassageHit {
	return research.PassageHit{
		Passage: research.Passage{
			URL: r.URL, Title: r.Title, Heading: r.Heading, Text: r.Text, Start: r.StartAt, End: r.EndAt, Ordinal: r.Ordinal,
		},
		Score: r.Score,
	}
}
