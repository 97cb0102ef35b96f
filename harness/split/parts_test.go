package split

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawNumbers gives a drawn set columns and, for a regression, real targets.
func drawNumbers(t *rapid.T) *datasets.Set {
	set := drawSet(t)
	set.Classes, set.Features = 2, []string{"a", "b", "c"}
	value := rapid.Float64Range(-100, 100)
	set.X = mat.NewDense(len(set.Y), 3, nil)
	for i := range set.Y {
		for j := range 3 {
			set.X.Set(i, j, value.Draw(t, "x"))
		}
		if set.Task == registry.Regression {
			set.Y[i] = value.Draw(t, "y")
		}
	}
	return set
}

// TestPartsEqualTheirDefinition: every part holds the split's rows in their order, standardised, if
// asked, by those that are learned from, and changes nothing of the set.
func TestPartsEqualTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawNumbers(t), drawSplitter(t)
		drawn := must.Get(s.Split(set, 1))(t)
		p := Parts{Set: set, Split: drawn, Standardise: rapid.Bool().Draw(t, "standardise"),
			ScaleTarget: rapid.Bool().Draw(t, "scale")}
		x, y := mat.DenseCopyOf(set.X), slices.Clone(set.Y)
		for f := -1; f < len(drawn.Folds); f++ {
			learn, score := drawn.Train, drawn.Test
			part, err := p.Whole()
			if f >= 0 {
				learn, score = drawn.Fold(f)
				part, err = p.Fold(f)
			}
			must.Do(t, err)
			must.Be(t, part.Inputs.Scale != nil, p.Standardise)
			checkRows(t, p, part, part.Learn, learn, learn)
			checkRows(t, p, part, part.Score, score, learn)
			checkTargets(t, p, part, learn, score)
		}
		must.Be(t, mat.Equal(x, set.X), true, "the set was changed")
		must.Be(t, y, set.Y, "the set was changed")
	})
}

// TestNoDateOutsideOfTheTrainingRowsCounts draws a set with dates, and changes the dates of all rows that are not
// learned from. No feature of the rows that are learned from changes, and their earliest day is 0.
func TestNoDateOutsideOfTheTrainingRowsCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawNumbers(t), drawSplitter(t)
		set.Dates, set.Gaps = []int{1}, datasets.Gaps{Impute: datasets.Mean}
		drawn := must.Get(s.Split(set, 1))(t)
		p := Parts{Set: set, Split: drawn, Standardise: rapid.Bool().Draw(t, "standardise")}
		for f := -1; f < len(drawn.Folds); f++ {
			learn, of := drawn.Train, p.Whole
			if f >= 0 {
				learn, _ = drawn.Fold(f)
				of = func() (Part, error) { return p.Fold(f) }
			}
			before := must.Get(of())(t)
			earliest := math.Inf(1)
			for _, i := range learn {
				earliest = min(earliest, set.X.At(i, 1))
			}
			must.Be(t, before.Inputs.Dates.Days[0], earliest)
			changed := *set
			changed.X = mat.DenseCopyOf(set.X)
			for i := range set.Y {
				if !slices.Contains(learn, i) {
					changed.X.Set(i, 1, -1e6)
				}
			}
			p.Set = &changed
			if after := must.Get(of())(t); !mat.Equal(after.Learn.X, before.Learn.X) {
				t.Fatalf("%v, was %v", mat.Formatted(after.Learn.X), mat.Formatted(before.Learn.X))
			}
			p.Set = set
			if p.Standardise {
				continue
			}
			for k, i := range learn {
				must.Be(t, before.Learn.X.At(k, 1), set.X.At(i, 1)-earliest)
			}
		}
	})
}

// checkRows compares the columns of d, rows of the set, standardised by the rows learn.
func checkRows(t *rapid.T, p Parts, part Part, d registry.Data, rows, learn []int) {
	if n, _ := d.X.Dims(); n != len(rows) || d.Task != p.Set.Task || d.Classes != p.Set.Classes {
		t.Fatalf("%d rows of %d, task %s", n, len(rows), d.Task)
	}
	for j := range 3 {
		mean, deviation := 0.0, 1.0
		if p.Standardise {
			column := make([]float64, len(learn))
			for i, row := range learn {
				column[i] = p.Set.X.At(row, j)
			}
			mean, deviation = moments(column)
		}
		for i, row := range rows {
			if want := (p.Set.X.At(row, j) - mean) / deviation; math.Abs(d.X.At(i, j)-want) > 1e-9*max(1,
				math.Abs(want)) {
				t.Fatalf("row %d, column %d is %v, want %v", row, j, d.X.At(i, j), want)
			}
		}
	}
}

