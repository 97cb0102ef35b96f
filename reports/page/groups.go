package page

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Groups are the names that stand for several methods and for several data sets, as --methods and --datasets take them. A reader of the
// page chooses such a group at once, and the page has its tests.
type Groups struct{ Methods, Sets map[string][]string }

// A group is methods or sets, by their places in the table, in order.
type group struct {
	Name string `json:"name"` // "" for all
	Of   []int  `json:"of"`
}

// prepared is what the program computed of a group of methods on a group of sets.
type prepared struct {
	Counted []int   `json:"counted"`         // places of the sets that enter means and ranks
	Lines   [][]int `json:"lines,omitempty"` // places of the methods that are joined, the best first
	Text    string  `json:"text,omitempty"`  // what lines mean, and the tests behind them; "" where there are no ranks
}

// groupsData is all groups of which the page has a part, and what was computed of each group of methods on each group of sets: on all
// groups of sets for the first group of methods, then for the second, and so on.
type groupsData struct {
	Methods  []group    `json:"methods"`
	Sets     []group    `json:"sets"`
	Prepared []prepared `json:"prepared"`
}

// newGroups tests each group of methods on each group of sets. Groups of sets are the named ones, and the sets of each task. A group is a
// family of tests of its own.
func (p *Page) newGroups(f frame.Frame, o Options) (out groupsData, err error) {
	t := &p.table
	var sets []string // of the main group, which are the first ones of the table
	named := map[string][]string{}
	for _, s := range t.Sets {
		if s.Group != frame.GroupMain {
			continue
		}
		sets = append(sets, s.Name)
		if e, err := f.Sets.Entry(s.Name); err == nil {
			named[e.Task.String()] = append(named[e.Task.String()], s.Name)
		}
	}
	maps.Copy(named, o.Groups.Sets)
	out.Methods, out.Sets = groupsOf(t.Methods, o.Groups.Methods), groupsOf(sets, named)
	for m, methods := range out.Methods {
		for s, of := range out.Sets {
			part, ev := *t, p.evidence
			if m+s > 0 {
				at := func(names []string) func(int) string { return func(i int) string { return names[i] } }
				part = t.Part(doc.Each(methods.Of, at(t.Methods)), doc.Each(of.Of, at(sets)))
				if ev, err = p.evidenceOf(&part); err != nil {
					return out, err
				}
			}
			out.Prepared = append(out.Prepared, p.prepare(&part, ev))
		}
	}
	return out, nil
}

// groupsOf lists the groups of which at least two members are among names, but for such as have the same ones. The first has all.
func groupsOf(names []string, groups map[string][]string) []group {
	out := []group{{Of: []int{}}}
	for i := range names {
		out[0].Of = append(out[0].Of, i)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		of := slices.DeleteFunc(slices.Clone(out[0].Of), func(i int) bool { return !slices.Contains(groups[name], names[i]) })
		if len(of) > 1 && !slices.ContainsFunc(out, func(g group) bool { return slices.Equal(g.Of, of) }) {
			out = append(out, group{name, of})
		}
	}
	return out
}

// evidenceOf compares the methods of a part of the table: with the method that was named before the data were seen, if the part has it,
// and else each with each.
func (p *Page) evidenceOf(part *frame.Table) (*evidence.Evidence, error) {
	if p.evidence == nil || part.CheckComparable() != nil {
		return nil, nil
	}
	o := p.evidence.Options
	if !slices.Contains(part.Whole(), o.Method) {
		o.Method = ""
	}
	return evidence.Of(part, o)
}

// prepare says which methods of a part of the table are joined. The evidence is nil where there is nothing to compare.
func (p *Page) prepare(part *frame.Table, ev *evidence.Evidence) prepared {
	t := &p.table
	out := prepared{Counted: []int{}}
	for i, s := range t.Sets {
		if slices.Contains(part.Counted, s.Name) {
			out.Counted = append(out.Counted, i)
		}
	}
	if ev == nil || part.CheckComparable() != nil {
		return out
	}
	apart := map[[2]int]bool{}
	for _, q := range ev.Pairs {
		apart[[2]int{q.A, q.B}], apart[[2]int{q.B, q.A}] = q.Verdict.Found(), q.Verdict.Found()
	}
	order := stats.Order(stats.AverageRanks(part.Means()))
	lines := stats.Groups(order, func(a, b int) bool { return !apart[[2]int{a, b}] })
	named := slices.Index(part.Methods, ev.Method)
	switch {
	case ev.Over == 0:
		out.Text = fmt.Sprintf("%s cannot tell any two of the methods apart at level %v: that takes %d.",
			frame.Count(len(part.Counted), "data set"), ev.Level, ev.Fewest)
	case named >= 0:
		lines = [][]int{slices.DeleteFunc(order, func(m int) bool { return apart[[2]int{m, named}] })}
		out.Text = fmt.Sprintf("The line marks %[1]s and what is not told apart from it. Other methods are not tested beside one another here.", ev.Method)
	case len(lines) > 0:
		out.Text = "Dots on one line at the right are methods that are not told apart: none is found to be better than another one of them."
	default:
		out.Text = "Each method is told apart from each other one."
	}
	if ev.Over > 0 {
		out.Text += fmt.Sprintf(" Adjusted for %s (Wilcoxon's signed-rank test over data sets; differences of at most %s do not count; level %v).",
			compare.Family(ev), ev.Region.Text(t.Metric), ev.Level)
	}
	for _, line := range lines {
		out.Lines = append(out.Lines, doc.Each(line, func(m int) int { return slices.Index(t.Methods, part.Methods[m]) }))
	}
	return out
}
