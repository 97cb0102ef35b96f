package page

import (
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/table"
)

// printedPart is the comparison of the values that a paper prints with ours.
type printedPart struct {
	Source  string
	Summary []string
	Legend  []string
	Blocks  []printedBlock

	comparison *table.Comparison
}

// printedBlock is a table with a column for each of a few methods, so that it is not wider than a sheet of paper.
type printedBlock struct {
	Methods []string
	Rows    []printedRow
}

type printedRow struct {
	Set   string
	Cells []*printedCell // nil for none
}

// printedCell compares our value of a cell with the printed one.
type printedCell struct {
	Key            string
	Ours, Theirs   string
	Difference     string
	Interval       string // "" where there is none
	Verdict, Class string
}

// classes are the classes of verdicts in the style sheet.
var classes = map[table.Verdict]string{table.Higher: "up", table.Lower: "down", table.Alike: "alike",
	table.Unclear: "unclear", table.Bare: "bare"}

// methodsSideBySide is the largest number of methods in a printedBlock.
const methodsSideBySide = 6

// addPrinted compares our values with those of the protocol's source, if there are any, in blocks of methods.
func (p *Page) addPrinted(o Options) error {
	t := &p.table
	if quoted, records := table.Quoted(t, p.decimals()); records.Rows != nil {
		quoted.Heading = ""
		addPart(&p.More, "Values that others print", quoted.Caption, quoted)
	}
	c := table.ComparePrinted(t, o.Level)
	if c == nil || len(c.Cells) == 0 {
		return nil
	}
	out := &printedPart{Source: c.Source, Summary: []string{c.Summary()},
		Legend: append([]string{"Each cell: ours less printed, in percentage points, and below it the interval of " +
			"that difference."}, c.Legend()...), comparison: c}
	var methods []int
	for m, name := range t.Methods {
		if slices.ContainsFunc(c.Cells, func(cell *table.Cell) bool { return cell.Method == name }) {
			methods = append(methods, m)
		}
	}
	for some := range slices.Chunk(methods, methodsSideBySide) {
		block := printedBlock{Methods: doc.Map(some, func(m int) string { return t.Methods[m] })}
		for s, set := range t.Sets {
			row := printedRow{Set: set.Name, Cells: doc.Map(some, func(m int) *printedCell {
				return out.cell(set.Name, t.Methods[m], key(s, m))
			})}
			if slices.ContainsFunc(row.Cells, func(c *printedCell) bool { return c != nil }) {
				block.Rows = append(block.Rows, row)
			}
		}
		out.Blocks = append(out.Blocks, block)
	}
	p.Printed = out
	return nil
}

// cell returns the comparison for a method on a set, or nil if one of the two values is missing.
func (d *printedPart) cell(set, method, key string) *printedCell {
	if d == nil {
		return nil
	}
	c := d.comparison.At(set, method)
	if c == nil || c.Ours == nil {
		return nil
	}
	cell := &printedCell{Key: key, Ours: frame.Text(c.Ours, 1), Theirs: frame.Number(c.Printed.Mean, 1),
		Difference: minus(frame.Signed(c.Difference, 1)), Verdict: string(c.Verdict), Class: classes[c.Verdict]}
	if c.Printed.Std != nil {
		cell.Theirs += " ± " + frame.Number(*c.Printed.Std, 1)
	}
	if c.Printed.Spread == experiments.Error {
		cell.Theirs += " (" + experiments.Error + ")"
	}
	if c.Tested() {
		cell.Interval = minus(frame.SignedFloat(c.Interval.Low, 1)) + " to " +
			minus(frame.SignedFloat(c.Interval.High, 1))
	}
	return cell
}

// sentences returns a sentence on the printed value of a cell and the difference, or nil without a comparison.
func (d *printedPart) sentences(set, method string) []string {
	c := d.cell(set, method, "")
	if c == nil {
		return nil
	}
	text := fmt.Sprintf("%s prints %s; ours less printed %s", d.Source, c.Theirs, c.Difference)
	if c.Interval != "" {
		text += ", interval " + c.Interval
	}
	return []string{text + ": " + c.Verdict + "."}
}
