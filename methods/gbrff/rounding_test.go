package gbrff

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// BenchmarkRounding asks how far the mean accuracy of 20 splits is decided by rounding:
// every repetition is the whole protocol (grid search in 5 folds, refit, test) on features
// changed by one part in 1e15. It reports, in percent, the mean of those means, their
// standard deviation, the least and the largest.
func BenchmarkRounding(b *testing.B) {
	for _, c := range []struct {
		spec registry.Spec
		set  string
	}{{GBRFF1(), "sonar"}, {GBRFF2(), "pima"}} {
		b.Run(c.spec.Name+"/"+c.set, func(b *testing.B) {
			var means []float64
			for b.Loop() {
				means = append(means, meanOfSplits(b, c.spec, c.set, uint64(len(means))))
			}
			b.ReportMetric(stat.Mean(means, nil), "mean")
			b.ReportMetric(stat.PopStdDev(means, nil), "sd")
			b.ReportMetric(floats.Min(means), "least")
			b.ReportMetric(floats.Max(means), "largest")
		})
	}
}

// meanOfSplits returns the mean accuracy (%) over splits 1 to 20 of a set.
func meanOfSplits(b *testing.B, spec registry.Spec, set string, seed uint64) float64 {
	accuracies := make([]float64, 20)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for i := range accuracies {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			accuracies[i] = 100 * cellAccuracy(b, spec, testsplit.Of(b, set, uint32(i+1)), seed)
		})
	}
	work.Wait()
	return stat.Mean(accuracies, nil)
}

// cellAccuracy searches the grid as the harness does: the most correct rows over the
// folds, the first of equals.
func cellAccuracy(b *testing.B, spec registry.Spec, split testsplit.Split, seed uint64) float64 {
	train, test := split.Whole()
	settings, err := spec.Settings(train.Shape(), spec.DefaultGrid(), nil)
	if err != nil {
		b.Error(err)
		return 0
	}
	correct := make([]float64, len(settings))
	split.Folds(func(learn, valid registry.Data) bool {
		floats.Add(correct, rightRows(b, spec, settings, jitter(learn, seed), valid))
		return true
	})
	best := floats.MaxIdx(correct)
	right := rightRows(b, spec, settings[best:best+1], jitter(train, seed), test)[0]
	return right / float64(len(test.Y))
}

// rightRows counts, for every setting, the rows of check that it gets right after
// learning from learn.
func rightRows(b *testing.B, spec registry.Spec, settings []json.RawMessage, learn, check registry.Data) []float64 {
	right := make([]float64, len(settings))
	err := spec.FitAll(context.Background(), registry.Env{Seed: 1}, learn, settings, func(i int, m registry.Model) error {
		right[i] = float64(testsplit.Correct(b, m, check))
		return nil
	})
	if err != nil {
		b.Error(err)
	}
	return right
}
