package curtail

import (
	"math"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// common is the variance of what a split does to the values of all methods alike, in units of the variance of a gain:
// both methods of a pair of the reference run find the same test parts hard (TestRule).
const common = 0.3

// A world draws comparisons before any cell of them has run.
type world struct {
	Plan
	level []float64                             // the usual value, by set
	noise []float64                             // deviation of a split's gain of one method over another, by set
	truth func(stream *rng.RandomState) float64 // draws the true value of a method on a set, less the level
}

// draw draws the values of all splits, of a method that is ahead of its opponents by a mean gain.
func (w world) draw(stream *rng.RandomState, ahead float64) func(Split) []float64 {
	values := make([][][]float64, len(w.Sets))
	for i, set := range w.Sets {
		truths := make([]float64, 1+w.Opponents)
		for m := range truths {
			truths[m] = w.level[i] + w.truth(stream)
		}
		truths[0] += ahead
		for range w.Splits {
			row := make([]float64, len(truths))
			hard := math.Sqrt(common) * w.noise[i] * stream.Norm()
			for m, t := range truths {
				// Two methods share the variance of their gain.
				if row[m] = t + hard + math.Sqrt(0.5)*w.noise[i]*stream.Norm(); w.Percent {
					row[m] = math.Round(row[m]*set.Test/100) / set.Test * 100
				}
			}
			values[i] = append(values[i], row)
		}
	}
	return func(s Split) []float64 { return values[s.Set][s.At] }
}

// whole are the verdicts of all splits.
func (p Plan) whole(value func(Split) []float64) []evidence.Verdict {
	s := New(p)
	for i := range s.Sets {
		for k := range s.Splits {
			s.Add(i, value(Split{i, k}))
		}
	}
	return s.now()
}

// follow runs a study to its end, and counts its cells. A study with fewer drawn tables looks at all where few decide,
// or chance would end it early.
func (s *Study) follow(value func(Split) []float64) (f Forecast, cells int) {
	for next := s.First(); ; next = s.Next(f) {
		for _, split := range next {
			s.Add(split.Set, value(split))
		}
		cells += len(next)
		f = s.Look()
		if few := s.draws; f.Decided && few < draws {
			s.draws = draws
			f = s.Look()
			s.draws = few
		}
		if f.Decided {
			return f, cells
		}
	}
}
