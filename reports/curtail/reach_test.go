package curtail

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/evidence"
)

// referenceRun is the comparison of a new method with another one on the small sets, and the rows of the reference run.
func referenceRun(t testing.TB, against string) (*Run, []result.Run) {
	runs, err := reference.Runs(reference.Table2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metric.Lookup("accuracy")
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Methods: []string{"Mine", against}, Metric: m, Region: evidence.UsualRegion(m), Level: 0.05}
	for k := range 20 {
		q.Splits = append(q.Splits, 1+k)
	}
	var cells []*plan.Cell
	for _, set := range small {
		i := slices.IndexFunc(runs, func(r result.Run) bool { return r.Dataset == set })
		for _, method := range q.Methods {
			for _, split := range q.Splits {
				c := &plan.Cell{Cell: runner.Cell{Dataset: set, Method: method, Split: split}}
				c.Spec.Train, c.Spec.Test, c.Spec.Cost = runs[i].TrainRows, runs[i].TestRows, float64(runs[i].TrainRows)
				c.Spec.Inputs.Fingerprint = runs[i].Fingerprint
				cells = append(cells, c)
			}
		}
	}
	return NewRun(q, cells), runs
}

// fingerprints are those of the data of the sets.
func (r *Run) fingerprints() map[string]string {
	out := map[string]string{}
	for name, c := range r.cells {
		out[name.dataset] = c.Spec.Inputs.Fingerprint
	}
	return out
}

// TestReach simulates what is said of equivalences, and the runs, by other code with other random numbers.
func TestReach(t *testing.T) {
	testenv.OnlyThorough(t)
	r, runs := referenceRun(t, "LGBM")
	gap := r.Prospect(r.fingerprints(), runs).Gap
	reach, ok := r.Reach(gap, runs)
	if !ok {
		t.Fatalf("no spread: %+v", reach)
	}
	f := readTable(t, small)
	var noise []float64
	var spreads []float64
	for set := range small {
		var variances []float64
		for _, m := range f.methods {
			if m != "LGBM" {
				variances = append(variances, f.gains(m, "LGBM", set).variance())
			}
		}
		noise = append(noise, math.Sqrt(median(variances)))
	}
	for _, m := range f.methods {
		var means sample
		of := 0.0
		for set := range small {
			gains := f.gains(m, "LGBM", set)
			means, of = append(means, gains.mean()), of+gains.variance()/20/float64(len(small))
		}
		if m != "LGBM" {
			spreads = append(spreads, math.Sqrt(max(0, means.variance()-of)))
		}
	}
	stream := rand.New(rand.NewPCG(1, 2))
	n := 5000
	count := func(spread float64) float64 {
		judge := evidence.Judge{Level: r.Level, Region: true}
		found := 0
		for range n {
			gains, ropes := make([]float64, len(small)), make([]float64, len(small))
			for i := range gains {
				unit := 100 / (20 * f.test[small[i]])
				x := spread*stream.NormFloat64() + noise[i]/math.Sqrt(20)*stream.NormFloat64()
				gains[i], ropes[i] = math.Round(x/unit)*unit, 1
			}
			if judge.Verdicts([][]float64{gains}, [][]float64{ropes})[0] == evidence.Equivalent {
				found++
			}
		}
		return float64(found) / float64(n)
	}
	for _, c := range []struct {
		what         string
		said, counts float64
	}{
		{"equivalent", reach.Equivalent, count(median(spreads))},
		{"equivalent, alike", reach.Alike, count(0)},
	} {
		error := math.Sqrt(c.counts * (1 - c.counts) * (1.0/wholePlans + 1/float64(n)))
		must.Near(t, c.said, c.counts, 3*error+0.005, c.what)
		t.Logf("%s: %.3f said, %.3f counted", c.what, c.said, c.counts)
	}
	for _, line := range r.Foreseen(gap, reach) {
		t.Log(line)
	}
	r.checkCells(t, reach, gap, median(spreads), noise, stream)
}

