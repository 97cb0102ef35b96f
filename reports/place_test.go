package reports_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// counted are rows of methods with numbers of right ones by set, method and split; -1 is no run.
func counted(sets, methods, splits int, correct func(set, method, split int) int) (rows []store.Row) {
	for s := range sets {
		for m := range methods {
			for k := range splits {
				if n := correct(s, m, k); n >= 0 {
					rows = append(rows, sample.OK(fmt.Sprint("s", s), fmt.Sprintf("M%02d", m), k+1, n, 1000))
				}
			}
		}
	}
	return rows
}

// By hand: nine others have the means 500, 510, .., 580 over two splits, and their first split is lower than that by
// 10, 11, .., 18, on average by 14. The method has 537 in the first split, where the mean of the field is 526: its gain
// of 11 is added to the field's mean of 540. Three others are above 551. The errors of replayed gains are at most 4,
// the ninth of them. So the interval is that of 547 to 555, and one other is in it, at 550.
func TestPlaceByHand(t *testing.T) {
	others := func(_, m, k int) int {
		if m == 9 {
			return []int{537, -1}[k]
		}
		return 500 + 10*m + []int{-10 - m, 10 + m}[k]
	}
	table := must.Get(sample.Of(2, counted(1, 10, 2, others)...).Frame(t).Table(""))(t)
	got, ok := compare.PlaceOf(&table, "M09", nil)
	want := compare.Place{Method: "M09", Place: 4, Of: 10, Low: 4, High: 5, Sets: 1, Splits: 1}
	if !ok || got != want {
		t.Errorf("the place is %+v, %v; want %+v", got, ok, want)
	}
	// A second split of 545 makes the mean 541. Four others are above it, and nothing is uncertain.
	got, ok = compare.PlaceOf(&table, "M09", map[string]map[int]*big.Rat{"s0": {2: big.NewRat(545, 10)}})
	want.Place, want.Low, want.High, want.Splits, want.Whole = 5, 5, 5, 2, true
	if !ok || got != want {
		t.Errorf("the place is %+v, %v; want %+v", got, ok, want)
	}
	fewer := must.Get(sample.Of(2, counted(1, 9, 2, others)...).Frame(t).Table(""))(t)
	if got, ok := compare.PlaceOf(&fewer, "M08", nil); ok {
		t.Errorf("eight others give the place %+v", got)
	}
}

// With all splits the place is that of the leaderboard. With some of them, the interval holds this place in at least
// 90 % of the cases, if the method is like the others.
func TestPlaceHoldsTheLeaderboards(t *testing.T) {
	worlds := 8
	if testenv.Thorough(t) {
		worlds = 200
	}
	const sets, methods, splits = 4, 12, 6
	stream := rng.New(3)
	normal := func(scale float64) float64 { return scale * stream.Norm() }
	held, asked, width := 0, 0, 0
	for range worlds {
		var skill [methods]float64
		var own [sets][methods]float64
		var common [sets][splits]float64
		for m := range methods {
			skill[m] = normal(10)
			for s := range sets {
				own[s][m] = normal(10)
			}
		}
		for s := range sets {
			for k := range splits {
				common[s][k] = normal(30)
			}
		}
		in := sample.Of(splits, counted(sets, methods, splits, func(s, m, k int) int {
			return int(800 + skill[m] + own[s][m] + common[s][k] + normal(20))
		})...)
		table, _, board := boardOf(t, in, "")
		for i, r := range board.Rows {
			whole, ok := compare.PlaceOf(&table, r.Method, nil)
			ties := slices.ContainsFunc(board.Rows, func(o compare.Row) bool {
				return o.Method != r.Method && o.Gain.Cmp(r.Gain) == 0
			})
			if !ok || !whole.Whole || !ties && whole.Place != i+1 || whole.Low != whole.High {
				t.Fatalf("%s is the row %d of the leaderboard; its place is %+v", r.Method, i+1, whole)
			}
			few := sample.Of(splits, slices.DeleteFunc(slices.Clone(in.Rows), func(c store.Row) bool {
				return c.Method == r.Method && c.Split > 1
			})...)
			part := must.Get(few.Frame(t).Table(""))(t)
			p, ok := compare.PlaceOf(&part, r.Method, nil)
			if !ok || p.Whole || p.Splits != 1 || p.Low > p.Place || p.Place > p.High {
				t.Fatalf("of one split the place is %+v, %v", p, ok)
			}
			asked, width = asked+1, width+p.High-p.Low+1
			if p.Low <= whole.Place && whole.Place <= p.High {
				held++
			}
		}
	}
	t.Logf("%d of %d intervals hold the place; their mean width is %.1f of %d", held, asked,
		float64(width)/float64(asked), methods)
	if 10*held < 9*asked || 10*width > 9*asked*methods {
		t.Errorf("%d of %d intervals hold the place, and their mean width is %.1f of %d", held, asked,
			float64(width)/float64(asked), methods)
	}
}
