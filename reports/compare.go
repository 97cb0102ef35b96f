package reports

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/stats"
)

// Comparison sets our values beside those one source printed, for the methods of
// the table that it prints values of.
type Comparison struct {
	Source    string
	Rows      []ComparisonRow    // data sets with at least one printed value
	Methods   []MethodDifference // the methods compared, in the table's order
	Unprinted []string           // methods of the table that the source prints no value of here

	// Counted names the data sets behind the ranks: those of the main group with a
	// value of every method compared on both sides, ours over the same splits.
	// MidRanks are the average ranks of the printed values over them, among the
	// methods compared, OurMidRanks those of our means, and OurPaperRanks these as
	// the paper computes them; nil without any, or for a single method.
	Counted       []string
	MidRanks      []*big.Rat
	OurMidRanks   []*big.Rat
	OurPaperRanks []*big.Rat
	// Printed are the average ranks the source itself prints, nil where it
	// prints none.
	Printed []*float64

	columns []int // of Methods in the table
}

// ComparisonRow is a data set with one cell a method compared.
type ComparisonRow struct {
	Dataset string
	Cells   []ComparisonCell
}

// ComparisonCell is a pair of values in percent; nil stands for no value.
type ComparisonCell struct {
	Ours       *big.Rat
	Published  *big.Rat // the printed decimal, exactly
	Std        float64  // as printed; NaN for none
	Difference *big.Rat // ours less published, in percentage points
}

// MethodDifference summarises a method's differences over the data sets that
// have both values, in percentage points; nil without any.
type MethodDifference struct {
	Method       string
	N            int
	Average      *big.Rat // mean of the differences
	MeanAbsolute *big.Rat // mean of their absolute values
}

// compare fills Comparisons, sources in the order of their first value, and
// returns a note for each source that prints values the table does not show.
func (t *Table2) compare(published []Published, ranks []PublishedRank) ([]string, error) {
	values := map[string]map[cellKey]Published{}
	var sources []string
	for _, p := range published {
		if values[p.Source] == nil {
			values[p.Source] = map[cellKey]Published{}
			sources = append(sources, p.Source)
		}
		key := cellKey{p.Dataset, p.Method}
		if _, twice := values[p.Source][key]; twice {
			return nil, fmt.Errorf("table2: %s gives %s on %s twice; keep one value", p.Source, p.Method, p.Dataset)
		}
		values[p.Source][key] = p
	}
	var unused []string
	for _, source := range sources {
		c, err := t.compareWith(source, values[source])
		if err != nil {
			return nil, err
		}
		if note := t.unusedNote(source, published); note != "" {
			unused = append(unused, note)
		}
		if len(c.Rows) == 0 {
			continue
		}
		c.addPrintedRanks(ranks)
		t.Comparisons = append(t.Comparisons, c)
	}
	return unused, nil
}

// addPrintedRanks fills Printed.
func (c *Comparison) addPrintedRanks(ranks []PublishedRank) {
	for _, r := range ranks {
		i := slices.IndexFunc(c.Methods, func(m MethodDifference) bool { return m.Method == r.Method })
		if r.Source != c.Source || i < 0 {
			continue
		}
		if c.Printed == nil {
			c.Printed = make([]*float64, len(c.Methods))
		}
		c.Printed[i] = &r.Rank
	}
}

func (t *Table2) compareWith(source string, values map[cellKey]Published) (Comparison, error) {
	c := Comparison{Source: source}
	for i, m := range t.Methods {
		if slices.ContainsFunc(t.Rows, func(r Row) bool { _, ok := values[cellKey{r.Dataset.Name, m}]; return ok }) {
			c.columns = append(c.columns, i)
		} else {
			c.Unprinted = append(c.Unprinted, m)
		}
	}
	for _, row := range t.Rows {
		out := ComparisonRow{Dataset: row.Dataset.Name}
		printed := false
		for _, i := range c.columns {
			cell := ComparisonCell{Ours: row.Cells[i].Mean}
			if p, ok := values[cellKey{row.Dataset.Name, t.Methods[i]}]; ok {
				if err := cell.print(p); err != nil {
					return c, err
				}
				printed = true
			}
			out.Cells = append(out.Cells, cell)
		}
		if printed {
			c.Rows = append(c.Rows, out)
		}
	}
	for k, i := range c.columns {
		c.Methods = append(c.Methods, c.methodDifference(k, t.Methods[i]))
	}
	return c, t.rankCompared(&c)
}

