package reports

import (
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/reports/stats"
)

// Table2 is the computed table: exact means and ranks, comparisons with
// published values, and everything that is missing.
type Table2 struct {
	Protocol string
	Methods  []string // columns
	Splits   int      // planned number of splits
	Rows     []Row    // the main group, then apart, then generated

	// Counted names the data sets behind Mean and the ranks: those of the main
	// group on which all methods finished the same splits. Without any, Mean,
	// MidRanks and PaperRanks are nil.
	Counted    []string
	Mean       []MeanCell // one a method
	MidRanks   []*big.Rat // average ranks, ties sharing the mean rank
	PaperRanks []*big.Rat // as the paper computes them, see stats.PaperAverageRanks

	Comparisons []Comparison // one a source of published values
	Gaps        []Gap        // cells with fewer finished splits than planned
	Warnings    []string     // what must be read before the table
	Notes       []string     // plain sentences, shown in every format but CSV

	Changed     []Change
	Regression  []string
	LeftOut     []string
	FullCommand string
	Provenance  Provenance
}

// Row is a data set with one cell a method.
type Row struct {
	Dataset Dataset
	Cells   []Cell
	Missing bool // at least one cell has no finished split
	Unequal bool // cells that have a mean finished different splits, so are not comparable
	Counted bool // enters Mean and the average ranks
}

// Cell holds the runs of one method on one data set.
type Cell struct {
	Method  string
	Runs    []Run // finished ones, by split
	Correct int64 // sums over the finished splits
	Test    int64

	Mean      *big.Rat // mean accuracy over the finished splits, in percent; nil without any
	StdPop    float64  // standard deviation over the finished splits, divisor n, in percent
	StdSample float64  // the same with divisor n-1; NaN for fewer than two splits
	// Best marks the largest mean of a row and every one tied with it, where at
	// least two methods have a mean over the same splits.
	Best bool
}

// MeanCell is a method's entry in the Mean row.
type MeanCell struct {
	Mean      *big.Rat // mean of the counted data sets' means, in percent
	StdPop    float64  // mean of their standard deviations
	StdSample float64
	Best      bool
}

var hundred = big.NewRat(100, 1)

// BuildTable2 computes the table. It is an error if the input contradicts
// itself: names given twice, runs of unknown methods or data sets, counts that
// are no accuracy, methods tested on different numbers of examples of a split.
// Missing and failed runs are no error; the table says what they cost it.
func BuildTable2(in Table2Input) (*Table2, error) {
	in = in.clean()
	if err := in.check(); err != nil {
		return nil, err
	}
	planned := in.planned()
	t := &Table2{
		Protocol: in.Protocol, Methods: slices.Clone(in.Methods), Splits: len(planned),
		Changed: in.Changed, Regression: in.Regression, LeftOut: in.LeftOut, FullCommand: in.FullCommand, Provenance: in.Provenance,
	}
	for _, c := range in.Changed {
		t.Warnings = append(t.Warnings, c.String())
	}
	t.Warnings = append(t.Warnings, in.Warnings...)
	runs := map[cellKey][]Run{}
	for _, r := range in.Runs {
		key := cellKey{r.Dataset, r.Method}
		runs[key] = append(runs[key], r)
	}
	for _, group := range []string{GroupMain, GroupApart, GroupGenerated} {
		for _, d := range in.Datasets {
			if d.Group == "" {
				d.Group = GroupMain
			}
			if d.Group == group {
				t.addRow(d, runs, planned, in.impossible)
			}
		}
	}
	if err := t.summarise(); err != nil {
		return nil, err
	}
	unused, err := t.compare(in.Published, in.PublishedRanks)
	if err != nil {
		return nil, err
	}
	t.Notes = slices.Concat(t.notes(), unused, in.Notes)
	return t, nil
}

