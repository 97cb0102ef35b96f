package split

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"pgregory.net/rapid"
)

// groupedSet makes a set of two classes, or of a regression, from the rows of -1 and of +1 of each group. Rows of
// different groups alternate as far as they can.
func groupedSet(task registry.Task, counts [][2]int) *datasets.Set {
	set := &datasets.Set{Name: "clinic", Task: task, Groups: &datasets.Groups{Column: "patient"}}
	if task == registry.Binary {
		set.Labels = []string{"well", "ill"}
	}
	for g := range counts {
		set.Groups.Names = append(set.Groups.Names, fmt.Sprint("p", g))
	}
	for k, more := 0, true; more; k++ {
		more = false
		for g, n := range counts {
			if k >= n[0]+n[1] {
				continue
			}
			more = true
			set.Groups.Of = append(set.Groups.Of, int32(g))
			set.Y = append(set.Y, -1)
			if k >= n[0] {
				set.Y[len(set.Y)-1] = 1
			}
		}
	}
	return set
}

// drawGrouped draws a set that every splitter of drawGroupSplitter can divide: there are 30 groups or more, and each
// class is in most of them.
func drawGrouped(t *rapid.T) *datasets.Set {
	counts := make([][2]int, rapid.IntRange(30, 60).Draw(t, "groups"))
	for g := range counts {
		counts[g] = [2]int{rapid.IntRange(0, 4).Draw(t, "well"), rapid.IntRange(0, 9).Draw(t, "ill")}
		if g < 24 || counts[g] == [2]int{} {
			counts[g][g%2]++
		}
	}
	set := groupedSet(rapid.SampledFrom([]registry.Task{registry.Binary, registry.Regression}).Draw(t, "task"), counts)
	for range 3 {
		var d datasets.Division
		side := rapid.SliceOfN(rapid.IntRange(0, 2), len(counts), len(counts)).Draw(t, "sides")
		for row, g := range set.Groups.Of {
			switch {
			case g < 16:
				d.Train = append(d.Train, row)
			case g == 16 || side[g] == 0:
				d.Test = append(d.Test, row)
			case side[g] == 1:
				d.Train = append(d.Train, row)
			}
		}
		set.Splits = append(set.Splits, d)
	}
	return set
}

func drawGroupSplitter(t *rapid.T) Splitter {
	s := Splitter{Kind: rapid.SampledFrom([]Kind{"", GivenOrStratified, KFold, OpenML, All}).Draw(t, "kind"),
		Folds: rapid.SampledFrom([]int{0, 2, 3, 5}).Draw(t, "folds")}
	switch {
	case s.Kind == KFold:
		s.Parts = rapid.IntRange(2, 6).Draw(t, "parts")
	case s.kind().draws():
		s.TestFraction = rapid.Float64Range(0.1, 0.4).Draw(t, "fraction")
	}
	if s.Kind != OpenML && rapid.Bool().Draw(t, "fewer") {
		s.TrainRows = 70
	}
	return s
}

func groupsOf(set *datasets.Set, rows []int) map[int32]bool {
	out := map[int32]bool{}
	for _, row := range rows {
		out[set.Groups.Of[row]] = true
	}
	return out
}

func checkApart(t *rapid.T, set *datasets.Set, what string, a, b []int) {
	other := groupsOf(set, b)
	for g := range groupsOf(set, a) {
		if other[g] {
			t.Fatalf("%s: group %s is on both sides", what, set.Groups.Names[g])
		}
	}
}

