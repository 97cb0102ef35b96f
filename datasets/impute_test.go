package datasets_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
)

// The oracle is scikit-learn's SimpleImputer in a Pipeline with its StandardScaler (testdata/imputer.py): what fills
// gaps, which columns have an indicator, means, scales and the rows that come out, those of the training rows and
// others. What fills gaps has equal bits.
func TestImputerEqualsScikitLearn(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/imputer.json"))(t)
	var oracle struct {
		Samples []struct {
			Rows  int
			Train []int
			X     []string
			Cases []imputerCase
		}
	}
	if err := json.Unmarshal(raw, &oracle); err != nil || len(oracle.Samples) < 3 {
		t.Fatalf("%d samples, %v", len(oracle.Samples), err)
	}
	for _, s := range oracle.Samples {
		x := parseHex(t, s.X)
		set := &datasets.Set{Name: "mine", X: mat.NewDense(s.Rows, len(x)/s.Rows, x),
			Features: slices.Repeat([]string{"a"}, len(x)/s.Rows)}
		before := mat.DenseCopyOf(set.X)
		for _, c := range s.Cases {
			set.Gaps = datasets.Gaps{Impute: c.Impute, Indicator: c.Indicator}
			c.check(t, set, s.Train)
		}
		near(t, "the set", set.X.RawMatrix().Data, before.RawMatrix().Data)
	}
}

// An imputerCase is what scikit-learn made of a sample in one way.
type imputerCase struct {
	Impute                 string
	Indicator              bool
	Indicators             []int
	Fill, Mean, Scale, Out []string
}

func (c *imputerCase) check(t *testing.T, set *datasets.Set, train []int) {
	t.Helper()
	in := must.Get(datasets.FitInputs(set, train, true))(t)
	if want := parseHex(t, c.Fill); c.Impute != datasets.None && !slices.Equal(in.Gaps.Fill, want) ||
		!slices.Equal(in.Gaps.Indicators, c.Indicators) {
		t.Errorf("%s: gaps are filled with %v and marked for columns %v, want %v and %v", c.Impute, in.Gaps.Fill,
			in.Gaps.Indicators, want, c.Indicators)
	}
	near(t, c.Impute+" means", in.Scale.Mean, parseHex(t, c.Mean))
	near(t, c.Impute+" scales", in.Scale.Scale, parseHex(t, c.Scale))
	out := in.Apply(set.X, nil)
	near(t, c.Impute+" rows", out.RawMatrix().Data, parseHex(t, c.Out))
	some := in.Apply(set.X, []int{2, 0})
	near(t, c.Impute+" chosen rows", some.RawRowView(1), out.RawRowView(0))
	if names := in.Names(set.Features); len(names) != some.RawMatrix().Cols || len(c.Indicators) > 0 &&
		names[len(set.Features)] != "a=missing" {
		t.Errorf("%s: names %v", c.Impute, names)
	}
}

// near wants equal numbers to 1e-12, relative to the larger of 1 and the value, and gaps at the same places.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	must.Be(t, len(got), len(want), what)
	for i, w := range want {
		if g := got[i]; math.IsNaN(g) != math.IsNaN(w) || math.Abs(g-w) > 1e-12*max(1, math.Abs(w)) {
			t.Errorf("%s: value %d is %v, want %v", what, i, g, w)
		}
	}
}
