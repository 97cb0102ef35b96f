package split

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// TestKindsEqualScikitLearn compares splits of every round of k-fold, and of a given test part, with
// those that testdata/kinds.py drew.
func TestKindsEqualScikitLearn(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/kinds.json"))(t)
	var rows []struct {
		Task      string    `json:"task"`
		Y         []float64 `json:"y"`
		Kind      Kind      `json:"kind"`
		Parts     int       `json:"parts"`
		TrainRows int       `json:"train_rows"`
		Some      int       `json:"some"`
		Number    uint32    `json:"number"`
		Split     Split     `json:"split"`
	}
	must.Do(t, json.Unmarshal(raw, &rows))
	kinds := map[Kind]int{}
	for _, row := range rows {
		task := must.Get(registry.ParseTask(row.Task))(t)
		kinds[row.Kind]++
		s := Splitter{Kind: row.Kind, Parts: row.Parts, Folds: 3, TrainRows: row.Some}
		if row.Kind == Stratified {
			s.TestFraction = 0.3
		}
		got := must.Get(s.Split(&datasets.Set{Task: task, Y: row.Y, TrainRows: row.TrainRows}, row.Number))(t)
		must.Be(t, cmp.Diff(row.Split, got), "", row.Task, s, row.Number)
	}
	if kinds[KFold] == 0 || kinds[Given] == 0 || kinds[Stratified] == 0 {
		t.Errorf("the file has %v", kinds)
	}
}

// drawSet draws a set that every splitter of drawSplitter can divide, with a part of its own.
func drawSet(t *rapid.T) *datasets.Set {
	set := &datasets.Set{Name: "drawn", Task: rapid.SampledFrom([]registry.Task{registry.Binary, registry.Multiclass,
		registry.Regression}).Draw(t, "task")}
	n := rapid.IntRange(60, 120).Draw(t, "n")
	set.TrainRows = rapid.IntRange(40, n-1).Draw(t, "train rows")
	for i := range n {
		set.Y = append(set.Y, float64(i%2)) // twenty rows of each class lead
		if i >= 40 {
			set.Y[i] = float64(rapid.IntRange(0, 1).Draw(t, "class"))
		}
	}
	return set
}

func drawSplitter(t *rapid.T) Splitter {
	s := Splitter{Kind: rapid.SampledFrom([]Kind{"", Stratified, KFold, Given, GivenOrStratified}).Draw(t, "kind"),
		Folds: rapid.IntRange(2, 5).Draw(t, "folds")}
	switch s.Kind {
	case KFold:
		s.Parts = rapid.IntRange(2, 10).Draw(t, "parts")
	case Given:
	default:
		s.TestFraction = rapid.Float64Range(0.1, 0.6).Draw(t, "fraction")
	}
	return s
}

// TestSplitters: for every kind Sizes foretells a split, which is a partition whose folds are one of
// its training rows, and Serves refuses no class that is divided.
func TestSplitters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawSet(t), drawSplitter(t)
		must.Do(t, s.Check())
		n := len(set.Y)
		train, test := must.Get2(s.Sizes(n, set.TrainRows))(t)
		number := rapid.Uint32Range(1, 40).Draw(t, "number")
		got := must.Get(s.Split(set, number))(t)
		spare := 0 // rows that this split has more to learn from
		if s.Kind == KFold && n%s.Parts != 0 && int(number-1)%s.Parts >= n%s.Parts {
			spare = 1
		}
		if len(got.Train) != train+spare || len(got.Test) != test-spare {
			t.Fatalf("%d and %d rows, Sizes says %d and %d", len(got.Train), len(got.Test), train, test)
		}
		must.Be(t, slices.Sorted(slices.Values(slices.Concat(got.Train, got.Test))), upto(0, n), "the rows")
		var held []int
		for f, fold := range got.Folds {
			learn, valid := got.Fold(f)
			if !slices.IsSorted(fold) || !slices.Equal(valid, pick(got.Train, fold)) {
				t.Fatalf("fold %d holds %v, its positions are %v", f, valid, fold)
			}
			if both := slices.Sorted(slices.Values(slices.Concat(learn, valid))); !slices.Equal(both,
				slices.Sorted(slices.Values(got.Train))) {
				t.Fatalf("the parts of fold %d are no partition of the training rows", f)
			}
			held = append(held, fold...)
		}
		if slices.Sort(held); !slices.Equal(held, upto(0, len(got.Train))) {
			t.Fatalf("the folds are no partition: %v", got.Folds)
		}
		for _, label := range sortedLabels(set.Y) { // as even as whole rows allow
			total, tested := share(set.Y, nil, label), share(set.Y, got.Test, label)
			exact := float64(total) / float64(n) * float64(test)
			if d := float64(tested) - exact; s.kind() == Stratified && set.Task != registry.Regression &&
				math.Abs(d) >= 1.0001 {
				t.Fatalf("class %g has %d test rows, its share is %.2f", label, tested, exact)
			}
		}
		must.Be(t, must.Get(s.Split(set, number))(t), got, "the same split the second time")
		if positive := share(set.Y, nil, 1); set.Task != registry.Regression && (!s.Serves(positive) ||
			!s.Serves(n-positive)) {
			t.Fatalf("classes of %d and %d rows are divided, Serves says they cannot be", positive, n-positive)
		}
	})
}

