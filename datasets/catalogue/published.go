package catalogue

import (
	"math"
	"strconv"

	"github.com/kernelboosting/bench/registry/rng"
)

// sized makes sets with any number of rows: the large ones of large.go, and the random sets in the experiments of
// Gautheron et al. (ECML PKDD 2020). The second are the two-dimensional sets of Figures 1 and 5, and scikit-learn's
// make_classification of Figure 4. Their random numbers are NumPy's, in the order of the published programs. With the
// same seed, rows equal those of the published programs to six decimals (testdata/published.py).
var sized = map[string]func(n int) []byte{
	"linear":         func(n int) []byte { return largeSet(n, linearRule) },
	"smooth":         func(n int) []byte { return largeSet(n, smoothRule) },
	"thresholds":     func(n int) []byte { return largeSet(n, thresholdsRule) },
	"moons":          moons,
	"swiss-roll":     swissRoll,
	"rings":          rings,
	"checkerboard":   checkerboard,
	"classification": classification,
}

// rows writes labelled points as CSV with six decimals, as toy does.
func rows(x [][]float64, positive []bool) []byte {
	var out []byte
	for j := range x[0] {
		out = append(strconv.AppendInt(append(out, 'x'), int64(j+1), 10), ',')
	}
	out = append(out, "y\n"...)
	for i, row := range x {
		out = appendRow(out, row, positive[i])
	}
	return out
}

func appendRow(out []byte, x []float64, positive bool) []byte {
	for _, v := range x {
		out = append(strconv.AppendFloat(out, v, 'f', 6, 64), ',')
	}
	if positive {
		return append(out, "1\n"...)
	}
	return append(out, "-1\n"...)
}

// moons are scikit-learn's make_moons(n, shuffle=False, noise=0.05) with seed 55, centred and doubled. The points of
// class -1 lie on a half circle. The points of class +1, as many, lie on a second half circle that reaches into the
// first.
func moons(n int) []byte {
	const seed, noise = 55, 0.05
	r := rng.New(seed)
	first := n / 2
	x, positive := make([][]float64, n), make([]bool, n)
	for i := range x {
		if i < first {
			sin, cos := math.Sincos(math.Pi * float64(i) / float64(first-1))
			x[i] = []float64{cos, sin}
			continue
		}
		sin, cos := math.Sincos(math.Pi * float64(i-first) / float64(n-first-1))
		x[i], positive[i] = []float64{1 - cos, 0.5 - sin}, true
	}
	var mean [2]float64
	for _, row := range x {
		for j := range row {
			row[j] += float64(noise * r.Norm())
			mean[j] += row[j] / float64(n)
		}
	}
	for _, row := range x {
		for j := range row {
			row[j] = 2 * (row[j] - mean[j])
		}
	}
	return rows(x, positive)
}

// swissRoll: two spirals with t = 1.5 pi (1 + 2 U). The first, class -1, is (t cos t, t sin t), and the second is 0.9
// times as large. Both have noise of deviation 0.4. Draws for each spiral: all angles, then the noise row by row.
func swissRoll(n int) []byte {
	r := rng.New(toySeed)
	var x [][]float64
	var positive []bool
	for class, shrink := range []float64{1, 0.9} {
		angles := make([]float64, n/2)
		for i := range angles {
			angles[i] = 1.5 * math.Pi * (1 + float64(2*r.Float64()))
		}
		for _, t := range angles {
			sin, cos := math.Sincos(t)
			x = append(x, []float64{float64(shrink*t*cos) + float64(0.4*r.Norm()), float64(shrink*t*sin) +
				float64(0.4*r.Norm())})
			positive = append(positive, class == 1)
		}
	}
	return rows(x, positive)
}

// rings: four circles with radii 1 to 4, and noise of deviation 0.07 times the radius. Classes alternate; the innermost
// circle is -1. Angles are equally spaced. Draws for each circle: the noise of all x1, then the noise of all x2.
func rings(n int) []byte {
	const circles, noise = 4, 0.07
	r := rng.New(toySeed)
	var x [][]float64
	var positive []bool
	for c := range circles {
		each, radius := n/circles, float64(c+1)
		first := len(x)
		for i := range each {
			x = append(x, []float64{(math.Cos(2*math.Pi*float64(i)/float64(each)) + float64(noise*r.Norm())) * radius,
				0})
			positive = append(positive, c%2 == 1)
		}
		for i := range each {
			x[first+i][1] = (math.Sin(2*math.Pi*float64(i)/float64(each)) + float64(noise*r.Norm())) * radius
		}
	}
	return rows(x, positive)
}

// checkerboard: points uniform on [0, 4)^2, -1 where the sum of the cell's row and column is even. Draws: all x1, then
// all x2.
func checkerboard(n int) []byte {
	r := rng.New(toySeed)
	x, positive := make([][]float64, n), make([]bool, n)
	for i := range x {
		x[i] = []float64{r.Uniform(0, 4), 0}
	}
	for i := range x {
		x[i][1] = r.Uniform(0, 4)
		positive[i] = (int(x[i][0])+int(x[i][1]))%2 == 1
	}
	return rows(x, positive)
}

// A mixture makes features that are linear in two others: row i has the factors of feature i of these.
type mixture [2][2]float64

func newMixture(r *rng.RandomState) (a mixture) {
	for i := range a {
		for j := range a[i] {
			a[i][j] = 2*r.Float64() - 1
		}
	}
	return a
}

func (a mixture) of(v [2]float64, j int) float64 {
	return float64(v[0]*a[0][j]) + float64(v[1]*a[1][j])
}

// classification is scikit-learn's make_classification(n, n_classes=2, random_state=1) with its defaults. Two of its 20
// features are informative: four clusters lie on the corners of a square. Two features are linear in the informative
// ones, and 16 are noise. 1 % of the labels are drawn anew. Rows and columns are shuffled.
func classification(n int) []byte {
	const features, informative, redundant, clusters, flipped = 20, 2, 2, 4, 0.01
	r := rng.New(toySeed)
	x, positive := make([][]float64, n), make([]bool, n)
	for i := range x {
		x[i] = make([]float64, features)
		r.Norms(x[i][:informative])
	}
	start := 0
	for k := range clusters {
		size := n / clusters
		if k < n%clusters {
			size++
		}
		a := newMixture(r)
		corner := [informative]float64{float64(k>>1)*2 - 1, float64(k&1)*2 - 1}
		for i := start; i < start+size; i++ {
			v := [informative]float64{x[i][0], x[i][1]}
			for j := range informative {
				x[i][j] = a.of(v, j) + corner[j]
			}
			positive[i] = k%2 == 1
		}
		start += size
	}
	b := newMixture(r)
	for _, row := range x {
		for j := range redundant {
			row[informative+j] = b.of([informative]float64(row), j)
		}
	}
	for _, row := range x {
		r.Norms(row[informative+redundant:])
	}
	var flip []int
	for i := range n {
		if r.Float64() < flipped {
			flip = append(flip, i)
		}
	}
	for _, i := range flip {
		positive[i] = r.Intn(2) == 1
	}
	r.Shuffle(n, func(i, j int) {
		x[i], x[j] = x[j], x[i]
		positive[i], positive[j] = positive[j], positive[i]
	})
	r.Shuffle(features, func(i, j int) {
		for _, row := range x {
			row[i], row[j] = row[j], row[i]
		}
	})
	return rows(x, positive)
}
