package table

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// comparison is the block of printed values, for the methods of the table that the source prints values of.
type comparison struct {
	*Comparison
	rows      []frame.Set  // with at least one printed value
	columns   []int        // places of the methods in the entries of rows
	methods   []difference // of columns
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
}

// level of the tests of differences from printed values.
const level = 0.05

// difference sums up a method's differences over the sets that have both values; nil without any.
type difference struct {
	method       string
	n            int
	average      *big.Rat
	meanAbsolute *big.Rat // mean of their absolute values
}

// comparePrinted fills comparison and unused from the printed values of the protocol's source. Printed average ranks
// are among all methods of the source. They are left out where one of these methods or a set was not asked for.
func (t *table) comparePrinted() {
	source := t.Frame.Protocol.Published
	values, units := t.Printed()
	switch {
	case t.o.OmitPublished || source == "":
		return
	case len(values) == 0:
		t.unused = []string{fmt.Sprintf("%s prints: %s. This is another metric or another unit than here, so there "+
			"is no comparison.", source, strings.Join(units, "; "))}
		return
	}
	t.unused = t.elsewhere(values)
	c := &comparison{Comparison: ComparePrinted(t.Table, level)}
	if c.Comparison == nil {
		return
	}
	for i, m := range t.Methods {
		if slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return c.At(s.Name, m) != nil }) {
			c.columns, c.methods = append(c.columns, i), append(c.methods, c.differenceOf(m))
		} else {
			c.unprinted = append(c.unprinted, m)
		}
	}
	c.rows = slices.DeleteFunc(slices.Clone(t.Sets), func(s frame.Set) bool {
		return !slices.ContainsFunc(t.Methods, func(m string) bool { return c.At(s.Name, m) != nil })
	})
	c.ranked = len(slices.DeleteFunc(slices.Clone(c.columns), func(i int) bool { return i >= len(t.Whole()) }))
	c.rank(t.Ascending)
	ranks := slices.DeleteFunc(values, func(v experiments.Value) bool { return v.Dataset != experiments.AverageRank })
	lacks := func(v experiments.Value) bool { return !slices.Contains(t.Methods, v.Method) }
	if len(ranks) > 0 && t.Frame.Datasets == nil && !slices.ContainsFunc(ranks, lacks) {
		for _, v := range ranks {
			if i := slices.IndexFunc(c.methods, func(d difference) bool { return d.method == v.Method }); i >= 0 {
				if c.printed == nil {
					c.printed = make([]*float64, len(c.methods))
				}
				c.printed[i] = &v.Mean
			}
		}
	}
	t.comparison = c
}

// rank fills counted and the ranks of both sides, which are among the same methods, whatever other methods
// the table has. ascending changes the sign of values where a smaller value is better.
func (c *comparison) rank(ascending func([]*big.Rat) []*big.Rat) {
	if c.ranked < 2 {
		return
	}
	var theirs, ours [][]*big.Rat
	for _, s := range c.rows {
		var printed, own []*big.Rat
		sameSplits := true
		for _, i := range c.columns[:c.ranked] {
			if cell := c.At(s.Name, s.Entries[i].Method); cell != nil && cell.Ours != nil {
				printed, own = append(printed, cell.Decimal), append(own, cell.Ours)
			}
			sameSplits = sameSplits && slices.Equal(s.Entries[i].Splits(), s.Entries[c.columns[0]].Splits())
		}
		if s.Group == frame.GroupMain && len(own) == c.ranked && sameSplits {
			c.counted = append(c.counted, s.Name)
			theirs, ours = append(theirs, ascending(printed)), append(ours, ascending(own))
		}
	}
	if len(ours) > 0 {
		c.midRanks, c.ourMidRanks = stats.AverageRanks(theirs), stats.AverageRanks(ours)
		c.ourPaperRanks = stats.PaperAverageRanks(ours)
	}
}

func (c *comparison) differenceOf(method string) difference {
	var all, sizes []*big.Rat
	for _, cell := range c.Cells {
		if cell.Method == method {
			all, sizes = append(all, cell.Difference), append(sizes, new(big.Rat).Abs(cell.Difference))
		}
	}
	return difference{method, len(all), stats.Mean(all), stats.Mean(sizes)}
}

// elsewhere names the data sets and methods that a source has values of, as asked for, and that are not in the table;
// nil for none.
func (t *table) elsewhere(values []experiments.Value) []string {
	var datasets, methods []string
	for _, v := range values {
		set := slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset })
		method := slices.Contains(t.Methods, v.Method)
		if v.Dataset == experiments.AverageRank || !set && t.Frame.Datasets != nil ||
			!method && t.Frame.Methods != nil {
			continue
		}
		if !set {
			frame.AppendUnique(&datasets, v.Dataset)
		}
		if !method {
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
	return []string{fmt.Sprintf("%s also prints values of %s, which this table does not hold.",
		t.Frame.Protocol.Published, strings.Join(parts, " and of "))}
}

// table lays the comparison out, three columns a method.
func (c *comparison) table(decimals int, metric metric.Metric) doc.Table {
	values, points := metric.Title, ""
	if metric.Percent {
		values, points = metric.Title+" in percent", " in percentage points"
	}
	out := doc.Table{
		Heading: "Compared with the published values", Corner: "Data set", Label: "published-1", Legend: c.legend(),
		Detail: true, Caption: fmt.Sprintf("Ours and published (%s): %s, differences%s", c.Source, values, points),
	}
	for _, m := range c.methods {
		out.Head = append(out.Head, doc.Column{Name: "ours", Group: m.method},
			doc.Column{Name: "publ.", Long: "published", Group: m.method, Kind: doc.Quoted},
			doc.Column{Name: "diff.", Long: "difference", Group: m.method, Kind: doc.Signed})
	}
	out.Sections = make([][]doc.Row, 1)
	for _, set := range c.rows {
		if set.Finished() == 0 {
			continue // a note names it
		}
		var row []doc.Entry
		for _, i := range c.columns {
			e := set.Entries[i]
			entries := doc.Texts(frame.Text(e.Mean, decimals), frame.Absent, frame.Absent)
			if cell := c.At(set.Name, e.Method); cell != nil {
				entries[1].Text, entries[2].Text = frame.Text(cell.Decimal, decimals),
					frame.Signed(cell.Difference, decimals)
				entries[1].Tip = fmt.Sprintf("%s on %s, %s: %s", e.Method, set.Name, c.Source, entries[1].Text) +
					cell.Printed.SpreadText()
				if cell.Ours != nil {
					entries[2].Shade = shade(cell.Difference)
				}
			}
			row = append(row, entries...)
		}
		out.Add(set.Name, row...)
	}
	c.summarise(&out, max(decimals, 2))
	return out
}

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

func (c *comparison) legend() []string {
	legend := []string{"Differences: ours less published, of exact means; averages: over the data sets with both."}
	if len(c.unprinted) > 0 {
		legend = append(legend, fmt.Sprintf("Not in this block, since %s prints no value of them for these data "+
			"sets: %s.", c.Source, strings.Join(c.unprinted, ", ")))
	}
	if c.midRanks != nil {
		legend = append(legend, fmt.Sprintf(
			"Average rank: among the %s of this block, over the %s of the main group with a value of each of them "+
				"on both sides.",
			frame.Count(c.ranked, "method"), frame.Count(len(c.counted), "data set")))
	}
	if len(c.Cells) > 0 {
		legend = append(append(legend, c.Summary()), c.Comparison.Legend()...)
	}
	if c.printed != nil {
		legend = append(legend, "Paper's rank: ours, among these methods and over these data sets; published: the "+
			"source's ranks over its own.")
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
