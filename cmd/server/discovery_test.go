package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/progrouter/progrouter/llm/chat"
	"github.com/progrouter/progrouter/research"
)

func model(id string, billions float64) chat.Found {
	return chat.Found{ID: id, Parameters: billions, Chats: true}
}

func TestProposeTiers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found []chat.Found
		want  string
	}{
		"nothing":         {nil, ""},
		"one small":       {[]chat.Found{model("a", 3)}, "a small"},
		"one medium":      {[]chat.Found{model("a", 8)}, "a medium"},
		"one large":       {[]chat.Found{model("a", 70)}, "a large"},
		"by size":         {[]chat.Found{model("c", 70), model("a", 3), model("b", 8)}, "a small, b medium, c large"},
		"limits":          {[]chat.Found{model("a", 4), model("b", 14), model("c", 14.1)}, "a small, b medium, c large"},
		"three small":     {[]chat.Found{model("b", 0.5), model("a", 0.135), model("c", 1.5)}, "a small, b medium, c large"},
		"three large":     {[]chat.Found{model("a", 30), model("b", 70), model("c", 120)}, "a small, b medium, c large"},
		"two small":       {[]chat.Found{model("a", 1), model("b", 3)}, "a small, b large"},
		"two large":       {[]chat.Found{model("a", 30), model("b", 70)}, "a small, b large"},
		"small and large": {[]chat.Found{model("a", 1), model("b", 70)}, "a small, b large"},
		"four":            {[]chat.Found{model("a", 1), model("b", 3), model("c", 4), model("d", 70)}, "a small, b small, c medium, d large"},
		"one and many":    {[]chat.Found{model("a", 1), model("b", 30), model("c", 70), model("d", 120)}, "a small, b medium, c large, d large"},
		"alike":           {[]chat.Found{model("a", 8), model("b", 8)}, "a medium, b medium"},
		"two alike":       {[]chat.Found{model("a", 1), model("b", 3), model("c", 3)}, "a small, b large, c large"},
		"embeds":          {[]chat.Found{{ID: "nomic", Parameters: 0.1}, model("a", 3)}, "a small"},
		"only embeds":     {[]chat.Found{{ID: "nomic", Parameters: 0.1}}, ""},
		"no size":         {[]chat.Found{model("a", 0), model("b", 0)}, "a large"},
		"some size":       {[]chat.Found{model("a", 0), model("b", 3)}, "b small"},
	} {
		var got []string
		for id, tier := range ProposeTiers(c.found) {
			got = append(got, fmt.Sprintf("%s %s", id, tier))
		}
		slices.Sort(got)
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", name, s, c.want)
		}
	}
}

// Whatever is installed: a larger model is never in a lower tier than a smaller
// one, models of one size are together, and as many tiers are filled as there
// are sizes.
func TestProposedTiersRise(t *testing.T) {
	t.Parallel()
	rank := map[research.Tier]int{research.Small: 0, research.Medium: 1, research.Large: 2}
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []float64{0.135, 0.5, 1.5, 3, 4, 7, 8, 14, 32, 70, 120}
	for range 2000 {
		var found []chat.Found
		for i := range 1 + r.IntN(7) {
			found = append(found, model(fmt.Sprint(i), sizes[r.IntN(len(sizes))]))
		}
		got := ProposeTiers(found)
		filled, different := map[research.Tier]bool{}, map[float64]bool{}
		for _, a := range found {
			filled[got[a.ID]], different[a.Parameters] = true, true
			for _, b := range found {
				if a.Parameters <= b.Parameters && rank[got[a.ID]] > rank[got[b.ID]] {
					t.Fatalf("%v: %v", found, got)
				}
			}
		}
		if len(filled) < min(3, len(different)) {
			t.Fatalf("%v: %d tiers filled of %d sizes: %v", found, len(filled), len(different), got)
		}
	}
}
