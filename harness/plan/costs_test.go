package plan

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

var update = flag.Bool("update", false, "write the scales of the grids of today, and the times of the reference run, "+
	"into the file of costs")

// declaredBefore are times that methods declared as functions of rows, features and grid points, before the program
// learnt them. The first time of the reference run replaces such a time.
const declaredBefore = "declared before"

// TestCostsFile: the file of costs has every method, with the number and the scale of its grid points of today.
func TestCostsFile(t *testing.T) {
	rows := must.Get(csv.NewReader(strings.NewReader(reference.Costs)).ReadAll())(t)
	table := must.Get(protocol.Load(reference.Table2))(t)
	took := map[[2]string][]float64{}
	for _, r := range must.Get(reference.Runs(reference.Table2))(t) {
		if of := [2]string{r.Method, r.Dataset}; r.CPUSeconds != nil {
			took[of] = append(took[of], *r.CPUSeconds)
		}
	}
	missing, all := map[string]bool{}, methods.All()
	for _, spec := range all.All() {
		missing[spec.Name] = true
	}
	for _, row := range rows[1:] {
		spec := must.Get(all.Lookup(row[0]))(t)
		delete(missing, spec.Name)
		c := referenceCells()[row[0]][must.Get(registry.ParseTask(row[2]))(t)][row[1]]
		grid := must.Get(table.GridPoints(spec, row[1], c.shape))(t)
		scale := must.Get(spec.Scale(grid))(t)
		if *update {
			row[6], row[7] = strconv.Itoa(len(grid)), strconv.FormatFloat(scale, 'g', 6, 64)
			if times := took[[2]string{row[0], row[1]}]; len(times) > 0 && row[9] == declaredBefore {
				row[8], row[9] = fmt.Sprintf("%.3g", quantile(times, 0.5)), "reference run"
			}
		} else if c.points != len(grid) || math.Abs(c.scale-scale) > 1e-4*scale || !(c.seconds > 0) {
			t.Errorf("%v: the grid has %d points of scale %v", row, len(grid), scale)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no time of %v", slices.Sorted(maps.Keys(missing)))
	}
	if *update {
		var out strings.Builder
		must.Do(t, csv.NewWriter(&out).WriteAll(rows))
		must.Do(t, os.WriteFile("../reference/costs.csv", []byte(out.String()), 0o600))
	}
}

// A predicted is a method on a set of an embedded file of results: the seconds of a cell, those that follow from the
// cost that the method declared when the file was made, and those of the reference run, with the set or without it.
type predicted struct{ took, declared, with, without float64 }

// TestLearntCosts compares the costs of the reference run with those that methods declared, in nanoseconds as a
// function of rows, features and grid, before the program learnt them. The files of experiments hold both: times of
// cells, and declared costs. Each machine's predictions are scaled by one number, so that they are right in the median,
// since a run finds this number out. Without the set's own row, learnt costs must be right as often as declared ones
// were, within a factor of 1.1; with it, more often.
func TestLearntCosts(t *testing.T) {
	files := []string{"arxiv-landmarks", "ecml-figure3"}
	if testenv.Thorough(t) {
		files = append(files, "table2-2019", "ecml-figure4", "mfga-table2", "ecml-figure2", "neurips-figure1",
			"fourier-table3", "fourier-figure2")
	}
	byFile, byMachine := map[string]map[string][]predicted{}, map[string][]predicted{}
	for _, name := range files {
		byFile[name] = predictions(t, name)
		for machine, ps := range byFile[name] {
			byMachine[machine] = append(byMachine[machine], ps...)
		}
	}
	var declared, with, without []float64
	for _, name := range files {
		var d, w, o []float64
		for machine, ps := range byFile[name] {
			all := byMachine[machine]
			d = append(d, factors(all, ps, func(p predicted) float64 { return p.declared })...)
			o = append(o, factors(all, ps, func(p predicted) float64 { return p.without })...)
			w = append(w, factors(all, ps, func(p predicted) float64 { return p.with })...)
		}
		t.Logf("%-16s %4d pairs: declared %s, learnt without the set %s, with it %s", name, len(d), said(d), said(o),
			said(w))
		declared, with, without = append(declared, d...), append(with, w...), append(without, o...)
	}
	t.Logf("%-16s %4d pairs: declared %s, learnt without the set %s, with it %s", "all", len(declared), said(declared),
		said(without), said(with))
	for _, q := range []float64{0.5, 0.9} {
		if a, b, c := quantile(declared, q), quantile(without, q), quantile(with, q); b > 1.1*a || c > a {
			t.Errorf("of %v of the pairs: learnt %.2f, with the set %.2f, declared %.2f", q, b, c, a)
		}
	}
}

// said is the typical factor, and the one that nine of ten are within.
func said(factors []float64) string {
	if len(factors) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f / %.2f", quantile(factors, 0.5), quantile(factors, 0.9))
}

func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

// factors are how far predictions are off, at least 1, once those of all cells of the machine are right in the median.
func factors(machine, ps []predicted, of func(predicted) float64) []float64 {
	logs := func(ps []predicted) []float64 {
		off := make([]float64, len(ps))
		for i, p := range ps {
			off[i] = math.Log(of(p) / p.took)
		}
		return off
	}
	middle, off := quantile(logs(machine), 0.5), logs(ps)
	for i := range off {
		off[i] = math.Exp(math.Abs(off[i] - middle))
	}
	return off
}

// predictions reads a file of results. It returns the methods on sets by machine.
func predictions(t *testing.T, name string) map[string][]predicted {
	t.Helper()
	runs := must.Get(reference.Runs(name))(t)
	if len(runs) == 0 {
		t.Skip("this program is built without results")
	}
	p := must.Get(protocol.Load(name))(t)
	known := must.Get(p.Resolve(methods.All()))(t)
	type pair struct{ machine, method, dataset string }
	sums, counts := map[pair]predicted{}, map[pair]float64{}
	for _, r := range runs {
		if r.CPUSeconds == nil {
			continue
		}
		spec := must.Get(known.Lookup(r.Method))(t)
		task := must.Get(registry.ParseTask(r.Task))(t)
		sh := registry.Shape{Task: task, N: r.TrainRows, D: r.Features, Classes: 2}
		cells := referenceCells()[p.Base(r.Method)][task]
		if task == registry.Multiclass || cells == nil {
			continue
		}
		at := pair{fmt.Sprint(r.Environment.CPU, r.Environment.Cores), r.Method, r.Dataset}
		if counts[at]++; counts[at] == 1 {
			scale, err := spec.Scale(r.Grid)
			if err != nil { // of an earlier version
				scale = must.Get(spec.Scale([]json.RawMessage{spec.Defaults()}))(t)
			}
			units := work(spec, sh, len(r.Grid), scale, p.Semantics)
			others := maps.Clone(cells)
			delete(others, r.Dataset)
			sums[at] = predicted{0, r.CostUnits / 1e9, secondsFrom(cells, r.Dataset, spec, sh, units),
				secondsFrom(others, r.Dataset, spec, sh, units)}
		}
		sum := sums[at]
		sum.took += *r.CPUSeconds
		sums[at] = sum
	}
	out := map[string][]predicted{}
	for at, sum := range sums {
		sum.took /= counts[at]
		out[at.machine] = append(out[at.machine], sum)
	}
	return out
}
