package table

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
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

// Grid shows which grid points were chosen, and what the choices say about the grid.
func Grid(t *frame.Table) (doc.Document, error) {
	d := doc.Document{Title: fmt.Sprintf("Chosen grid points, protocol %s", t.Protocol), Notes: t.NotesOfPairs()}
	records := doc.Records{Name: "choices", Columns: []string{"protocol", "method", "dataset", "parameter", "value",
		"place", "places", "splits", "splits_ok", "version"}}
	chosen, edges, err := Choices(t)
	if err != nil {
		return d, err
	}
	d.Blocks = []doc.Block{doc.Prose{Heading: "Edges", Paragraphs: edges}}
	var figures []doc.Block
	for _, c := range chosen {
		d.Blocks = append(d.Blocks, c.Table)
		for _, a := range c.axes {
			figures = append(figures, a.figure(t.Methods[c.Place]))
			a.record(t, t.Methods[c.Place], &records)
		}
	}
	inFolds, folds := flattery(t)
	if inFolds.Sections != nil {
		d.Blocks = append(d.Blocks, inFolds)
	}
	all := []doc.Block{records, folds}
	if table, records := regrets(t); table.Sections != nil {
		d.Blocks, all = append(d.Blocks, table), append(all, records)
	}
	d.Blocks = append(d.Blocks, figures...)
	d.Blocks = append(d.Blocks, all...)
	return d, nil
}

// A Choice is what a method chose of its grid.
type Choice struct {
	Place int       // of the method in the table
	Table doc.Table // how often each value was chosen on each set
	axes  []*axis
}

// Choices returns what the methods chose whose grids have several points, and sentences on choices at edges. It is
// [frame.ErrNoResults] if there is no such method.
func Choices(t *frame.Table) (all []Choice, edges []string, err error) {
	for i, m := range t.Methods {
		axes, err := axesOf(t, m)
		if err != nil {
			return nil, nil, err
		}
		if len(axes) == 0 {
			continue
		}
		all = append(all, Choice{i, choices(t, m, axes), axes})
		for _, a := range axes {
			edges = append(edges, a.edges(t, m)...)
		}
	}
	switch {
	case all == nil:
		return nil, nil, fmt.Errorf("%w: no method of the table has a grid of several points", frame.ErrNoResults)
	case edges == nil:
		return all, []string{"No choice sits on an edge of a grid on half of a set's splits or more."}, nil
	}
	return all, append([]string{"On half of a set's splits or more the choice sits on an edge of the grid, so that a " +
		"wider grid might do better, unless the edge is a natural one:"}, edges...), nil
}

// axesOf returns the parameters that vary in the grids of a method's cells, with what was chosen.
func axesOf(t *frame.Table, method string) ([]*axis, error) {
	var axes []*axis
	read := map[string]bool{}
	for _, s := range t.Sets {
		for _, r := range t.Cells(s.Name, method) {
			if read[r.GridHash] {
				continue
			}
			read[r.GridHash] = true
			for _, point := range t.Frame.Grids[r.GridHash] {
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
				if point := t.Frame.Chosen(r); point != nil {
					if err := a.choose(s.Name, point); err != nil {
						return nil, fmt.Errorf("%s on %s, split %d: %w", method, s.Name, r.Split, err)
					}
				}
			}
		}
	}
	return axes, nil
}

