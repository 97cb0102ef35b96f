package accuracy

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/published"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/printed"
	"github.com/kernelboosting/bench/reports/stats"
)

// comparison compares our values with those of one source, for the methods of the table that the source
// prints values of.
type comparison struct {
	source    string
	rows      []comparedRow
	methods   []difference // the methods compared, in the table's order
	unprinted []string     // methods of the table without a printed value here

	// counted names the data sets behind the ranks. These are the sets of the main group with a printed value
	// and a mean of ours, over the same splits, for every whole method compared. All ranks are among these
	// methods, which come first in the table. midRanks are average ranks of the printed values, ourMidRanks
	// of our means, and ourPaperRanks of our means as the paper computes ranks. They are nil without such a
	// set and for a single method.
	counted       []string
	ranked        int // the number of methods with ranks
	midRanks      []*big.Rat
	ourMidRanks   []*big.Rat
	ourPaperRanks []*big.Rat
	printed       []*float64 // the average ranks that the source prints; nil if it prints none

	columns []int // the places of these methods in the table

	tests *printed.Comparison // tests of the differences
}

// level of the tests of differences from printed values.
const level = 0.05

// comparedRow is a data set with at least one printed value, a cell a method compared.
type comparedRow struct {
	set   frame.Set
	cells []comparedCell
}

// comparedCell is a pair of values in the table's unit; nil stands for no value.
type comparedCell struct {
	ours       *big.Rat
	published  *big.Rat // the printed decimal, exactly
	printed    published.Value
	difference *big.Rat // ours less published
}

// difference sums up a method's differences over the sets that have both values; nil without any.
type difference struct {
	method       string
	n            int
	average      *big.Rat
	meanAbsolute *big.Rat // mean of their absolute values
}

type cellKey struct{ dataset, method string }

// comparePublished fills comparison and unused from the printed values of the protocol's source, in the metric's
// unit. splits is the number of the protocol's splits. Printed average ranks are among all methods of the source.
// They are left out where one of these methods or a set was not asked for.
func (t *table) comparePublished(splits int) {
	source := t.Published
	values, units := published.Beside(source, t.Metric.Name, t.PublishedNames)
	switch {
	case t.o.OmitPublished || source == "":
		return
	case len(values) == 0:
		t.unused = []string{fmt.Sprintf("%s prints: %s. This is another metric or another unit than here, so "+
			"there is no "+
			"comparison.",
			source, strings.Join(units, "; "))}
		return
	}
	known := map[cellKey]published.Value{}
	ranks := map[string]*float64{}
	ranked := !t.Only
	for _, v := range values {
		switch {
		case v.Dataset == published.AverageRank:
			ranks[v.Method] = &v.Mean
			ranked = ranked && slices.Contains(t.Methods, v.Method)
		case t.asked(v):
			known[cellKey{v.Dataset, v.Method}] = v
		}
	}
	c := t.compareWith(source, known)
	t.unused = t.unusedNote(source, known)
	if len(c.rows) == 0 {
		return
	}
	c.tests = printed.Of(&t.Table, splits, level)
	for i, m := range c.methods {
		if r := ranks[m.method]; ranked && r != nil {
			if c.printed == nil {
				c.printed = make([]*float64, len(c.methods))
			}
			c.printed[i] = r
		}
	}
	t.comparison = c
}

// asked reports whether the request includes the row and the column of a printed value.
func (t *table) asked(v published.Value) bool {
	return (!t.OnlyMethods || slices.Contains(t.Methods, v.Method)) &&
		(!t.Only || slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset }))
}

