package datasets_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// The oracle was written by scikit-learn itself; its file says which version.
type scalerOracle struct {
	Small []struct {
		X           [][]string
		Mean, Scale []string
	}
	Real []realScale
}

type realScale struct {
	Dataset, Mean, Scale string
	AllRows              string `json:"all_rows"`
}

func readScalerOracle(t *testing.T) (o scalerOracle) {
	raw := must.Get(os.ReadFile("testdata/standardscaler.json"))(t)
	must.Do(t, json.Unmarshal(raw, &o))
	if len(o.Small) == 0 || len(o.Real) == 0 {
		t.Fatal("the oracle is empty")
	}
	return o
}

func parseHex(t *testing.T, texts []string) []float64 {
	out := make([]float64, len(texts))
	for i, s := range texts {
		v := must.Get(strconv.ParseFloat(s, 64))(t)
		out[i] = v
	}
	return out
}

// TestStandardiserEqualsScikitLearn wants equal bits, near-constant columns included.
func TestStandardiserEqualsScikitLearn(t *testing.T) {
	for k, c := range readScalerOracle(t).Small {
		x := mat.NewDense(len(c.X), len(c.X[0]), nil)
		for i, row := range c.X {
			x.SetRow(i, parseHex(t, row))
		}
		s := datasets.FitStandardiser(x, nil)
		must.Be(t, s.Mean, parseHex(t, c.Mean), k)
		must.Be(t, s.Scale, parseHex(t, c.Scale), k)
	}
}

func bitsHash(values []float64) string {
	h := sha256.New()
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestStandardiserEqualsScikitLearnOnRealSets(t *testing.T) {
	ofSet := func(c realScale) string { return c.Dataset }
	fits.EachSet(t, readScalerOracle(t).Real, ofSet, func(t *testing.T, set *datasets.Set, c realScale) {
		var rows []int // every third row, from the last one backwards
		for i := len(set.Y) - 1; i >= 0; i -= 3 {
			rows = append(rows, i)
		}
		s := datasets.FitStandardiser(set.X, rows)
		must.Be(t, bitsHash(s.Mean), c.Mean, c.Dataset)
		must.Be(t, bitsHash(s.Scale), c.Scale, c.Dataset)
		var z mat.Dense
		s.Apply(&z, set.X, nil)
		must.Be(t, bitsHash(z.RawMatrix().Data), c.AllRows, c.Dataset)
	})
}

// drawMatrix draws values whose squares do not underflow.
func drawMatrix(t *rapid.T) *mat.Dense {
	n, d := rapid.IntRange(1, 30).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
	values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), n*d, n*d).Draw(t, "x")
	for i, v := range values {
		if math.Abs(v) < 1e-30 {
			values[i] = 0
		}
	}
	return mat.NewDense(n, d, values)
}

func TestStandardiserSeesItsRowsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawMatrix(t)
		n, _ := x.Dims()
		rows := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 20).Draw(t, "rows")
		a, b := datasets.FitStandardiser(x, rows), datasets.FitStandardiser(datasets.Rows(x, rows), nil)
		if !slices.Equal(a.Mean, b.Mean) || !slices.Equal(a.Scale, b.Scale) {
			t.Fatalf("%v and %v differ", a, b)
		}
		var picked, all mat.Dense
		a.Apply(&picked, x, rows)
		a.Apply(&all, x, nil)
		if !mat.Equal(&picked, datasets.Rows(&all, rows)) {
			t.Fatal("rows are standardised differently one by one")
		}
		inPlace := mat.DenseCopyOf(x)
		a.Apply(inPlace, inPlace, nil)
		must.Be(t, mat.Equal(inPlace, &all), true, "standardising in place gives other values")
	})
}

func TestStandardiserMisusePanics(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	for name, call := range map[string]func(){
		"no rows":      func() { datasets.FitStandardiser(x, []int{}) },
		"other width":  func() { datasets.FitStandardiser(x, nil).Apply(&mat.Dense{}, mat.NewDense(1, 3, nil), nil) },
		"wrong target": func() { datasets.FitStandardiser(x, nil).Apply(mat.NewDense(1, 2, nil), x, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// TestCheckFindsLostVariance: columns whose squared differences underflow or whose
// sums overflow are named; small, large and constant columns that standardise well
// are not.
func TestCheckFindsLostVariance(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		want   string
	}{
		{"ordinary", []float64{1, 2, 3, 9}, ""},
		{"constant", []float64{0.1, 0.1, 0.1, 9}, ""},
		{"constant and tiny", []float64{1e-310, 1e-310, 1e-310, 9}, ""},
		{"small, and standardised to the last digits", []float64{1e-150, 2e-150, 3e-150, 9}, ""},
		{"deviation exactly 1", []float64{-1, 1, 0, 0}, ""},
		{"last digits only", []float64{1, 1 + 0x1p-52, 1, 9}, ""},
		{"below the smallest number", []float64{1e-310, 2e-310, 3e-310, 9}, `column "b" is too small to standardise: ` +
			`its values differ by 2e-310 at most; rescale it in the file`},
		{"squares without digits", []float64{1e-155, 2e-155, 3e-155, 9}, `column "b" is too small to standardise: ` +
			`its values differ by 2e-155 at most; rescale it in the file`},
		{"squares lost", []float64{0, 1e-200, 0, 9}, `column "b" is too small to standardise: its values differ by ` +
			`1e-200 at most; rescale it in the file`},
		{"sum too large", []float64{1e308, 1.5e308, 1e308, 9}, `column "b" is too large to standardise; rescale it ` +
			`in the file`},
		{"squares too large", []float64{1e200, -1e200, 0, 9}, `column "b" is too large to standardise; rescale it in ` +
			`the file`},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := mat.NewDense(4, 2, nil)
			for i, v := range c.values {
				x.Set(i, 0, float64(i))
				x.Set(i, 1, v)
			}
			rows := []int{0, 1, 2} // the last row would hide everything
			err := datasets.FitStandardiser(x, rows).Check(x, rows, []string{"a", "b"})
			if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			head := mat.DenseCopyOf(x.Slice(0, 3, 0, 2))
			if all := datasets.FitStandardiser(head, nil).Check(head, nil,
				[]string{"a", "b"}); fmt.Sprint(all) != fmt.Sprint(err) {
				t.Errorf("all rows of a matrix: %v; chosen rows: %v", all, err)
			}
		})
	}
}

// TestCheckedDeviationsAreRight compares the deviation of every column that Check
// lets through with the one of the same values scaled by a power of two to an
// ordinary size, which changes no digit.
func TestCheckedDeviationsAreRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "n")
		exponent := rapid.IntRange(-560, -480).Draw(t, "exponent")
		x, large := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		for i := range n {
			v := float64(rapid.IntRange(-1000, 1000).Draw(t, "v"))
			large.Set(i, 0, v)
			x.Set(i, 0, math.Ldexp(v, exponent))
		}
		s := datasets.FitStandardiser(x, nil)
		if s.Check(x, nil, []string{"a", "b"}) != nil {
			return
		}
		want := datasets.FitStandardiser(large, nil).Scale[0]
		if want == 1 && s.Scale[0] == 1 {
			return // constant
		}
		must.Near(t, math.Ldexp(s.Scale[0], -exponent), want, 1e-14*want, "deviation")
	})
}
