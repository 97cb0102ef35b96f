// Package curtail says when a comparison is decided: when the verdict that all planned splits will give is so probable
// that the rest of them need not run. This is stochastic curtailment (Lan, Simon and Halperin 1982). More splits only
// make the mean of a set more exact, so that what they will say can be forecast; more sets would be new evidence, and
// sets that have not run are never forecast.
//
// forecast.go has the model of the noise of splits, this file the rule: which splits are next, and when to stop. run.go
// gives the cells of these splits to a scheduler. The verdicts of what is drawn from the model are those of package
// evidence. Before a run, world.go draws comparisons as a whole, and reach.go says what they find. The package runs
// nothing and knows no database. What it decides depends on the plan and on the values alone, so that a run that is
// killed, or has other jobs, stops at the same place.
package curtail

import (
	"cmp"
	"math"
	"slices"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// A Plan is fixed before the first cell.
type Plan struct {
	Sets      []Set
	Splits    int // of each set
	Opponents int // that the method is compared with
	Level     float64
	// Own are places of methods whose comparisons are the family, wherever their means are: the method is 0, and its
	// opponents follow. It is empty if the method is not one's own and was not named before its first result.
	Own []int
	// Width is half the width of the region of practical equivalence, in the unit of the values or as a share of the
	// error; NaN for no region.
	Width    float64
	Relative bool
	// Best is the best possible value; larger values are better. Percent says that values are accuracies in percent.
	Best    float64
	Percent bool
}

// A Set is a data set of a plan.
type Set struct {
	Cost float64 // of a split, as it is declared: measured times would differ from run to run
	Test float64 // rows that a split tests
}

// Claim and Open are the probabilities with which the rule stops: with a verdict that claims something, and with an
// inconclusive one. Replays of half of the pairs of the reference run chose them (TestReplays).
const (
	Claim = 0.995
	Open  = 0.97
)

// draws is the number of drawn tables of a look.
const draws = 2000

// A Study follows a plan. Its methods are not to be called at the same time.
type Study struct {
	Plan
	values  [][][]float64 // by set and split: of the method, then of each opponent; NaN where a cell failed
	started []int         // splits by set that were given out
	draws   int
	judge   evidence.Judge
}

// New begins a study.
func New(p Plan) *Study {
	return &Study{Plan: p, values: make([][][]float64, len(p.Sets)), started: make([]int, len(p.Sets)), draws: draws,
		judge: evidence.Judge{Level: p.Level, Region: !math.IsNaN(p.Width), Relative: p.Relative && p.Width > 0}}
}

// A Split is a split of a set, both by their places in the plan.
type Split struct{ Set, At int }

func (s *Study) start(set int) Split {
	s.started[set]++
	return Split{set, s.started[set] - 1}
}

// Add notes the values of the method and of each opponent on the next split of a set; NaN where a cell failed. The
// method and an opponent are compared on the splits that both have.
func (s *Study) Add(set int, values []float64) { s.values[set] = append(s.values[set], values) }

// First are the splits to begin with: two of every set, the cheapest set first.
func (s *Study) First() []Split {
	var out []Split
	for i := range s.Sets {
		for range min(2, s.Splits) {
			out = append(out, s.start(i))
		}
	}
	slices.SortStableFunc(out, func(a, b Split) int { return cmp.Compare(s.Sets[a.Set].Cost, s.Sets[b.Set].Cost) })
	return out
}

// A Forecast is what a look finds.
type Forecast struct {
	Verdicts      []evidence.Verdict // the most probable one against each opponent
	Probabilities []float64          // of the verdicts
	Decided       bool               // all of them are certain enough
	Whole         bool               // no split is left: the verdicts are no forecast
	weights       []float64          // by set: how much the undecided verdicts depend on it
}

func enough(v evidence.Verdict) float64 {
	if v == evidence.Inconclusive || v == evidence.Untestable {
		return Open
	}
	return Claim
}

// Done is how many splits were added, of all sets.
func (s *Study) Done() int {
	n := 0
	for _, splits := range s.values {
		n += len(splits)
	}
	return n
}

// counted returns what is known of each data set that a comparison with an opponent over all splits would count. These
// are the sets with a finished split, without those that have less than half of the usual number of splits.
func (s *Study) counted(opponent int) (out []known) {
	var usual []int
	for i := range s.Sets {
		if k := s.known(i, opponent); k.splits > 0 {
			out, usual = append(out, k), append(usual, k.planned)
		}
	}
	slices.Sort(usual)
	return slices.DeleteFunc(out, func(k known) bool { return 2*k.planned < usual[len(usual)/2] })
}

// Counted are the places of the sets that some comparison of all splits would count.
func (s *Study) Counted() (out []int) {
	for j := range s.Opponents {
		for _, k := range s.counted(j) {
			out = append(out, k.set)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Look forecasts the verdicts of all planned splits.
func (s *Study) Look() Forecast {
	d := s.newDrawn()
	for _, known := range d.known {
		d.models = append(d.models, newModel(known, s.Percent))
	}
	tally := make([]map[evidence.Verdict]int, s.Opponents)
	verdicts := make([][]evidence.Verdict, s.draws)
	gains := make([][][]float64, s.draws)
	for j := range tally {
		tally[j] = map[evidence.Verdict]int{}
	}
	for k := range s.draws {
		verdicts[k], gains[k] = d.next()
		for j, v := range verdicts[k] {
			tally[j][v]++
		}
	}
	f := Forecast{Decided: true, weights: make([]float64, len(s.Sets))}
	for j := range tally {
		var most evidence.Verdict
		for _, r := range evidence.Rules {
			if tally[j][r.Verdict] > tally[j][most] {
				most = r.Verdict
			}
		}
		p := float64(tally[j][most]) / float64(s.draws)
		f.Verdicts, f.Probabilities = append(f.Verdicts, most), append(f.Probabilities, p)
		if p >= enough(most) {
			continue
		}
		f.Decided = false
		for _, of := range d.known[j] {
			f.weights[of.set] += explained(s.draws, func(k int) (float64, bool) {
				return gains[k][j][of.set], verdicts[k][j] == most
			})
		}
	}
	if f.Whole = s.exhausted(); f.Whole {
		f.Decided = true
	}
	return f
}

func (s *Study) exhausted() bool { return s.Done() == len(s.Sets)*s.Splits }

// explained is how much of the variance of an event a number explains: the squared covariance over the variance of the
// number.
func explained(n int, at func(k int) (float64, bool)) float64 {
	sum, squares, with, events := 0.0, 0.0, 0.0, 0.0
	for k := range n {
		x, event := at(k)
		sum, squares = sum+x, squares+x*x
		if event {
			with, events = with+x, events+1
		}
	}
	m := float64(n)
	variance := squares/m - sum*sum/m/m
	if variance <= 1e-12 {
		return 0
	}
	covariance := with/m - sum*events/m/m
	return covariance * covariance / variance
}

// Next are the splits that run after a look: half as many as there are sets, of the sets on whose means the undecided
// verdicts depend most for the cost of a split.
func (s *Study) Next(f Forecast) []Split {
	var out []Split
	for range (len(s.Sets) + 1) / 2 {
		best, most := -1, -1.0
		for i, set := range s.Sets {
			k := float64(s.started[i])
			if s.started[i] == s.Splits {
				continue
			}
			// Of the variance that k of K splits leave, v (1/k - 1/K), one more split takes a part away.
			left := float64(s.Splits) - k
			part := 1 - (left-1)/(k+1)*k/left
			if gain := (f.weights[i] + 1e-9) * part / set.Cost; gain > most {
				best, most = i, gain
			}
		}
		if best < 0 {
			break
		}
		out = append(out, s.start(best))
		// What is left of the weight shrinks with the variance.
		k := float64(s.started[best])
		f.weights[best] *= (float64(s.Splits) - k) / k * (k - 1) / (float64(s.Splits) - k + 1)
	}
	return out
}

// drawn draws tables of all planned splits.
type drawn struct {
	*Study
	known  [][]known // by opponent
	models []*model  // by opponent
	stream *rng.RandomState
	common []float64
}

func (s *Study) newDrawn() *drawn {
	d := &drawn{Study: s, stream: rng.New(1), common: make([]float64, 1+2*len(s.Sets))}
	for j := range s.Opponents {
		d.known = append(d.known, s.counted(j))
	}
	return d
}

func (s *Study) now() []evidence.Verdict {
	d := s.newDrawn()
	gains := d.none()
	for j, sets := range d.known {
		for _, k := range sets {
			gains[j][k.set] = k.mean
		}
	}
	return d.verdicts(gains)
}

// none are gains by opponent and set before they are known: a set that does not count is NaN.
func (d *drawn) none() [][]float64 {
	out := make([][]float64, d.Opponents)
	for j := range out {
		out[j] = slices.Repeat([]float64{math.NaN()}, len(d.Sets))
	}
	return out
}

// known summarises the gains over an opponent on a set.
func (s *Study) known(set, opponent int) known {
	k := known{set: set, planned: s.Splits}
	var both [][2]float64
	for _, v := range s.values[set] {
		if ours, theirs := v[0], v[1+opponent]; math.IsNaN(ours - theirs) {
			k.planned--
		} else {
			both = append(both, [2]float64{ours, theirs})
		}
	}
	k.splits = len(both)
	n, middle := float64(k.splits), 0.0
	for _, v := range both {
		k.mean, k.other, middle = k.mean+(v[0]-v[1])/n, k.other+v[1]/n, middle+(v[0]+v[1])/2/n
	}
	for _, v := range both {
		d := v[0] - v[1] - k.mean
		k.square += d * d
	}
	k.base = s.base(middle, s.Sets[set].Test)
	return k
}

// base is what the variance of the gain of a split is proportional to, by the middle of the values and the tested rows.
func (p Plan) base(middle, test float64) float64 {
	if p.Percent {
		// Counts of n tested rows with an error of e vary by n e.
		return 1e4 * max((100-middle)/100, 0.5/test) / test
	}
	return max(middle*middle, 1e-12) / test
}

// next draws a table: the verdicts against the opponents, and the gains by opponent and set.
func (d *drawn) next() ([]evidence.Verdict, [][]float64) {
	for i := range d.common {
		d.common[i] = d.stream.Norm()
	}
	gains := d.none()
	for j, m := range d.models {
		m.draw(d.stream, func(place int) float64 {
			if d.Opponents == 1 {
				return d.common[place]
			}
			// The method's own noise is in all its gains: half of their variance if all methods are alike.
			return math.Sqrt(0.5)*d.common[place] + math.Sqrt(0.5)*d.stream.Norm()
		}, gains[j])
		if d.Percent {
			for _, k := range d.known[j] {
				if unit := 100 / (d.Sets[k.set].Test * float64(k.planned)); k.splits < k.planned {
					gains[j][k.set] = math.Round(gains[j][k.set]/unit) * unit
				}
			}
		}
	}
	return d.verdicts(gains), gains
}

// verdicts judges the gains over each opponent as evidence.Compare does, in the same family.
func (d *drawn) verdicts(gains [][]float64) []evidence.Verdict {
	var sums []float64
	for _, row := range gains {
		sum := 0.0
		for _, g := range row {
			if !math.IsNaN(g) {
				sum += g
			}
		}
		sums = append(sums, math.Round(sum*1e9)) // sums of rounded numbers
	}
	family := evidence.FamilyOf(1+d.Opponents, 0, d.Own, evidence.OneSided(sums))
	var all, ropes [][]float64
	var at []int // by opponent, the place of the method's comparison with it
	for _, of := range family {
		if of[0] == 0 {
			at = append(at, len(all))
		}
		row := slices.Clone(gains[of[1]-1])
		for i := range row {
			if of[0] > 0 {
				row[i] -= gains[of[0]-1][i]
			}
		}
		if slices.ContainsFunc(row, func(g float64) bool { return !math.IsNaN(g) }) {
			all, ropes = append(all, row), append(ropes, d.ropes(of, row))
		} else if of[0] == 0 {
			at[len(at)-1] = -1
		}
	}
	found := d.judge.Verdicts(all, ropes)
	var out []evidence.Verdict
	for _, k := range at {
		if k < 0 {
			out = append(out, evidence.Untestable)
		} else {
			out = append(out, found[k])
		}
	}
	return out
}

// ropes are half the widths of the region by set, for the comparison of two methods with these gains. The means of
// opponents are those of their splits so far.
func (d *drawn) ropes(of [2]int, gains []float64) []float64 {
	out := slices.Repeat([]float64{d.Width}, len(gains))
	if !d.Relative {
		return out
	}
	for _, k := range d.known[of[1]-1] {
		out[k.set] = d.Width * math.Abs(d.Best-k.other-gains[k.set]/2)
	}
	return out
}