func (t *table) compareWith(source string, values map[cellKey]published.Value) *comparison {
	c := &comparison{source: source}
	for i, m := range t.Methods {
		if slices.ContainsFunc(t.Sets, func(s frame.Set) bool { _, ok := values[cellKey{s.Name, m}]; return ok }) {
			c.columns = append(c.columns, i)
		} else {
			c.unprinted = append(c.unprinted, m)
		}
	}
	for _, s := range t.Sets {
		out := comparedRow{set: s}
		printed := false
		for _, i := range c.columns {
			cell := comparedCell{ours: s.Entries[i].Mean}
			if v, ok := values[cellKey{s.Name, t.Methods[i]}]; ok {
				cell.print(v)
				printed = true
			}
			out.cells = append(out.cells, cell)
		}
		if printed {
			c.rows = append(c.rows, out)
		}
	}
	for k, i := range c.columns {
		c.methods = append(c.methods, c.differenceOf(k, t.Methods[i]))
	}
	c.ranked = len(slices.DeleteFunc(slices.Clone(c.columns), func(i int) bool { return i >= len(t.Whole()) }))
	c.rank(t.Ascending)
	return c
}

func (cell *comparedCell) print(v published.Value) {
	cell.published, cell.printed = stats.Decimal(v.Mean), v
	if cell.ours != nil {
		cell.difference = new(big.Rat).Sub(cell.ours, cell.published)
	}
}

// rank fills counted and the ranks of both sides, which are among the same methods, whatever other methods
// the table has. ascending changes the sign of values where a smaller value is better.
func (c *comparison) rank(ascending func([]*big.Rat) []*big.Rat) {
	if c.ranked < 2 {
		return
	}
	var theirs, ours [][]*big.Rat
	for _, row := range c.rows {
		var printed, own []*big.Rat
		sameSplits := true
		for k, i := range c.columns[:c.ranked] {
			if cell := row.cells[k]; cell.difference != nil {
				printed, own = append(printed, cell.published), append(own, cell.ours)
			}
			sameSplits = sameSplits && slices.Equal(row.set.Entries[i].Splits(), row.set.Entries[c.columns[0]].Splits())
		}
		if row.set.Group == frame.GroupMain && len(own) == c.ranked && sameSplits {
			c.counted = append(c.counted, row.set.Name)
			theirs, ours = append(theirs, ascending(printed)), append(ours, ascending(own))
		}
	}
	if len(ours) > 0 {
		c.midRanks, c.ourMidRanks, c.ourPaperRanks = stats.AverageRanks(theirs), stats.AverageRanks(ours),
			stats.PaperAverageRanks(ours)
	}
}

func (c *comparison) differenceOf(column int, method string) difference {
	var all, sizes []*big.Rat
	for _, row := range c.rows {
		if x := row.cells[column].difference; x != nil {
			all, sizes = append(all, x), append(sizes, new(big.Rat).Abs(x))
		}
	}
	return difference{method, len(all), stats.Mean(all), stats.Mean(sizes)}
}

// unusedNote names the data sets and methods that a source has values of and that are not in the table; nil for none.
func (t *table) unusedNote(source string, values map[cellKey]published.Value) []string {
	var datasets, methods []string
	for _, v := range published.Of(source) {
		if _, ok := values[cellKey{v.Dataset, v.Method}]; !ok {
			continue
		}
		if !slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset }) {
			frame.AppendUnique(&datasets, v.Dataset)
		}
		if !slices.Contains(t.Methods, v.Method) {
			frame.AppendUnique(&methods, v.Method)
		}
	}
	var parts []string
	if len(datasets) > 0 {
		parts = append(parts, "data sets "+strings.Join(datasets, ", "))
	}
	if len(methods) > 0 {
		parts = append(parts, "methods "+strings.Join(methods, ", "))
	}
	if parts == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s also prints values of %s, which this table does not hold.", source,
		strings.Join(parts, " and of "))}
}

