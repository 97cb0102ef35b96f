package stats

import (
	"math/big"
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
		part, err := CorrectedT(differences, rows-tested, tested)
		if err != nil {
			t.Fatal(err)
		}
		few, err := CorrectedT(differences, learned, tested)
		if err != nil {
			t.Fatal(err)
		}
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
