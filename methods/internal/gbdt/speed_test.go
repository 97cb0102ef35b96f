package gbdt

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/registry"
)

// cpu returns the processor time that f takes, which other work on the machine
// disturbs less than the time on the wall.
func cpu(t testing.TB, f func()) float64 {
	t.Helper()
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	start := used()
	f()
	return (used() - start).Seconds()
}

// TestSpeedAgainstLightGBM reports processor times of the same work, one thread, in
// one run: fold grids of the 2020 paper, single fits at depth 5. It runs only if
// BENCH_SPEED is set, for it measures and does not test.
func TestSpeedAgainstLightGBM(t *testing.T) {
	if os.Getenv("BENCH_SPEED") == "" {
		t.Skip("set BENCH_SPEED=1 to measure")
	}
	deep := lightgbmDefaults
	deep.MaxDepth, deep.NumLeaves = 5, 32
	for _, c := range []struct {
		s  *sample
		ps []LeafwiseParams
	}{
		{catalogued(t, "wine").head(100), paperGrid(100)},
		{catalogued(t, "sonar").head(116), paperGrid(100)},
		{catalogued(t, "heart").head(166), paperGrid(100)},
		{catalogued(t, "iono").head(196), paperGrid(100)},
		{catalogued(t, "wdbc").head(318), paperGrid(100)},
		{catalogued(t, "pima").head(430), paperGrid(100)},
		{catalogued(t, "german").head(560), paperGrid(100)},
		{catalogued(t, "spambase"), []LeafwiseParams{deep}},
		{catalogued(t, "occupancy"), []LeafwiseParams{deep}},
		{catalogued(t, "adult"), []LeafwiseParams{deep}},
		{catalogued(t, "bankmarketing"), []LeafwiseParams{deep}},
		{drawn(registry.Binary, 1000000, 20, 2, 1), []LeafwiseParams{deep}},
	} {
		var runs []*peerRun
		for _, p := range c.ps {
			runs = append(runs, &peerRun{Library: "lightgbm", sample: c.s, Params: p.python()})
		}
		runPeers(t, runs)
		theirs := 0.0
		for _, r := range runs {
			theirs += r.seconds
		}
		binning := 0.0
		ours := cpu(t, func() {
			var ds *Dataset
			var err error
			binning = cpu(t, func() { ds, err = NewDataset(c.s.x, c.s.n, c.s.d, 20) })
			if err != nil {
				t.Fatal(err)
			}
			if err := LeafwisePath(t.Context(), ds, c.s.target(), c.ps, func(int, *Model) error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%-14s %7d x %2d, %2d fits: %8.3f s, LightGBM %8.3f s, ratio %5.1f (binning %.3f s)", c.s.name, c.s.n, c.s.d, len(c.ps), ours, theirs, theirs/ours, binning)
	}
}

// TestSpeedAgainstXGBoost does the same with the grid of the 2019 paper on a fold.
func TestSpeedAgainstXGBoost(t *testing.T) {
	if os.Getenv("BENCH_SPEED") == "" {
		t.Skip("set BENCH_SPEED=1 to measure")
	}
	ps := paperGrid2019()
	for _, s := range []*sample{catalogued(t, "wine").head(100), catalogued(t, "sonar").head(116), catalogued(t, "heart").head(166),
		catalogued(t, "iono").head(196), catalogued(t, "wdbc").head(318), catalogued(t, "pima").head(430), catalogued(t, "german").head(560), catalogued(t, "spambase").head(2600)} {
		var runs []*peerRun
		for _, p := range ps {
			runs = append(runs, &peerRun{Library: "xgboost", sample: s, Params: p.python()})
		}
		runPeers(t, runs)
		theirs := 0.0
		for _, r := range runs {
			theirs += r.seconds
		}
		ours := cpu(t, func() {
			sorted, err := NewSorted(s.x, s.n, s.d)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range ps {
				if _, err := Depthwise(t.Context(), sorted, s.target(), p); err != nil {
					t.Fatal(err)
				}
			}
		})
		t.Logf("%-14s %7d x %2d, %2d fits: %8.3f s, XGBoost %8.3f s, ratio %5.1f", s.name, s.n, s.d, len(ps), ours, theirs, theirs/ours)
	}
}