// table lays the comparison out, three columns a method.
func (c *comparison) table(decimals int, metric metric.Metric) doc.Table {
	values, points := metric.Title, ""
	if metric.Percent {
		values, points = metric.Title+" in percent", " in percentage points"
	}
	out := doc.Table{
		Heading: "Beside the published values", Corner: "Data set", Label: "published-1", Legend: c.legend(),
		Caption: fmt.Sprintf("Ours and published (%s): %s, differences%s", c.source, values, points),
	}
	for _, m := range c.methods {
		out.Head = append(out.Head, doc.Column{Name: "ours", Group: m.method},
			doc.Column{Name: "publ.", Long: "published", Group: m.method, Kind: doc.Quoted},
			doc.Column{Name: "diff.", Long: "difference", Group: m.method, Kind: doc.Signed})
	}
	out.Sections = make([][]doc.Row, 1)
	for _, r := range c.rows {
		if r.set.Finished() == 0 {
			continue // a note names it
		}
		var row []doc.Entry
		for i, cell := range r.cells {
			entries := doc.Texts(frame.Text(cell.ours, decimals), frame.Text(cell.published, decimals),
				frame.Signed(cell.difference, decimals))
			if cell.published != nil {
				entries[1].Tip = fmt.Sprintf("%s on %s, %s: %s", c.methods[i].method, r.set.Name, c.source,
					entries[1].Text) +
					cell.printed.SpreadText()
			}
			if cell.difference != nil {
				entries[2].Shade = shade(cell.difference)
			}
			row = append(row, entries...)
		}
		out.Add(r.set.Name, row...)
	}
	c.summarise(&out, max(decimals, 2))
	return out
}

// summarise adds the rows below a comparison's data sets.
func (c *comparison) summarise(out *doc.Table, decimals int) {
	out.Sections = append(out.Sections, nil)
	add := func(name string, of func(i int) (ours, quoted, diff string)) {
		var texts []string
		for i := range c.methods {
			ours, quoted, diff := of(i)
			texts = append(texts, ours, quoted, diff)
		}
		out.Add(name, doc.Texts(texts...)...)
	}
	add("Average difference", func(i int) (_, _, diff string) {
		return "", "", frame.Signed(c.methods[i].average, decimals)
	})
	add("Mean absolute difference", func(i int) (_, _, diff string) {
		return "", "", frame.Text(c.methods[i].meanAbsolute, decimals)
	})
	add("Data sets compared", func(i int) (_, _, diff string) { return "", "", strconv.Itoa(c.methods[i].n) })
	if c.midRanks != nil {
		add("Average rank", func(i int) (ours, quoted, diff string) {
			if i >= c.ranked {
				return frame.Absent, frame.Absent, frame.Absent
			}
			return c.ourMidRanks[i].FloatString(2), c.midRanks[i].FloatString(2),
				frame.Signed(new(big.Rat).Sub(c.ourMidRanks[i], c.midRanks[i]), 2)
		})
	}
	if c.printed != nil {
		add("Paper's rank", func(i int) (ours, quoted, _ string) {
			ours, quoted = frame.Absent, frame.Absent
			if c.ourPaperRanks != nil && i < c.ranked {
				ours = c.ourPaperRanks[i].FloatString(2)
			}
			if p := c.printed[i]; p != nil {
				quoted = strconv.FormatFloat(*p, 'f', 2, 64)
			}
			return ours, quoted, ""
		})
	}
}

// legend explains which methods a comparison holds and its summary rows.
func (c *comparison) legend() []string {
	legend := []string{"Differences: ours less published, of exact means; averages: over the data sets with both."}
	if len(c.unprinted) > 0 {
		legend = append(legend, fmt.Sprintf("Not in this block, since %s prints no value of them for these data "+
			"sets: %s.", c.source, strings.Join(c.unprinted, ", ")))
	}
	if c.midRanks != nil {
		legend = append(legend, fmt.Sprintf(
			"Average rank: among the %s of this block, over the %s of the main group with a value of each of them "+
				"on both sides.",
			frame.Count(c.ranked, "method"), frame.Count(len(c.counted), "data set")))
	}
	if c.tests != nil {
		legend = append(append(legend, c.tests.Summary()), c.tests.Legend()...)
	}
	if c.printed != nil {
		legend = append(legend, "Paper's rank: ours, among these methods and over these data sets, beside the ranks "+
			"the source prints over its own.")
	}
	return legend
}

// shade is the strength of a difference, up or down: from half a point, one point and two points.
func shade(difference *big.Rat) int {
	size := new(big.Rat).Abs(difference)
	strength := 0
	for _, bound := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 1), big.NewRat(2, 1)} {
		if size.Cmp(bound) >= 0 {
			strength++
		}
	}
	return strength * difference.Sign()
}
