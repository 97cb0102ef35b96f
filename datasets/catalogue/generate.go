// The files of sets that the program computes itself: toy sets in two dimensions, sets of channels, where only some
// features matter, large sets, and balance, where a rule gives the label. A generator is found by the text of the key
// generate ([Named]). It returns the bytes of a file, the same bytes on every machine.

package catalogue

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/registry/rng"
)

// generators make the content of files, by the name in an entry's generate key.
// The catalogue holds the SHA-256 of each file. A machine that computes other bytes
// is therefore noticed at once.
var generators = map[string]func() []byte{
	"balance":   balance,
	"two-moons": func() []byte { return toy(twoMoons) },
	"swiss":     func() []byte { return toy(swiss) },
	"circles":   func() []byte { return toy(circles) },
	"board":     func() []byte { return toy(board) },
}

// Named finds a generator by its text. The text is a name in generators, a name in sized with a number of rows,
// such as "moons(100)", or channels(n, informative, noise).
func Named(text string) (func() []byte, error) {
	if g := generators[text]; g != nil {
		return g, nil
	}
	name, rest, isSized := strings.Cut(text, "(")
	if rows := sized[name]; isSized && rows != nil {
		n, err := strconv.Atoi(strings.TrimSuffix(rest, ")"))
		if err != nil || n < 8 || text != fmt.Sprintf("%s(%d)", name, n) {
			return nil, fmt.Errorf("%s needs a number of rows of at least 8, as %s(1000)", name, name)
		}
		return func() []byte { return rows(n) }, nil
	}
	var n, informative, noise int
	const form = "channels(%d, %d, %d)"
	if _, err := fmt.Sscanf(text, form, &n, &informative, &noise); err != nil ||
		fmt.Sprintf(form, n, informative, noise) != text {
		return nil, errors.New("not a generator of this program: their names, those of sets with a number of rows, " +
			"and channels(n, informative, noise)")
	}
	if n < 1 || informative < 1 || noise < 0 {
		return nil, errors.New("channels needs a row and an informative channel")
	}
	return func() []byte { return channels(n, informative, noise) }, nil
}

// balance writes UCI's balance-scale file: all 625 combinations of left weight,
// left distance, right weight and right distance in 1..5. The right distance changes
// fastest. The label is the side with the larger weight x distance, L or R, or B if both are equal.
func balance() []byte {
	var out []byte
	for i := range 625 {
		lw, ld, rw, rd := 1+i/125, 1+i/25%5, 1+i/5%5, 1+i%5
		side := "B"
		if left, right := lw*ld, rw*rd; left > right {
			side = "L"
		} else if left < right {
			side = "R"
		}
		out = fmt.Appendf(out, "%s,%d,%d,%d,%d\n", side, lw, ld, rw, rd)
	}
	return out
}

// toyRows and toySeed belong to every two-dimensional toy set.
const (
	toyRows = 500
	toySeed = 1
)

// toy writes a toy set as CSV with header x1,x2,y. Two machines may compute sines that
// differ in their last bits. Coordinates are rounded to 6 decimals, which removes this difference:
// no coordinate is near the middle between two decimals.
func toy(point func(i int, r *rng.RandomState) (x1, x2 float64, positive bool)) []byte {
	r := rng.New(toySeed)
	x, positive := make([][]float64, toyRows), make([]bool, toyRows)
	for i := range x {
		x[i] = make([]float64, 2)
		x[i][0], x[i][1], positive[i] = point(i, r)
	}
	return rows(x, positive)
}

// twoMoons: two half circles, each reaching into the other. With t = pi U, row i
// has (cos t, sin t) if i is even, class -1, and (1 - cos t, 1/2 - sin t) if i is
// odd, class +1, plus normal noise of deviation 0.15. Draws per row: U, the noise
// of x1, the noise of x2.
func twoMoons(i int, r *rng.RandomState) (x1, x2 float64, positive bool) {
	sin, cos := math.Sincos(math.Pi * r.Float64())
	if positive = i%2 == 1; positive {
		sin, cos = 0.5-sin, 1-cos
	}
	x1 = cos + float64(0.15*r.Norm())
	x2 = sin + float64(0.15*r.Norm())
	return x1, x2, positive
}

