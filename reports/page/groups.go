package page

import (
	"errors"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/render"
)

// Groups are named groups of methods and of data sets, with the names of their members. They are those that --methods
// and --datasets take. The page has a button that chooses each group, and the tests of the group.
type Groups struct{ Methods, Sets map[string][]string }

// A group is a group of methods or of sets, which are given by their numbers in the table, in order.
type group struct {
	Name string `json:"name"` // "" for all
	Of   []int  `json:"of"`
}

// groupsData holds the groups of the page. Counted lists the numbers of the sets that enter means and ranks: of all
// methods on each group of sets, and then of each other group of methods on all sets.
type groupsData struct {
	Methods []group `json:"methods"`
	Sets    []group `json:"sets"`
	Counted [][]int `json:"counted"`
}

// newGroups returns the groups of the page, tests all methods on each group of sets and each group of methods on all
// sets, and adds a diagram of each result to p.Diagrams. The groups of sets are those of the options, and a group for
// each task, such as the binary sets. The tests of a group are one family.
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
	for _, of := range out.Sets {
		if err := p.addGroup(&out, boardTab{Of: "sets", Group: of.Name}, t.Methods, at(sets, of)); err != nil {
			return out, err
		}
	}
	for _, methods := range out.Methods[1:] {
		tab := boardTab{Of: "methods", Group: methods.Name}
		if err := p.addGroup(&out, tab, at(t.Methods, methods), sets); err != nil {
			return out, err
		}
	}
	return out, nil
}

func at(names []string, g group) []string {
	return doc.Map(g.Of, func(i int) string { return names[i] })
}

// addGroup adds what is known of methods on sets: the sets that count, a diagram, and a leaderboard, if the group has a
// name.
func (p *Page) addGroup(out *groupsData, tab boardTab, methods, sets []string) (err error) {
	part, ev := p.table, p.evidence
	if tab.Group != "" {
		part = p.table.Part(methods, sets)
		if ev, err = p.evidenceOf(&part); err != nil {
			return err
		}
	}
	counted := []int{}
	for i, s := range p.table.Sets {
		if slices.Contains(part.Counted, s.Name) {
			counted = append(counted, i)
		}
	}
	out.Counted = append(out.Counted, counted)
	p.Diagrams = append(p.Diagrams, p.diagram(&part, ev, tab.Group == ""))
	if p.Board == nil || tab.Group == "" {
		return nil
	}
	err = p.fillTab(&tab, &part, ev)
	p.Tabs = append(p.Tabs, tab)
	return err
}

// groupsOf lists a group of all names, and then the given groups that have at least two members among the names. Of
// groups with the same members it lists the first one only.
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

// A boardTab is the leaderboard of all methods on a group of sets, or of a group of methods on all sets.
type boardTab struct {
	Of, Group string // "sets" or "methods", and the name of the group
	Board     *board // nil where nothing compares
	Sentence  string
}

// fillTab makes the leaderboard of a part of the table. The evidence is nil if nothing compares.
func (p *Page) fillTab(tab *boardTab, part *frame.Table, ev *evidence.Evidence) error {
	if ev == nil {
		tab.Sentence = noRanks
		return nil
	}
	o := compare.Options{Method: ev.Method, Level: ev.Level}.Asked(part)
	asked, err := compare.PageOf(part, ev, o)
	if errors.Is(err, frame.ErrNoResults) {
		tab.Sentence = noVerdict(err)
		return nil
	}
	if err != nil {
		return err
	}
	b, err := compare.Rank(part, ev, slices.Index(part.Methods, o.Method))
	if err != nil {
		return err
	}
	tab.Board = p.newBoard(part, ev, b)
	tab.Board.Group = tab.Group
	tab.Sentence = asked.Summary() + " " + b.Candidates()
	if ev.Over == 0 {
		tab.Sentence += fmt.Sprintf(" %s are enough.", frame.Count(ev.Enough, "data set"))
	}
	tab.Sentence += ofGroup
	return nil
}

const (
	noRanks = "There are no ranks of this choice: ranks need two methods that have the same data sets."
	ofGroup = " The level holds for this group by itself, if you chose it before you saw results."
)

// evidenceOf compares the methods of a part of the table with the method that was named before the data were seen. If
// no method was named, or if it is not a whole method of the part, it compares all pairs.
func (p *Page) evidenceOf(part *frame.Table) (*evidence.Evidence, error) {
	if p.evidence == nil || part.CheckComparable() != nil {
		return nil, nil
	}
	o := p.evidence.Options
	if !slices.Contains(part.Whole(), o.Method) {
		o.Method = ""
	}
	ev, err := evidence.Compare(part, o)
	if err == nil {
		compare.Register(part, ev)
	}
	return ev, err
}

// diagram draws the average ranks of a part of the table. Bars join methods without a significant difference. The
// evidence is nil if there is nothing to compare. all says that the part is the whole table.
func (p *Page) diagram(part *frame.Table, ev *evidence.Evidence, all bool) template.HTML {
	if ev == nil || part.CheckComparable() != nil {
		return render.Fragment("", doc.Prose{Paragraphs: []string{noRanks}})
	}
	sets := frame.Count(len(part.Counted), "data set")
	text := fmt.Sprintf("Wilcoxon's signed-rank test over %s, adjusted for %s; level %v.", sets, ev.Family(), ev.Level)
	if ev.Over == 0 {
		text = fmt.Sprintf("Not testable: %s at level %v among so many comparisons. %d sets are enough.",
			compare.TooFew(ev, len(part.Counted), sets), ev.Level, ev.Enough)
	}
	if !all {
		text += ofGroup
	}
	figure := compare.DiagramOf(part, ev)
	figure.Detail = true // it is as wide as a column, so that its text can be read on a phone
	return render.Fragment("", doc.Prose{Paragraphs: []string{text}}, figure)
}
