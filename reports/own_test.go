package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// ahead are 13 sets of five methods of which A has the most correct rows on each set, and E the fewest.
func ahead(imported bool) sample.Input {
	var rows []store.Row
	for s := range 13 {
		for m, name := range []string{"A", "B", "C", "D", "E"} {
			for split := range 3 {
				r := sample.OK(fmt.Sprintf("s%02d", s), name, split+1, 90-2*m-(s+split)%3, 100)
				if seconds := 1.0; imported {
					r.Imported, r.FitSeconds = "field.db", &seconds
				}
				rows = append(rows, r)
			}
		}
	}
	return sample.Of(3, rows...)
}

// The family of a method of one's own is its comparisons, also where it is the best one. A method of the program that
// leads, and one that came in a file of results, are compared as on the leaderboard.
func TestOwnMethod(t *testing.T) {
	for name, c := range map[string]struct {
		own      []string
		imported bool
		method   string
		want     []string
	}{
		"first": {own: []string{"A"}, method: "A", want: []string{
			"A against the mean of the field: significantly better, typical difference +5.00 points",
			"It is better than at least 4 and worse than at least 0 of 4 methods (rank 1 to 1 of 5).",
			"adjusted for 4 comparisons of A, which did not come with the program"}},
		"last": {own: []string{"E"}, method: "E", want: []string{
			"E against the mean of the field: significantly worse, typical difference -5.00 points",
			"It is better than at least 0 and worse than at least 4 of 4 methods (rank 5 to 5 of 5).",
			"adjusted for 4 comparisons of E"}},
		"two of one's own": {own: []string{"A", "B"}, method: "A", want: []string{
			"A against the mean of the field: significantly better, typical difference +6.00 points",
			"adjusted for 7 comparisons of A and B"}},
		"of the program": {method: "A", want: []string{"10 comparisons of each method with each"}},
		"of a file of results": {own: []string{"A"}, imported: true, method: "A", want: []string{
			"10 comparisons of each method with each"}},
	} {
		in := ahead(c.imported)
		in.Own = c.own
		text := strings.Join(said(page(t, in, usual(c.method))), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page says %q, and not %q", name, text, want)
			}
		}
	}
}
