package gbrff

import (
	"context"
	"encoding/json"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// BenchmarkRounding asks how far the mean accuracy of 20 splits is decided by rounding:
// every repetition is the whole protocol (grid search in 5 folds, refit, test), of "asis" on the
// features as they are and of "changed" on features changed by one part in 1e15, each time
// differently. It reports the mean of those means in percent, their standard deviation, the least and
// the largest; and the rows of all splits that a setting gets right in test and in validation, averaged
// over the grid: what the models are worth before one is chosen, with their standard deviations.
func BenchmarkRounding(b *testing.B) {
	for _, c := range []struct {
		spec registry.Spec
		set  string
	}{{GBRFF1(), "sonar"}, {GBRFF2(), "pima"}} {
		for _, changed := range []bool{false, true} {
			name := c.spec.Name + "/" + c.set + "/asis"
			if changed {
				name = c.spec.Name + "/" + c.set + "/changed"
			}
			b.Run(name, func(b *testing.B) {
				var means, tests, valids []float64
				for b.Loop() {
					change := func(d registry.Data) registry.Data { return d }
					if seed := uint64(len(means)); changed {
						change = func(d registry.Data) registry.Data { return testsplit.Jitter(d, perturbation, seed) }
					}
					o := ofSplits(b, c.spec, c.set, change)
					means, tests, valids = append(means, o.accuracy), append(tests, o.test), append(valids, o.valid)
				}
				b.ReportMetric(stat.Mean(means, nil), "mean")
				b.ReportMetric(stat.PopStdDev(means, nil), "sd")
				b.ReportMetric(floats.Min(means), "least")
				b.ReportMetric(floats.Max(means), "largest")
				b.ReportMetric(stat.Mean(tests, nil), "grid-test")
				b.ReportMetric(stat.PopStdDev(tests, nil), "grid-test-sd")
				b.ReportMetric(stat.Mean(valids, nil), "grid-valid")
				b.ReportMetric(stat.PopStdDev(valids, nil), "grid-valid-sd")
			})
		}
	}
}

// An outcome of one cell or of all splits.
type outcome struct {
	accuracy    float64 // % of the setting chosen; of splits, the mean
	test, valid float64 // right rows, averaged over the grid; of splits, the sum
}

// ofSplits runs splits 1 to 20 of a set.
func ofSplits(b *testing.B, spec registry.Spec, set string, change func(registry.Data) registry.Data) outcome {
	cells := make([]outcome, 20)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for i := range cells {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			cells[i] = ofCell(b, spec, testsplit.Of(b, set, uint32(i+1)), change)
		})
	}
	work.Wait()
	var all outcome
	for _, c := range cells {
		all.accuracy += c.accuracy / float64(len(cells))
		all.test += c.test
		all.valid += c.valid
	}
	return all
}

// ofCell searches the grid as the harness does: the best mean of the folds' shares of right rows (to
// rounding), the first of equals.
func ofCell(b *testing.B, spec registry.Spec, split testsplit.Split, change func(registry.Data) registry.Data) outcome {
	train, test := split.Whole()
	settings, err := spec.Settings(train.Shape(), spec.DefaultGrid(), nil)
	if err != nil {
		b.Error(err)
		return outcome{}
	}
	correct, shares := make([]float64, len(settings)), make([]float64, len(settings))
	split.Folds(func(learn, valid registry.Data) bool {
		right := rightRows(b, spec, settings, change(learn), valid)
		floats.Add(correct, right)
		floats.AddScaled(shares, 1/float64(len(valid.Y)), right)
		return true
	})
	for i, s := range shares {
		shares[i] = math.Round(1e12 * s)
	}
	right := rightRows(b, spec, settings, change(train), test)
	return outcome{
		accuracy: 100 * right[floats.MaxIdx(shares)] / float64(len(test.Y)),
		test:     stat.Mean(right, nil),
		valid:    stat.Mean(correct, nil),
	}
}

// rightRows counts, for every setting, the rows of check that it gets right after
// learning from learn.
func rightRows(b *testing.B, spec registry.Spec, settings []json.RawMessage, learn, check registry.Data) []float64 {
	right := make([]float64, len(settings))
	err := spec.FitAll(context.Background(), registry.Env{Seed: 1}, learn, settings,
		func(i int, m registry.Model) error {
			right[i] = float64(testsplit.Correct(b, m, check))
			return nil
		})
	if err != nil {
		b.Error(err)
	}
	return right
}
