package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/stats"
)

func ropes(n int, width int64) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = big.NewRat(width, 1)
	}
	return out
}

// By hand: of -2, 0, 1, 3 beside a region of 1 one lies below, one within, one above and one half within and half above, so that
// the rule of succession gives 2/7, 2.5/7 and 2.5/7. Without a width zero is half below and half above.
func TestForecastByHand(t *testing.T) {
	d := whole([]int{-2, 0, 1, 3})
	n := stats.SharesOf(d, ropes(4, 1))
	if n != (stats.Shares{1, 1.5, 1.5}) {
		t.Errorf("shares %v", n)
	}
	if got := n.Forecast(); got != (stats.Probabilities{Below: 2. / 7, Within: 2.5 / 7, Above: 2.5 / 7}) {
		t.Errorf("forecast %+v", got)
	}
	if got := stats.SharesOf(d, ropes(4, 0)); got != (stats.Shares{1.5, 0, 2.5}) {
		t.Errorf("shares without a region %v", got)
	}
	// Leaving one of two out: 3 is forecast from -2, with 1/4 above, and -2 from 3 alike.
	if got, want := stats.ForecastLoss([][]*big.Rat{whole([]int{-2, 3}), whole([]int{7})}, [][]*big.Rat{ropes(2, 1), ropes(1, 1)}), math.Log(4); math.Abs(got-want) > 1e-15 {
		t.Errorf("loss %v, want log 4", got)
	}
	if got := stats.ForecastLoss([][]*big.Rat{whole([]int{7})}, [][]*big.Rat{ropes(1, 1)}); !math.IsNaN(got) {
		t.Errorf("loss of one set %v", got)
	}
}

// Runs with a typical difference and a spread of their own: leaving a set out, stated and true probabilities agree within 0.1 in
// every tenth with 20 predictions, and the loss is below that of plain shares, (n_k + 1/3) / (n + 1), whose prior has the weight of
// one set.
func TestForecastsOfGeneratedRunsAreCalibrated(t *testing.T) {
	stream := rng.New(5)
	var stated, held [10]float64
	var n [10]int
	loss, plain, predictions := 0.0, 0.0, 0
	for range 400 {
		centre, spread := 1.5*stream.Norm(), 0.3+2*math.Abs(stream.Norm())
		sets := 6 + stream.Intn(20)
		d := make([]*big.Rat, sets)
		for i := range d {
			d[i] = new(big.Rat).SetFloat64(centre + spread*stream.Norm())
		}
		for i := range d {
			others := append(append([]*big.Rat(nil), d[:i]...), d[i+1:]...)
			seen, left := stats.SharesOf(d[i:i+1], ropes(1, 1)), stats.SharesOf(others, ropes(sets-1, 1))
			f := left.Forecast()
			for k, p := range []float64{f.Below, f.Within, f.Above} {
				tenth := min(int(10*p), 9)
				stated[tenth], held[tenth], n[tenth] = stated[tenth]+p, held[tenth]+seen[k], n[tenth]+1
				if seen[k] == 1 {
					loss, plain, predictions = loss-math.Log(p), plain-math.Log((left[k]+1./3)/float64(sets)), predictions+1
				}
			}
		}
	}
	for tenth := range n {
		if n[tenth] >= 20 && math.Abs(stated[tenth]-held[tenth])/float64(n[tenth]) > 0.1 {
			t.Errorf("%d predictions from %.1f: stated %.3f, true %.3f", n[tenth], float64(tenth)/10, stated[tenth]/float64(n[tenth]), held[tenth]/float64(n[tenth]))
		}
	}
	if loss, plain = loss/float64(predictions), plain/float64(predictions); !(loss < plain && loss < stats.UniformLoss) {
		t.Errorf("log loss %.3f, of plain shares %.3f", loss, plain)
	}
}
