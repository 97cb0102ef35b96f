package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// By hand: without their rows' means the columns are (-1, 1) and (-2, 2), of which each has the mean -1.5 or 1.5 and the sample standard
// deviation sqrt(0.5); sqrt(2/1) sqrt(0.5) / sqrt(2) is 0.7071, and t(0.975, 1) is 12.7062.
func TestPairedHalfWidthsByHand(t *testing.T) {
	for j, half := range PairedHalfWidths([][]float64{{10, 12}, {50, 54}}, 0.95) {
		if want := 12.706204736 * math.Sqrt(0.5); math.Abs(half-want) > 1e-6 {
			t.Errorf("column %d: %v, want %v", j, half, want)
		}
	}
	for _, values := range [][][]float64{{{1, 2}}, {{1}, {2}}} {
		if half := PairedHalfWidths(values, 0.95); !math.IsNaN(half[0]) {
			t.Errorf("%v has %v", values, half)
		}
	}
}

// With two columns the interval is that of the paired t-test divided by the root of two: intervals that touch are as far apart as the
// root of two times that test's. What is added to all columns of a row changes nothing.
func TestPairedHalfWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(2, 12).Draw(t, "rows"), rapid.IntRange(2, 6).Draw(t, "columns")
		values, moved := make([][]float64, n), make([][]float64, n)
		for i := range values {
			values[i] = rapid.SliceOfN(rapid.Float64Range(-5, 5), k, k).Draw(t, "row")
			by := rapid.Float64Range(-80, 80).Draw(t, "by")
			for _, x := range values[i] {
				moved[i] = append(moved[i], x+by)
			}
		}
		a, b := PairedHalfWidths(values, 0.9), PairedHalfWidths(moved, 0.9)
		for j := range a {
			if math.Abs(a[j]-b[j]) > 1e-9 {
				t.Fatalf("%v after moving rows, %v before", b, a)
			}
		}
	})
}
