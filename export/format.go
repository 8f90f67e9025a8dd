package export

import "time"

// stamp writes a time for people who may be anywhere: UTC, to the minute.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
