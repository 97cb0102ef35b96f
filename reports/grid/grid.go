// Package grid shows which grid points were chosen, and what the choices say about the grid.
//
// For every method whose grid has more than one point, the report shows how often each value of each axis was
// chosen on each set. It also names the sets where the choice sits on the edge of the grid, so that a wider grid
// might do better. Another table shows how much better the chosen point looked in the folds than it was on the
// test rows: the folds choose the best of many points, so its result in the folds is too good.
//
// If the protocol tests every grid point (test_grid), the report says what the choice cost: how much better
// the best point in hindsight is on the same test rows. Otherwise only the chosen point is tested.
package grid

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/kernelboosting/bench/reports/stats"
)

// axis is a parameter that varies in a method's grid.
type axis struct {
	name    string
	values  []string                  // as they are written, in increasing order where all are numbers
	numeric bool                      // all values are numbers
	chosen  map[string]map[string]int // finished splits by set and value
}

// edgeShare is the least share of a set's splits that must choose an edge, so that the set is named.
const edgeShare = 0.5

// Build returns the document. It is an error if no requested method has a grid of several points, or if stored cells
// contradict each other.
func Build(f frame.Frame, o report.Options) (doc.Document, error) {
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	d := doc.Document{
		Report: "grid", Label: cmp.Or(o.Label, "tab:grid:"+t.Protocol), Warnings: t.Warnings, Provenance: t.Provenance, Notes: t.NotesOfPairs(),
		Title: cmp.Or(o.Title, fmt.Sprintf("Chosen grid points, protocol %s", t.Protocol)),
	}
	records := doc.Records{Name: "choices", Columns: []string{"protocol", "method", "dataset", "parameter", "value", "place", "places", "splits", "splits_ok", "version"}}
	var edges []string
	var tables, figures []doc.Block
	for _, m := range t.Methods {
		axes, err := axesOf(t, f.Grids, m)
		if err != nil {
			return d, err
		}
		if len(axes) == 0 {
			continue
		}
		tables = append(tables, choices(t, m, axes))
		for _, a := range axes {
			figures = append(figures, a.figure(m))
			a.record(t, m, &records)
			edges = append(edges, a.edges(t, m)...)
		}
	}
	if len(tables) == 0 {
		return d, fmt.Errorf("%w: no method of the table has a grid of several points", frame.ErrNoResults)
	}
	if len(edges) == 0 {
		edges = []string{"No choice sits on an edge of a grid on half of a set's splits or more."}
	} else {
		edges = append([]string{"On half of a set's splits or more the choice sits on an edge of the grid, so that a wider grid might do better, unless the edge is a natural one:"}, edges...)
	}
	d.Blocks = append([]doc.Block{doc.Prose{Heading: "Edges", Paragraphs: edges}}, tables...)
	if len(flatteredMethods(t)) > 0 {
		d.Blocks = append(d.Blocks, flattery(t))
	}
	hindsight := regrets(t, f.Grids)
	if len(hindsight) > 0 {
		d.Blocks = append(d.Blocks, regretTable(t, hindsight))
	}
	d.Blocks = append(d.Blocks, figures...)
	d.Blocks = append(append(d.Blocks, t.MissingCode()...), records, flatteryRecords(t))
	if len(hindsight) > 0 {
		d.Blocks = append(d.Blocks, regretRecords(t, hindsight))
	}
	d.Blocks = append(d.Blocks, t.MissingRecords()...)
	return d, nil
}