// checkCells runs studies with all drawn tables of a look, and compares the cells that they take with those that are
// foreseen.
func (r *Run) checkCells(t *testing.T, reach Reach, gap, spread float64, noise []float64,
	stream *rand.Rand) {
	const n = 100
	for i, said := range reach.Cells {
		var cells sample
		for range n {
			truth := make([]float64, len(r.sets))
			for set := range truth {
				truth[set] = float64(i)*gap + spread*stream.NormFloat64()
			}
			p := r.plan
			p.Opponents = 1
			_, used := New(p).follow(func(s Split) []float64 {
				n := p.Sets[s.Set].Test
				return []float64{math.Round((0.85+(truth[s.Set]+noise[s.Set]*stream.NormFloat64())/100)*n) / n * 100,
					math.Round(0.85*n) / n * 100}
			})
			cells = append(cells, float64(used))
		}
		error := math.Sqrt(cells.variance() * (1.0/n + 1.0/simulatedRuns))
		t.Logf("at %d times the difference: %.1f cells said, %.1f counted", i, said, cells.mean())
		must.Near(t, said, cells.mean(), 3*error, "at", i, error)
	}
}

// TestReachKnows: pairs of all methods count where the opponent has no results, and without a pair nothing is said.
func TestReachKnows(t *testing.T) {
	r, runs := referenceRun(t, "Other")
	f := r.field(runs)
	methods := len(readTable(t, small).methods)
	p := r.Prospect(r.fingerprints(), runs)
	if want := methods * (methods - 1) / 2; len(f.spreads) != want || p.Pairs != want {
		t.Errorf("%d and %d pairs, want %d of others", len(f.spreads), p.Pairs, want)
	}
	alone := slices.DeleteFunc(runs, func(r result.Run) bool { return r.Method != "LGBM" })
	for i := range alone {
		alone = append(alone, alone[i])
		alone[len(alone)-1].Method = "Mine"
	}
	if _, ok := r.Reach(1, alone); ok || r.Prospect(r.fingerprints(), alone).Pairs > 0 {
		t.Error("a spread between the method itself and one other")
	}
}

// TestProspect: a gap that is said to be found with probability 0.8 is found so often. The new methods of the
// simulation are the half of the methods of the reference run that the prospect did not see, each less its mean
// difference from every opponent. Halves differ, and so both of them are counted together.
func TestProspect(t *testing.T) {
	r, runs := referenceRun(t, "LGBM")
	f := readTable(t, small)
	mean := func(m string, set string) float64 { return sample(f.values[m][set]).mean() }
	for _, opponents := range [][]string{{"LGBM"}, {"LGBM", "SVM", "XGB", "RF", "GBRFF2"}, nil} {
		found, n := 0, 0
		for half := range 2 {
			var seen, unseen []string
			for i, m := range f.methods {
				if !slices.Contains(opponents, m) && i%2 == half {
					unseen = append(unseen, m)
				} else {
					seen = append(seen, m)
				}
			}
			against := opponents
			if against == nil {
				against = seen
			}
			q := r.Question
			q.Methods = append([]string{"Mine"}, opponents...)
			said := q.Prospect(r.fingerprints(), slices.DeleteFunc(slices.Clone(runs), func(r result.Run) bool {
				return !slices.Contains(seen, r.Method)
			}))
			stream := rand.New(rand.NewPCG(3, uint64(half)))
			judge := evidence.Judge{Level: q.Level, Region: true}
			for range 400 {
				mine, ahead := unseen[stream.IntN(len(unseen))], stream.IntN(len(against))
				gains, ropes := make([][]float64, len(against)), make([][]float64, len(against))
				flips := stream.Uint64()
				for j, other := range against {
					var all sample
					for _, set := range small {
						all = append(all, mean(mine, set)-mean(other, set))
					}
					for i, x := range all {
						x -= all.mean()
						if flips>>i&1 == 1 {
							x = -x
						}
						if j == ahead {
							x += said.Gap
						}
						gains[j], ropes[j] = append(gains[j], x), append(ropes[j], 1)
					}
				}
				if n++; judge.Verdicts(gains, ropes)[ahead] == evidence.Better {
					found++
				}
			}
			t.Logf("%s Until now in %d of %d.", q.Foreseen(said), found, n)
		}
		if share := float64(found) / float64(n); share < 0.75 || share > 0.85 {
			t.Errorf("against %v: a gap is said to be found with probability %v, and is in %.3f", opponents, Power,
				share)
		}
	}
}

// TestProspectOfFewSets: what so few sets cannot show is said, with the number that is enough.
func TestProspectOfFewSets(t *testing.T) {
	q := Question{Methods: []string{"Mine", "A", "B", "C"}, Splits: []int{1}, Level: 0.05}
	data := map[string]string{"a": "", "b": "", "c": "", "d": ""}
	want := "Mine against A, B and C (3 methods) on 4 sets: the least p is 0.375, so that no difference can be " +
		"found; 7 sets are enough."
	must.Be(t, q.Foreseen(q.Prospect(data, nil)), want)
}
