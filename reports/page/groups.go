package page

import (
	"fmt"
	"html/template"
	"maps"
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/ranking"
	"github.com/kernelboosting/bench/reports/render"
)

// Groups are the names of several methods and of several data sets, as --methods and --datasets take
// them. A reader of the page chooses such a group at once, and the page has its tests.
type Groups struct{ Methods, Sets map[string][]string }

// A group is methods or sets, by their places in the table, in order.
type group struct {
	Name string `json:"name"` // "" for all
	Of   []int  `json:"of"`
}

// groupsData is the groups of which the page has a part. Counted has the places of the sets that enter means and
// ranks, for each group of methods on each group of sets: on all groups of sets for the first group of methods, then
// for the second, and so on.
type groupsData struct {
	Methods []group `json:"methods"`
	Sets    []group `json:"sets"`
	Counted [][]int `json:"counted"`
}

// newGroups tests each group of methods on each group of sets. Groups of sets are the named ones, and the sets of each
// task. A group is a family of tests of its own.
func (p *Page) newGroups(o Options) (out groupsData, err error) {
	t := &p.table
	var sets []string // of the main group, which are the first ones of the table
	named := map[string][]string{}
	for _, s := range t.Sets {
		if s.Group != frame.GroupMain {
			continue
		}
		sets = append(sets, s.Name)
		if e, err := t.Frame.Sets.Entry(s.Name); err == nil {
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
				part = t.Part(doc.Map(methods.Of, at(t.Methods)), doc.Map(of.Of, at(sets)))
				if ev, err = p.evidenceOf(&part); err != nil {
					return out, err
				}
			}
			counted := []int{}
			for i, s := range t.Sets {
				if slices.Contains(part.Counted, s.Name) {
					counted = append(counted, i)
				}
			}
			out.Counted = append(out.Counted, counted)
			p.Diagrams = append(p.Diagrams, p.diagram(&part, ev, len(out.Counted) == 1))
		}
	}
	return out, nil
}

// groupsOf lists the groups of which at least two members are among names. Of groups with the same members only the
// first is listed. The first has all.
func groupsOf(names []string, groups map[string][]string) []group {
	out := []group{{Of: []int{}}}
	for i := range names {
		out[0].Of = append(out[0].Of, i)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		of := slices.DeleteFunc(slices.Clone(out[0].Of), func(i int) bool {
			return !slices.Contains(groups[name], names[i])
		})
		if len(of) > 1 && !slices.ContainsFunc(out, func(g group) bool { return slices.Equal(g.Of, of) }) {
			out = append(out, group{name, of})
		}
	}
	return out
}

// evidenceOf compares the methods of a part of the table: with the method that was named before the data were seen, if
// the part has it, and else each with each.
func (p *Page) evidenceOf(part *frame.Table) (*evidence.Evidence, error) {
	if p.evidence == nil || part.CheckComparable() != nil {
		return nil, nil
	}
	o := p.evidence.Options
	if !slices.Contains(part.Whole(), o.Method) {
		o.Method = ""
	}
	return evidence.Compare(part, o)
}

// diagram draws the average ranks of a part of the table, with bars where no difference is significant. The evidence is
// nil where there is nothing to compare.
func (p *Page) diagram(part *frame.Table, ev *evidence.Evidence, whole bool) template.HTML {
	if ev == nil || part.CheckComparable() != nil {
		const none = "There are no ranks of this choice: they take two methods that have the same data sets."
		return render.Fragment("", doc.Prose{Paragraphs: []string{none}})
	}
	sets := frame.Count(len(part.Counted), "data set")
	text := fmt.Sprintf("Wilcoxon's signed-rank test over %s, adjusted for %s; level %v.", sets, ev.Family(), ev.Level)
	if ev.Over == 0 {
		text = fmt.Sprintf("Not testable: no result of %s can be significant at level %v among so many comparisons. "+
			"%d sets are enough.", sets, ev.Level,
			ev.Enough)
	}
	if !whole {
		text += " The level holds of this group by itself, if you chose it before you saw results."
	}
	figure := ranking.DiagramOf(part, ev)
	figure.Detail = true // as wide as a column, so that letters can be read on a phone
	return render.Fragment("", doc.Prose{Paragraphs: []string{text}}, figure)
}
