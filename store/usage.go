package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// usageRow is one group of finished steps.
type usageRow struct {
	Name     string
	Steps    int
	Runs     int
	Joules   int64
	Low      int64
	High     int64
	MethodLo string
	MethodHi string
	Dollars  int64
	Seconds  float64
	Unknown  int
	Unpriced int
}

// usageSums adds the integer millionths, so every grouping has the same total.
// Methods are those of known joules: two different ones make the sum mixed.
const usageSums = `COUNT(*) AS steps, COUNT(DISTINCT run_id) AS runs,
	CAST(COALESCE(SUM(joules), 0) AS BIGINT) AS joules,
	CAST(COALESCE(SUM(CASE WHEN joules IS NOT NULL THEN joules_low END), 0) AS BIGINT) AS low,
	CAST(COALESCE(SUM(CASE WHEN joules IS NOT NULL THEN joules_high END), 0) AS BIGINT) AS high,
	COALESCE(MIN(CASE WHEN joules IS NOT NULL THEN method END), '') AS method_lo,
	COALESCE(MAX(CASE WHEN joules IS NOT NULL THEN method END), '') AS method_hi,
	CAST(COALESCE(SUM(dollars), 0) AS BIGINT) AS dollars,
	COALESCE(SUM(seconds), 0) AS seconds,
	COUNT(CASE WHEN joules IS NULL THEN 1 END) AS unknown,
	COUNT(CASE WHEN dollars IS NULL THEN 1 END) AS unpriced`

// Usage sums the steps that finished in [from, to); a zero time is open. Runs
// by status are those created in that time. A row's seconds are the sum of its
// steps' seconds.
func (s *Store) Usage(ctx context.Context, from, to time.Time) (research.Usage, error) {
	u := research.Usage{ByStatus: map[research.Status]int{}}
	err := s.read(ctx, func(tx *gorm.DB) error {
		groups := []struct {
			column string
			keep   func(name string, r research.UsageRow)
		}{
			{"''", func(_ string, r research.UsageRow) { u.Total = r }},
			{"day", func(n string, r research.UsageRow) { r.Day = n; u.ByDay = append(u.ByDay, r) }},
			{"tier", func(n string, r research.UsageRow) { r.Tier = research.Tier(n); u.ByTier = append(u.ByTier, r) }},
			{"role", func(n string, r research.UsageRow) { r.Role = research.Role(n); u.ByRole = append(u.ByRole, r) }},
			{"policy", func(n string, r research.UsageRow) { r.Policy = research.Policy(n); u.ByPolicy = append(u.ByPolicy, r) }},
		}
		for _, g := range groups { // five groupings, whatever the data
			if err := usageBy(tx, g.column, from, to, g.keep); err != nil {
				return err
			}
		}
		return countStatuses(tx, from, to, u.ByStatus)
	})
	if err != nil {
		return research.Usage{}, fmt.Errorf("usage: %w", err)
	}
	return u, nil
}

func usageBy(tx *gorm.DB, column string, from, to time.Time, keep func(string, research.UsageRow)) error {
	var rows []usageRow
	q := between(tx.Model(&stepRow{}), "finished_at", from, to).Where("outcome <> ''").Select(column + " AS name, " + usageSums)
	if column != "''" {
		q = q.Group(column).Order(column)
	}
	if err := q.Find(&rows).Error; err != nil {
		return err
	}
	for _, r := range rows {
		keep(r.Name, r.domain())
	}
	return nil
}

func (r usageRow) domain() research.UsageRow {
	return research.UsageRow{
		Steps: r.Steps, Runs: r.Runs, Joules: research.Micro(r.Joules), Low: research.Micro(r.Low), High: research.Micro(r.High),
		Method: research.MixMethods(r.MethodLo, r.MethodHi), Dollars: research.Micro(r.Dollars), Seconds: r.Seconds,
		UnknownSteps: r.Unknown, UnpricedSteps: r.Unpriced,
	}
}

func between(q *gorm.DB, column string, from, to time.Time) *gorm.DB {
	if !from.IsZero() {
		q = q.Where(column+" >= ?", micros(from))
	}
	if !to.IsZero() {
		q = q.Where(column+" < ?", micros(to))
	}
	return q
}

func countStatuses(tx *gorm.DB, from, to time.Time, into map[research.Status]int) error {
	var rows []struct {
		Status research.Status
		N      int
	}
	err := between(tx.Model(&runRow{}), "created_at", from, to).Select("status, COUNT(*) AS n").Group("status").Find(&rows).Error
	for _, r := range rows {
		into[r.Status] = r.N
	}
	return err
}