// axesOf returns the parameters that vary in the grids of a method's cells, with what was chosen.
func axesOf(t frame.Table, grids map[string][]json.RawMessage, method string) ([]*axis, error) {
	var axes []*axis
	read := map[string]bool{}
	for _, s := range t.Sets {
		for _, r := range t.Cells(s.Name, method) {
			if read[r.GridHash] {
				continue
			}
			read[r.GridHash] = true
			for _, point := range grids[r.GridHash] {
				if err := addPoint(&axes, point); err != nil {
					return nil, fmt.Errorf("a grid point of %s on %s: %w", method, s.Name, err)
				}
			}
		}
	}
	axes = slices.DeleteFunc(axes, func(a *axis) bool { return len(a.values) < 2 })
	slices.SortFunc(axes, func(a, b *axis) int { return strings.Compare(a.name, b.name) })
	for _, a := range axes {
		a.sort()
		for _, s := range t.Sets {
			for _, r := range t.Cells(s.Name, method) {
				if points := grids[r.GridHash]; r.Status == result.OK && r.Selected != nil && *r.Selected < len(points) {
					if err := a.choose(s.Name, points[*r.Selected]); err != nil {
						return nil, fmt.Errorf("%s on %s, split %d: %w", method, s.Name, r.Split, err)
					}
				}
			}
		}
	}
	return axes, nil
}

// addPoint adds the values of a grid point to the axes.
func addPoint(axes *[]*axis, point json.RawMessage) error {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(point, &values); err != nil {
		return err
	}
	for name, v := range values {
		i := slices.IndexFunc(*axes, func(a *axis) bool { return a.name == name })
		if i < 0 {
			i = len(*axes)
			*axes = append(*axes, &axis{name: name, chosen: map[string]map[string]int{}})
		}
		if a := (*axes)[i]; !slices.Contains(a.values, string(v)) {
			a.values = append(a.values, string(v))
		}
	}
	return nil
}

func (a *axis) sort() {
	numbers := map[string]float64{}
	for _, v := range a.values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return
		}
		numbers[v] = x
	}
	a.numeric = true
	slices.SortFunc(a.values, func(v, w string) int { return cmp.Compare(numbers[v], numbers[w]) })
}

func (a *axis) choose(set string, params json.RawMessage) error {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(params, &values); err != nil {
		return err
	}
	if a.chosen[set] == nil {
		a.chosen[set] = map[string]int{}
	}
	a.chosen[set][string(values[a.name])]++
	return nil
}

// total is the number of a set's splits with a known choice.
func (a *axis) total(set string) int {
	n := 0
	for _, k := range a.chosen[set] {
		n += k
	}
	return n
}

// edges says on which sets the choice sits on an edge.
func (a *axis) edges(t frame.Table, method string) []string {
	if !a.numeric || len(a.values) < 3 {
		return nil
	}
	var lines []string
	for _, edge := range []struct{ value, name string }{{a.values[0], "least"}, {a.values[len(a.values)-1], "largest"}} {
		var sets []string
		for _, s := range t.Sets {
			if n, of := a.chosen[s.Name][edge.value], a.total(s.Name); of > 0 && float64(n) >= edgeShare*float64(of) {
				sets = append(sets, fmt.Sprintf("%s (%d of %d)", s.Name, n, of))
			}
		}
		if len(sets) > 0 {
			lines = append(lines, fmt.Sprintf("%s, %s = %s, the %s of %d values: %s.", method, a.name, edge.value, edge.name, len(a.values), strings.Join(sets, ", ")))
		}
	}
	return lines
}