func pick(rows, positions []int) []int {
	out := make([]int, len(positions))
	for i, at := range positions {
		out[i] = rows[at]
	}
	return out
}

// TestRoundsOfKFold: the splits of a round test every row once, and rounds differ.
func TestRoundsOfKFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t)
		s := Splitter{Kind: KFold, Parts: rapid.IntRange(2, 8).Draw(t, "parts"), Folds: 2}
		var first [2][]int
		for round := range first {
			var tested []int
			for part := range s.Parts {
				got := must.Get(s.Split(set, uint32(round*s.Parts+part+1)))(t)
				tested = append(tested, got.Test...)
			}
			first[round] = slices.Clone(tested[:len(set.Y)/s.Parts])
			if slices.Sort(tested); !slices.Equal(tested, upto(0, len(set.Y))) {
				t.Fatalf("round %d tests %v", round, tested)
			}
		}
		must.Be(t, slices.Equal(first[0], first[1]), false, "two rounds are one", first[0])
	})
}

func TestSplittersRefuse(t *testing.T) {
	classes := func(counts ...int) *datasets.Set {
		set := &datasets.Set{Name: "mine", Task: registry.Multiclass}
		for c, n := range counts {
			set.Y = append(set.Y, slices.Repeat([]float64{float64(c)}, n)...)
		}
		return set
	}
	withPart := classes(10, 10)
	withPart.TrainRows = 4
	for _, c := range []struct {
		s      Splitter
		set    *datasets.Set
		number uint32
		want   string
	}{
		{table2, classes(2, 2), 1, "mine: 4 rows are too few for a test fraction of 0.3 and 5 folds"},
		{table2, classes(30, 1), 1, "mine: class 1 has 1 row: a stratified split needs 2"},
		{table2, classes(30, 3), 1, "mine: class 1 has 2 training rows: 5 folds need as many"},
		{Splitter{Kind: KFold, Parts: 10, Folds: 2}, classes(4, 5), 1, "mine: 9 rows are too few for 10 parts and 2 " +
			"folds"},
		{Splitter{Kind: KFold, Parts: 5, Folds: 2}, classes(4, 9), 1, "mine: the parts of kfold: class 0 has 4 rows: " +
			"5 folds need as many"},
		{Splitter{Kind: KFold, Parts: 2, Folds: 3}, classes(4, 9), 1, "mine: class 0 has 2 training rows: 3 folds " +
			"need as many"},
		{Splitter{Kind: KFold, Parts: 2, Folds: 2}, classes(4, 9), 0, "mine: splits are counted from 1"},
		{Splitter{Kind: Given, Folds: 2}, classes(4, 9), 1, "mine: the set has no test part of its own"},
		{Splitter{TestFraction: 0.3, Folds: 3, TrainRows: 2}, classes(40, 50), 1,
			"mine: train_rows = 2 are too few for 3 folds"},
		{Splitter{Kind: Given, Folds: 5}, withPart, 1, "mine: 4 training rows are too few for 5 folds"},
	} {
		if _, err := c.s.Split(c.set, c.number); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v, want %s", c.s, err, c.want)
		}
	}
}

func TestCheckSplitter(t *testing.T) {
	for want, s := range map[string]Splitter{
		`split = "random"; known: stratified, kfold, given`:      {Kind: "random", TestFraction: 0.3, Folds: 5},
		"test_fraction = 0; it must lie between 0 and 1":         {Folds: 5},
		"test_fraction = 1; it must lie between 0 and 1":         {TestFraction: 1, Folds: 5},
		"test_fraction = NaN; it must lie between 0 and 1":       {TestFraction: math.NaN(), Folds: 5},
		`test_fraction = 0.3; split = "kfold" does not use it`:   {Kind: KFold, Parts: 5, TestFraction: 0.3, Folds: 5},
		`test_fraction = 0.3; split = "given" does not use it`:   {Kind: Given, TestFraction: 0.3, Folds: 5},
		`parts = 1; split = "kfold" needs 2 to 1000000`:          {Kind: KFold, Parts: 1, Folds: 5},
		`parts = 5; split = "given" does not use it`:             {Kind: Given, Parts: 5, Folds: 5},
		`parts = 5; split = "stratified" does not use it`:        {TestFraction: 0.3, Parts: 5, Folds: 5},
		"folds = 1; it must be 2 to 1000000":                     {TestFraction: 0.3, Folds: 1},
		"train_rows = -1; it must be 1 to 2147483647":            {TestFraction: 0.3, Folds: 5, TrainRows: -1},
		"folds = -1; it must be 2 to 1000000":                    {Kind: Given, Folds: -1},
		"folds = 9223372036854775807; it must be 2":              {Kind: Given, Folds: math.MaxInt64},
		"train_rows = 2147483648; it must be 1 to":               {Kind: Given, Folds: 2, TrainRows: 1 << 31},
		`parts = 0; split = "kfold" needs 2 to 1000000`:          {Kind: KFold, Folds: 2},
		`parts = -5; split = "stratified" does not use it`:       {TestFraction: 0.3, Parts: -5, Folds: 5},
		`test_fraction = -0.1; it must lie between 0 and 1`:      {TestFraction: -0.1, Folds: 5},
		`test_fraction = -0.1; split = "given" does not use it,`: {Kind: Given, TestFraction: -0.1, Folds: 5},
	} {
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", s, err, want)
		}
	}
	for _, s := range []Splitter{table2, {Kind: Stratified, TestFraction: 0.5, Folds: 2}, {Kind: KFold, Parts: 2,
		Folds: 2}, {Kind: Given, Folds: 2}, {Kind: All}, {Kind: KFold, Parts: 5}} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestGivenOrStratified: a set with a test part is divided as by Given, another as by Stratified.
