package reports

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/stats"
)

// Comparison sets our values beside those one source printed.
type Comparison struct {
	Source  string
	Rows    []ComparisonRow // data sets with at least one printed value
	Methods []MethodDifference

	// Counted names the counted data sets for which the source prints a value
	// of every method; MidRanks are the average ranks of its printed values over
	// them and OurMidRanks those of our means, nil without any.
	Counted     []string
	MidRanks    []*big.Rat
	OurMidRanks []*big.Rat
	// Printed are the average ranks the source itself prints, nil where it
	// prints none.
	Printed []*float64
}

// ComparisonRow is a data set with one cell a method.
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
		for _, r := range ranks {
			if i := slices.Index(t.Methods, r.Method); r.Source == source && i >= 0 {
				if c.Printed == nil {
					c.Printed = make([]*float64, len(t.Methods))
				}
				c.Printed[i] = &r.Rank
			}
		}
		t.Comparisons = append(t.Comparisons, c)
	}
	return unused, nil
}

func (t *Table2) compareWith(source string, values map[cellKey]Published) (Comparison, error) {
	c := Comparison{Source: source}
	var theirs, ours [][]*big.Rat
	for _, row := range t.Rows {
		cells := make([]ComparisonCell, len(t.Methods))
		var printed, own []*big.Rat
		for i, m := range t.Methods {
			cells[i].Ours = row.Cells[i].Mean
			p, ok := values[cellKey{row.Dataset.Name, m}]
			if !ok {
				continue
			}
			mean, err := stats.Decimal(p.Mean)
			if err != nil {
				return c, fmt.Errorf("table2: %s, %s on %s: %w", source, m, row.Dataset.Name, err)
			}
			if p.Mean < 0 || p.Mean > 100 {
				return c, fmt.Errorf("table2: %s, %s on %s: %v is no accuracy; give percent, 0 to 100", source, m, row.Dataset.Name, p.Mean)
			}
			if math.IsInf(p.Std, 0) || p.Std < 0 {
				return c, fmt.Errorf("table2: %s, %s on %s: %v is no standard deviation; give NaN for none", source, m, row.Dataset.Name, p.Std)
			}
			cells[i].Published, cells[i].Std = mean, p.Std
			printed, own = append(printed, mean), append(own, cells[i].Ours)
			if cells[i].Ours != nil {
				cells[i].Difference = new(big.Rat).Sub(cells[i].Ours, mean)
			}
		}
		if len(printed) == 0 {
			continue
		}
		c.Rows = append(c.Rows, ComparisonRow{Dataset: row.Dataset.Name, Cells: cells})
		if row.Counted && len(printed) == len(t.Methods) {
			c.Counted = append(c.Counted, row.Dataset.Name)
			theirs, ours = append(theirs, printed), append(ours, own)
		}
	}
	for i, m := range t.Methods {
		c.Methods = append(c.Methods, c.methodDifference(i, m))
	}
	if len(theirs) == 0 {
		return c, nil
	}
	var err error
	if c.MidRanks, err = stats.AverageRanks(theirs); err != nil {
		return c, err
	}
	c.OurMidRanks, err = stats.AverageRanks(ours)
	return c, err
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
