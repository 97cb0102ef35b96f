package plan

import (
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
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
	seen := map[string]int{} // rows of each method
	missing, all := map[string]bool{}, methods.All()
	for _, spec := range all.All() {
		missing[spec.Name] = true
	}
	for _, row := range rows[1:] {
		spec := must.Get(all.Lookup(row[0]))(t)
		delete(missing, spec.Name)
		c := referenceCells()[row[0]][seen[row[0]]]
		seen[row[0]]++
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

// TestNearestCells: of all methods of the program on sets of the reference run, nine of ten are predicted within the
// factor result.ForecastError from cells of the same method on the other sets. The nearest alone predicted 89.4 %, and
// a line fitted to all others 93.9 % of the sixteen sets of Table 1.
func TestNearestCells(t *testing.T) {
	took := map[string][]measured{}
	all := methods.All()
	for _, r := range must.Get(reference.Runs(reference.Table2))(t) {
		spec, err := all.Lookup(r.Method)
		if r.CPUSeconds == nil || err != nil { // methods of other libraries have no scale of their work
			continue
		}
		of := took[r.Method]
		if len(of) == 0 || of[len(of)-1].dataset != r.Dataset {
			sh := registry.Shape{Task: registry.Binary, N: r.TrainRows, D: r.Features}
			amount := work(spec, sh, len(r.Grid), must.Get(spec.Scale(r.Grid))(t), referenceSemantics)
			of = append(of, measured{dataset: r.Dataset, shape: sh, work: amount})
		}
		of[len(of)-1].seconds += *r.CPUSeconds
		of[len(of)-1].cells++
		took[r.Method] = of
	}
	pairs, within := 0, 0
	for _, of := range took {
		for i, m := range of {
			others := slices.Delete(slices.Clone(of), i, i+1)
			seconds, _ := nearest(others, m)
			off := math.Abs(math.Log(seconds * m.cells / m.seconds))
			if pairs++; off <= math.Log(result.ForecastError) {
				within++
			}
		}
	}
	share := float64(within) / float64(pairs)
	t.Logf("%.1f %% of %d pairs are within a factor of %v", 100*share, pairs, result.ForecastError)
	if share < 0.9 || pairs < 500 {
		t.Errorf("%.3f of %d pairs are within a factor of %v", share, pairs, result.ForecastError)
	}
}

func quantile(x []float64, q float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[min(len(x)-1, int(q*float64(len(x))))]
}

// TestNearest by hand: a method of n^2 d took 8 s with 200 rows, 1 s and 4 s with 1000, and 2 s with 90,000. These
// predict 32 s, 0.16 s and 0.64 s of 400 rows, with weights of 1/2, 1/2.5 and 1/2.5. A set's own time counts alone,
// and another task hardly counts.
func TestNearest(t *testing.T) {
	m := func(set string, task registry.Task, n int, work, seconds float64) measured {
		return measured{set, registry.Shape{Task: task, N: n, D: 5}, work, 2 * seconds, 2}
	}
	all := []measured{m("a", registry.Regression, 300, 9e4, 100), m("b", registry.Binary, 200, 4e4, 8),
		m("c", registry.Binary, 1000, 1e6, 1), m("d", registry.Binary, 1000, 1e6, 4),
		m("e", registry.Binary, 90000, 81e8, 2)}
	for _, c := range []struct {
		cell measured
		want float64
	}{
		{m("x", registry.Binary, 400, 16e4, 0), math.Pow(math.Pow(32, 0.5)*math.Pow(0.16*0.64, 0.4), 1/1.3)},
		{m("d", registry.Binary, 1000, 1e6, 0), 4}, {m("d", registry.Binary, 1000, 2e6, 0), 8},
		{m("x", registry.Regression, 200, 45e3, 0), 50},
	} {
		seconds, _ := nearest(all, c.cell)
		must.Near(t, seconds, c.want, 2e-3*c.want, c.cell) // from adds a thousandth for another set
	}
}

// TestStoredPluginWaits: a stored cell of a plugin that waits took 2 s of processor time and 24 s of wall time. So a
// cell of the plugin with 1 s of processor time is predicted to take 12 s. That is more than 2.5 times a limit of 2 s,
// and less than 2.5 times a limit of 6 s.
func TestStoredPluginWaits(t *testing.T) {
	f := NewForecast([]store.Timing{{Method: "Slow", MethodVersion: "1+0123abcd", Cells: 1, Seconds: 2, Wall: 24}})
	c := &Cell{Foreign: true, Spec: runner.CellSpec{Cost: 1e9, Inputs: runner.Inputs{MethodVersion: "1+0123abcd"}}}
	c.Method = "Slow"
	_, out := f.LeaveOut(Limits{MaxCell: 2 * time.Second}, c)
	must.Be(t, out, true, "left out")
	_, out = f.LeaveOut(Limits{MaxCell: 6 * time.Second}, c)
	must.Be(t, out, false, "left out")
}