// TestNoGroupLeaks: in splits of every kind, in their folds and in subsets of training rows, no group is on both sides,
// every row is in one part, and each part that is learned from has every class. A series of KFold tests each row once.
func TestNoGroupLeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, s := drawGrouped(t), drawGroupSplitter(t)
		must.Do(t, s.Check())
		number := rapid.Uint32Range(1, 3).Draw(t, "number")
		got := must.Get(s.Split(set, number))(t)
		must.Be(t, must.Get(s.Split(set, number))(t), got, "the same split the second time")
		if s.Kind != All {
			checkApart(t, set, "the test", got.Train, got.Test)
		}
		both := slices.Sorted(slices.Values(slices.Concat(got.Train, got.Test)))
		if s.Kind != OpenML && s.Kind != All && s.TrainRows == 0 && !slices.Equal(both, upto(0, len(set.Y))) {
			t.Fatalf("the rows are no partition: %v", both)
		}
		if s.TrainRows > 0 && (len(got.Train) > 70 || len(got.Train) < 35) {
			t.Fatalf("%d rows are learned from, at most 70 are asked for", len(got.Train))
		}
		train, test := set.Groups.Count(got.Train), set.Groups.Count(got.Test)
		if train != len(groupsOf(set, got.Train)) || test != len(groupsOf(set, got.Test)) {
			t.Fatalf("%d and %d groups are counted", train, test)
		}
		var held []int
		for f, fold := range got.Folds {
			learn, valid := got.Fold(f)
			checkApart(t, set, fmt.Sprint("fold ", f), learn, valid)
			if len(valid) == 0 || set.Task == registry.Binary && len(sortedLabels(at(set.Y, learn))) < 2 {
				t.Fatalf("fold %d learns from %v and validates %v", f, learn, valid)
			}
			held = append(held, fold...)
		}
		if slices.Sort(held); s.Folds > 0 && !slices.Equal(held, upto(0, len(got.Train))) {
			t.Fatalf("the folds are no partition: %v", got.Folds)
		}
		if s.Kind == KFold {
			var tested []int
			for part := range s.Parts {
				tested = append(tested, must.Get(s.Split(set, uint32(part+1)))(t).Test...)
			}
			if slices.Sort(tested); !slices.Equal(tested, upto(0, len(set.Y))) {
				t.Fatalf("the %d parts test %v", s.Parts, tested)
			}
		}
	})
}

// chiSquare is the sum that a deal makes small, from the rows alone.
func chiSquare(set *datasets.Set, hand []int, shares []float64) (sum float64) {
	for _, label := range sortedLabels(set.Y) {
		n, has := 0.0, make([]float64, len(shares))
		for row, y := range set.Y {
			if h := hand[set.Groups.Of[row]]; y == label {
				n++
				if h >= 0 {
					has[h]++
				}
			}
		}
		for h, share := range shares {
			sum += (has[h] - share*n) * (has[h] - share*n) / (share * n)
		}
	}
	return sum
}

// TestDealIsGreedy: each group went, in the order of the deal, to the hand that makes chi-square least, computed here
// from the rows. On small sets the divisions are compared with all that there are.
func TestDealIsGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := make([][2]int, 8)
		for g := range counts {
			counts[g] = [2]int{rapid.IntRange(1, 9).Draw(t, "well"), rapid.IntRange(1, 9).Draw(t, "ill")}
		}
		set := groupedSet(registry.Binary, counts)
		shares := rapid.SampledFrom([][]float64{{0.7, 0.3}, {0.5, 0.5}, {0.25, 0.25, 0.25, 0.25}}).Draw(t, "shares")
		seed := rapid.Uint32().Draw(t, "seed")
		hand := must.Get(newDeal(set, upto(0, len(set.Y))).draw(rng.New(seed), shares, len(shares), 0, 0))(t)

		random, order := rng.New(seed), upto(0, len(counts))
		key := make([]float64, len(counts))
		for g, n := range counts {
			key[g] = float64(n[0]+n[1]) * (1 + random.Float64())
		}
		slices.SortFunc(order, func(a, b int) int { return map[bool]int{true: -1, false: 1}[key[a] > key[b]] })
		sofar := slices.Repeat([]int{-1}, len(counts))
		for _, g := range order {
			least := make([]float64, len(shares))
			for h := range shares {
				sofar[g] = h
				least[h] = chiSquare(set, sofar, shares)
			}
			if sofar[g] = hand[g]; least[hand[g]] > slices.Min(least)+1e-9 {
				t.Fatalf("group %d went to %d of %v", g, hand[g], least)
			}
		}
	})
}

