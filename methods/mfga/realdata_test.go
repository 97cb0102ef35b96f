package mfga

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A realSet is a row of mfga_realdata.json.
type realSet struct {
	Dataset   string   `json:"dataset"`
	SplitSeed uint32   `json:"split_seed"`
	NTrain    int      `json:"n_train"`
	D         int      `json:"d"`
	Width     float64  `json:"width_nn50"`
	TargetMin *float64 `json:"target_min"`
	TargetMax *float64 `json:"target_max"`
	MFGA      []struct {
		Lambda     float64 `json:"lam"`
		PerStep    int     `json:"features_per_step"`
		Order      int     `json:"order"`
		Intercept  bool    `json:"intercept"`
		Candidates string  `json:"candidates"`
		Count      int     `json:"count"`
		Steps      []struct {
			New       []int   `json:"new"`
			Margin    float64 `json:"boundary_margin"`
			Objective float64 `json:"objective"`
			Wrong     int     `json:"n_wrong_test"`
		} `json:"steps"`
		First20 []int     `json:"first20"`
		MSE     []float64 `json:"mse_test"`
	} `json:"mfga"`
	Random []struct {
		Seed    uint32             `json:"seed"`
		Centred bool               `json:"centred"`
		M0      int                `json:"M0"`
		M       int                `json:"M"`
		Lambda  float64            `json:"lam"`
		Scores  []float64          `json:"score_of_feature_0to9"`
		Top10   []int              `json:"top10"`
		Support int                `json:"lkrf_support"`
		Largest float64            `json:"lkrf_largest"`
		Sampled []int              `json:"lkrf_sampled_first10"`
		Wrong   map[string]int     `json:"wrong"`
		MSE     map[string]float64 `json:"mse_test"`
	} `json:"random"`
}

// ours has our names of sets by the oracle's.
var ours = map[string]string{"adult": "adult-a9a", "epileptic": "epileptic", "online-news": "online-news"}

// parts returns the set's training and test rows, standardised by the first.
func (s realSet) parts(t testing.TB) (train, test registry.Data) {
	t.Helper()
	set := fits.Set(t, ours[s.Dataset])
	n, d := set.X.Dims()
	if s.D > 0 {
		d = s.D
	}
	order := fitting.Upto(n)
	if set.TrainRows == 0 {
		order = rng.New(s.SplitSeed).Permutation(n)
	}
	data := set.Data()
	x := mat.DenseCopyOf(set.X.Slice(0, n, 0, d))
	y := slices.Clone(set.Y)
	if s.TargetMin != nil {
		for i, v := range y {
			y[i] = 2*(v-*s.TargetMin)/(*s.TargetMax-*s.TargetMin) - 1
		}
	}
	scaler := datasets.FitStandardiser(x, order[:s.NTrain])
	part := func(rows []int) registry.Data {
		out := registry.Data{Task: data.Task, Classes: data.Classes, X: new(mat.Dense)}
		scaler.Apply(out.X, x, rows)
		for _, i := range rows {
			out.Y = append(out.Y, y[i])
		}
		return out
	}
	return part(order[:s.NTrain]), part(order[s.NTrain:])
}

// wrong counts rows on the wrong side; a score of 0 counts as +1.
func wrong(scores, y []float64) int {
	count := 0
	for i, f := range scores {
		if (f >= 0) != (y[i] > 0) {
			count++
		}
	}
	return count
}

func meanSquare(scores, y []float64) float64 {
	sum := 0.0
	for i, f := range scores {
		sum += (f - y[i]) * (f - y[i])
	}
	return sum / float64(len(y))
}

func realSets(t testing.TB) []realSet {
	t.Helper()
	var sets []realSet
	testenv.ReadOracle(t, "mfga_realdata.json", &sets)
	return sets
}

// TestRealSets compares widths, columns, objectives and test errors on the paper's sets with the reference programs.
func TestRealSets(t *testing.T) {
	for _, s := range realSets(t) {
		if s.Dataset != "online-news" && !testenv.ThoroughPart(t, s.Dataset) {
			continue // online-news takes a tenth of the time of all three
		}
		t.Run(s.Dataset, func(t *testing.T) {
			train, test := s.parts(t)
			_, d := train.X.Dims()
			width := must.Get(rff.Width(t.Context(), train.X.RawMatrix().Data, d, 50))(t)
			near(t, "width", width/s.Width, 1, 1e-10)
			if train.Task == registry.Regression {
				s.regression(t, train, test)
			} else {
				s.classification(t, train, test)
			}
			s.random(t, train, test)
		})
	}
}

func (s realSet) classification(t *testing.T, train, test registry.Data) {
	_, d := train.X.Dims()
	for _, run := range s.MFGA {
		features := run.PerStep * len(run.Steps)
		m, out := outputOf(t, train, Params{
			Features: features, Step: run.PerStep, Lambda: run.Lambda, Pool: mergedLinear, Order: run.Order,
			Function: Function{Intercept: run.Intercept, Sigma: s.Width},
		})
		all := &taylor{kernelOf: kernelOf{Pool: mergedLinear, Order: run.Order, Width: s.Width}, d: d,
			scale: math.Sqrt(0.5)}
		at, clear := 0, true
		thetas := make([][]float64, len(run.Steps))
		for i, step := range run.Steps {
			count := out.Counts[i]
			clear = clear && step.Margin > tie
			if want := all.expansion(step.New).Monomials; clear &&
				!slices.Equal(out.Taylor.Monomials[count-run.PerStep:count], want) {
				t.Errorf("lambda %v, step %d: columns %v, want %v", run.Lambda, i,
					out.Taylor.Monomials[count-run.PerStep:count], want)
			}
			thetas[i] = out.Theta[at : at+count]
			at += count
		}
		stages := func(x *mat.Dense, do func(i int, scores []float64)) {
			i := 0
			err := m.ScoreStages(t.Context(), x, out.Counts, func(_ int, scores []float64) error {
				do(i, scores)
				i++
				return nil
			})
			if err != nil || i != len(run.Steps) {
				t.Fatal(i, err)
			}
		}
		stages(train.X, func(i int, scores []float64) {
			got := objectiveOf(train, scores, thetas[i], run.Lambda)
			near(t, fmt.Sprintf("lambda %v, step %d: objective", run.Lambda, i), got, run.Steps[i].Objective, 1e-9)
		})
		stages(test.X, func(i int, scores []float64) {
			if got, want := wrong(scores, test.Y), run.Steps[i].Wrong; got < want-1 || got > want+1 {
				t.Errorf("lambda %v, step %d: %d test rows are wrong, want %d", run.Lambda, i, got, want)
			}
		})
	}
}

