package curtail

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// A world draws the true gains of sets and the noise of splits.
type world struct {
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

func worlds() (out []world) {
	for _, sets := range []int{12, 15} {
		out = append(out,
			world{"normal", sets, func(r *rng.RandomState) float64 { return 1.5 * r.Norm() }, 1},
			world{"t with two degrees", sets, func(r *rng.RandomState) float64 { return student(r) }, 1},
			world{"no spread", sets, func(*rng.RandomState) float64 { return 0 }, 1},
			world{"noise doubled", sets, func(r *rng.RandomState) float64 { return 1.5 * r.Norm() }, 2},
			world{"noise doubled, no spread", sets, func(*rng.RandomState) float64 { return 0 }, 2})
	}
	return out
}

// draw draws the values of two methods on all splits.
func (w world) draw(r *rng.RandomState) (*Study, func(set, k int) []float64) {
	p := Plan{Splits: 20, Opponents: 1, Level: 0.05, Width: 1, Best: 100, Percent: true}
	rows := []float64{54, 60, 90, 105, 104, 62, 188, 170, 207, 250, 300, 230, 950, 1380, 6000}
	values := make([][][]float64, w.sets)
	for i := range w.sets {
		n, mistakes := rows[i], 5+20*r.Float64()
		p.Sets = append(p.Sets, Set{Cost: n, Test: n})
		gain, sd := w.truth(r), w.noise*math.Sqrt(rule*1e4*mistakes/100/n)
		count := func(x float64) float64 { return math.Round(x*n/100) / n * 100 }
		for range p.Splits {
			theirs := 100 - mistakes + sd*r.Norm()
			values[i] = append(values[i], []float64{count(theirs + gain + sd*r.Norm()), count(theirs)})
		}
	}
	return New(p), func(set, k int) []float64 { return values[set][k] }
}

// TestSimulations compares the claims of the rule with those of the full plan where there is no difference, and counts
// missed equivalences where all true gains are zero.
func TestSimulations(t *testing.T) {
	n := number("SIMN", 12)
	for i, w := range worlds() {
		if only := number("WORLD", -1); only >= 0 && only != i {
			continue
		}
		r := rng.New(7)
		claims, all, missed, equivalent, agree, cells, more := 0, 0, 0, 0, 0, 0, 0
		found := func(v evidence.Verdict) bool {
			return v == evidence.Better || v == evidence.Worse || v == evidence.Uncertain
		}
		for range n {
			s, value := w.draw(r)
			s.draws = number("DRAWS", 500)
			got, used := follow(s, value)
			want := full(s, value)[0]
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
		if more > max(1, n/20) || w.noise == 1 && w.name == "no spread" && missed > max(1, n/20) {
			t.Errorf("%s, %d sets: of %d plans %d claim what all splits do not, and %d miss an equivalence", w.name,
				w.sets, n, more, missed)
		}
		percent := func(k int) float64 { return 100 * float64(k) / float64(n) }
		t.Logf("%-26s %d sets: claims %.2f %% (full plan %.2f %%, %d not there), equivalent in the full plan "+
			"%.1f %%, missed %.2f %%, agree %.1f %%, cells %.1f %%", w.name, w.sets, percent(claims), percent(all),
			more, percent(equivalent), percent(missed), percent(agree), percent(cells)/float64(20*w.sets))
	}
}

// TestFailedCells: a set on which a cell failed is out of the verdicts, gets no more splits, and the run still ends.
func TestFailedCells(t *testing.T) {
	s, value := worlds()[0].draw(rng.New(3))
	s.draws = 200
	next := s.First()
	for range 1000 {
		for _, split := range next {
			values := value(split.Set, split.At)
			if split.Set == 4 && split.At == 1 {
				values = nil
			} else if split.Set == 4 && split.At > 1 {
				t.Fatal("a set with a failed cell gets another split")
			}
			s.Add(split.Set, values)
		}
		f := s.Look()
		if slices.Contains(s.Counted(), 4) {
			t.Fatal("a set with a failed cell counts")
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