// TestDealsAreNearTheBest compares deals of eight groups with all 256 divisions: as means over sets and seeds, a
// division drawn by chance has a chi-square that is many times that of a deal.
func TestDealsAreNearTheBest(t *testing.T) {
	shares := []float64{0.7, 0.3}
	dealt, any, best := 0.0, 0.0, 0.0
	const sets, seeds = 20, 10
	draw := rng.New(1)
	for range sets {
		counts := make([][2]int, 8)
		for g := range counts {
			counts[g] = [2]int{1 + draw.Intn(9), 1 + draw.Intn(9)}
		}
		set := groupedSet(registry.Binary, counts)
		d := newDeal(set, upto(0, len(set.Y)))
		for seed := range uint32(seeds) {
			dealt += chiSquare(set, must.Get(d.hands(rng.New(seed), shares, 1, 0, 0))(t), shares) / (sets * seeds)
		}
		all := make([]float64, 256)
		hand := make([]int, 8)
		for k := range all {
			for g := range hand {
				hand[g] = k >> g & 1
			}
			all[k] = chiSquare(set, hand, shares)
			any += all[k] / (sets * 256)
		}
		best += slices.Min(all) / sets
	}
	t.Logf("chi-square of deals %.2f, of all divisions %.2f, of the best %.2f", dealt, any, best)
	if dealt > any/10 {
		t.Errorf("deals are no nearer than chance: %.2f, %.2f", dealt, any)
	}
}

// TestEqualGroupsAreStratified: where whole groups of one class and size can be stratified exactly, they are.
func TestEqualGroupsAreStratified(t *testing.T) {
	counts := make([][2]int, 40)
	for g := range counts {
		counts[g][map[bool]int{true: 1}[g < 10]] = 3
	}
	set := groupedSet(registry.Binary, counts)
	s := Splitter{TestFraction: 0.2, Folds: 4}
	for number := range uint32(20) {
		got := must.Get(s.Split(set, number+1))(t)
		must.Be(t, len(got.Test), 24)
		must.Be(t, share(set.Y, got.Test, 1), 6)
		for f := range got.Folds {
			if _, valid := got.Fold(f); len(valid) != 24 || share(set.Y, valid, 1) != 6 {
				t.Errorf("fold %d has %d rows, %v of them ill", f, len(valid), share(set.Y, valid, 1))
			}
		}
	}
}

// TestSplitsOfGroupsDiffer: groups of all different sizes, which a fixed order deals in one way alone, are tested about
// equally often.
func TestSplitsOfGroupsDiffer(t *testing.T) {
	counts := make([][2]int, 20)
	for g := range counts {
		counts[g] = [2]int{10 + g, 5}
	}
	set := groupedSet(registry.Binary, counts)
	tested, distinct := make([]int, len(counts)), map[string]bool{}
	const splits = 400
	for number := range uint32(splits) {
		got := must.Get(Splitter{TestFraction: 0.3, Folds: 3}.Split(set, number+1))(t)
		groups := groupsOf(set, got.Test)
		for g := range groups {
			tested[g]++
		}
		distinct[fmt.Sprint(groups)] = true
	}
	if len(distinct) < splits*9/10 || slices.Min(tested) < splits/6 || slices.Max(tested) > splits/2 {
		t.Errorf("%d splits are %d different ones; the groups are tested %v times", splits, len(distinct), tested)
	}
}

