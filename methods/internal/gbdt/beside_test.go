//go:build unix

package gbdt

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkBesideLightGBM reports how many times longer LightGBM, called through its
// Python package, takes for the same work, in processor time of one thread: the fold grid
// of the 2020 paper on small sets, single fits at depth 5 on large ones. BENCH_PEERS names
// the Python.
func BenchmarkBesideLightGBM(b *testing.B) {
	for _, s := range foldsOfSmallSets(b) {
		besideLightGBM(b, s, paperGrid(100))
	}
	deep := lightgbmDefaults
	deep.MaxDepth, deep.NumLeaves = 5, 32
	for _, name := range []string{"spambase", "occupancy", "adult", "bankmarketing"} {
		besideLightGBM(b, catalogued(b, name), []LeafwiseParams{deep})
	}
	if !testing.Short() {
		besideLightGBM(b, drawn(registry.Binary, 1_000_000, 20, 2, 1), []LeafwiseParams{deep})
	}
}

func besideLightGBM(b *testing.B, s *sample, ps []LeafwiseParams) {
	var runs []*peerRun
	for _, p := range ps {
		runs = append(runs, &peerRun{Library: "lightgbm", sample: s, Params: p.python()})
	}
	beside(b, runs, func() error {
		rows, err := NewDataset(b.Context(), s.x, s.n, s.d, 20)
		if err != nil {
			return err
		}
		return LeafwisePath(b.Context(), rows, s.target(), ps, func(int, *Model) error { return nil })
	})
}

// BenchmarkBesideXGBoost does the same with XGBoost and the grid of the 2019 paper.
func BenchmarkBesideXGBoost(b *testing.B) {
	ps := paperGrid2019()
	for _, s := range append(foldsOfSmallSets(b), catalogued(b, "spambase").head(2600)) {
		var runs []*peerRun
		for _, p := range ps {
			runs = append(runs, &peerRun{Library: "xgboost", sample: s, Params: p.python()})
		}
		beside(b, runs, func() error {
			sorted, err := NewSorted(b.Context(), s.x, s.n, s.d)
			if err != nil {
				return err
			}
			for _, p := range ps {
				if _, err := Depthwise(b.Context(), sorted, s.target(), p); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// foldsOfSmallSets returns as many rows of each set as a fold of the protocol trains on.
func foldsOfSmallSets(b *testing.B) []*sample {
	var folds []*sample
	for _, set := range []struct {
		name string
		rows int
	}{{"wine", 100}, {"sonar", 116}, {"heart", 166}, {"iono", 196}, {"wdbc", 318}, {"pima", 430}, {"german", 560}} {
		folds = append(folds, catalogued(b, set.name).head(set.rows))
	}
	return folds
}

// beside takes turns, theirs before ours.
func beside(b *testing.B, runs []*peerRun, work func() error) {
	s := runs[0].sample
	b.Run(fmt.Sprintf("%s/%dx%d/%dfits", s.name, s.n, s.d, len(runs)), func(b *testing.B) {
		var theirs, ours float64
		for b.Loop() {
			runPeers(b, runs)
			for _, r := range runs {
				theirs += r.seconds
			}
			var err error
			ours += cputime.Of(func() { err = work() })
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(theirs/ours, "theirs/ours")
		b.ReportMetric(1e3*ours/float64(b.N), "our-ms")
	})
}
