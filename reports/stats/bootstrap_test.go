package stats_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
)

// spatial are the A values of the spatial test data of Efron and Tibshirani (1993), Table 14.1.
var spatial = []float64{48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41}

func variance(values []float64) func(rows []int) float64 {
	return func(rows []int) float64 {
		sum, squares := 0.0, 0.0
		for _, i := range rows {
			sum += values[i]
			squares += values[i] * values[i]
		}
		n := float64(len(rows))
		return squares/n - sum/n*sum/n
	}
}

// Efron and Tibshirani (1993), 14.2 and 14.3: for the variance, divisor n, of the spatial data, of
// which they print 171.5, the 90 % intervals of 2000 resamples are (100.8, 233.9) by percentiles and
// (115.8, 259.6) by BCa, with z0 = 0.146 and a = 0.061. SciPy 1.17.1, bootstrap(..., n_resamples=100000,
// random_state=1), has (97.96, 235.30) and (115.78, 261.23). Ends of 20,000 resamples have a standard
// error of about 0.5, and theirs of 1.5.
func TestBootstrapPublished(t *testing.T) {
	b, err := stats.Bootstrap(len(spatial), variance(spatial), 0.9, 20000, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Estimate-171.534) > 5e-4 || math.Abs(b.Acceleration-0.061) > 5e-4 || math.Abs(b.Bias-0.146) > 0.06 {
		t.Errorf("estimate %v, acceleration %v, bias %v", b.Estimate, b.Acceleration, b.Bias)
	}
	for name, c := range map[string][2]float64{
		"percentile, low": {b.Percentile.Low, 97.96}, "percentile, high": {b.Percentile.High, 235.30},
		"BCa, low": {b.BCa.Low, 115.78}, "BCa, high": {b.BCa.High, 261.23},
	} {
		if math.Abs(c[0]-c[1]) > 2 {
			t.Errorf("%s: %v, want %v within 2", name, c[0], c[1])
		}
	}
	again, err := stats.Bootstrap(len(spatial), variance(spatial), 0.9, 20000, 1)
	if err != nil || again != b {
		t.Errorf("again: %+v, %v; first %+v", again, err, b)
	}
	if other, _ := stats.Bootstrap(len(spatial), variance(spatial), 0.9, 20000, 2); other.Percentile == b.Percentile {
		t.Error("another seed gives the same interval")
	}
}

func mean(values []float64) func(rows []int) float64 {
	return func(rows []int) float64 {
		sum := 0.0
		for _, i := range rows {
			sum += values[i]
		}
		return sum / float64(len(rows))
	}
}

// The bootstrap's standard error of a mean is the population deviation over sqrt(n). The mean of
// symmetric values has no acceleration, and intervals contain each other by level.
func TestBootstrapOfMean(t *testing.T) {
	values := []float64{-4, -3, -1, 0, 1, 3, 4}
	narrow, err := stats.Bootstrap(len(values), mean(values), 0.8, 8000, 7)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := stats.Bootstrap(len(values), mean(values), 0.95, 8000, 7)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Sqrt(52.0/7) / math.Sqrt(7); math.Abs(narrow.Error-want) > 0.03*want || math.Abs(narrow.Acceleration) > 1e-15 {
		t.Errorf("error %v, want %v; acceleration %v", narrow.Error, want, narrow.Acceleration)
	}
	for _, pair := range [][2]stats.Interval{{narrow.Percentile, wide.Percentile}, {narrow.BCa, wide.BCa}} {
		if !(pair[1].Low < pair[0].Low && pair[0].Low < pair[0].High && pair[0].High < pair[1].High) {
			t.Errorf("%+v at 0.8, %+v at 0.95", pair[0], pair[1])
		}
	}
}

// Of two won and two lost, 3/8 of the resamples have the estimate itself. Half of them count as below,
// so that there is no bias; the standard error of z0 is about 0.02.
func TestBootstrapOfTies(t *testing.T) {
	b, err := stats.Bootstrap(4, mean([]float64{0, 0, 1, 1}), 0.9, 4000, 1)
	if err != nil || b.Estimate != 0.5 || math.Abs(b.Bias) > 0.08 {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestBootstrapOfLittle(t *testing.T) {
	point := stats.Interval{Low: 2, High: 2}
	b, err := stats.Bootstrap(3, mean([]float64{2, 2, 2}), 0.9, 50, 1)
	if err != nil || b.Percentile != point || b.BCa != point || b.Error != 0 {
		t.Errorf("of equal values: %+v, %v", b, err)
	}
	if b, err = stats.Bootstrap(1, mean([]float64{2}), 0.9, 50, 1); err != nil || b.Percentile != point || !math.IsNaN(b.Acceleration) {
		t.Errorf("of one value: %+v, %v", b, err)
	}
	// A statistic with all resamples on one side: the number of different rows.
	different := func(rows []int) float64 {
		seen := map[int]bool{}
		for _, i := range rows {
			seen[i] = true
		}
		return float64(len(seen))
	}
	if b, err = stats.Bootstrap(40, different, 0.9, 50, 1); err != nil || !math.IsNaN(b.BCa.Low) || math.IsNaN(b.Percentile.Low) {
		t.Errorf("of a statistic beyond all resamples: %+v, %v", b, err)
	}
	undefined := func(rows []int) float64 { return math.Sqrt(float64(rows[0]) - 1) }
	if b, err = stats.Bootstrap(2, undefined, 0.9, 50, 1); err != nil || !math.IsNaN(b.Percentile.High) || !math.IsNaN(b.BCa.Low) || !math.IsNaN(b.Error) {
		t.Errorf("of a statistic without a value: %+v, %v", b, err)
	}
	for _, c := range []struct {
		n, draws int
		level    float64
	}{{0, 50, 0.9}, {3, 1, 0.9}, {3, 50, 1}, {3, 50, 0}, {3, 50, math.NaN()}} {
		if _, err := stats.Bootstrap(c.n, mean(spatial), c.level, c.draws, 1); err == nil {
			t.Errorf("%+v is no error", c)
		}
	}
}
