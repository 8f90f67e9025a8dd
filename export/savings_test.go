package export

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web/reckon"
)

// savings are those of two runs; every step's energy is known and so is what the
// small tier was expected to take; large is known in the second alone.
func savings() SavingsOf {
	var steps []research.RoutedStep
	for i, id := range []string{"r1", "=r2"} {
		end := at(i)
		s := research.Step{
			Role: research.Reader, Tier: research.Medium, Model: "embedded/medium", Outcome: research.OutcomeOK, FinishedAt: &end,
			Energy: spent(3.000001), RouterJoules: known(0.1), Decision: research.Decision{Policy: research.ProgRouter, Chosen: "embedded/medium"},
		}
		for n, t := range research.Tiers() {
			c := research.Candidate{Model: "embedded/" + string(t), Tier: t, Eligible: true, Expected: research.Cost{Joules: known(float64(n*n*n) + 0.333333)}}
			if t == research.Large && i == 0 {
				c.Expected.Joules = nil
			}
			s.Decision.Candidates = append(s.Decision.Candidates, c)
		}
		steps = append(steps, research.RoutedStep{RunID: id, Step: s})
	}
	return SavingsOf{Days: 30, Made: at(5), Period: reckon.OfPeriod(steps, reckon.Learning{Joules: research.ToMicro(1), Samples: 4}), Runs: reckon.ByRun(steps)}
}

func TestSavingsCSVSumsToItsTotal(t *testing.T) {
	t.Parallel()
	r, err := Savings(savings(), FormatSavingsCSV)
	if err != nil || r.Name != "savings-2026-11-30.csv" {
		t.Fatal(r.Name, err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 9 || rows[1][0] != "'=r2" || rows[3][0] != "r1" || rows[5][0] != "training" || rows[7][0] != "total" {
		t.Fatalf("%s", r.Body)
	}
	for col := 4; col < len(rows[0]); col++ {
		for _, against := range []string{"large", "small"} {
			var sum, total research.Micro
			for _, row := range rows[1:] {
				v, err := strconv.ParseFloat(row[col], 64)
				if err != nil {
					t.Fatalf("%s: %v", rows[0][col], err)
				}
				switch {
				case row[3] != against:
				case row[0] == "total":
					total = research.ToMicro(v)
				default:
					sum += research.ToMicro(v)
				}
			}
			if sum != total {
				t.Errorf("%s against %s: the rows make %s, the total is %s", rows[0][col], against, sum, total)
			}
		}
	}
	if rows[3][3] != "large" || rows[3][4] != "0" || rows[3][5] != "1" {
		t.Errorf("an unknown cost: %v", rows[3])
	}
	if rows[8][9] == "" || rows[8][9][0] != '-' {
		t.Errorf("a loss is not negative: %v", rows[8])
	}
}

func TestSavingsJSON(t *testing.T) {
	t.Parallel()
	r, err := Savings(savings(), FormatSavingsJSON)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Days    int `json:"days"`
		Savings struct {
			Small struct {
				Lost bool `json:"lost"`
			} `json:"small"`
		} `json:"savings"`
		ByRun []struct {
			Run string `json:"run"`
		} `json:"by_run"`
	}
	if err := json.Unmarshal(r.Body, &got); err != nil || got.Days != 30 || !got.Savings.Small.Lost || len(got.ByRun) != 2 {
		t.Errorf("%v\n%s", err, r.Body)
	}
	empty, err := Savings(SavingsOf{Made: at(0), Period: reckon.OfPeriod(nil, reckon.Learning{})}, FormatSavingsJSON)
	if err != nil || !strings.Contains(string(empty.Body), `"by_run": []`) {
		t.Errorf("%v\n%s", err, empty.Body)
	}
}

func TestSavingsInAnUnknownFormat(t *testing.T) {
	t.Parallel()
	_, err := Savings(savings(), "pdf")
	var e *research.Error
	if !errors.As(err, &e) || e.Field != "format" || !strings.Contains(e.Message, "csv, json") {
		t.Errorf("%v", err)
	}
	if r, err := Savings(savings(), ""); err != nil || !strings.HasSuffix(r.Name, ".csv") {
		t.Errorf("%s, %v", r.Name, err)
	}
}

// A report says what routing saved only where something was routed.
func TestReportsSayWhatRoutingSaved(t *testing.T) {
	t.Parallel()
	l := sample()
	md, err := Markdown(l, "en")
	if err != nil || !strings.Contains(md, "Against the large tier alone, routing saved nothing: it took 0.2 J") || !strings.Contains(md, "2 steps are not compared") {
		t.Errorf("%v\n%s", err, md)
	}
	l.Run.Policy = research.FixedLarge
	if md, err = Markdown(l, "en"); err != nil || strings.Contains(md, "tier alone") {
		t.Errorf("%v\n%s", err, md)
	}
}
