package accuracy

import (
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
)

// splitsAre names the splits of the table's sets: random divisions, draws of the methods over one division of
// a set, or both kinds.
func (t *table) splitsAre() string {
	draws := 0
	for _, s := range t.Sets {
		if s.Draws {
			draws++
		}
	}
	switch draws {
	case 0:
		return "random train/test splits"
	case len(t.Sets):
		return "draws of the method"
	}
	return "random train/test splits, or draws of the method"
}

// drawNotes names the sets whose rows are divided once, and which methods repeat a fit there.
func (t *table) drawNotes() []string {
	var notes []string
	for _, s := range t.Sets {
		if !s.Draws || s.Finished() == 0 {
			continue
		}
		var repeated []string
		others, unknown := "", false
		for _, c := range s.Entries {
			fits, known := frame.Fits(t.Cells(s.Name, c.Method))
			switch n := len(c.Runs); {
			case !known:
				unknown = true
			case fits < n:
				repeated = append(repeated, fmt.Sprintf("%s %d of %d", c.Method, fits, n))
			case n > 0:
				others = ", all of the others"
			}
		}
		what := "all distinct fits"
		switch {
		case unknown:
			what = "whether fits repeat is not known of every method"
		case repeated != nil:
			what = "distinct fits: " + strings.Join(repeated, ", ") + others
		}
		notes = append(notes, fmt.Sprintf("%s: one division, %s of the method (%s).", s.Name, frame.Count(s.Finished(), "draw"), what))
	}
	return notes
}
