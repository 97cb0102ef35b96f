package paper

import (
	"fmt"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
)

// few is the number of other methods up to which the text has sentences for each of them; the table of comparisons has all.
const few = 3

// sentences are what is found, a paragraph each: first what the results lack, then the verdicts of bench compare.
func (b *builder) sentences() []string {
	if partial := b.partial(); partial != "" {
		return append([]string{partial}, b.lines...)
	}
	return b.lines
}

// text is the sentences for a paper: of many other methods those on all of them together.
func (b *builder) text() []string {
	all := b.sentences()
	if each := len(b.lines) - 1; each > few {
		return all[:len(all)-each]
	}
	return all
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