func TestGroupsThatCannotBeDivided(t *testing.T) {
	many := slices.Repeat([][2]int{{2, 2}}, 9)
	for want, c := range map[string]struct {
		counts [][2]int
		s      Splitter
		change func(*datasets.Set)
	}{
		`clinic: the rows have 9 groups (column patient): 2 parts and 9 folds need 10; take fewer folds`: {
			many, Splitter{TestFraction: 0.3, Folds: 9}, nil},
		`clinic: the parts of kfold: the rows have 9 groups (column patient): one of 5 parts has 2 of them, which ` +
			`leaves too few for 8 folds; take at most 7 folds, or add groups`: {
			many, Splitter{Kind: KFold, Parts: 5, Folds: 8}, nil},
		`clinic: the parts of kfold: the rows have 9 groups (column patient): 10 parts and 0 folds need 10`: {
			many, Splitter{Kind: KFold, Parts: 10}, nil},
		`clinic: all rows of class "ill" are of one group, patient = "p0", so that no part can be tested`: {
			[][2]int{{2, 20}, {5, 0}, {5, 0}, {5, 0}}, Splitter{TestFraction: 0.3, Folds: 2}, nil},
		`clinic: the parts of kfold: class "ill" has rows in 2 groups (column patient): too few to be learned from`: {
			[][2]int{{2, 9}, {5, 9}, {5, 0}, {5, 0}}, Splitter{Kind: KFold, Parts: 2, Folds: 2}, nil},
		`clinic: no group has at most 3 rows, which train_rows asks for`: {
			many, Splitter{TestFraction: 0.3, TrainRows: 3}, nil},
		`clinic: the set's own division learns from row 11 and tests on row 20, counted from 0, which are both of ` +
			`group patient = "p2"; leave out group`: {
			many, Splitter{Kind: Given}, func(s *datasets.Set) { s.TrainRows = 20 }},
		`clinic: the set's own split 1 learns from row 0 and tests on row 9`: {many, Splitter{Kind: OpenML},
			func(s *datasets.Set) { s.Splits = []datasets.Division{{Train: []int{0, 1}, Test: []int{9}}} }},
	} {
		set := groupedSet(registry.Binary, c.counts)
		if c.change != nil {
			c.change(set)
		}
		must.Say(t, must.Err(c.s.Split(set, 1)), want)
	}
}

// TestOneLargeGroup: a group with most rows, beside which all others would be tested, leaves enough of them to learn
// from in each fold, whatever the kind of split.
func TestOneLargeGroup(t *testing.T) {
	for _, large := range [][2]int{{80, 80}, {160, 0}, {0, 600}, {16000, 15000}} {
		for others, each := range map[int][2]int{40: {1, 0}, 10: {2, 3}, 6: {0, 1}} {
			counts := append([][2]int{large}, slices.Repeat([][2]int{each}, others/2)...)
			counts = append(counts, slices.Repeat([][2]int{{each[1], each[0]}}, others-others/2)...)
			for _, task := range []registry.Task{registry.Binary, registry.Regression} {
				set := groupedSet(task, counts)
				for _, s := range []Splitter{{TestFraction: 0.3, Folds: 5}, {TestFraction: 0.3, Folds: 2},
					{TestFraction: 0.1}, {Kind: KFold, Parts: 3, Folds: 3}} {
					for number := range uint32(10) {
						got, err := s.Split(set, number+1)
						if err != nil {
							t.Fatalf("%v and %d of %v, %+v: %v", large, others, each, s, err)
						}
						for f := range got.Folds {
							learn, valid := got.Fold(f)
							if len(valid) == 0 || task == registry.Binary && len(sortedLabels(at(set.Y, learn))) < 2 {
								t.Fatalf("%v, %+v: fold %d learns from %d rows", large, s, f, len(learn))
							}
						}
					}
				}
			}
		}
	}
}

// TestAClassOfTwoGroups: a class with rows in two groups is learned from in every part, and a drawn test may lack it.
func TestAClassOfTwoGroups(t *testing.T) {
	set := groupedSet(registry.Binary, [][2]int{{3, 2}, {3, 2}, {5, 0}, {4, 0}, {5, 0}, {4, 0}, {5, 0}})
	got := must.Get(Splitter{TestFraction: 0.3, Folds: 2}.Split(set, 1))(t)
	must.Be(t, share(set.Y, got.Test, 1), 0, got.Test)
	for f := range got.Folds {
		if learn, _ := got.Fold(f); share(set.Y, learn, 1) != 2 {
			t.Errorf("fold %d learns from %v", f, learn)
		}
	}
}
