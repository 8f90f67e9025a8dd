package retrieval

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/research"
)

type failing struct{ err error }

func (failing) Name() string { return "Wikipedia" }
func (f failing) Search(context.Context, string, string, int) ([]research.Hit, error) {
	return nil, f.err
}

// A search that fails is said once in words and once by a code that pages
// translate by.
func TestSearchTroubleIsCoded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		providers []Provider
		code      string
		queries   int
	}{
		{"known", []Provider{failing{research.Errorf(research.EUnavailable, "search_down", "It is down.")}}, "search_down", 1},
		{"no network", []Provider{failing{research.Errorf(research.EUnavailable, "no_network", "The web cannot be searched: example.org does not answer.")}}, "no_network", 1},
		{"our own", []Provider{failing{errors.New("secret")}}, noticeFailed, 1},
		{"none", nil, noticeUnset, 0},
	} {
		f := NewFinder(nil, nil, tt.providers, nil)
		_, queries, notices, _, err := f.Search(t.Context(), research.Request{Web: true}, "q", 3)
		if err != nil || len(notices) != 1 || notices[0].Code != tt.code || notices[0].Text == "" {
			t.Errorf("%s: %+v, %v", tt.name, notices, err)
		}
		if strings.Contains(notices[0].Text, "cannot be searched") {
			t.Errorf("%s: the failure is said twice: %q", tt.name, notices[0].Text)
		}
		if len(queries) != tt.queries || tt.queries > 0 && (queries[0].ErrorCode != tt.code || queries[0].Error == "") {
			t.Errorf("%s: %+v", tt.name, queries)
		}
	}
}
