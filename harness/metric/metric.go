// Package metric says how good a prediction is: one number from the counts and errors that are
// stored of it.
package metric

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Direction says which values are better.
type Direction int

const (
	Higher Direction = iota // is better
	Lower                   // is better
)

// A Metric is a number that says how good a prediction is.
type Metric struct {
	Name    string // as flags write it
	Title   string // as a sentence writes it
	Better  Direction
	Percent bool          // tables show it times 100
	Tasks   registry.Task // whose scores have it

	// Of computes the metric. It is nil where the score does not have what it takes.
	Of func(store.Score) *big.Rat
}

// All returns the metrics.
func All() []Metric {
	const classes = registry.Binary | registry.Multiclass
	return []Metric{
		{"accuracy", "accuracy", Higher, true, classes, accuracy},
		{"mcc", "Matthews correlation coefficient", Higher, false, registry.Binary, mcc},
		{"error", "error", Lower, true, classes, func(s store.Score) *big.Rat {
			a := accuracy(s)
			if a == nil {
				return nil
			}
			return a.Sub(big.NewRat(1, 1), a)
		}},
		{"rmse", "root mean squared error", Lower, false, registry.Regression, func(s store.Score) *big.Rat {
			if s.RMSE == nil {
				return nil
			}
			return new(big.Rat).SetFloat64(*s.RMSE)
		}},
	}
}

// Lookup returns the metric of that name, ignoring case.
func Lookup(name string) (Metric, error) {
	var names []string
	for _, m := range All() {
		if strings.EqualFold(m.Name, name) {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Metric{}, fmt.Errorf("no metric is named %q; known: %s", name, strings.Join(names, ", "))
}

func accuracy(s store.Score) *big.Rat {
	if s.Correct == nil || s.N == 0 {
		return nil
	}
	return big.NewRat(int64(*s.Correct), int64(s.N))
}

func mcc(s store.Score) *big.Rat {
	if s.TP == nil {
		return nil
	}
	tn, fp, fn, tp := float64(*s.TN), float64(*s.FP), float64(*s.FN), float64(*s.TP)
	d := (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
	if d == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFloat64((tp*tn - fp*fn) / math.Sqrt(d))
}