// swiss: two spirals side by side, one per class. With a = 3 pi sqrt(U), row i has
// (a cos a, a sin a) / (3 pi), turned by pi if i is odd, class +1, plus normal noise
// of deviation 0.02. The root spreads the points evenly along the arms. Draws per
// row: U, the noise of x1, the noise of x2.
func swiss(i int, r *rng.RandomState) (x1, x2 float64, positive bool) {
	radius := math.Sqrt(r.Float64())
	sin, cos := math.Sincos(3 * math.Pi * radius)
	if positive = i%2 == 1; positive {
		radius = -radius
	}
	x1 = float64(radius*cos) + float64(0.02*r.Norm())
	x2 = float64(radius*sin) + float64(0.02*r.Norm())
	return x1, x2, positive
}

// circles: four circles around the origin with radii 1/4, 1/2, 3/4 and 1. Row i is
// on circle i mod 4 at the angle 2 pi U, plus normal noise of deviation 0.03. The classes
// of the circles alternate; the innermost is -1. Draws per row: U, the noise of x1, the noise of x2.
func circles(i int, r *rng.RandomState) (x1, x2 float64, positive bool) {
	circle := i % 4
	radius := float64(circle+1) / 4
	sin, cos := math.Sincos(2 * math.Pi * r.Float64())
	x1 = float64(radius*cos) + float64(0.03*r.Norm())
	x2 = float64(radius*sin) + float64(0.03*r.Norm())
	return x1, x2, circle%2 == 1
}

// board: points uniform on the square [0, 4)^2, coloured like a checkerboard of 4 x
// 4 cells: +1 where the sum of the cell's row and column is odd. No noise. Draws
// per row: x1, x2.
func board(_ int, r *rng.RandomState) (x1, x2 float64, positive bool) {
	x1, x2 = 4*r.Float64(), 4*r.Float64()
	return x1, x2, (int(x1)+int(x2))%2 == 1
}

// channelsSeed belongs to every set of channels. Of two sets with the same channels, the larger one therefore begins
// with the rows of the smaller one.
const channelsSeed = 1

// channels writes n rows as CSV with header u1,v1,u2,v2,..,y. A channel is two features u and v, both standard normal.
// The first channels, informative in number, decide the class. The remaining channels, noise in number, have no
// influence. Informative channel k = 0, 1, .. adds this term to a sum:
//
//	u v                if k mod 3 = 0
//	sin(2 u) + v / 2   if k mod 3 = 1
//	u u - 1            if k mod 3 = 2
//
// The class is the sign of the sum plus normal noise of deviation 0.3. Three informative channels have five features
// that matter. Draws per row: the features in order, then the normal noise. Features are rounded to 6 decimals, as in
// toy.
func channels(n, informative, noise int) []byte {
	r := rng.New(channelsSeed)
	var out []byte
	for k := range informative + noise {
		out = fmt.Appendf(out, "u%d,v%d,", k+1, k+1)
	}
	out = append(out, "y\n"...)
	features := make([]float64, 2*(informative+noise))
	for range n {
		r.Norms(features)
		out = appendRow(out, features, channelSum(features[:2*informative])+float64(0.3*r.Norm()) > 0)
	}
	return out
}

// channelSum returns the sum that decides the class, from the features of the informative channels.
func channelSum(features []float64) (sum float64) {
	for k := 0; 2*k < len(features); k++ {
		switch u, v := features[2*k], features[2*k+1]; k % 3 {
		case 0:
			sum += float64(u * v)
		case 1:
			sum += math.Sin(2*u) + float64(v/2)
		case 2:
			sum += float64(u*u) - 1
		}
	}
	return sum
}