func (s realSet) regression(t *testing.T, train, test registry.Data) {
	_, d := train.X.Dims()
	names := map[string]string{"gaussian_merged": merged, "gaussian_merged_plus_linear": mergedLinear,
		"gaussian_cross_plus_linear": crossLinear}
	for _, run := range s.MFGA {
		p := Params{
			Features: run.PerStep * len(run.MSE), Step: run.PerStep, Lambda: run.Lambda, Pool: names[run.Candidates],
			Function: Function{Intercept: run.Intercept, Sigma: s.Width},
		}
		k := p.kernel(train.Task)
		must.Be(t, k.count(d), run.Count, p.Pool)
		m, out := outputOf(t, train, p)
		all := &taylor{kernelOf: k, d: d, scale: math.Sqrt(0.5)}
		if k.linear(d) == 0 {
			all.scale = 1
		}
		if want := all.expansion(run.First20).Monomials; !slices.Equal(out.Taylor.Monomials[:len(want)], want) {
			t.Errorf("%+v: the first columns are %v, want %v", p, out.Taylor.Monomials[:len(want)], want)
		}
		at := 0
		must.Do(t, m.ScoreStages(t.Context(), test.X, out.Counts, func(_ int, scores []float64) error {
			near(t, fmt.Sprintf("%+v: test error of step %d over the reference's", p, at),
				meanSquare(scores, test.Y)/run.MSE[at], 1, 1e-9)
			at++
			return nil
		}))
	}
}

// random compares scores, weights, draws and test errors of the random features.
func (s realSet) random(t *testing.T, train, test registry.Data) {
	_, d := train.X.Dims()
	for _, run := range s.Random {
		p := random{LKRFParams: LKRFParams{Drawn{Features: run.M, Candidates: run.M0, Lambda: run.Lambda}, run.Centred,
			0.005, Function{Intercept: true, Sigma: s.Width}}}
		if run.M0 == 0 {
			p.Candidates, p.Features, p.Lambda = 2000, map[string]int{"adult": 100, "epileptic": 20}[s.Dataset], 1e-4
		}
		f := drawFourier(rng.New(run.Seed), train.X.RawMatrix().Data, d, s.Width, rff.How{}, p.Candidates,
			p.Features)
		fit := func(rule choice, intercept bool) (scores []float64) {
			t.Helper()
			p.choice, p.Intercept = rule, intercept
			err := fitRandom(t.Context(), "", registry.Env{Seed: run.Seed}, train, []random{p},
				func(_ int, m registry.Model) error {
					scores = make([]float64, len(test.Y))
					return m.Score(t.Context(), test.X, scores)
				})
			must.Do(t, err)
			return scores
		}
		for rule, name := range []string{byOrder: "RKS", byScore: "EERF", byAlignment: "LKRF"} {
			p.choice = choice(rule)
			got, err := f.choose(t.Context(), p, train.Y)
			if want := [][]int{nil, run.Top10, run.Sampled}[rule]; err != nil || !slices.Equal(got[:len(want)], want) {
				t.Errorf("seed %d: %s's choice begins %v (%v), want %v", run.Seed, name, got[:10], err, want)
			}
			if want, there := run.Wrong[name]; there {
				if got := wrong(fit(choice(rule), true), test.Y); got < want-1 || got > want+1 {
					t.Errorf("seed %d: %d test rows are wrong by %s, want %d", run.Seed, got, name, want)
				}
			}
			if want, there := run.MSE[name]; there {
				near(t, name+": test error over the reference's", meanSquare(fit(choice(rule), false), test.Y)/want, 1,
					1e-9)
				near(t, name+" with intercept: test error over the reference's",
					meanSquare(fit(choice(rule), true), test.Y)/run.MSE[name+"_intercept"], 1, 1e-9)
			}
		}
		s.weights(t, f, p, train.Y, run.Scores, run.Support, run.Largest)
	}
}

// weights compares scores of the first columns and LKRF's weights.
func (s realSet) weights(t *testing.T, f *fourier, p random, y, first []float64, support int, largest float64) {
	t.Helper()
	scores := must.Get(f.scores(t.Context(), target(p.Centred, y)))(t)
	for m, want := range first {
		near(t, "a score", math.Abs(scores[m])/float64(f.n), want, 1e-12)
	}
	floats.Mul(scores, scores)
	q, positive := align(scores, p.Radius), 0
	for _, v := range q {
		if v > 0 {
			positive++
		}
	}
	must.Be(t, positive, support)
	if largest > 0 {
		near(t, "the largest weight", floats.Max(q)/largest, 1, 1e-9)
	}
}
