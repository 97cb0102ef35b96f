package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

func (t *Table2) writeMarkdown(w io.Writer, o RenderOptions) error {
	v := t.view(o)
	out := &strings.Builder{}
	fmt.Fprintf(out, "## %s\n\n", mdEscape(v.title))
	for _, line := range t.Warnings {
		fmt.Fprintf(out, "**Warning**: %s\n\n", mdEscape(line))
	}
	fmt.Fprintf(out, "%s\n\n", mdTable(v))
	legend := v.legend
	if v.hasBest {
		legend = append(legend, "Bold: best of its row, every tied one; decided on exact counts.")
	}
	for _, line := range legend {
		fmt.Fprintf(out, "- %s\n", mdEscape(line))
	}
	mdList(out, "Notes", t.Notes)
	if !o.OmitPublished {
		for _, c := range t.Comparisons {
			fmt.Fprintf(out, "\n### %s\n\n%s\n\n", mdEscape(comparisonTitle(c)), mdComparison(c, o))
			fmt.Fprint(out, "Each cell: ours / published / difference.\n\n")
			for _, line := range comparisonLegend(c) {
				fmt.Fprintf(out, "- %s\n", mdEscape(line))
			}
		}
	}
	if t.FullCommand != "" {
		fmt.Fprintf(out, "\n### To compute what is missing\n\n%s", mdCode("sh", t.FullCommand))
	}
	mdList(out, "Where the numbers come from", t.Provenance.lines())
	for _, q := range t.Provenance.Queries {
		fmt.Fprintf(out, "\n%s:\n\n%s", mdEscape(q.Title), mdCode("sql", q.SQL))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func mdList(out *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(out, "\n### %s\n\n", heading)
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", mdEscape(line))
	}
}

// mdCode fences code with more backticks than any run inside it.
func mdCode(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s%s\n%s\n%s\n", fence, language, strings.TrimSpace(code), fence)
}

func mdTable(v view) string {
	w := newTextTable(2 + len(v.methods))
	w.Style().Markdown.PadContent = true
	header := table.Row{""}
	if v.splits {
		header = append(header, "splits")
	}
	for _, m := range v.methods {
		header = append(header, mdEscape(m))
	}
	w.AppendHeader(header)
	for _, section := range v.sections {
		for _, r := range section {
			row := table.Row{mdEscape(r.name)}
			if v.splits {
				row = append(row, r.splits)
			}
			for _, c := range r.cells {
				row = append(row, mdCell(c))
			}
			w.AppendRow(row)
		}
	}
	return w.RenderMarkdown()
}

func mdCell(c viewCell) string {
	value := c.value
	if c.best {
		value = "**" + value + "**"
	}
	if c.std != "" {
		value += " ± " + c.std
	}
	return value
}

func mdComparison(c Comparison, o RenderOptions) string {
	w := newTextTable(1 + len(c.Methods))
	w.Style().Markdown.PadContent = true
	header := table.Row{""}
	for _, m := range c.Methods {
		header = append(header, mdEscape(m.Method))
	}
	w.AppendHeader(header)
	for _, r := range c.Rows {
		row := table.Row{mdEscape(r.Dataset)}
		for _, cell := range r.Cells {
			texts := cell.texts(o.Decimals)
			row = append(row, strings.Join(texts[:], " / "))
		}
		w.AppendRow(row)
	}
	for _, s := range c.summaryRows(o.Decimals) {
		row := table.Row{mdEscape(s.name)}
		for _, cell := range s.cells {
			var parts []string
			for _, part := range cell {
				if part != "" {
					parts = append(parts, part)
				}
			}
			row = append(row, strings.Join(parts, " / "))
		}
		w.AppendRow(row)
	}
	return w.RenderMarkdown()
}

var mdEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "#", `\#`, "&", "&amp;", "~", `\~`, "$", `\$`,
)

// mdEscape makes text stand for itself in a paragraph or cell; bars are escaped
// by the table writer.
func mdEscape(s string) string { return mdEscaper.Replace(s) }
