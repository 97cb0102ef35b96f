package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
)

// sentences returns the verdicts, a paragraph each, after a paragraph on what the results lack.
func (b *builder) sentences(verdicts []string) []string {
	if partial := b.partial(); partial != "" {
		return append([]string{partial}, verdicts...)
	}
	return verdicts
}

// partial says which data sets of the protocol and of the request the comparisons lack, for some or all methods; ""
// if none.
func (b *builder) partial() string {
	stored := b.stored()
	var text, some []string
	switch chosen, of := b.chosen(); {
	case chosen == 0 && of > 0:
		text = append(text, "The data sets are none of the protocol's.")
	case chosen < of:
		text = append(text, fmt.Sprintf("Of the protocol's %s, %d were chosen.", frame.Count(of, "data set"), chosen))
	}
	if len(stored) < b.planned {
		text = append(text, fmt.Sprintf("Results%s are on %d of %s.", b.of, len(stored),
			frame.Count(b.planned, "data set")))
	}
	for i, m := range b.table.Methods {
		if n := b.table.Coverage(i); n < len(b.table.Counted) {
			some = append(some, fmt.Sprintf("%s has all splits on %d", m, n))
		}
	}
	if some != nil {
		text = append(text, fmt.Sprintf("Partial: of the %s that means and ranks are over, %s; a comparison is over "+
			"the data sets that both methods have.",
			frame.Count(len(b.table.Counted), "data set"), frame.Listed(some)))
	}
	return strings.Join(text, " ")
}

// chosen counts the protocol's data sets that are not shown apart (of), and how many of these were requested
// (chosen): all if no set was named.
func (b *builder) chosen() (chosen, of int) {
	p := b.table.Frame.Protocol
	for _, name := range p.Datasets {
		if slices.Contains(p.Apart, name) {
			continue
		}
		of++
		if b.table.Frame.Datasets == nil || slices.ContainsFunc(b.table.Sets,
			func(s frame.Set) bool { return s.Name == name }) {
			chosen++
		}
	}
	return chosen, of
}

func (b *builder) stored() []frame.Set {
	return slices.DeleteFunc(mainSets(b.table), func(s frame.Set) bool { return s.Finished() == 0 })
}

func mainSets(t *frame.Table) []frame.Set {
	return slices.DeleteFunc(slices.Clone(t.Sets), func(s frame.Set) bool { return s.Group != frame.GroupMain })
}
