package catalogue

import (
	"math"
	"strconv"

	"github.com/kernelboosting/bench/registry/rng"
)

// The large sets are for questions about the number of rows. All have twenty features, each standard normal and rounded
// to three decimals. They differ in the rule that gives the class. A rule sees the features as whole thousandths and
// computes with whole numbers alone, so that every machine finds the same class. Then one class in twenty is turned
// into the other: no method is right about more than 95 of 100 new rows, and a method that knows the rule is right
// about as many. Each rule says yes as often as no, since it changes its mind when some features change their sign.
const (
	largeFeatures = 20
	// of every large set; the first rows of a larger set are a smaller set, and rules see the same features
	largeSeed = 1
	turned    = 0.05
)

// linearRule: sum_j (-1)^j (20 - j) x_j > 0 over all features j = 0, .., 19. A hyperplane through zero divides the
// classes, and features matter more or less.
func linearRule(x []int64) bool {
	sum := int64(0)
	for j, v := range x {
		w := int64(largeFeatures - j)
		if j%2 == 1 {
			w = -w
		}
		sum += w * v
	}
	return sum > 0
}

// smoothRule: x_0 x_1 + x_2 x_3 + x_4 x_5 > 0. The sum is smooth, and it is in the span of a polynomial kernel of
// degree two. No single feature says anything of the class. Fourteen features have no influence.
func smoothRule(x []int64) bool { return x[0]*x[1]+x[2]*x[3]+x[4]*x[5] > 0 }

// thresholdsRule: most of five signs are positive, those of x_0, x_1, x_2, x_3 x_4 and x_5 x_6. Its surfaces are
// parallel to the axes, as those of trees are. Thirteen features have no influence.
func thresholdsRule(x []int64) bool {
	sum := 0
	for _, v := range []int64{x[0], x[1], x[2], x[3] * x[4], x[5] * x[6]} {
		if v > 0 {
			sum++
		}
	}
	return sum > 2
}

// largeSet writes n rows as CSV with header x1,..,x20,y. Draws per row: the features in order, then a uniform number,
// below turned where the class is the other one.
func largeSet(n int, rule func(x []int64) bool) []byte {
	// the most bytes of a row: every drawn normal number has one digit before its decimal point
	const most = largeFeatures*len("-9.999,") + len("-1\n")
	r := rng.New(largeSeed)
	out := make([]byte, 0, most*(n+1))
	for j := range largeFeatures {
		out = append(strconv.AppendInt(append(out, 'x'), int64(j+1), 10), ',')
	}
	out = append(out, "y\n"...)
	features, thousandths := make([]float64, largeFeatures), make([]int64, largeFeatures)
	for range n {
		r.Norms(features)
		for j, x := range features {
			thousandths[j] = int64(math.RoundToEven(1000 * x))
			out = append(appendThousandths(out, thousandths[j]), ',')
		}
		label := "-1\n"
		if rule(thousandths) != (r.Float64() < turned) {
			label = "1\n"
		}
		out = append(out, label...)
	}
	return out
}

// appendThousandths appends v/1000 with three decimals.
func appendThousandths(out []byte, v int64) []byte {
	if v < 0 {
		out, v = append(out, '-'), -v
	}
	out = strconv.AppendInt(out, v/1000, 10)
	return append(out, '.', byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
}
