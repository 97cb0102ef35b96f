package methods_test

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
)

const quickCell = 0.1 // seconds of processor time in the reference run: the short form draws among cells that took less

// TestReferenceIsTheSame computes three drawn cells of each method of the reference run again, on sets that the program
// brings, and compares their counts, their chosen grid points and the bits of their test scores. The full form draws
// among all cells and compares every fold of every grid point. The short form draws among quick cells. A method with
// fewer than three of them gets one drawn cell of its quickest set. BENCH_BUILD is set for builds that are slower or
// emulated: of the cells of the full form they have those that took less than so many seconds. make fire draws from a
// new seed.
func TestReferenceIsTheSame(t *testing.T) {
	testenv.NotUnderRace(t)
	ctx := t.Context()
	h := &plan.Experiment{Protocol: must.Get(protocol.Load(reference.Table2))(t), Registry: methods.All(),
		Catalogue: catalogue.Builtin(), Data: catalogue.Directory{Root: t.TempDir()}}
	longest, err := strconv.ParseFloat(cmp.Or(os.Getenv("BENCH_BUILD"), "Inf"), 64)
	must.Do(t, err)
	otherBuild := !math.IsInf(longest, 1)
	source := verify.OfBundle("reference", referenceRuns(t, h.Catalogue, testenv.Thorough(t) && !otherBuild))
	took := map[*plan.Cell]float64{}
	cells := map[string][]*plan.Cell{}
	for _, c := range must.Get(h.Standing(ctx, source.Cells, true))(t).Cells {
		took[c] = *must.Get(source.Run(ctx, c.Spec.Key))(t).CPUSeconds
		cells[c.Method] = append(cells[c.Method], c)
	}
	seed := uint64(1)
	if os.Getenv("BENCH_FIRE") != "" {
		seed = rand.Uint64()
	}
	t.Logf("drawn from seed %d", seed)
	var drawn []*plan.Cell
	planned := must.Get(h.Plan(ctx, plan.Request{Datasets: []string{"wine"}, Splits: []int{1}}, nil, nil))(t)
	for _, p := range planned.Cells {
		of := cells[p.Method]
		if len(of) == 0 {
			t.Errorf("the reference run has no result of version %s of %s; scripts/reference/run.sh computes it",
				p.Spec.Inputs.MethodVersion, p.Method)
		}
		number := 3
		if !otherBuild && !testenv.Thorough(t) {
			slices.SortStableFunc(of, func(a, b *plan.Cell) int { return cmp.Compare(took[a], took[b]) })
			quick := slices.IndexFunc(of, func(c *plan.Cell) bool { return took[c] >= quickCell })
			if quick >= 0 && quick < number {
				quick, number = min(20, len(of)), 1
			}
			if quick >= 0 {
				of = of[:quick]
			}
		}
		for _, c := range verify.Sample(of, 0, number, seed) {
			if took[c] < longest {
				drawn = append(drawn, c)
			}
		}
	}
	compareCells(t, h, source, drawn)
}

// referenceRuns returns the results of the reference run that ended ok on sets that the program brings; with the folds
// of every grid point if whole.
func referenceRuns(t *testing.T, sets *catalogue.Catalogue, whole bool) (runs []result.Run) {
	if !whole {
		runs = must.Get(reference.Runs(reference.Table2))(t)
	} else {
		pattern := filepath.Join(testenv.Root(), "harness/reference/parts/table2/*.bench")
		for _, part := range must.Get(filepath.Glob(pattern))(t) {
			runs = append(runs, must.Get(bundle.Read(must.Get(os.ReadFile(part))(t)))(t)...)
		}
	}
	return slices.DeleteFunc(runs, func(r result.Run) bool {
		e := must.Get(sets.Lookup(r.Dataset))(t)
		needs := func(f catalogue.File) bool { return f.Role != catalogue.RoleDocumentation && !e.Embedded(f) }
		return r.Status != result.OK || slices.ContainsFunc(e.Files, needs)
	})
}

// compareCells computes cells of a source again.
func compareCells(t *testing.T, h *plan.Experiment, source verify.Source, cells []*plan.Cell) {
	ctx := t.Context()
	db := must.Get(store.Open(ctx, filepath.Join(t.TempDir(), "reference.db")))(t)
	defer db.Close()
	w := db.NewWriter(environment.Current(), nil)
	wanted := map[string]bool{}
	for _, c := range cells {
		wanted[c.Spec.Key] = true
	}
	source.Cells = slices.DeleteFunc(source.Cells, func(c store.Cell) bool { return !wanted[c.Key] })
	in, err := verify.Runs(ctx, h, source, map[string]store.Known{}, db, w.Put)
	must.Do(t, errors.Join(err, w.Close()))
	must.Be(t, in.Taken, len(cells))
	compared := 0
	_, err = verify.Cells(ctx, &runner.InProcess{Registry: h.Registry, Data: h.Data}, make(chan struct{}), cells,
		schedule.Options{Jobs: 2}, db, func(v verify.Verified) {
			compared++
			for _, d := range v.Differences {
				t.Errorf("%s on %s, split %d: %s is %s, and in the reference run %s. If a method is meant to give "+
					"other numbers, raise its version", v.Cell.Method, v.Cell.Dataset, v.Cell.Split, d.What, d.Computed,
					d.Stored)
			}
		})
	must.Do(t, err)
	must.Be(t, compared, len(cells))
	t.Logf("%d cells are compared", compared)
}
