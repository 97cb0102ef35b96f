package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	ansiBold  = "\x1b[1m"
	ansiReset = "\x1b[0m"
)

func (t *Table2) writeText(w io.Writer, o RenderOptions) error {
	v := t.view(o)
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s.\n\n", v.title)
	for _, line := range t.Warnings {
		fmt.Fprintf(out, "Warning: %s\n\n", line)
	}
	fmt.Fprintln(out, textTable(v, o))
	for _, line := range v.legend {
		fmt.Fprintln(out, line)
	}
	if v.hasBest && !o.Bold {
		fmt.Fprintln(out, "*: best of its row, every tied one; decided on exact counts.")
	} else if v.hasBest {
		fmt.Fprintln(out, "Bold: best of its row, every tied one; decided on exact counts.")
	}
	textList(out, "Notes", t.Notes)
	if !o.OmitPublished {
		for _, c := range t.Comparisons {
			fmt.Fprintf(out, "\n%s.\n\n%s\n", comparisonTitle(c), textComparison(c, o))
			for _, line := range comparisonLegend(c) {
				fmt.Fprintln(out, line)
			}
		}
	}
	if t.FullCommand != "" {
		textList(out, "To compute what is missing", []string{t.FullCommand})
	}
	textList(out, "Where the numbers come from", t.Provenance.lines())
	for _, q := range t.Provenance.Queries {
		fmt.Fprintf(out, "\n%s:\n  %s\n", q.Title, strings.ReplaceAll(strings.TrimSpace(q.SQL), "\n", "\n  "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func textList(out *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", heading)
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", line)
	}
}

func textTable(v view, o RenderOptions) string {
	w := newTextTable(2 + len(v.methods))
	header := table.Row{""}
	if v.splits {
		header = append(header, "splits")
	}
	for _, m := range v.methods {
		header = append(header, m)
	}
	w.AppendHeader(header)
	for i, section := range v.sections {
		if i > 0 {
			w.AppendSeparator()
		}
		for _, r := range section {
			row := table.Row{r.name}
			if v.splits {
				row = append(row, r.splits)
			}
			for _, c := range r.cells {
				row = append(row, textCell(c, v.stdWidth, o.Bold))
			}
			w.AppendRow(row)
		}
	}
	return w.Render()
}

// textCell pads the deviation to a common width and marks the best, so that
// right-aligned cells keep their decimal points in line.
func textCell(c viewCell, stdWidth int, bold bool) string {
	value := c.value
	if c.std != "" {
		value += fmt.Sprintf(" ± %*s", stdWidth, c.std)
	}
	switch {
	case c.best && bold:
		return ansiBold + value + ansiReset
	case c.best:
		return "*" + value
	}
	return value
}

func textComparison(c Comparison, o RenderOptions) string {
	w := newTextTable(1 + 3*len(c.Methods))
	header := table.Row{""}
	sub := table.Row{""}
	for _, m := range c.Methods {
		header = append(header, "", m.Method, "")
		sub = append(sub, "ours", "publ.", "diff.")
	}
	w.AppendHeader(header)
	w.AppendHeader(sub)
	for _, r := range c.Rows {
		row := table.Row{r.Dataset}
		for _, cell := range r.Cells {
			for _, s := range cell.texts(o.Decimals) {
				row = append(row, s)
			}
		}
		w.AppendRow(row)
	}
	w.AppendSeparator()
	for _, s := range c.summaryRows(o.Decimals) {
		row := table.Row{s.name}
		for _, cell := range s.cells {
			row = append(row, cell[0], cell[1], cell[2])
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// texts returns the entries of the columns ours, published and difference.
func (c ComparisonCell) texts(decimals int) [3]string {
	out := [3]string{number(c.Ours, decimals), number(c.Published, decimals), absent}
	if c.Published != nil && c.Difference != nil {
		out[2] = signed(c.Difference, decimals)
	}
	return out
}

// newTextTable returns a table with horizontal rules only, names to the left and
// numbers, in the other columns, to the right.
func newTextTable(columns int) table.Writer {
	w := table.NewWriter()
	style := table.StyleLight
	style.Format = table.FormatOptions{}
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	configs := []table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}}
	for n := 2; n <= columns; n++ {
		configs = append(configs, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(configs)
	return w
}

// lines lists the provenance, one fact a line, queries excepted.
func (p Provenance) lines() []string {
	var lines []string
	for _, f := range p.facts() {
		lines = append(lines, f[0]+": "+f[1])
	}
	return lines
}

// facts lists name and value of the provenance's single-line fields.
func (p Provenance) facts() [][2]string {
	var facts [][2]string
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	add("program", p.Program)
	add("protocol hash", p.ProtocolHash)
	add("database", p.Database)
	if !p.Generated.IsZero() {
		add("generated", p.Generated.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("command", p.Command)
	for _, e := range p.Environment {
		add("environment", e)
	}
	return facts
}
