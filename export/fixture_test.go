package export

import (
	"time"

	"github.com/progrouter/progrouter/research"
)

func known(f float64) *research.Micro { return research.Known(research.ToMicro(f)) }

func at(minute int) time.Time { return time.Date(2026, 11, 30, 9, minute, 0, 0, time.UTC) }

func spent(joules float64) research.Energy {
	return research.Energy{Joules: known(joules), Low: known(joules / 2), High: known(joules * 2), Method: research.MethodCPU}
}

// sample is a finished run with what makes exports break: brackets, pipes, HTML,
// a script address, CJK, emoji, contradictions and unknown costs.
func sample() *research.Ledger {
	done := at(4)
	text := "WAL files are archived by archive_command. <b>Never</b> delete | them & wait.\n\n보관된 WAL 파일은 복구에 필요합니다 🗄️."
	l := &research.Ledger{
		Run: research.Run{
			Request: research.Request{Question: "How are WAL files [archived]?", Language: "en", Depth: research.Quick, Policy: research.ProgRouter},
			ID:      "r1", Status: research.Partial, StopReason: "The joule budget is used up.", StopCode: "budget", CreatedAt: at(0), FinishedAt: &done,
			Budget: research.Budget{Joules: known(10)}, ActiveSeconds: 2.5, Notices: []research.Note{{Text: "The web could not be reached."}},
		},
		Queries: []research.Query{{Subquestion: "q1", Text: "wal archive", Provider: "library", Results: 3}},
		Sources: []research.Source{
			{ID: "s1", URL: "https://example.org/wal?x=(1)&y=<2>", Title: "WAL | Archiving [*draft*]", Text: text, FetchedAt: at(1), SHA256: research.HashText(text)},
			{ID: "s2", URL: "library:docs/복구.md", Title: "복구 안내", Text: text, FetchedAt: at(2), SHA256: research.HashText(text)},
			{ID: "s3", URL: "javascript:alert(1)", Title: "<script>alert(1)</script>", Text: "x", FetchedAt: at(2), SHA256: research.HashText("x")},
		},
		Discarded: []research.Discarded{{URL: "http://10.0.0.1/`x`", Reason: "The address is private. Allow it with PROGROUTER_ALLOW_HOSTS.", Code: "private_address"}},
		Evidence: []research.Evidence{
			{ID: "e1", SourceID: "s1", Subquestion: "q1", Quote: "WAL files are archived by archive_command.", Start: 0, End: 42},
			{ID: "e2", SourceID: "s1", Subquestion: "q1", Quote: "<b>Never</b> delete | them & wait.", Start: 43, End: 77},
			{ID: "e3", SourceID: "s2", Subquestion: "q2", Quote: "보관된 WAL 파일은 복구에 필요합니다 🗄️.", Start: 79, End: 104},
			{ID: "e4", SourceID: "s1", Subquestion: "q2", Quote: "unused", Start: 0, End: 6},
		},
		Report: research.Report{
			Title: "Archiving of WAL files", Summary: []string{"c1", "c3"}, NotFound: []string{"How fast is it?"},
			Sections: []research.Section{
				{Subquestion: "q1", Heading: "How # it works", ClaimIDs: []string{"c1", "c2"}},
				{Subquestion: "q2", Heading: "복구", ClaimIDs: []string{"c3", "c4", "c5"}},
			},
			Claims: []research.Claim{
				{ID: "c1", Subquestion: "q1", Text: "WAL files are archived by archive_command.", EvidenceIDs: []string{"e1"}, Verdict: research.Supported, InSummary: true},
				{ID: "c2", Subquestion: "q1", Text: "<b>Never</b> delete | them & wait.", EvidenceIDs: []string{"e2"}, Verdict: research.Weak, Note: "Only one source says so."},
				{ID: "c3", Subquestion: "q2", Text: "보관된 WAL 파일은 복구에 필요합니다 🗄️.", EvidenceIDs: []string{"e3", "e1"}, Verdict: research.Supported},
				{ID: "c4", Subquestion: "q2", Text: "1. They are needed.", EvidenceIDs: []string{"e3"}, Verdict: research.Contradicted, Contradicts: []string{"c5"}},
				{ID: "c5", Subquestion: "q2", Text: "They are not needed.", EvidenceIDs: []string{"e2"}, Verdict: research.Contradicted, Contradicts: []string{"c4"}},
			},
			Reviewed: true, Draft: 1,
		},
	}
	l.Plan.Subquestions = []research.Subquestion{{ID: "q1", Text: "How?", Heading: "How # it works"}, {ID: "q2", Text: "복구?", Heading: "복구"}}
	l.Steps = []research.Step{
		{Index: 0, Role: research.Planner, Tier: research.Small, Model: "embedded/small", Outcome: research.OutcomeOK, StartedAt: at(0), FinishedAt: &done, Seconds: 0.1, Dollars: known(0), Energy: spent(0.1), RouterJoules: known(0.001), RetrievalJoules: known(0.01), ProgressAfter: 0.2, Tokens: research.Tokens{Counted: "none"}, Decision: research.Decision{Policy: research.ProgRouter, Chosen: "embedded/small", Reason: "=cheapest that moves the run"}},
		{Index: 1, Role: research.Reader, Tier: research.Large, Model: "embedded/large", Outcome: research.OutcomeOK, StartedAt: at(1), FinishedAt: &done, Seconds: 2.2, Dollars: known(0.000001), Energy: spent(0.2), RouterJoules: known(0.002), ProgressBefore: 0.2, ProgressAfter: 0.7, Tokens: research.Tokens{Counted: "none"}, Decision: research.Decision{Reason: "hardest, \"so\" large"}},
		{Index: 2, Role: research.Writer, Tier: research.Small, Model: "embedded/small", Outcome: research.OutcomeInterrupted, StartedAt: at(2), FinishedAt: &done, Seconds: 0.2, Energy: research.Energy{Method: research.MethodUnknown}, ProgressBefore: 0.7, ProgressAfter: 0.7, Tokens: research.Tokens{Counted: "none"}},
		{Index: 3, Role: research.Reviewer, Tier: research.Small, Model: "embedded/small", StartedAt: at(3), ProgressBefore: 0.7},
	}
	return l
}