func addPoint(axes *[]*axis, point json.RawMessage) error {
	values := map[string]json.RawMessage{}
	if err := strictjson.Unmarshal(point, &values); err != nil {
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
	if err := strictjson.Unmarshal(params, &values); err != nil {
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

func (a *axis) edges(t *frame.Table, method string) []string {
	if !a.numeric || len(a.values) < 3 {
		return nil
	}
	var lines []string
	for _, edge := range []struct{ value, name string }{{a.values[0], "least"},
		{a.values[len(a.values)-1], "largest"}} {
		var sets []string
		for _, s := range t.Sets {
			if n, of := a.chosen[s.Name][edge.value], a.total(s.Name); of > 0 && float64(n) >= edgeShare*float64(of) {
				sets = append(sets, fmt.Sprintf("%s (%d of %d)", s.Name, n, of))
			}
		}
		if len(sets) > 0 {
			lines = append(lines, fmt.Sprintf("%s, %s = %s, the %s of %d values: %s.", method, a.name, edge.value,
				edge.name, len(a.values), strings.Join(sets, ", ")))
		}
	}
	return lines
}

func choices(t *frame.Table, method string, axes []*axis) doc.Table {
	out := doc.Table{Heading: method, Caption: "Splits in which each value was chosen, " + method, Label: method,
		Corner: "Data set"}
	for _, a := range axes {
		for _, v := range a.values {
			out.Head = append(out.Head, doc.Column{Name: v, Group: a.name})
		}
	}
	for _, s := range t.Sets {
		if axes[0].total(s.Name) == 0 {
			continue
		}
		var row []doc.Entry
		for _, a := range axes {
			for _, v := range a.values {
				text := frame.Absent
				if n := a.chosen[s.Name][v]; n > 0 {
					text = strconv.Itoa(n)
				}
				row = append(row, doc.Entry{Text: text})
			}
		}
		out.Add(s.Name, row...)
	}
	return out
}

func (a *axis) figure(method string) doc.Figure {
	counts := plot.Series{Values: make([]plot.Point, len(a.values))}
	for i, v := range a.values {
		for _, chosen := range a.chosen {
			counts.Values[i].Y += float64(chosen[v])
		}
	}
	return doc.Figure{Name: method + " " + a.name, Title: method, About: a.name + ", over all sets",
		Plot: plot.Groups(a.values, []plot.Series{counts}, nil, "", a.name, plot.Axis{Title: "splits that chose it",
			Whole: true, Zero: true}), Detail: true,
		Alt: fmt.Sprintf("How often each value of %s was chosen for %s", a.name, method)}
}

func (a *axis) record(t *frame.Table, method string, records *doc.Records) {
	for _, s := range t.Sets {
		for i, v := range a.values {
			if of := a.total(s.Name); of > 0 {
				records.Add(t.Protocol, method, s.Name, a.name, v, i+1, len(a.values), a.chosen[s.Name][v], of,
					t.Version(s.Name, method))
			}
		}
	}
}

// flattery compares results of the chosen points in the folds with those on the test rows: for each method the
// means over the counted sets that it has.
func flattery(t *frame.Table) (doc.Table, doc.Records) {
	out := doc.Table{Heading: "Folds and test", Caption: fmt.Sprintf(
		"Mean %s of the chosen points in their folds and on the test rows", t.Metric.Title), Label: "flattery",
		Corner: "Method", Head: []doc.Column{{Name: "sets"}, {Name: "folds"}, {Name: "test"},
			{Name: "diff.", Long: "difference", Kind: doc.Signed}},
		Legend: []string{"Sets: those of Mean in report accuracy that the method has, with folds.",
			"Folds train on fewer rows than the refit, which makes them look worse; choosing by them makes them " +
				"look better."}}
	records := doc.Records{Name: "folds", Columns: []string{"protocol", "metric", "method", "datasets", "folds",
		"test", "flattery"}}
	for i, m := range t.Methods {
		var inFolds, onTest []*big.Rat
		for _, s := range t.Sets {
			if !s.Counted || !s.Entries[i].Has {
				continue
			}
			var values []*big.Rat
			for _, r := range t.Cells(s.Name, m) {
				if v := t.InFolds(r); v != nil && r.Status == result.OK {
					values = append(values, v)
				}
			}
			if mean := stats.Mean(values); mean != nil {
				inFolds, onTest = append(inFolds, mean), append(onTest, s.Entries[i].Mean)
			}
		}
		folds, test := stats.Mean(inFolds), stats.Mean(onTest)
		if folds == nil {
			continue
		}
		better := t.Gain(folds, test)
		out.Add(m, doc.Texts(strconv.Itoa(len(inFolds)), frame.Text(folds, t.Decimals()),
			frame.Text(test, t.Decimals()), frame.Signed(better, t.Decimals()))...)
		records.Add(t.Protocol, t.Metric.Name, m, len(inFolds), folds, test, better)
	}
	return out, records
}

// regret is what the choice of a grid point by the folds cost a method on a set. Values are means over the splits
// with tests of every grid point.
type regret struct {
	splits int
	chosen *big.Rat // the test of the points that the folds chose
	best   *big.Rat // the test of the point that these tests find best, for each split by itself
	one    *big.Rat // the test of the one point that is best over all splits; nil where grids differ
	point  string   // that point
}

// regrets has a row for every set and method with tests of all grid points.
func regrets(t *frame.Table) (doc.Table, doc.Records) {
	out := doc.Table{Heading: "Regret of the choice", Caption: fmt.Sprintf(
		"Mean test %s of the points chosen by the folds, and of those that are best by the test itself",
		t.Metric.Title), Label: "regret", Corner: "Data set, method",
		Head: []doc.Column{{Name: "splits"}, {Name: "chosen"}, {Name: "best", Long: "best of each split"},
			{Name: "regret", Kind: doc.Signed},
			{Name: "one", Long: "best over all splits"}, {Name: "regret", Kind: doc.Signed},
			{Name: "which", Kind: doc.Words}},
		Legend: []string{"Chosen: the grid point with the best folds, refitted; what a user gets.",
			"Best: in each split the point with the best test; one: the point with the best mean test over the " +
				"splits. Both know the answer beforehand: papers that report the best of a grid on the test rows " +
				"report these."}}
	records := doc.Records{Name: "regret", Columns: []string{"protocol", "metric", "dataset", "method", "splits",
		"chosen", "best", "regret", "one", "one_regret", "one_point", "version"}}
	for _, s := range t.Sets {
		for _, m := range t.Methods {
			r, ok := regretOf(t, t.Cells(s.Name, m), t.Frame.Grids)
			if !ok {
				continue
			}
			cost, ofOne := t.Gain(r.best, r.chosen), t.Gain(r.one, r.chosen)
			out.Add(s.Name+", "+m, doc.Texts(strconv.Itoa(r.splits), frame.Text(r.chosen, t.Decimals()),
				frame.Text(r.best, t.Decimals()), frame.Signed(cost, t.Decimals()),
				frame.Text(r.one, t.Decimals()), frame.Signed(ofOne, t.Decimals()), r.point)...)
			records.Add(t.Protocol, t.Metric.Name, s.Name, m, r.splits, r.chosen, r.best, cost,
				r.one, ofOne, r.point, t.Version(s.Name, m))
		}
	}
	return out, records
}

func regretOf(t *frame.Table, cells []store.Row, grids map[string][]json.RawMessage) (regret, bool) {
	var chosen, best []*big.Rat
	byPoint := map[int][]*big.Rat{}
	hash, oneGrid := "", true
	for _, r := range cells {
		if r.Status != result.OK || r.Selected == nil || *r.Selected >= len(r.GridTests) {
			continue
		}
		var top *big.Rat
		for g, score := range r.GridTests {
			v := t.ValueOf(score)
			if v == nil {
				continue
			}
			byPoint[g] = append(byPoint[g], v)
			if top == nil || t.Metric.Compare(v, top) > 0 {
				top = v
			}
		}
		v := t.ValueOf(r.GridTests[*r.Selected])
		if v == nil || top == nil {
			continue
		}
		chosen, best = append(chosen, v), append(best, top)
		oneGrid = oneGrid && (hash == "" || hash == r.GridHash)
		hash = r.GridHash
	}
	if len(chosen) == 0 {
		return regret{}, false
	}
	out := regret{splits: len(chosen), chosen: stats.Mean(chosen), best: stats.Mean(best)}
	for g := 0; oneGrid && g < len(grids[hash]); g++ {
		if len(byPoint[g]) != len(chosen) {
			continue
		}
		if mean := stats.Mean(byPoint[g]); out.one == nil || t.Metric.Compare(mean, out.one) > 0 {
			out.one, out.point = mean, string(grids[hash][g])
		}
	}
	return out, true
}
