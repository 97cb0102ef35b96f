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

// TestReach simulates the difference that is said to be found, and the runs, by other code with other random numbers.
func TestReach(t *testing.T) {
	testenv.OnlyThorough(t)
	r, runs := referenceRun(t, "LGBM")
	reach, ok := r.Reach(runs)
	if !ok || !reach.With {
		t.Fatalf("no spread: %+v", reach)
	}
	f := readTable(t, small)
	if reach.Pairs != len(f.methods)-1 {
		t.Errorf("%d pairs, and LGBM has %d others", reach.Pairs, len(f.methods)-1)
	}
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
	if s := median(spreads); math.Abs(s-reach.Spread) > 1e-9 {
		t.Errorf("a spread of %v, not %v", reach.Spread, s)
	}
	stream := rand.New(rand.NewPCG(1, 2))
	n := 5000
	count := func(mean, spread float64, of evidence.Verdict) float64 {
		judge := evidence.Judge{Level: r.Level, Region: true}
		found := 0
		for range n {
			gains, ropes := make([]float64, len(small)), make([]float64, len(small))
			for i := range gains {
				unit := 100 / (20 * f.test[small[i]])
				x := mean + spread*stream.NormFloat64() + noise[i]/math.Sqrt(20)*stream.NormFloat64()
				gains[i], ropes[i] = math.Round(x/unit)*unit, 1
			}
			if judge.Verdicts([][]float64{gains}, [][]float64{ropes})[0] == of {
				found++
			}
		}
		return float64(found) / float64(n)
	}
	for _, c := range []struct {
		what         string
		said, counts float64
	}{
		{"found", Power, count(reach.Found, reach.Spread, evidence.Better)},
		{"equivalent", reach.Equivalent, count(0, reach.Spread, evidence.Equivalent)},
		{"equivalent, alike", reach.Alike, count(0, 0, evidence.Equivalent)},
	} {
		error := math.Sqrt(c.counts * (1 - c.counts) * (1.0/wholePlans + 1/float64(n)))
		if math.Abs(c.said-c.counts) > 3*error+0.005 { // found is known to a hundredth
			t.Errorf("%s: said with %.3f, and counted with %.3f", c.what, c.said, c.counts)
		}
		t.Logf("%s: %.3f said, %.3f counted", c.what, c.said, c.counts)
	}
	for _, line := range r.Foreseen(reach) {
		t.Log(line)
	}
	r.checkCells(t, reach, noise, stream)
}

// checkCells runs studies with all drawn tables of a look, and compares the cells that they take with those that are
// foreseen.
func (r *Run) checkCells(t *testing.T, reach Reach, noise []float64, stream *rand.Rand) {
	const n = 100
	for i, said := range reach.Cells {
		var cells sample
		for range n {
			truth := make([]float64, len(r.sets))
			for set := range truth {
				truth[set] = float64(i)*reach.Found + reach.Spread*stream.NormFloat64()
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
		if math.Abs(said-cells.mean()) > 3*error {
			t.Errorf("at %d times the difference: %.1f cells said, and %.1f (error %.1f) counted", i, said,
				cells.mean(), error)
		}
	}
}

// TestReachKnows: pairs of all methods count where the opponent has no results, and without a pair nothing is said.
func TestReachKnows(t *testing.T) {
	r, runs := referenceRun(t, "Other")
	f := r.field(runs)
	methods := len(readTable(t, small).methods)
	if want := methods * (methods - 1) / 2; f.with || len(f.spreads) != want {
		t.Errorf("%d pairs, with the opponent: %v; want %d of others", len(f.spreads), f.with, want)
	}
	alone := slices.DeleteFunc(runs, func(r result.Run) bool { return r.Method != "LGBM" })
	for i := range alone {
		alone = append(alone, alone[i])
		alone[len(alone)-1].Method = "Mine"
	}
	if _, ok := r.Reach(alone); ok {
		t.Error("a spread between the method itself and one other")
	}
}