// checkTargets: those of a regression are scaled where they are learned, and only there.
func checkTargets(t *rapid.T, p Parts, part Part, learn, score []int) {
	must.Be(t, part.Score.Y, at(p.Set.Y, score), "targets to be compared with")
	want := TargetScale{0, 1}
	if p.ScaleTarget && p.Set.Task == registry.Regression {
		want.Mean, want.Scale = moments(at(p.Set.Y, learn))
	} else if !slices.Equal(part.Learn.Y, at(p.Set.Y, learn)) || part.Target != want {
		t.Fatalf("targets are scaled by %v", part.Target)
	}
	if math.Abs(part.Target.Mean-want.Mean) > 1e-9 || math.Abs(part.Target.Scale-want.Scale) > 1e-9 {
		t.Fatalf("targets are scaled by %v, want %v", part.Target, want)
	}
	back := slices.Clone(part.Learn.Y)
	part.Target.Invert(back)
	for i, row := range learn {
		must.Near(t, back[i], p.Set.Y[row], 1e-9, "target", i)
	}
}

// moments are the mean and the population standard deviation, 1 for constants.
func moments(v []float64) (mean, deviation float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		deviation += (x - mean) * (x - mean) / float64(len(v))
	}
	if deviation < 1e-18 {
		return mean, 1
	}
	return mean, math.Sqrt(deviation)
}

func TestTargetScale(t *testing.T) {
	s, err := FitTarget([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	if want := (TargetScale{5, 2}); err != nil || s != want {
		t.Errorf("scale %v, %v; want %v", s, err, want)
	}
	y := []float64{9, 1, 5}
	s.Apply(y)
	must.Be(t, y, []float64{2, -2, 0})
	s.Invert(y)
	must.Be(t, y, []float64{9, 1, 5}, "turned back")
	must.Be(t, must.Get(FitTarget([]float64{0.1, 0.1, 0.1}))(t).Scale, 1)
	for want, y := range map[string][]float64{
		`column "target" is too large to standardise`: {math.MaxFloat64, -math.MaxFloat64},
		`column "target" is too small to standardise`: {0, 1e-160},
	} {
		if _, err := FitTarget(y); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("targets %v: got %v, want %s", y, err, want)
		}
	}
	// Without a scale even the sign of a zero stays.
	zero := []float64{math.Copysign(0, -1)}
	unscaled.Apply(zero)
	unscaled.Invert(zero)
	must.Be(t, math.Signbit(zero[0]), true, "no scale changes -0")
}

// TestPartsRefuse: what cannot be scaled is named with its set.
func TestPartsRefuse(t *testing.T) {
	set := &datasets.Set{Name: "mine", Task: registry.Regression, Features: []string{"a"}, X: mat.NewDense(8, 1, nil),
		Y: make([]float64, 8)}
	set.X.Set(0, 0, math.MaxFloat64)
	set.X.Set(1, 0, -math.MaxFloat64)
	p := Parts{Set: set, Split: Split{Train: upto(0, 6), Test: upto(6, 8), Folds: [][]int{{0, 1, 2}, {3, 4, 5}}},
		Standardise: true}
	if _, err := p.Whole(); err == nil || err.Error() != `mine: column "a" is too large to standardise; rescale it `+
		`in the file` {
		t.Errorf("got %v", err)
	}
	if _, err := p.Fold(0); err != nil { // the large rows are held out
		t.Error(err)
	}
	set.Y[0] = 1e-160
	p.Standardise, p.ScaleTarget = false, true
	if _, err := p.Whole(); err == nil || !strings.HasPrefix(err.Error(), `mine: column "target" is too small to `+
		`standardise`) {
		t.Errorf("got %v", err)
	}
}
