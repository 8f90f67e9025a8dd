package store

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm/clause"

	"github.com/progrouter/progrouter/research"
)

// insertBatch keeps statements under the databases' limits on parameters.
const insertBatch = 200

// addArtefacts stores what a step brought. Plan and report replace the earlier
// ones.
func (t *txn) addArtefacts(row *runRow, step int, r research.Result) error {
	if err := t.addProducts(row, r); err != nil {
		return err
	}
	if err := t.addSources(row, step, r.Sources); err != nil {
		return err
	}
	if err := insert(t, mapped(r.Queries, func(q research.Query) queryRow {
		return queryRow{0, row.ID, step, q.Subquestion, q.Text, q.Provider, q.Results, q.Error, q.ErrorCode}
	})); err != nil {
		return err
	}
	if err := insert(t, mapped(r.Hits, func(h research.Hit) hitRow {
		return hitRow{0, row.ID, step, h.Subquestion, h.URL, h.Title, h.Snippet, h.Provider, h.Score}
	})); err != nil {
		return err
	}
	if err := t.addDiscarded(row.ID, step, r.Discarded); err != nil {
		return err
	}
	for _, n := range r.Notices {
		if !research.Noticed(row.Notices, n) {
			row.Notices = append(row.Notices, n)
		}
	}
	return insert(t, mapped(r.Evidence, func(e research.Evidence) evidenceRow {
		return evidenceRow{0, row.ID, e.ID, step, e.SourceID, e.Subquestion, e.Quote, e.Start, e.End, e.Heading, e.Score, e.Model}
	}))
}

// beforeSteps is the step of what was discarded before the run began.
const beforeSteps = -1

func (t *txn) addDiscarded(run string, step int, list []research.Discarded) error {
	return insert(t, mapped(list, func(d research.Discarded) discardedRow {
		return discardedRow{0, run, step, d.URL, d.Reason, d.Code}
	}))
}

func (t *txn) addProducts(row *runRow, r research.Result) error {
	p, columns := productRow{}, []string{}
	if r.Plan != nil {
		p.Plan, columns = *r.Plan, append(columns, "plan")
	}
	if r.Report != nil {
		p.Report, columns = *r.Report, append(columns, "report")
		row.Claims = len(r.Report.Claims)
	}
	if len(columns) == 0 {
		return nil
	}
	err := t.Model(&productRow{}).Where("run_id = ?", row.ID).Select(columns).Updates(&p).Error
	if err != nil {
		return fmt.Errorf("store plan and report: %w", err)
	}
	return nil
}

func (t *txn) addSources(row *runRow, step int, sources []research.Source) error {
	snaps := make([]snapshotRow, 0, len(sources))
	rows := make([]sourceRow, 0, len(sources))
	for _, src := range sources {
		snap, err := newSnapshot(src.URL, src.Text, src.SHA256)
		if err != nil {
			return err
		}
		snaps = append(snaps, snap)
		rows = append(rows, sourceRow{
			RunID: row.ID, ID: src.ID, Step: step, URL: src.URL, Title: src.Title, SHA256: src.SHA256,
			FetchedAt: micros(src.FetchedAt), MediaType: src.MediaType, Published: src.Published,
		})
	}
	if err := t.addSnapshots(snaps); err != nil {
		return err
	}
	row.Sources += len(rows)
	return insert(t, rows)
}

// newSnapshot checks that the text is what its hash says and can be stored.
func newSnapshot(url, text, sha string) (snapshotRow, error) {
	if research.HashText(text) != sha {
		return snapshotRow{}, fmt.Errorf("snapshot of %s: the text does not match its hash", url)
	}
	// Postgres takes neither, and both databases shall hold the same.
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return snapshotRow{}, fmt.Errorf("snapshot of %s: the text holds bytes that are not text", url)
	}
	return snapshotRow{SHA256: sha, Text: text}, nil
}

// addSnapshots keeps what is there: the same hash is the same text.
func (t *txn) addSnapshots(snaps []snapshotRow) error {
	if len(snaps) == 0 {
		return nil
	}
	if err := t.advisory("pg_advisory_xact_lock_shared", lockSnapshots); err != nil {
		return err
	}
	// One order for everybody, or two transactions could wait for each other.
	slices.SortFunc(snaps, func(a, b snapshotRow) int { return strings.Compare(a.SHA256, b.SHA256) })
	err := t.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(snaps, insertBatch).Error
	if err != nil {
		return fmt.Errorf("store snapshots: %w", err)
	}
	return nil
}

func insert[R any](t *txn, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	if err := t.CreateInBatches(rows, insertBatch).Error; err != nil {
		return fmt.Errorf("store %T: %w", rows[0], err)
	}
	return nil
}
