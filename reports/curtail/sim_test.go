package curtail

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// An example is a kind of comparison without a difference.
type example struct {
	name  string
	sets  int
	truth func(r *rng.RandomState) float64
	noise float64 // deviation of a split's gain, in units of what the rule says
}

// student draws from Student's t with two degrees of freedom.
func student(r *rng.RandomState) float64 {
	a, b := r.Norm(), r.Norm()
	return r.Norm() / math.Sqrt((a*a+b*b)/2)
}

func examples() (out []example) {
	normal := func(r *rng.RandomState) float64 { return math.Sqrt(0.5) * 1.5 * r.Norm() }
	none := func(*rng.RandomState) float64 { return 0 }
	for _, sets := range []int{12, 15} {
		out = append(out,
			example{"normal", sets, normal, 1},
			example{"t with two degrees", sets, student, 1},
			example{"no spread", sets, none, 1},
			example{"noise doubled", sets, normal, 2},
			example{"noise doubled, no spread", sets, none, 2})
	}
	return out
}

// world draws the errors of the sets.
func (e example) world(r *rng.RandomState) world {
	w := world{Plan: Plan{Splits: 20, Opponents: 1, Level: 0.05, Width: 1, Best: 100, Percent: true}, truth: e.truth}
	rows := []float64{54, 60, 90, 105, 104, 62, 188, 170, 207, 250, 300, 230, 950, 1380, 6000}
	for _, n := range rows[:e.sets] {
		mistakes := 5 + 20*r.Float64()
		w.Sets = append(w.Sets, Set{Cost: n, Test: n})
		w.level = append(w.level, 100-mistakes)
		w.noise = append(w.noise, e.noise*math.Sqrt(rule*1e4*mistakes/100/n))
	}
	return w
}

// TestSimulations compares the claims of the rule with those of the full plan where there is no difference, and counts
// missed equivalences where all true gains are zero.
func TestSimulations(t *testing.T) {
	testenv.OnlyThorough(t)
	n := number("SIMN", 12)
	for i, e := range examples() {
		if only := number("WORLD", -1); only >= 0 && only != i {
			continue
		}
		r := rng.New(7)
		claims, all, missed, equivalent, agree, cells, more := 0, 0, 0, 0, 0, 0, 0
		found := func(v evidence.Verdict) bool {
			return v == evidence.Better || v == evidence.Worse || v == evidence.Uncertain
		}
		for range n {
			w := e.world(r)
			value, s := w.draw(r, 0), New(w.Plan)
			s.draws = number("DRAWS", 500)
			got, used := s.follow(value)
			want := s.whole(value)[0]
			cells += used
			if got.Verdicts[0] == want {
				agree++
			}
			if found(got.Verdicts[0]) {
				claims++
			}
			if found(want) {
				all++
			} else if found(got.Verdicts[0]) {
				more++
			}
			if want == evidence.Equivalent {
				equivalent++
				if got.Verdicts[0] != want {
					missed++
				}
			}
		}
		if more > max(1, n/20) || e.noise == 1 && e.name == "no spread" && missed > max(1, n/20) {
			t.Errorf("%s, %d sets: of %d plans %d claim what all splits do not, and %d miss an equivalence", e.name,
				e.sets, n, more, missed)
		}
		percent := func(k int) float64 { return 100 * float64(k) / float64(n) }
		t.Logf("%-26s %d sets: claims %.2f %% (full plan %.2f %%, %d not there), equivalent in the full plan "+
			"%.1f %%, missed %.2f %%, agree %.1f %%, cells %.1f %%", e.name, e.sets, percent(claims), percent(all),
			more, percent(equivalent), percent(missed), percent(agree), percent(cells)/float64(20*e.sets))
	}
}

// TestFailedCells: a set without a finished split is out of the verdicts, and the run still ends. A set of which some
// split failed counts with the others.
func TestFailedCells(t *testing.T) {
	r := rng.New(3)
	w := examples()[0].world(r)
	value, s := w.draw(r, 0), New(w.Plan)
	s.draws = 200
	next := s.First()
	for range 1000 {
		for _, split := range next {
			values := value(split)
			if split.Set == 4 || split.Set == 5 && split.At == 1 {
				values[1] = math.NaN()
			}
			s.Add(split.Set, values)
		}
		f := s.Look()
		if slices.Contains(s.Counted(), 4) || !slices.Contains(s.Counted(), 5) {
			t.Fatalf("the sets %v count", s.Counted())
		}
		if f.Decided {
			return
		}
		next = s.Next(f)
	}
	t.Fatal("the run has no end")
}

// TestSeveralOpponents: where all splits are known, the verdicts are those of a comparison of each method with each if
// the method has the best or the worst mean, and else of its own comparisons.
func TestSeveralOpponents(t *testing.T) {
	r := rng.New(11)
	for range 20 {
		p := Plan{Splits: 1, Opponents: 2, Level: 0.05, Width: 1, Best: 100, Percent: true}
		for range 8 {
			p.Sets = append(p.Sets, Set{Cost: 1, Test: 100})
		}
		var gains [3][]float64 // of the method over either opponent, and of the first opponent over the second
		s := New(p)
		for set := range p.Sets {
			base := math.Round(80 + 3*r.Norm())
			one, other := base-math.Round(2+2*r.Norm()), base+math.Round(-1+3*r.Norm())
			s.Add(set, []float64{base, one, other})
			gains[0], gains[1] = append(gains[0], base-one), append(gains[1], base-other)
			gains[2] = append(gains[2], one-other)
		}
		sums := [2]float64{}
		for j := range sums {
			for _, g := range gains[j] {
				sums[j] += g
			}
		}
		family := gains[:2]
		if sums[0] >= 0 && sums[1] >= 0 || sums[0] <= 0 && sums[1] <= 0 {
			family = gains[:]
		}
		ropes := [][]float64{}
		for range family {
			ropes = append(ropes, []float64{1, 1, 1, 1, 1, 1, 1, 1})
		}
		judge := evidence.Judge{Level: 0.05, Region: true}
		want := judge.Verdicts(family, ropes)[:2]
		if got := s.Look(); !slices.Equal(got.Verdicts, want) || !got.Whole {
			t.Errorf("%v, want %v", got.Verdicts, want)
		}
	}
}
