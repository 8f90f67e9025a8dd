package retrieval

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/progrouter/progrouter/research"
)

// pagesOf hands out pages with links; addresses with "slow" never answer.
type pagesOf map[string][]string

func (p pagesOf) Fetch(ctx context.Context, u string) (research.Document, *research.Discarded, error) {
	if strings.Contains(u, "slow") {
		<-ctx.Done()
		return research.Document{}, nil, ctx.Err()
	}
	return research.Document{URL: u, Text: "x", Links: p[u]}, nil, nil
}

func TestSlowPageDoesNotEndFollowing(t *testing.T) {
	t.Parallel()
	f := NewFinder(nil, pagesOf{"https://a.org/1": {"https://a.org/2"}}, nil, func(_, _ string) bool { return true })
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	hits, _, _, discarded, err := f.Search(ctx, research.Request{URLs: []string{"https://a.org/slow", "https://a.org/1"}, Follow: 1}, "q", 5)
	if err != nil || ctx.Err() != nil || len(hits) != 3 {
		t.Fatalf("%+v, %v", hits, err)
	}
	if len(discarded) != 1 || discarded[0].URL != "https://a.org/slow" || discarded[0].Code != "timeout" || discarded[0].Reason == "" {
		t.Errorf("%+v", discarded)
	}
}

func TestEndedSearchIsNoTimeout(t *testing.T) {
	t.Parallel()
	f := NewFinder(nil, pagesOf{}, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, _, discarded, err := f.Search(ctx, research.Request{URLs: []string{"https://a.org/slow"}, Follow: 1}, "q", 5)
	if err == nil || len(discarded) != 0 {
		t.Errorf("%+v, %v", discarded, err)
	}
}