func TestGivenOrStratified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := drawSet(t)
		s := Splitter{Kind: GivenOrStratified, TestFraction: 0.3, Folds: 3}
		as := Splitter{Kind: Given, Folds: 3}
		if rapid.Bool().Draw(t, "without a test part") {
			set.TrainRows = 0
			as = Splitter{TestFraction: 0.3, Folds: 3}
		}
		number := rapid.Uint32Range(1, 40).Draw(t, "number")
		got := must.Get(s.Split(set, number))(t)
		want := must.Get(as.Split(set, number))(t)
		must.Be(t, cmp.Diff(want, got), "")
	})
}

// TestServes: a class that is refused cannot be divided, whatever the number. The least class that
// is not refused can, unless drawing gives its test part a row more.
func TestServes(t *testing.T) {
	for _, s := range []Splitter{table2, {TestFraction: 0.7, Folds: 3}, {Kind: KFold, Parts: 4, Folds: 3},
		{Kind: KFold, Parts: 2, Folds: 5}, {Kind: Given, Folds: 4}} {
		divided := func(n int) bool {
			set := &datasets.Set{Task: registry.Binary, Y: append(slices.Repeat([]float64{1}, n),
				slices.Repeat([]float64{-1}, 40)...), TrainRows: 39 + n}
			for number := range uint32(20) {
				if _, err := s.Split(set, number+1); err == nil {
					return true
				}
			}
			return false
		}
		least := 0
		for least = 1; least < 40; least++ {
			if s.Serves(least) {
				break
			}
			must.Be(t, divided(least), false, s, least)
		}
		if s.kind() != Stratified && !divided(least) {
			t.Errorf("%+v says it can divide a class of %d rows and does not", s, least)
		}
	}
}

// TestAllRows: every row is learned from and tested, and without folds nothing is drawn.
func TestAllRows(t *testing.T) {
	set := &datasets.Set{Task: registry.Binary, Y: []float64{1, -1, 1, -1, 1}}
	s := Splitter{Kind: All}
	got, err := s.Split(set, 3)
	rows := []int{0, 1, 2, 3, 4}
	if diff := cmp.Diff(Split{Train: rows, Test: rows}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	must.Be(t, s.Once(false), true, "splits of all rows are draws of the method")
	s.TrainRows = 3
	if train, test, err := s.Sizes(5, 0); train != 3 || test != 5 || err != nil {
		t.Errorf("sizes %d and %d, %v; want 3 and 5", train, test, err)
	}
	if got, err = s.Split(set, 3); err != nil || len(got.Train) != 3 || len(got.Test) != 5 {
		t.Errorf("%+v, %v; want 3 of the rows, and all tested", got, err)
	}
}

// TestShares: every split has as many rows of a class as Shares says, which leaves no choice but where two numbers are
// as near to the share.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawSet(t), drawSplitter(t)
		set.Task = registry.Binary
		if rapid.Bool().Draw(t, "all") {
			s.Kind, s.Parts, s.TestFraction = All, 0, 0
		}
		s.TrainRows = rapid.SampledFrom([]int{0, 20, 30}).Draw(t, "learned from")
		number := rapid.IntRange(1, 40).Draw(t, "number")
		got := must.Get(s.Split(set, uint32(number)))(t)
		train, test := must.Get2(s.SizesOf(len(set.Y), set.TrainRows, nil, number))(t)
		positive := func(rows []int) (n int) {
			for _, row := range rows {
				n += int(set.Y[row])
			}
			return n
		}
		can := s.Shares(len(set.Y), set.TrainRows, positive(upto(0, len(set.Y))), train, test)
		tested, learned := positive(got.Test), positive(got.Train)
		if tested < can[0] || tested > can[1] || tested+learned < can[2] || tested+learned > can[3] {
			t.Fatalf("%d of the test rows and %d of the training rows, not %v", tested, learned, can)
		}
		if s.kindFor(set.TrainRows) != Given && can[1]-can[0] > 1 || s.TrainRows == 0 && can[2] != can[3] {
			t.Fatalf("%v leaves a choice", can)
		}
	})
}
