package solve_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/solve"

	"pgregory.net/rapid"
)

var curves = map[string]func(float64) float64{
	"parabola": func(x float64) float64 { return (x - 0.3) * (x - 0.3) },
	"cosine":   func(x float64) float64 { return math.Cos(2*math.Pi*x - 1) },
	"waves":    waves,
	"absolute": func(x float64) float64 { return math.Abs(x - 0.123) },
	"monotone": func(x float64) float64 { return x },
	"quartic":  func(x float64) float64 { return math.Pow(x-1, 4) },
	"step":     func(x float64) float64 { return math.Floor(8*x) * math.Floor(8*x) },
	"constant": func(x float64) float64 { return 0 },
}

// waves has the shape of GBRFF2's loss in the phase, x in turns.
func waves(x float64) float64 {
	sum := 0.0
	for i := range 20 {
		t := float64(i)
		sum += math.Exp(-math.Cos(5*t) * math.Cos(2*math.Pi*x-0.3*t))
	}
	return sum
}

// reference lists every point that SciPy 1.17.1's optimize.fminbound evaluates,
// in order, and what it returns.
var reference = []struct {
	function  string
	a, b, tol float64
	x         float64
	points    []float64
}{
	{"parabola", -0.5, 0.5, 0.01, 0.29999999999999993, []float64{-0.11803398875, 0.11803398875, 0.2639320225, 0.3,
		0.303333337783, 0.296666662217}},
	{"cosine", -0.5, 0.5, 0.01, -0.340691809222581, []float64{-0.11803398875, 0.11803398875, -0.2639320225,
		-0.35410196625, -0.348599064112, -0.340691809223, -0.344025147609, -0.337358470836}},
	{"waves", -0.5, 0.5, 0.01, -0.032300313988983045, []float64{-0.11803398875, 0.11803398875, -0.2639320225,
		-0.032300313989, -0.0209609953292, -0.0289669801766, -0.0356336478014}},
	{"waves", -0.5, 0.5, 1e-08, -0.031177845338562247, []float64{-0.11803398875, 0.11803398875, -0.2639320225,
		-0.032300313989, -0.0209609953292, -0.0312640944191, -0.0311717955253, -0.0311778897629, -0.0311778514923,
		-0.0311778552881, -0.0311755383188, -0.0311769679387, -0.0311775140049, -0.0311777225836, -0.0311778022536,
		-0.0311778326848, -0.0311778453386, -0.0311778404073}},
	{"absolute", -1, 2, 1e-05, 0.1230001940841251, []float64{0.14589803375, 0.85410196625, -0.291796067501,
		0.197711207203, 0.0426722205793, 0.121996118415, 0.091697085562, 0.120990900237, 0.127993283531, 0.124286831653,
		0.122960296708, 0.123068555015, 0.122901590776, 0.122996858926, 0.123006882447, 0.122993523769, 0.123000194084,
		0.123003529242}},
	{"monotone", -0.5, 0.5, 0.01, -0.49520272187315195, []float64{-0.11803398875, 0.11803398875, -0.2639320225,
		-0.35410196625, -0.409830056251, -0.444271909999, -0.465558146251, -0.478713763748, -0.486844382504,
		-0.491869381244, -0.495202721873}},
	{"quartic", 0, 3, 1e-05, 1.0000018736787917, []float64{1.14589803375, 1.85410196625, 0.708203932499, 0.938661001875,
		1.02844849368, 0.98744740675, 1.00568587775, 0.997456730387, 1.00114336581, 0.999486197619, 1.00023024584,
		0.999896252923, 1.00004636343, 0.999979042397, 1.00000932828, 0.999995761683, 1.00000187368, 1.00000522184}},
	{"step", -0.3, 0.9, 0.01, 0.08144596482173509, []float64{0.1583592135, 0.4416407865, -0.0167184270003,
		0.0708203932499, 0.0741537276337, 0.0774870620669, 0.108377475171, 0.127468800396, 0.0965783872918,
		0.0892861499462, 0.0847792994125, 0.0814459648217}},
	{"constant", -1, 1, 0.1, 0.9644496396467538, []float64{-0.2360679775, 0.2360679775, 0.527864045, 0.708203932499,
		0.819660112501, 0.888543819998, 0.931116292503, 0.964449639647}},
	{"waves", -3, 3, 0.01, -0.030643155468444934, []float64{-0.708203932499, 0.708203932499, -1.583592135,
		-0.112044281713, -0.0143687532798, 0.261629453346, 0.00623319608497, -0.0306431554684, -0.0339764892563,
		-0.0273098216806}},
}

// TestPathMatchesSciPy compares all points evaluated. Tolerance: 1e-10, or the
// asked tol's thousandth if that is larger than it (the points are printed to 12
// digits, and parabolas of nearly equal values magnify rounding).
func TestPathMatchesSciPy(t *testing.T) {
	for _, c := range reference {
		var points []float64
		x, fx := solve.Brent(func(x float64) float64 {
			points = append(points, x)
			return curves[c.function](x)
		}, c.a, c.b, c.tol)
		within := max(1e-10, c.tol*1e-3)
		must.Near(t, x, c.x, max(within, 4*math.Sqrt(2.2e-16)*math.Abs(x)), c.a, c.b, c.tol)
		must.Be(t, fx, curves[c.function](x), c.a, c.b, c.tol)
		if c.tol < 1e-6 {
			continue // values differ by rounding only: so do the last points
		}
		if len(points) != len(c.points) {
			t.Errorf("%s on [%v, %v] to %v: %d points, SciPy %d", c.function, c.a, c.b, c.tol, len(points),
				len(c.points))
			continue
		}
		for i, p := range points {
			must.Near(t, p, c.points[i], within, c.function, c.a, c.b, c.tol, i)
		}
	}
}

// TestUnimodal compares with the known minimiser of random unimodal curves:
// within tol, or at the nearer end of the interval.
func TestUnimodal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-10, 10).Draw(t, "a")
		width := rapid.Float64Range(0.01, 10).Draw(t, "width")
		at := rapid.Float64Range(-12, 22).Draw(t, "minimiser")
		tol := rapid.SampledFrom([]float64{1e-1, 1e-2, 1e-4}).Draw(t, "tol")
		power := rapid.SampledFrom([]float64{1, 1.5, 2}).Draw(t, "power")
		f := func(x float64) float64 { return math.Pow(math.Abs(x-at), power) }
		x, _ := solve.Brent(f, a, a+width, tol)
		must.Near(t, x, min(max(at, a), a+width), tol, "x", tol)
	})
}

func TestEmptyInterval(t *testing.T) {
	if x, fx := solve.Brent(waves, 0.25, 0.25, 1e-2); x != 0.25 || fx != waves(0.25) {
		t.Errorf("x = %v, f = %v", x, fx)
	}
}