// choices is the table of a method: sets by values.
func choices(t frame.Table, method string, axes []*axis) doc.Table {
	out := doc.Table{Heading: method, Caption: "Splits in which each value was chosen, " + method, Label: method, Corner: "Data set"}
	for _, a := range axes {
		for _, v := range a.values {
			out.Head = append(out.Head, doc.Column{Name: v, Group: a.name})
		}
	}
	var rows []doc.Row
	for _, s := range t.Sets {
		if axes[0].total(s.Name) == 0 {
			continue
		}
		row := doc.Row{Name: s.Name}
		for _, a := range axes {
			for _, v := range a.values {
				text := frame.Absent
				if n := a.chosen[s.Name][v]; n > 0 {
					text = strconv.Itoa(n)
				}
				row.Entries = append(row.Entries, doc.Entry{Text: text})
			}
		}
		rows = append(rows, row)
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

// figure is the histogram of an axis over all sets.
func (a *axis) figure(method string) doc.Figure {
	var bars []plot.Bar
	for _, v := range a.values {
		n := 0
		for _, chosen := range a.chosen {
			n += chosen[v]
		}
		bars = append(bars, plot.Bar{Name: v, Value: float64(n)})
	}
	return doc.Figure{Name: method + " " + a.name, Title: method, About: a.name + ", over all sets", Plot: plot.Bars(bars, a.name, "splits that chose it"), Detail: true,
		Alt: fmt.Sprintf("How often each value of %s was chosen for %s", a.name, method)}
}

func (a *axis) record(t frame.Table, method string, records *doc.Records) {
	for _, s := range t.Sets {
		for i, v := range a.values {
			if of := a.total(s.Name); of > 0 {
				records.Add(t.Protocol, method, s.Name, a.name, v, i+1, len(a.values), a.chosen[s.Name][v], of, t.Version(s.Name, method))
			}
		}
	}
}

// folds is the mean of the metric over the folds of a cell's chosen point; nil without any.
func folds(t frame.Table, r store.Row) *big.Rat {
	var values []*big.Rat
	for _, e := range r.Folds {
		if r.Selected == nil || e.GridIndex != *r.Selected {
			continue
		}
		if v := t.ValueOf(e.Score); v != nil {
			values = append(values, v)
		}
	}
	return stats.NewSpread(values).Mean
}

// flattered is a method's mean over the counted sets that it has, in the folds and on the test rows.
type flattered struct {
	method      string
	sets        int
	folds, test *big.Rat
}

func flatteredMethods(t frame.Table) []flattered {
	var out []flattered
	for i, m := range t.Methods {
		var inFolds, onTest []*big.Rat
		for _, s := range t.Sets {
			if !s.Counted || !s.Entries[i].Has {
				continue
			}
			var values []*big.Rat
			for _, r := range t.Cells(s.Name, m) {
				if v := folds(t, r); v != nil && r.Status == result.OK {
					values = append(values, v)
				}
			}
			if mean := stats.NewSpread(values).Mean; mean != nil {
				inFolds, onTest = append(inFolds, mean), append(onTest, s.Entries[i].Mean)
			}
		}
		if len(inFolds) > 0 {
			out = append(out, flattered{m, len(inFolds), stats.NewSpread(inFolds).Mean, stats.NewSpread(onTest).Mean})
		}
	}
	return out
}

// flattery is the table that compares results in the folds with results on the test rows.
func flattery(t frame.Table) doc.Table {
	out := doc.Table{Heading: "Folds beside test", Caption: fmt.Sprintf("Mean %s of the chosen points in their folds and on the test rows", t.Metric.Title), Label: "flattery", Corner: "Method",
		Head:   []doc.Column{{Name: "sets"}, {Name: "folds"}, {Name: "test"}, {Name: "diff.", Long: "difference", Kind: doc.Signed}},
		Legend: []string{"Sets: those of Mean in report accuracy that the method has, with folds.", "Folds train on fewer rows than the refit, which makes them look worse; choosing by them makes them look better."}}
	decimals := 4
	if t.Metric.Percent {
		decimals = 2
	}
	var rows []doc.Row
	for _, x := range flatteredMethods(t) {
		rows = append(rows, doc.Row{Name: x.method, Entries: []doc.Entry{{Text: strconv.Itoa(x.sets)}, {Text: frame.Text(x.folds, decimals)}, {Text: frame.Text(x.test, decimals)},
			{Text: frame.Signed(difference(t, x), decimals)}}})
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

// difference is how much better the folds look than the test rows.
func difference(t frame.Table, x flattered) *big.Rat {
	d := new(big.Rat).Sub(x.folds, x.test)
	if t.Metric.Better == metric.Lower {
		d.Neg(d)
	}
	return d
}

func flatteryRecords(t frame.Table) doc.Records {
	out := doc.Records{Name: "folds", Columns: []string{"protocol", "metric", "method", "datasets", "folds", "test", "flattery"}}
	for _, x := range flatteredMethods(t) {
		out.Add(t.Protocol, t.Metric.Name, x.method, x.sets, frame.Float(x.folds), frame.Float(x.test), frame.Float(difference(t, x)))
	}
	return out
}
