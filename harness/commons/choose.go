package commons

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
)

// # Which cells are computed again
//
// A forger reports more than the method's own counts on some cells, a set S. Let N be the number of cells, and G(i) the
// most that the reported accuracy of cell i can be above the own one, in percentage points. The forger raises the mean
// of all cells by Gain only if the sum of G over S is at least T = Gain N. So each cell is drawn on its own with the
// probability 1 - exp(-c G(i)). Then no cell of S is drawn with probability exp(-c G(S)) <= exp(-c T), whatever S is.
// For c = ln(1/(1-Level)) / T the forger is caught with probability Level at least.
//
// Cells that stand out have a large G, and are drawn nearly always; of the others a share is. Each cell gets a time of
// arrival, E(i)/G(i) with E(i) drawn from the exponential distribution, and cells are computed in the order of these
// times. Those that arrive before c are the drawn ones. A check that ends early has computed those before a smaller c,
// and knows the level that this c means. That a cell is slow does not help the forger: a cell that has begun ends.

// Floor is what the own accuracy of a cell is assumed not to be below, in the words of a receipt.
const Floor = "on each cell the method's own accuracy is not below the lower of two values: the lowest of the " +
	"field on the same split (where the field has none, the rate of the most frequent class), and the method's " +
	"reported mean on the set"

// A Field has accuracies in percent by data set and split: the lowest of all methods that a commons knows.
type Field map[string]map[int]float64

func percent(s result.Score) float64 { return 100 * float64(*s.Correct) / float64(s.N) }

// Add notes results of the field. Results that did not end ok, and those of regression, have no accuracy.
func (f Field) Add(runs []result.Run) {
	for _, r := range runs {
		if r.Status != result.OK || r.Score.Correct == nil {
			continue
		}
		if f[r.Dataset] == nil {
			f[r.Dataset] = map[int]float64{}
		}
		least, there := f[r.Dataset][r.Split]
		if now := percent(r.Score); !there || now < least {
			f[r.Dataset][r.Split] = now
		}
	}
}

// Gains are the most that the reported accuracy of each run can be above its own one, by Floor.
func (f Field) Gains(runs []result.Run) []float64 {
	means, splits := map[string]float64{}, map[string]float64{}
	for _, r := range runs {
		means[r.Dataset] += percent(r.Score)
		splits[r.Dataset]++
	}
	out := make([]float64, len(runs))
	for i, r := range runs {
		floor, there := f[r.Dataset][r.Split]
		if !there {
			floor = frequent(r.Score)
		}
		out[i] = max(0, percent(r.Score)-min(floor, means[r.Dataset]/splits[r.Dataset]))
	}
	return out
}

// frequent is the rate of the most frequent class in the test rows as far as counts say it, in percent; else 0.
func frequent(s result.Score) float64 {
	if s.TP == nil {
		return 0
	}
	positive := *s.TP + *s.FN
	return 100 * float64(max(positive, s.N-positive)) / float64(s.N)
}

// A Draw gives out the cells of an entry in the order in which they arrive, until the level is reached or the time is
// over. It is of schedule.Batches.
type Draw struct {
	All  bool // every cell is needed: the method is not deterministic
	Jobs int

	total   float64 // T
	target  float64 // c
	arrival map[cellName]float64
	cells   int
	within  time.Duration
	since   time.Time
	begun   map[cellName]bool
	done    map[cellName]result.Run
}

type cellName struct {
	dataset string
	split   int
}

func nameOf(r result.Run) cellName { return cellName{r.Dataset, r.Split} }

// NewDraw draws when the cells of reported runs arrive, from a seed of 32 bytes. After refusals of earlier versions of
// the entry, each of which was a chance, the probability that a forger is not caught is halved each time.
func NewDraw(c Config, runs []result.Run, gains []float64, seed [32]byte, refusals int, within time.Duration) *Draw {
	total := c.Gain * float64(len(runs))
	d := &Draw{Jobs: 1, total: total, cells: len(runs), within: within, arrival: map[cellName]float64{},
		begun: map[cellName]bool{}, done: map[cellName]result.Run{},
		target: (-math.Log1p(-c.Level) + float64(refusals)*math.Ln2) / total}
	rng := rand.New(rand.NewChaCha8(seed))
	for i, r := range runs {
		d.arrival[nameOf(r)] = rng.ExpFloat64() / gains[i] // +Inf where nothing can be gained
	}
	return d
}

// Seed writes a seed for a receipt.
func Seed(seed [32]byte) string { return hex.EncodeToString(seed[:]) }

// Ended is of schedule.Batches.
func (d *Draw) Ended(c *plan.Cell, r result.Run) {
	if c.Spec.Canary == nil {
		d.done[cellName{c.Dataset, c.Split}] = r
	}
}

// Next is of schedule.Batches. Canaries come first, with the cells that they are compared with.
func (d *Draw) Next(waiting []*plan.Cell) (now []*plan.Cell, why result.Why) {
	if d.since.IsZero() {
		d.since = time.Now()
	}
	first, with := len(d.begun) == 0, map[cellName]bool{}
	for _, c := range waiting {
		if c.Spec.Canary != nil {
			now = append(now, c)
			with[cellName{c.Dataset, c.Split}] = true
		}
	}
	cells := slices.DeleteFunc(slices.Clone(waiting), func(c *plan.Cell) bool { return c.Spec.Canary != nil })
	slices.SortFunc(cells, func(a, b *plan.Cell) int {
		return cmp.Or(cmp.Compare(d.arrival[cellName{a.Dataset, a.Split}], d.arrival[cellName{b.Dataset, b.Split}]),
			cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Split, b.Split))
	})
	ends := !first && d.over(len(cells))
	for i, c := range cells {
		name := cellName{c.Dataset, c.Split}
		if !ends && i < 4*d.Jobs || with[name] {
			now, d.begun[name] = append(now, c), true
		}
	}
	return now, result.Why{Kind: result.OverBudget, Text: d.within.String()}
}

// over reports whether no more cells are to be computed: the time is over, or the level is reached and the time will
// not suffice for all cells.
func (d *Draw) over(left int) bool {
	spent := time.Since(d.since)
	pace := time.Duration(float64(spent) / float64(max(1, len(d.begun))) * float64(d.cells))
	return spent >= d.within || !d.All && d.reached() >= d.target && pace > d.within && left > 0
}

// reached is the c up to which every cell is computed.
func (d *Draw) reached() float64 {
	c := math.Inf(1)
	for name, at := range d.arrival {
		if !d.begun[name] {
			c = min(c, at)
		}
	}
	return c
}

// Caught is the probability with which the computed cells would have caught a forger.
func (d *Draw) Caught() float64 { return -math.Expm1(-d.reached() * d.total) }

// Lost is how many cells were given out and have no result.
func (d *Draw) Lost() int { return len(d.begun) - len(d.done) }

// Done are the computed runs, and whether these are all cells.
func (d *Draw) Done() (runs []result.Run, all bool) {
	for _, r := range d.done {
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b result.Run) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Split, b.Split))
	})
	return runs, len(runs) == d.cells
}

// Says is what was computed again and what that finds, in a sentence.
func (d *Draw) Says(gain float64) string {
	runs, all := d.Done()
	if all {
		return fmt.Sprintf("all %d cells are computed again", len(runs))
	}
	return fmt.Sprintf("%d of %d cells are computed again: a forger who gains %g points of the mean is caught with "+
		"probability %.4g", len(runs), d.cells, gain, d.Caught())
}
