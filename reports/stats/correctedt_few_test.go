package stats

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
)

// A split that learns from 10 of the 100 rows that it does not test: with the training part of 100 rows the interval at 95 % covers
// the expected difference of two classifiers at least as often as it says, on 400 drawn data sets, and it is a third as long as with
// the 10 rows that are learned from. One classifier cuts halfway between the means of the classes in the rows that it learns from,
// the other at 1; the classes are N(0, 1) and N(1, 1).
func TestFewOfManyTrainingRows(t *testing.T) {
	const sets, splits, rows, learned, tested = 400, 10, 200, 10, 100
	stream := rng.New(1)
	var all [sets][]*big.Rat
	total := 0.0
	for s := range all {
		x, y := make([]float64, rows), make([]int, rows)
		stream.Norms(x)
		for i := range x {
			if i%2 == 1 {
				x[i], y[i] = x[i]+1, 1
			}
		}
		for range splits {
			order := stream.Permutation(rows)
			train, test := order[tested:tested+learned], order[:tested]
			sum, count := [2]float64{}, [2]float64{}
			for _, i := range train {
				sum[y[i]] += x[i]
				count[y[i]]++
			}
			cut := (sum[0]/max(1, count[0]) + sum[1]/max(1, count[1])) / 2
			gain := 0
			for _, i := range test {
				gain += right(x[i] > cut, y[i]) - right(x[i] > 1, y[i])
			}
			all[s] = append(all[s], big.NewRat(int64(gain), tested))
			total += float64(gain) / tested
		}
	}
	expected := total / (sets * splits) // with a standard error of about 0.002, a tenth of an interval's half-length
	covered, longer := 0, 0
	for _, differences := range all {
		part := CorrectedT(differences, rows-tested, tested)
		few := CorrectedT(differences, learned, tested)
		between, wide := part.Interval(0.95), few.Interval(0.95)
		if between.Low <= expected && expected <= between.High {
			covered++
		}
		if wide.High-wide.Low > 3*(between.High-between.Low) {
			longer++
		}
	}
	t.Logf("expected %.4f, covered %d of %d", expected, covered, sets)
	if covered < 371 || longer < sets*9/10 { // 380 less two standard errors of 4.4
		t.Errorf("%d of %d intervals cover the expected difference; %d are a third of the length", covered, sets, longer)
	}
}

func right(positive bool, label int) int {
	if positive == (label == 1) {
		return 1
	}
	return 0
}

// go test -run '^$' -bench EqualCounts -benchtime 1x ./reports/stats
//
// Shares of pages of two methods that are equally good on 15 sets on which Holm's procedure finds a difference, by the number of splits. A
// result is a count of rows, so that a few splits often have equal differences.
func BenchmarkEqualCounts(b *testing.B) {
	const pages, sets = 1500, 15
	for _, splits := range []int{2, 3, 4, 5, 6, 8, 20} {
		b.Run(fmt.Sprint(splits), func(b *testing.B) {
			stream := rng.New(1)
			found := 0
			for range pages {
				p := make([]float64, sets)
				for s := range p {
					rows := 150 + int(650*stream.Float64())
					test, share := rows*3/10, 0.005+0.055*stream.Float64()
					gains := make([]int64, rows)
					for i := range gains {
						if u := stream.Float64(); u < share {
							gains[i] = 1
						} else if u < 2*share {
							gains[i] = -1
						}
					}
					var differences []*big.Rat
					for range splits {
						gain := int64(0)
						for _, i := range stream.Permutation(rows)[:test] {
							gain += gains[i]
						}
						differences = append(differences, big.NewRat(gain, int64(test)))
					}
					t := CorrectedT(differences, rows-test, test)
					if p[s] = t.P; math.IsNaN(p[s]) {
						p[s] = 1
					}
				}
				if slices.Min(Holm(p)) < 0.05 {
					found++
				}
			}
			b.ReportMetric(100*float64(found)/pages, "%/false")
		})
	}
}
