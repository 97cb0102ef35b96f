package gbdt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

var lightgbmDefaults = LeafwiseParams{Rounds: 100, LearningRate: 0.1, NumLeaves: 31, MaxDepth: -1, MinData: 20,
	MinHessian: 1e-3}

func (p LeafwiseParams) python() map[string]any {
	return map[string]any{"n_estimators": p.Rounds, "learning_rate": p.LearningRate, "num_leaves": p.NumLeaves,
		"max_depth":         p.MaxDepth,
		"min_child_samples": p.MinData, "min_child_weight": p.MinHessian, "reg_lambda": p.L2}
}

// fitLeafwise fits one grid point alone, which shares nothing.
func fitLeafwise(ctx context.Context, ds *Dataset, target registry.Data, p LeafwiseParams) (model *Model, err error) {
	err = LeafwisePath(ctx, ds, target, []LeafwiseParams{p}, func(_ int, m *Model) error {
		model = m
		return nil
	})
	return model, err
}

func leafwise(t testing.TB, s *sample, p LeafwiseParams) *Model {
	t.Helper()
	ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, p.MinData))(t)
	m := must.Get(fitLeafwise(t.Context(), ds, s.target(), p))(t)
	return m
}

// corners are the default parameters and corners of the grid of the 2020 paper; the largest trees are grown in make
// thorough.
func corners(t *testing.T) []LeafwiseParams {
	depths := []int{1, 5}
	if testenv.Thorough(t) {
		depths = append(depths, 10)
	}
	out := []LeafwiseParams{lightgbmDefaults}
	for _, depth := range depths {
		for _, l2 := range []float64{0, 1. / 4} {
			p := lightgbmDefaults
			p.MaxDepth, p.NumLeaves, p.L2 = depth, 1<<depth, l2
			out = append(out, p)
		}
	}
	return out
}

// smallSets and largeSets are the sets that the peers are trained on: those of the
// papers' tables, with several classes, and with a regression target.
var (
	smallSets = []string{"wine", "sonar", "newthyroid", "heart", "bupa", "iono", "wdbc", "balance", "australian",
		"pima", "vehicle", "german",
		"splice", "spambase", "glass-multiclass", "vehicle-multiclass", "balance-multiclass", "year-prediction"}
	largeSets = []string{"occupancy", "bankmarketing", "adult", "online-news"}
)

// odd are samples that catalogued sets are not: missing values, many zeros, more
// rows than bins are chosen from, constant and useless columns, few rows.
func odd() []*sample {
	gaps := drawn(registry.Binary, 1000, 6, 2, 2)
	gaps.name = "gaps"
	zeros := drawn(registry.Regression, 2000, 8, 0, 3)
	zeros.name = "zeros"
	for i := range gaps.x {
		if i%7 == 0 || i%6 == 5 && i%5 > 0 {
			gaps.x[i] = math.NaN()
		}
		if i%6 == 4 && i%4 > 0 { // few values, most of them zero
			gaps.x[i] = 0
		}
		if i%6 == 3 && gaps.x[i] == gaps.x[i] {
			gaps.x[i] = math.Round(gaps.x[i])
		}
	}
	for i := range zeros.x {
		if i%8 > 2 && (i/8)%(i%8) != 0 {
			zeros.x[i] = 0
		}
		if i%8 == 7 {
			zeros.x[i] = 3
		}
	}
	sampled := drawn(registry.Binary, sampleCount+5000, 3, 2, 4)
	sampled.name = "sampled"
	few := drawn(registry.Multiclass, 45, 3, 3, 5)
	few.name = "few"
	return []*sample{gaps, zeros, sampled, few}
}

// The peer is LightGBM itself: the same splits in the same order in every tree,
// raw scores to 1e-9 relative. Column-wise and row-wise histograms take turns: they
// must not matter.
func TestLightGBM(t *testing.T) {
	python(t)
	var runs []*peerRun
	var params []LeafwiseParams
	add := func(s *sample, ps ...LeafwiseParams) {
		for _, p := range ps {
			layout := map[string]any{"force_col_wise": true}
			if len(runs)%2 == 1 {
				layout = map[string]any{"force_row_wise": true}
			}
			runs, params = append(runs, &peerRun{Library: "lightgbm", sample: s, Params: p.python(), Layout: layout}),
				append(params, p)
		}
	}
	for _, name := range small(t) {
		add(catalogued(t, name), corners(t)...)
	}
	if testenv.Thorough(t) {
		for _, name := range largeSets {
			add(catalogued(t, name), corners(t)[0], corners(t)[4])
		}
	}
	for _, s := range odd() {
		ps := corners(t)
		for i := range ps {
			ps[i].Rounds = 20
		}
		if s.name == "sampled" && !testenv.Thorough(t) { // it has 200,000 rows
			ps = ps[3:4]
		}
		add(s, ps...)
	}
	own := &peerRun{Library: "lightgbm", sample: catalogued(t, "pima"), Params: map[string]any{}} // its own defaults
	runs, params = append(runs, own), append(params, lightgbmDefaults)
	sameAsLightGBM(t, runs, params)
}

// sameAsLightGBM trains the library, and compares the trees, and the raw scores of the training rows and of other ones.
func sameAsLightGBM(t *testing.T, runs []*peerRun, params []LeafwiseParams) {
	t.Helper()
	runPeers(t, runs)
	for i, r := range runs {
		p := params[i]
		t.Run(fmt.Sprintf("%s/%d leaves depth %d l2 %v", r.sample.name, p.NumLeaves, p.MaxDepth, p.L2),
			func(t *testing.T) {
				m := leafwise(t, r.sample, p)
				must.Be(t, difference(m, r.lightgbmModel(t)), "", r.version)
				r.compareScores(t, m, m.Add, 1e-9)
			})
	}
}

// Columns that are constant but for missing values, on few rows.
func TestLightGBMOnConstants(t *testing.T) {
	python(t)
	p := lightgbmDefaults
	p.Rounds, p.MinData = 3, 2
	var runs []*peerRun
	for seed := range uint32(100) {
		s := drawn(registry.Regression, 20, 2, 0, seed)
		rng := rand.New(rand.NewPCG(uint64(seed), 8))
		for i := range s.n {
			s.x[2*i] = 1
			if rng.Float64() < 0.1 {
				s.x[2*i] = math.NaN()
				s.y[i] += 2
			}
		}
		runs = append(runs, &peerRun{Library: "lightgbm", sample: s, Params: p.python()})
	}
	runPeers(t, runs)
	for seed, r := range runs {
		must.Be(t, difference(leafwise(t, r.sample, p), r.lightgbmModel(t)), "", seed, r.version)
	}
}
