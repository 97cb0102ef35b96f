package reports_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/cells"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/costs"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// FixedOf finds what loops over all numbers of right rows find. All folds have ten rows, so that sums stand for means.
func TestFixedByBruteForce(t *testing.T) {
	const sets, splits, points, folds = 4, 2, 3, 3
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		right := [sets][splits][points][folds]int{}
		in := sample.Input{Known: map[string]sample.Set{}, Grids: map[string][]json.RawMessage{}}
		in.Protocol.Splits = splits
		for g := range points {
			in.Grids["g"] = append(in.Grids["g"], json.RawMessage(fmt.Sprintf(`{"c":%d}`, g)))
		}
		for s := range sets {
			name := fmt.Sprint("s", s)
			in.Known[name], in.Protocol.Datasets = sample.Set{}, append(in.Protocol.Datasets, name)
			for k := range splits {
				r := sample.OK(name, "m", k+1, 80, 100)
				r.GridHash, r.Selected = "g", new(0)
				for f := range folds {
					for g := range points {
						n := rapid.IntRange(0, 10).Draw(t, "right")
						right[s][k][g][f] = n
						r.Folds = append(r.Folds, result.Evaluation{GridIndex: g, Fold: f,
							Score: result.Score{N: 10, Correct: &n}})
					}
				}
				in.Rows = append(in.Rows, r)
			}
		}
		of := func(s, g int) (sum int) {
			for k := range splits {
				for f := range folds {
					sum += right[s][k][g][f]
				}
			}
			return sum
		}
		best := func(without int) int {
			var sums [points]int
			for g := range points {
				for s := range sets {
					if s != without {
						sums[g] += of(s, g)
					}
				}
			}
			return slices.Index(sums[:], slices.Max(sums[:]))
		}
		table := must.Get(in.Frame(tb).Table(""))(tb)
		got, ok, _ := cells.FixedOf(&table, "m")
		if want := fmt.Sprintf(`{"c":%d}`, best(-1)); !ok || got.Point != want || len(got.Sets) != sets {
			t.Fatalf("%+v, %v; want the point %s", got, ok, want)
		}
		for s := range sets {
			tuned := 0
			for k := range splits {
				for f := range folds {
					var others [points]int
					for g := range points {
						for h := range folds {
							if h != f {
								others[g] += right[s][k][g][h]
							}
						}
					}
					tuned += right[s][k][slices.Index(others[:], slices.Max(others[:]))][f]
				}
			}
			want := big.NewRat(int64(100*(tuned-of(s, best(s)))), 10*splits*folds)
			if got.Gains[s].Cmp(want) != 0 {
				t.Errorf("set %d: tuning gains %v, want %v", s, got.Gains[s], want)
			}
			if slices.Contains(got.Other, got.Sets[s]) != (best(s) != best(-1)) {
				t.Errorf("set %d: others choose %d, all choose %d; listed are %v", s, best(s), best(-1), got.Other)
			}
		}
		// Without the folds of a point nothing is known.
		for i := range in.Rows {
			in.Rows[i].Folds = slices.DeleteFunc(slices.Clone(in.Rows[i].Folds), func(e result.Evaluation) bool {
				return e.GridIndex > 0
			})
		}
		table = must.Get(in.Frame(tb).Table(""))(tb)
		if got, ok, whole := cells.FixedOf(&table, "m"); ok || whole {
			t.Errorf("the folds of the chosen points give %+v", got)
		}
	})
}

// What is known of a method is its row of the leaderboard, and the verdicts on sets of `bench compare METHOD`.
func TestKnownIsTheLeaderboards(t *testing.T) {
	in := sample.Paper()
	table, _, board := boardOf(t, in, "")
	for place, r := range board.Rows {
		k, ok, err := compare.KnownOf(&table, r.Method, 0.05)
		if err != nil || !ok || r.Whole && k.Place != place+1 || k.Ranks != r.Ranks || k.Gain.Cmp(r.Gain) != 0 {
			t.Errorf("%s, row %d %+v: %+v, %v, %v", r.Method, place+1, r, k, ok, err)
		}
		ev := must.Get(evidence.Compare(&table, evidence.Options{Method: r.Method, Level: 0.05,
			Region: evidence.UsualRegion(table.Metric)}))(t)
		better, worse := map[string]int{}, map[string]int{}
		for i := range table.Methods {
			if p, ok := ev.Between(slices.Index(table.Methods, r.Method), i); ok {
				for _, s := range p.Named(evidence.Better) {
					better[s]++
				}
				for _, s := range p.Named(evidence.Worse) {
					worse[s]++
				}
			}
		}
		for _, s := range k.Sets {
			if s.Better != better[s.Name] || s.Worse != worse[s.Name] || s.Place > s.Of {
				t.Errorf("%s: %+v; better than %d, worse than %d", r.Method, s, better[s.Name], worse[s.Name])
			}
		}
	}
	if _, ok, err := compare.KnownOf(&table, "none", 0.05); ok || err != nil {
		t.Errorf("a method without results: %v, %v", ok, err)
	}
}

// Times of 2e-6 n^1.5 seconds give the power 1.5. Of four sets, or of times that scatter, there is none.
func TestGrowthByHand(t *testing.T) {
	of := func(sets int, scatter float64) costs.Growth {
		var rows []store.Row
		for i := range sets {
			n := 100 << i
			seconds := 2e-6 * math.Pow(float64(n), 1.5) * math.Exp(scatter*float64(i%2))
			r := timesRun(fmt.Sprint("s", i), "m", 1, 80, seconds, "x")
			r.TrainRows = n
			rows = append(rows, r)
		}
		table := must.Get(sample.Of(1, rows...).Frame(t).Table(""))(t)
		return costs.GrowthOf(&table, "m")
	}
	g := of(6, 0)
	if !g.Fits || math.Abs(g.Power-1.5) > 1e-9 || g.High-g.Low > 1e-9 || g.Sets[0].Rows != 100 || len(g.Sets) != 6 {
		t.Errorf("%+v", g)
	}
	if g := of(4, 0); g.Fits {
		t.Errorf("four sets give %+v", g)
	}
	if g := of(6, 3); g.Fits {
		t.Errorf("scattered times give %+v", g)
	}
}