func (t *Table2) addRow(d Dataset, runs map[cellKey][]Run, planned []int, impossible func(dataset, method string) string) {
	row := Row{Dataset: d}
	var means []*big.Rat
	var splits []int // of the first cell that has any
	for _, m := range t.Methods {
		all := slices.Clone(runs[cellKey{d.Name, m}])
		slices.SortFunc(all, func(a, b Run) int { return a.Split - b.Split })
		cell := newCell(m, all)
		if gap := newGap(d.Name, m, impossible(d.Name, m), planned, all); gap.Done < t.Splits {
			t.Gaps = append(t.Gaps, gap)
		}
		row.Cells = append(row.Cells, cell)
		means = append(means, cell.Mean)
		if cell.Mean == nil {
			row.Missing = true
			continue
		}
		if splits == nil {
			splits = cell.Splits()
		}
		row.Unequal = row.Unequal || !slices.Equal(splits, cell.Splits())
	}
	if compared := len(t.Methods) - row.missing(); !row.Unequal && (compared > 1 || len(t.Methods) == 1) {
		for i, best := range stats.Largest(means) {
			row.Cells[i].Best = best
		}
	}
	row.Counted = d.Group == GroupMain && !row.Missing && !row.Unequal
	t.Rows = append(t.Rows, row)
}

// missing counts the row's cells without a finished split.
func (r Row) missing() int {
	n := 0
	for _, c := range r.Cells {
		if c.Mean == nil {
			n++
		}
	}
	return n
}

// summarise fills the Mean row and the ranks from the counted rows.
func (t *Table2) summarise() error {
	var values [][]*big.Rat
	mean := make([]MeanCell, len(t.Methods))
	for _, row := range t.Rows {
		if !row.Counted {
			continue
		}
		t.Counted = append(t.Counted, row.Dataset.Name)
		var means []*big.Rat
		for i, c := range row.Cells {
			means = append(means, c.Mean)
			mean[i].StdPop += c.StdPop
			mean[i].StdSample += c.StdSample
		}
		values = append(values, means)
	}
	if len(values) == 0 {
		return nil
	}
	columns, err := stats.ColumnMeans(values)
	if err != nil {
		return err
	}
	for i, best := range stats.Largest(columns) {
		mean[i].Mean, mean[i].Best = columns[i], best
		mean[i].StdPop /= float64(len(values))
		mean[i].StdSample /= float64(len(values))
	}
	t.Mean = mean
	if t.MidRanks, err = stats.AverageRanks(values); err != nil {
		return err
	}
	t.PaperRanks, err = stats.PaperAverageRanks(values)
	return err
}

// newCell sums the finished runs of a cell; all is sorted by split.
func newCell(method string, all []Run) Cell {
	c := Cell{Method: method, StdSample: math.NaN()}
	sum, squares := new(big.Rat), new(big.Rat)
	for _, r := range all {
		if r.Status != StatusOK {
			continue
		}
		c.Runs = append(c.Runs, r)
		c.Correct += int64(r.Correct)
		c.Test += int64(r.Test)
		a := r.accuracy()
		sum.Add(sum, a)
		squares.Add(squares, a.Mul(a, a))
	}
	if len(c.Runs) == 0 {
		c.StdPop = math.NaN()
		return c
	}
	// The sum of squared deviations is exact, so equal accuracies have a
	// deviation of exactly zero and no digits are lost to cancellation.
	n := big.NewRat(int64(len(c.Runs)), 1)
	c.Mean = new(big.Rat).Quo(sum, n)
	deviations := squares.Sub(squares, sum.Mul(sum, c.Mean))
	c.StdPop = root(deviations, int64(len(c.Runs)))
	if len(c.Runs) > 1 {
		c.StdSample = root(deviations, int64(len(c.Runs)-1))
	}
	return c
}

// root returns the square root of x/n.
func root(x *big.Rat, n int64) float64 {
	f, _ := new(big.Rat).Quo(x, big.NewRat(n, 1)).Float64()
	return math.Sqrt(f)
}

// accuracy returns the run's accuracy in percent.
func (r Run) accuracy() *big.Rat {
	a := big.NewRat(int64(r.Correct), int64(r.Test))
	return a.Mul(a, hundred)
}

// Splits returns the finished splits in increasing order.
func (c Cell) Splits() []int {
	var splits []int
	for _, r := range c.Runs {
		splits = append(splits, r.Split)
	}
	return splits
}
