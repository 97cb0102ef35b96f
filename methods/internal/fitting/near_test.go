package fitting

import (
	"math"
	"slices"
	"testing"
)

// TestNearer: columns far from zero lose their means, and other columns keep their bits.
func TestNearer(t *testing.T) {
	steps := []float64{1, 2, 4, 9} // of a mean of 4
	rows := func(columns ...func(i int) float64) (x []float64, d int) {
		for i := range steps {
			for _, c := range columns {
				x = append(x, c(i))
			}
		}
		return x, len(columns)
	}
	at := func(origin float64) func(int) float64 { return func(i int) float64 { return origin + steps[i] } }
	always := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	gap := func(i int) float64 {
		if i == 0 {
			return math.NaN()
		}
		return 1e9 + float64(i)
	}
	for _, c := range []struct {
		name   string
		column func(int) float64
		mean   float64 // 0 for a column that stays
	}{
		{"near", at(0), 0}, {"a thousand", at(1000), 0}, {"far", at(1 << 20), 1<<20 + 4},
		{"farther", at(-1 << 40), -1<<40 + 4},
		{"constant", always(5), 0}, {"constant and far", always(1e9), 1e9}, {"zero", always(0), 0},
		{"with a gap", gap, 1e9 + 2},
		{"infinite", always(math.Inf(1)), 0},
	} {
		x, d := rows(at(3), c.column)
		near, origin := Nearer(x, d)
		if c.mean == 0 {
			if origin != nil || &near[0] != &x[0] {
				t.Errorf("%s: the origin is %v, and the rows are others", c.name, origin)
			}
			continue
		}
		if !slices.Equal(origin, []float64{0, c.mean}) {
			t.Errorf("%s: the origin is %v, want %v", c.name, origin, c.mean)
			continue
		}
		for i, v := range near {
			if want := x[i] - origin[i%d]; v != want && v == v {
				t.Errorf("%s: value %d is %v, want %v", c.name, i, v, want)
			}
		}
	}
	if x, d := rows(always(1e9), always(-3)); farMeans(x, d, Far) != nil {
		t.Error("of constant columns alone one is far")
	}
}
