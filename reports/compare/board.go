package compare

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Board is the methods of a table in order.
type Board struct {
	Asked int      // place in the table of the method that the rest is compared with: the named method, or the leader
	Named bool     // the asked method was named before the data were seen
	Sets  []string // the sets of the main group that count
	Field int      // whole methods, those that have every set
	Rows  []Row    // whole methods, the largest gain first, then partial ones, the most sets first
	Costs curves.Costs
	Level float64
	// Testable says that comparisons over so many sets can be significant. Otherwise nothing is said of the best method
	// and of ranks.
	Testable bool
	tooFew   string // why they are not
}

// A Row is a method. Values are over the sets that count and that it has.
type Row struct {
	Method string
	Place  int // in the table's methods
	Have   int // number of these sets that the method has
	Whole  bool
	// mean less the mean of all whole methods, averaged over sets, positive if better; nil without a set
	Gain  *big.Rat
	Gains stats.Interval // Student's t over sets; NaN for fewer than two
	// share of other whole methods that it beats, ties half, averaged over sets; nil without any
	Wins     *big.Rat
	WinRates stats.Interval // interval of Wins over sets, within 0 and 1
	Rank     *big.Rat       // average rank among whole methods; nil for a partial one
	// interval of its rank by typical differences, simultaneous for all whole methods; 0 for a partial one
	Ranks [2]int
	Best  float64 // p of the hypothesis that it is the best whole method; NaN where that is not tested
	// the row's method as A, the asked method as B; nil for the asked method, and without a common split
	Against *evidence.Pair
	Seconds float64 // mean processor time of a cell; NaN if unknown
	// the same in yardsticks, NaN if unknown; see curves.Costs
	Yardsticks float64
}

// Rank orders the methods of a table. The evidence must hold the pair of the asked method with each other method.
func Rank(t *frame.Table, ev *evidence.Evidence, asked int) (*Board, error) {
	every := ev
	if !ev.Every {
		var err error
		if every, err = evidence.Compare(t, evidence.Options{Level: ev.Level, Region: ev.Region}); err != nil {
			return nil, err
		}
	}
	b := &Board{Asked: asked, Named: ev.Method != "", Costs: curves.PerCell(t), Level: ev.Level,
		Testable: every.Over > 0, tooFew: TooFew(ev, len(t.Counted), frame.Count(len(t.Counted), "data set"))}
	b.fill(t, ev.Level)
	best, ranks, own := every.Best(), every.Ranks(), ev.Ranks()
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Best = math.NaN(); r.Whole && b.Testable {
			r.Best, r.Ranks = best[r.Place], ranks[r.Place]
		}
		if r.Whole && !ev.Every && own[r.Place][0] > 0 { // a method of one's own, by its own comparisons
			r.Ranks = own[r.Place]
		}
		if p, ok := ev.Between(r.Place, asked); ok {
			r.Against = &p
		}
		r.Seconds, r.Yardsticks = known(b.Costs.Seconds, r.Method), known(b.Costs.Yardsticks, r.Method)
	}
	return b, nil
}

func known(times map[string]float64, method string) float64 {
	if x, ok := times[method]; ok {
		return x
	}
	return math.NaN()
}

// fill makes the rows, except for fields that depend on the evidence.
func (b *Board) fill(t *frame.Table, level float64) {
	b.Sets, b.Field = t.Counted, len(t.Whole())
	matrix := t.Means() // of whole methods
	// of all; nil where the compared splits are not finished
	values := t.Matrix(len(t.Methods), func(e frame.Entry) *big.Rat {
		if !e.Has {
			return nil
		}
		return e.Mean
	})
	var ranks []*big.Rat
	if len(matrix) > 0 {
		ranks = stats.AverageRanks(matrix)
	}
	fields := make([]*big.Rat, len(matrix)) // the mean of the field on each set
	for s, row := range matrix {
		fields[s] = stats.Mean(row)
	}
	for m, name := range t.Methods {
		r := Row{Method: name, Place: m, Whole: m < b.Field}
		r.measure(t, m, values, matrix, fields, level)
		if r.Whole && ranks != nil {
			r.Rank = ranks[m]
		}
		b.Rows = append(b.Rows, r)
	}
	slices.SortStableFunc(b.Rows, func(a, b Row) int {
		if a.Have != b.Have || a.Gain == nil { // whole methods have the most
			return cmp.Compare(b.Have, a.Have)
		}
		return b.Gain.Cmp(a.Gain)
	})
}

// measure compares a method with the field on each set that the method has.
func (r *Row) measure(t *frame.Table, m int, values, matrix [][]*big.Rat, fields []*big.Rat, level float64) {
	var gains, wins []*big.Rat
	for s, row := range values {
		v := row[m]
		if v == nil {
			continue
		}
		r.Have++
		field := fields[s]
		gains = append(gains, t.OverSets(new(big.Rat).Sub(v, field), v, field))
		twice, others := 0, len(matrix[s])
		if r.Whole {
			twice, others = -1, others-1 // without the tie with itself
		}
		for _, other := range matrix[s] {
			twice += v.Cmp(other) + 1
		}
		if others > 0 {
			wins = append(wins, big.NewRat(int64(twice), int64(2*others)))
		}
	}
	r.Gain, r.Gains = meanOf(gains, level)
	r.WinRates = stats.Interval{Low: math.NaN(), High: math.NaN()}
	if r.Wins = stats.Mean(wins); r.Wins != nil {
		r.WinRates = stats.Wilson(frame.Float64(r.Wins), len(wins), 1-level)
	}
}

// meanOf is the mean of values, one a set, with its interval. Data sets do not overlap.
func meanOf(values []*big.Rat, level float64) (*big.Rat, stats.Interval) {
	if len(values) == 0 {
		return nil, stats.Interval{Low: math.NaN(), High: math.NaN()}
	}
	t := stats.CorrectedT(values, 1, 0)
	return t.Mean, t.Interval(1 - level)
}
