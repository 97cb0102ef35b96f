package stats_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// By hand: of 1, 2, 4 and 9 the mean is 4, the squared deviations add up to 9 + 4 + 0 + 25, and the
// quartiles lie at places 0.75, 1.5 and 2.25: 1.75, 3 and 5.25.
func TestSpreadByHand(t *testing.T) {
	s := stats.NewSpread(decimals(t, [][]float64{{4, 1, 9, 2}})[0])
	must.Be(t, fixed([]*big.Rat{s.Mean, s.Min, s.Lower, s.Median, s.Upper, s.Max}, 2), "4.00 1.00 1.75 3.00 5.25 9.00",
		"mean, least, quartiles, largest")
	if s.N != 4 || s.StdPop != math.Sqrt(9.5) || s.StdSample != math.Sqrt(38.0/3) {
		t.Errorf("deviations %v and %v of %d values", s.StdPop, s.StdSample, s.N)
	}
}

func TestSpreadOfFew(t *testing.T) {
	if s := stats.NewSpread(nil); s.N != 0 || s.Mean != nil || s.Median != nil || !math.IsNaN(s.StdPop) ||
		!math.IsNaN(s.StdSample) {
		t.Errorf("the spread of nothing is %+v", s)
	}
	s := stats.NewSpread([]*big.Rat{big.NewRat(1, 3)})
	if s.StdPop != 0 || !math.IsNaN(s.StdSample) || s.Max.Cmp(s.Min) != 0 || s.Lower.Cmp(big.NewRat(1, 3)) != 0 {
		t.Errorf("the spread of one value is %+v", s)
	}
	if got := stats.Spreads(nil, 2); len(got) != 2 || got[1].N != 0 {
		t.Errorf("the spreads of two columns without a row are %+v", got)
	}
}

// A common shift moves mean and order statistics and no deviation; equal values have none, and the
// values themselves are not changed.
func TestSpreadProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(rapid.Int64Range(-50, 50), 1, 12).Draw(t, "values")
		shift := rapid.Int64Range(-9, 9).Draw(t, "shift")
		var values, shifted [][]*big.Rat
		for _, v := range ints {
			values = append(values, []*big.Rat{big.NewRat(v, 7), big.NewRat(1, 3)})
			shifted = append(shifted, []*big.Rat{big.NewRat(v+7*shift, 7), big.NewRat(1, 3)})
		}
		a, b := stats.Spreads(values, 2), stats.Spreads(shifted, 2)
		by := big.NewRat(shift, 1)
		for _, pair := range [][2]*big.Rat{{a[0].Mean, b[0].Mean}, {a[0].Min, b[0].Min}, {a[0].Lower, b[0].Lower},
			{a[0].Median, b[0].Median}, {a[0].Upper, b[0].Upper}, {a[0].Max, b[0].Max}} {
			must.Be(t, new(big.Rat).Add(pair[0], by).Cmp(pair[1]), 0, "shifted by")
		}
		if a[0].StdPop != b[0].StdPop || a[1].StdPop != 0 {
			t.Fatalf("deviations %v and %v, of equal values %v", a[0].StdPop, b[0].StdPop, a[1].StdPop)
		}
		if a[0].Lower.Cmp(a[0].Min) < 0 || a[0].Median.Cmp(a[0].Lower) < 0 || a[0].Upper.Cmp(a[0].Median) < 0 ||
			a[0].Max.Cmp(a[0].Upper) < 0 {
			t.Fatalf("quartiles are out of order: %+v", a[0])
		}
		for i, v := range ints {
			must.Be(t, values[i][0].Cmp(big.NewRat(v, 7)), 0, "a value was changed")
		}
	})
}

// TestSpreadOfParts: the mean is the sum over the number, exactly, and the deviation that of the exact squares, for
// quotients of counts, whose sums are sums of integers, and for values with larger numbers.
func TestSpreadOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{5, 300, 1 << 20, 1 << 21, 1<<21 + 1, 1 << 40}).Draw(t, "most")
		var values []*big.Rat
		sum, squares := new(big.Rat), new(big.Rat)
		for range rapid.IntRange(1, 20).Draw(t, "values") {
			v := big.NewRat(rapid.Int64Range(-most, most).Draw(t, "count"), rapid.Int64Range(1, most).Draw(t, "of"))
			if rapid.Bool().Draw(t, "one set") {
				v.SetFrac64(rapid.Int64Range(-most, most).Draw(t, "count"), most)
			}
			values = append(values, v)
			sum.Add(sum, v)
			squares.Add(squares, new(big.Rat).Mul(v, v))
		}
		n := big.NewRat(int64(len(values)), 1)
		mean := sum.Quo(sum, n)
		s := stats.NewSpread(values)
		if s.Mean.Cmp(mean) != 0 || stats.Mean(values).Cmp(mean) != 0 {
			t.Fatalf("the mean of %v is %v, not %v", values, s.Mean, mean)
		}
		squares.Quo(squares, n)
		variance, _ := squares.Sub(squares, new(big.Rat).Mul(mean, mean)).Float64()
		if want := math.Sqrt(variance); math.Abs(s.StdPop-want) > 1e-15*want {
			t.Fatalf("the deviation of %v is %v, not %v", values, s.StdPop, want)
		}
	})
}

// Deviations by integers have the bits of those by fractions, on either side of the bound of integers.
func TestDeviationsByIntegers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.SampledFrom([]int64{1, 50, 1 << 12, 1 << 21}).Draw(r, "most")
		parts := rapid.SliceOfN(rapid.Int64Range(-most, most), 2, 30).Draw(r, "parts")
		integers, fractions := stats.Deviations(parts, rapid.Int64Range(1, most).Draw(r, "of"))
		must.Be(r, integers, fractions, parts)
	})
}