// print adds a printed value.
func (cell *ComparisonCell) print(p Published) error {
	mean, err := stats.Decimal(p.Mean)
	where := fmt.Sprintf("table2: %s, %s on %s", p.Source, p.Method, p.Dataset)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", where, err)
	case p.Mean < 0 || p.Mean > 100:
		return fmt.Errorf("%s: %v is no accuracy; give percent, 0 to 100", where, p.Mean)
	case math.IsInf(p.Std, 0) || p.Std < 0:
		return fmt.Errorf("%s: %v is no standard deviation; give NaN for none", where, p.Std)
	}
	cell.Published, cell.Std = mean, p.Std
	if cell.Ours != nil {
		cell.Difference = new(big.Rat).Sub(cell.Ours, mean)
	}
	return nil
}

// rankCompared fills Counted and the ranks of both sides: like for like, whatever
// other methods the table holds.
func (t *Table2) rankCompared(c *Comparison) error {
	if len(c.columns) < 2 {
		return nil
	}
	var theirs, ours [][]*big.Rat
	for _, compared := range c.Rows {
		row := t.Rows[slices.IndexFunc(t.Rows, func(r Row) bool { return r.Dataset.Name == compared.Dataset })]
		var printed, own []*big.Rat
		sameSplits := true
		for k, i := range c.columns {
			if cell := compared.Cells[k]; cell.Difference != nil {
				printed, own = append(printed, cell.Published), append(own, cell.Ours)
			}
			sameSplits = sameSplits && slices.Equal(row.Cells[i].Splits(), row.Cells[c.columns[0]].Splits())
		}
		if row.Dataset.Group == GroupMain && len(own) == len(c.columns) && sameSplits {
			c.Counted = append(c.Counted, row.Dataset.Name)
			theirs, ours = append(theirs, printed), append(ours, own)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	var err error
	if c.MidRanks, err = stats.AverageRanks(theirs); err != nil {
		return err
	}
	if c.OurMidRanks, err = stats.AverageRanks(ours); err != nil {
		return err
	}
	c.OurPaperRanks, err = stats.PaperAverageRanks(ours)
	return err
}

func (c Comparison) methodDifference(column int, method string) MethodDifference {
	d := MethodDifference{Method: method}
	sum, abs := new(big.Rat), new(big.Rat)
	for _, row := range c.Rows {
		if x := row.Cells[column].Difference; x != nil {
			d.N++
			sum.Add(sum, x)
			abs.Add(abs, new(big.Rat).Abs(x))
		}
	}
	if d.N > 0 {
		n := big.NewRat(int64(d.N), 1)
		d.Average, d.MeanAbsolute = sum.Quo(sum, n), abs.Quo(abs, n)
	}
	return d
}

// unusedNote names the data sets and methods a source has values of and the
// table does not hold.
func (t *Table2) unusedNote(source string, published []Published) string {
	var datasets, methods []string
	for _, p := range published {
		if p.Source != source {
			continue
		}
		known := slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Dataset.Name == p.Dataset })
		if !known && !slices.Contains(datasets, p.Dataset) {
			datasets = append(datasets, p.Dataset)
		}
		if !slices.Contains(t.Methods, p.Method) && !slices.Contains(methods, p.Method) {
			methods = append(methods, p.Method)
		}
	}
	var parts []string
	if len(datasets) > 0 {
		parts = append(parts, "data sets "+strings.Join(datasets, ", "))
	}
	if len(methods) > 0 {
		parts = append(parts, "methods "+strings.Join(methods, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s also prints values of %s, which this table does not hold.", source, strings.Join(parts, " and of "))
}
