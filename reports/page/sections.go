package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// setSection is the section of a data set: the methods on it, and a plot of their splits.
type setSection struct {
	frame.Set
	ID, Link string
	About    string
	Plot     template.HTML
	Rows     []line
	Best     string   // methods with the best mean, with commas between them
	From     []string // programs and data, each with versions of methods
}

// methodSection is the section of a method: its verdict, and its results on all data sets.
type methodSection struct {
	Name, ID, Link string
	About          string
	Verdict        string        // a sentence; "" if the page does not test the method against all other methods
	Against        template.HTML // the differences from the other methods
	Command        string        // compares the method with the other methods; "" if there are none
	Chosen         template.HTML // the grid points that were chosen
	Rows           []line
	From           []string // versions, each with the program that computed it
}

// line is a cell as a row of a section's table. Its name is a method in the section of a set, and a set in the section
// of a method.
type line struct {
	Name, Link string
	Key        string // key of the cell; "" if nothing is stored
	Mean, Dev  string
	Best       bool
	Rank       string // among whole methods on the set
	Splits     string // "20" or "3 of 20"
	Printed    *printedCell
	Time       string
	Chosen     string // the grid point that was chosen most often
	Why        string // what the cell lacks, and why
}

func (p *Page) addSections() {
	t := p.table
	setIDs := ids(doc.Map(t.Sets, func(s frame.Set) string { return s.Name }))
	methodIDs := ids(t.Methods)
	for i, name := range t.Methods {
		m := p.Methods[i]
		m.ID = methodIDs[i]
		if p.Board != nil {
			m.Command = p.table.Frame.Run.Other("compare", name)
		}
	}
	for s, set := range t.Sets {
		section := p.Sets[s]
		section.ID, section.About = setIDs[s], about(set)
		best, ranks := t.Best(set), midRanks(&t, set)
		var versions frame.Groups[string, string] // by program and data
		for m, e := range set.Entries {
			rows := t.Cells(set.Name, e.Method)
			l := line{Rank: ranks[m], Best: best[m] && len(t.Methods) > 1, Time: seconds(rows), Chosen: p.chosen(rows),
				Why: doc.Flat(t.Lacks(set.Name, e.Method)), Splits: fmt.Sprint(len(e.Runs))}
			if len(rows) > 0 {
				l.Key = key(s, m)
			}
			l.Printed = p.Printed.cell(set.Name, e.Method, key(s, m))
			l.Mean, l.Dev = frame.Text(e.Mean, p.decimals()), p.deviation(e)
			if len(e.Runs) < len(t.Splits) {
				l.Splits = fmt.Sprintf("%d of %d", len(e.Runs), len(t.Splits))
			}
			l.Name = e.Method
			section.Rows = append(section.Rows, l)
			l.Name = set.Name
			p.Methods[m].Rows = append(p.Methods[m].Rows, l)
			for _, r := range rows {
				version, program, data := origin(r)
				versions.Add(strings.TrimPrefix(program+", "+data, ", "), version)
				frame.AppendUnique(&p.Methods[m].From, strings.TrimSuffix(version+", "+program, ", "))
			}
		}
		for _, from := range versions.Keys {
			section.From = append(section.From, doc.Flat(from+": "+
				strings.Join(slices.Compact(versions.Of[from]), ", ")))
		}
		var names []string
		for m, is := range best {
			if is && len(t.Methods) > 1 {
				names = append(names, set.Entries[m].Method)
			}
		}
		section.Best = wording.Few(names, wording.MostNames)
	}
	var average []*big.Rat
	if t.CheckRanked() == nil {
		average = stats.AverageRanks(t.Means())
	}
	for m, section := range p.Methods {
		section.About = p.aboutMethod(m, average)
	}
}

func about(set frame.Set) string {
	text := "No split is finished."
	if n := set.Finished(); n > 0 {
		text = fmt.Sprintf("%s, each of %s%d rows to train and %[2]s%[4]d to test.", frame.Count(n, "finished split"),
			set.About(), set.TrainRows, set.TestRows)
	}
	if set.Features > 0 {
		text = fmt.Sprintf("%d examples with %s. ", set.Rows, frame.Count(set.Features, "feature")) + text
	}
	switch {
	case set.Group == frame.GroupApart:
		text += " Shown apart, not in means and ranks."
	case set.Group == frame.GroupGenerated:
		text += " Drawn by a generator, not in means and ranks."
	case set.Unequal:
		text += " The methods finished different splits, so that their means do not compare."
	}
	return text
}

// aboutMethod says how often a method is the best, and its average rank. average has all ranks; nil if there are none.
func (p *Page) aboutMethod(m int, average []*big.Rat) string {
	best, finished := 0, 0
	for _, l := range p.Methods[m].Rows {
		if l.Best {
			best++
		}
		if l.Mean != frame.Absent {
			finished++
		}
	}
	text := fmt.Sprintf("Results on %s, the best mean on %d.", frame.Count(finished, "data set"), best)
	if covered, counted := p.table.Coverage(m), len(p.table.Counted); m >= len(p.table.Whole()) {
		text += fmt.Sprintf(" It has %d of the %s that count, so that it has no average rank.", covered,
			frame.Count(counted, "data set"))
	} else if average != nil {
		text += fmt.Sprintf(" Average rank %s of %d methods over %s.", average[m].FloatString(2), len(average),
			frame.Count(len(p.table.Counted), "set"))
	}
	return text
}

// chosen names the grid point that most finished runs chose, and their number. Of several it names the one of the first
// run. It returns "" for a method without a grid of several points.
func (p *Page) chosen(rows []store.Row) string {
	n, finished := map[string]int{}, 0
	var order []string
	for _, r := range rows {
		point := p.table.Frame.Chosen(r)
		if point == nil || len(p.table.Frame.Grids[r.GridHash]) < 2 {
			continue
		}
		finished++
		text := frame.PointText(point)
		if n[text]++; n[text] == 1 {
			order = append(order, text)
		}
	}
	if finished == 0 {
		return ""
	}
	most := slices.MaxFunc(order, func(a, b string) int { return cmp.Compare(n[a], n[b]) })
	return doc.Flat(fmt.Sprintf("%s (%d of %d)", most, n[most], finished))
}

// dataFor returns the data as JSON, with the current links, and with the cells for which pick is true.
func (p *Page) dataFor(pick func(set, method int) bool) (template.JS, error) {
	d := p.data
	d.Cells = map[string]cellData{}
	for s := range p.Sets {
		for m := range p.Methods {
			if c, ok := p.data.Cells[key(s, m)]; ok && pick(s, m) {
				d.Cells[key(s, m)] = c
			}
		}
	}
	d.Methods, d.Sets = slices.Clone(d.Methods), slices.Clone(d.Sets)
	for i := range d.Methods {
		d.Methods[i].Link = p.Methods[i].Link
	}
	for i := range d.Sets {
		d.Sets[i].Link = p.Sets[i].Link
	}
	b, err := json.Marshal(d)
	return template.JS(b), err
}
