package split

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// TestOwnSplits: kind openml gives the split that the set comes with, whose training rows are folded as those of every
// other kind.
func TestOwnSplits(t *testing.T) {
	set := &datasets.Set{Name: "mine", Task: registry.Binary, Y: []float64{-1, -1, -1, -1, 1, 1, 1, 1}}
	for first := range 2 {
		var d datasets.Division
		for i := range set.Y {
			if i%4 == first {
				d.Test = append(d.Test, i)
			} else {
				d.Train = append(d.Train, i)
			}
		}
		set.Splits = append(set.Splits, d)
	}
	s := Splitter{Kind: OpenML, Folds: 3}
	must.Do(t, s.Check())
	for number := range uint32(2) {
		got, err := s.Split(set, number+1)
		if err != nil || !slices.Equal(got.Train, set.Splits[number].Train) ||
			!slices.Equal(got.Test, set.Splits[number].Test) {
			t.Fatalf("split %d: %+v, %v", number+1, got, err)
		}
		for f, fold := range got.Folds {
			_, valid := got.Fold(f)
			must.Be(t, len(fold), 2, f, valid)
			must.Be(t, share(set.Y, valid, 1), 1, f, valid)
		}
	}
	for number, want := range map[uint32]string{0: "there is no split 0", 3: "the set's own splits are 1 to 2"} {
		must.Say(t, must.Err(s.Split(set, number)), want)
	}
	s.Folds = 7
	must.Say(t, must.Err(s.Split(set, 1)), "6 training rows are too few for 7 folds")
	set.Splits = nil
	must.Say(t, must.Err(s.Split(set, 1)), "the set has none")
	if _, _, err := s.Sizes(8, 0); err == nil {
		t.Error("Sizes knows the sizes of a file that it was not given")
	}
}
