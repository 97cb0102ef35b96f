package curtail

import (
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// A table is the accuracies of the reference run in percent, by method, set and split.
type table struct {
	methods []string
	sets    []string
	values  map[string]map[string][]float64
	test    map[string]float64
	cost    map[string]float64
}

// readTable takes the methods that have all splits of all the sets.
func readTable(t testing.TB, sets []string) table {
	runs, err := reference.Runs(reference.Table2)
	if err != nil {
		t.Fatal(err)
	}
	f := table{sets: sets, values: map[string]map[string][]float64{}, test: map[string]float64{},
		cost: map[string]float64{}}
	done := map[string]map[string]int{}
	for _, r := range runs {
		if r.Status != result.OK || !slices.Contains(sets, r.Dataset) || r.Split > 20 {
			continue
		}
		if f.values[r.Method] == nil {
			f.values[r.Method], done[r.Method] = map[string][]float64{}, map[string]int{}
		}
		if f.values[r.Method][r.Dataset] == nil {
			f.values[r.Method][r.Dataset] = make([]float64, 20)
		}
		f.values[r.Method][r.Dataset][r.Split-1] = 100 * float64(*r.Score.Correct) / float64(r.TestRows)
		done[r.Method][r.Dataset]++
		f.test[r.Dataset] = float64(r.TestRows)
		f.cost[r.Dataset] = float64(r.TrainRows)
	}
	for m := range done {
		whole := true
		for _, s := range sets {
			whole = whole && done[m][s] == 20
		}
		if whole {
			f.methods = append(f.methods, m)
		}
	}
	slices.Sort(f.methods)
	return f
}

func (f table) plan(opponents int) Plan {
	p := Plan{Splits: 20, Opponents: opponents, Level: 0.05, Width: 1, Best: 100, Percent: true}
	for _, s := range f.sets {
		p.Sets = append(p.Sets, Set{Cost: f.cost[s], Test: f.test[s]})
	}
	return p
}

func (f table) of(methods ...string) func(Split) []float64 {
	return func(s Split) (out []float64) {
		for _, m := range methods {
			out = append(out, f.values[m][f.sets[s.Set]][s.At])
		}
		return out
	}
}

// A sample is numbers of one kind.
type sample []float64

func (s sample) mean() float64 {
	sum := 0.0
	for _, x := range s {
		sum += x / float64(len(s))
	}
	return sum
}

func (s sample) variance() float64 {
	sum, mean := 0.0, s.mean()
	for _, x := range s {
		sum += (x - mean) * (x - mean) / float64(len(s)-1)
	}
	return sum
}

// gains are by split.
func (f table) gains(one, other string, set int) (out sample) {
	for k, x := range f.values[one][f.sets[set]] {
		out = append(out, x-f.values[other][f.sets[set]][k])
	}
	return out
}

var small = []string{"wine", "newthyroid", "heart", "bupa", "iono", "sonar", "balance", "wdbc", "australian", "vehicle",
	"german"}
var fifteen = append(slices.Clone(small), "pima", "splice", "spambase", "occupancy")

func number(name string, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		return otherwise
	}
	return n
}

// replayed puts the splits of each set in another order, and adds noise to the first method: so many points a split.
func (f table) replayed(value func(Split) []float64, noise float64, stream *rng.RandomState) func(Split) []float64 {
	values := map[Split][]float64{}
	for i, set := range f.sets {
		for at, from := range stream.Permutation(20) {
			v := value(Split{i, from})
			share := min(1, max(0, (v[0]+noise*stream.Norm())/100))
			v[0] = math.Round(share*f.test[set]) / f.test[set] * 100
			values[Split{i, at}] = v
		}
	}
	return func(s Split) []float64 { return values[s] }
}

