package paper

import (
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
)

// sentences are verdicts, a paragraph each, after what the results lack.
func (b *builder) sentences(verdicts []string) []string {
	if partial := b.partial(); partial != "" {
		return append([]string{partial}, verdicts...)
	}
	return verdicts
}

// partial says what data sets the comparisons lack, of those planned; "" for none.
func (b *builder) partial() string {
	stored, planned := b.mainSets()
	var text, some []string
	if len(stored) < planned {
		text = append(text, fmt.Sprintf("Results are on %d of %s.", len(stored), frame.Count(planned, "data set")))
	}
	for i, m := range b.table.Methods {
		if n := b.table.Coverage(i); n < len(b.table.Counted) {
			some = append(some, fmt.Sprintf("%s has %d", m, n))
		}
	}
	if some != nil {
		text = append(text, fmt.Sprintf("Partial: of the %s that means and ranks are over, %s; a comparison is over the data sets that both methods have.",
			frame.Count(len(b.table.Counted), "data set"), frame.Listed(some)))
	}
	return strings.Join(text, " ")
}

// mainSets are the sets of the main group with a result, and how many there are without one, too.
func (b *builder) mainSets() (stored []frame.Set, planned int) {
	for _, s := range b.table.Sets {
		if s.Group == frame.GroupMain {
			planned++
			if s.Finished() > 0 {
				stored = append(stored, s)
			}
		}
	}
	return stored, planned
}
