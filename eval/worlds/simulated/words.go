package simulated

import (
	"math/rand/v2"
	"strings"
)

// wording is what items of one kind are written with. Topics stand in the order
// of their difficulty, demands in none.
type wording struct {
	opening []string
	topics  []string
	things  []string // what a topic is about, with no bearing on difficulty
	demands []string
}

// write words an item: an opening, its topic about some thing, and as many
// demands. It gets no difficulty, so that the words cannot tell more of it.
func (w wording) write(topic, demands int, rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString(w.opening[rng.IntN(len(w.opening))])
	b.WriteString(" ")
	b.WriteString(strings.ReplaceAll(w.topics[topic], "#", w.things[rng.IntN(len(w.things))]))
	for _, i := range rng.Perm(len(w.demands))[:demands] {
		b.WriteString(" ")
		b.WriteString(w.demands[i])
	}
	return b.String()
}

var words = map[string]wording{
	code: {
		opening: []string{"Write a function that", "Implement a function which", "Complete the function so that it"},
		topics: []string{
			"formats # as a line of text.", "keeps those of # that match a given value.", "counts how often each value occurs in #.",
			"sorts # by two keys.", "computes the days between two dates found in #.", "parses an expression written over #.",
			"finds by recursion every way to split #.", "finds the cheapest path through a graph of #.",
		},
		things: []string{"words", "orders", "numbers", "sensor readings", "file names", "scores", "events", "prices"},
		demands: []string{
			"An empty input gives an empty result.", "Upper and lower case are the same.", "Ties keep the order of the input.",
			"Values that are missing are skipped.", "Negative values raise an error.", "The input may not be changed.",
		},
	},
	mathematics: {
		opening: []string{"Solve the problem.", "Find the exact value.", "Work it out."},
		topics: []string{
			"What is the sum of # given one by one?", "What share of # is left after two of them are taken?",
			"Solve a linear equation for the number of #.", "Find the area that # cover in the plane.",
			"Find the remainder when a power of the number of # is divided by a prime.", "In how many ways can # stand in a circle?",
			"Find every root of a polynomial whose coefficients count #.", "Find the expected number of draws until all # were seen.",
		},
		things: []string{"marbles", "tickets", "tiles", "coins", "students", "cards", "lamps", "books"},
		demands: []string{
			"The number is even.", "No two of them are alike.", "Give the answer as a fraction in lowest terms.",
			"Each is counted once.", "The first is fixed.", "Assume that all are positive.",
		},
	},
	question: {
		opening: []string{"Answer from the passages and cite them.", "Write a cited answer.", "Answer, with a citation for each statement."},
		topics: []string{
			"When was the museum of # opened?", "Who wrote the best-known book about #?", "Where are most # made?",
			"Who holds the record for #?", "Which of the films about # won the prize?", "How did the rules for # change?",
			"Who was meant when the newspapers called someone the king of #?", "Which of the accounts of the first # is right?",
		},
		things: []string{"clocks", "bridges", "kites", "lighthouses", "trams", "orchards", "canals", "maps"},
		demands: []string{
			"Name every reading of the question.", "Give the year.", "Say which sources disagree.",
			"Tell the countries apart.", "Leave out what is not in the passages.", "Give the full names.",
		},
	},
}