// TestReplays compares the rule with the verdict of all splits, and with what else one may do: run the first seven
// splits of each set; say "inconclusive" without a run; know the verdict, and run as many splits as have it. A method
// has no noise but that of its splits, or three points more. Pairs of parts 0 and 1 of 4 chose the thresholds, and
// those of parts 2 and 3 are replayed.
func TestReplays(t *testing.T) {
	testenv.OnlyThorough(t)
	for _, sets := range [][]string{small, fifteen} {
		for _, noise := range []float64{0, 3} {
			replay(t, readTable(t, sets), noise)
		}
	}
}

func replay(t *testing.T, f table, noise float64) {
	sets := f.sets
	cells, agree, wrong, missed, n, claims, seven, hindsight := 0, 0, 0, 0, 0, 0, 0, 0
	step, at, left := number("STEP", 8), 0, 0
	for a, one := range f.methods {
		for _, other := range f.methods[a+1:] {
			if at++; (at*7919+at/31)%4 < 2 {
				continue
			}
			if left++; left%step != 0 {
				continue
			}
			s, value := New(f.plan(1)), f.replayed(f.of(one, other), noise, rng.New(uint32(at)))
			got, used := s.follow(value)
			want := s.whole(value)[0]
			if f.even(value, 7) == want {
				seven++
			}
			k := 2
			for k < 20 && f.even(value, k) != want {
				k++
			}
			hindsight += k * len(sets)
			n++
			cells += used
			if want != evidence.Inconclusive {
				claims++
			}
			switch {
			case got.Verdicts[0] == want:
				agree++
				continue
			case got.Verdicts[0] != evidence.Inconclusive:
				wrong++
			default:
				missed++
			}
			t.Logf("%s, %s: %s, not %s", one, other, got.Verdicts[0], want)
		}
	}
	if n < 20 || agree*100 < 90*n || wrong*100 > 4*n || 100*cells > 60*n*20*len(sets) {
		t.Errorf("%d of %d replays agree and %d claim what all splits do not, with %d cells", agree, n, wrong, cells)
	}
	percent := func(k int) float64 { return 100 * float64(k) / float64(n) }
	all := float64(20 * len(sets))
	t.Logf("%d sets, noise %v, %d replays, %d claims: %.1f %% of the cells, %.1f %% agree, %.2f %% false claims, "+
		"%.2f %% missed", len(sets), noise, n, claims, percent(cells)/all, percent(agree), percent(wrong),
		percent(missed))
	t.Logf("%d sets: the first 7 splits (35 %% of the cells) agree in %.1f %%, always inconclusive in %.1f %%; in "+
		"hindsight %.1f %% of the cells", len(sets), percent(seven), percent(n-claims), percent(hindsight)/all)
}

// even is the verdict of the first k splits of each set.
func (f table) even(value func(Split) []float64, k int) evidence.Verdict {
	s := New(f.plan(1))
	for i := range f.sets {
		for at := range k {
			s.Add(i, value(Split{i, at}))
		}
	}
	return s.now()[0]
}

// TestRule fits the rule of the variance of a split's gain, and what splits do to both methods.
func TestRule(t *testing.T) {
	f := readTable(t, small)
	var ratios, middles sample
	for a, one := range f.methods {
		for _, other := range f.methods[a+1:] {
			s, value := New(f.plan(1)), f.of(one, other)
			for i := range f.sets {
				var middle sample
				for k := range 20 {
					v := value(Split{i, k})
					s.Add(i, v)
					middle = append(middle, (v[0]+v[1])/2)
				}
				k := s.known(i, 0)
				ratios = append(ratios, k.square/19/k.base)
				if k.square > 0 {
					middles = append(middles, middle.variance()/(k.square/19))
				}
			}
		}
	}
	must.Near(t, median(ratios), rule, 0.5*rule, "the median of the variances is")
	// The middle of two methods has a quarter of the variance of their gain, and the common part.
	must.Near(t, median(middles)-0.25, common, 0.02, "the common part of the variance is")
	t.Logf("median %.2f, mean %.2f; common part %.2f", median(ratios), ratios.mean(), median(middles)-0.25)
}
