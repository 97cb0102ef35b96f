package render

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/reports/doc"
)

// Markdown writes a document as GitHub's Markdown.
func Markdown(w io.Writer, d doc.Document, _ Options) error {
	d = d.Clean().Essential()
	out := &strings.Builder{}
	fmt.Fprintf(out, "## %s\n\n", mdEscape(d.Title))
	for _, line := range d.Warnings {
		fmt.Fprintf(out, "**Warning**: %s\n\n", mdEscape(line))
	}
	walk(d, func(b doc.Block) { mdBlock(out, b) }, func() { mdList(out, "Notes", d.Notes) })
	mdList(out, "Where the numbers come from", factLines(d.Provenance))
	for _, q := range d.Queries {
		fmt.Fprintf(out, "\n%s:\n\n%s", mdEscape(q.Title), mdCode("sql", q.SQL))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func mdBlock(out *strings.Builder, b doc.Block) {
	switch b := b.(type) {
	case doc.Table:
		mdTable(out, b)
	case doc.Prose:
		mdHeading(out, b.Heading)
		for _, p := range b.Paragraphs {
			fmt.Fprintf(out, "\n%s\n", mdEscape(p))
		}
	case doc.Figure:
		mdHeading(out, b.Title)
		fmt.Fprintf(out, "\n%s.\n\n", mdEscape(b.Alt))
		if b.Numbers != nil {
			mdTable(out, *b.Numbers)
		}
	case doc.Code:
		mdHeading(out, b.Title)
		fmt.Fprintf(out, "\n%s", mdCode(b.Language, b.Text))
	}
}

func mdHeading(out *strings.Builder, heading string) {
	if heading != "" {
		blankLine(out)
		fmt.Fprintf(out, "### %s\n", mdEscape(heading))
	}
}

func mdList(out *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	mdHeading(out, heading)
	out.WriteString("\n")
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

// mdTable writes a table; a group of columns is one column, since Markdown has one line of heads.
func mdTable(out *strings.Builder, t doc.Table) {
	if t.Caption != "" {
		mdHeading(out, t.Caption)
		out.WriteString("\n")
	}
	columns := allGroups(t.Head)
	w := table.NewWriter()
	w.Style().Markdown.PadContent = true
	configs := []table.ColumnConfig{{Number: 1, Align: text.AlignLeft, AlignHeader: text.AlignLeft}}
	header := table.Row{""}
	var groups, parts []string // of several columns: the names of the groups, and of each group's columns
	for i, g := range columns {
		c := t.Head[g[0]]
		name, align := c.Name, text.AlignRight
		if len(g) > 1 {
			name = c.Group
			groups = append(groups, name)
			parts = append(parts, strings.Join(doc.Map(g, func(i int) string {
				return cmp.Or(t.Head[i].Long, t.Head[i].Name)
			}), " / "))
		}
		if c.Kind == doc.Words {
			align = text.AlignLeft
		}
		header = append(header, mdEscape(name))
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: align, AlignHeader: align})
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(header)
	for _, section := range t.Sections {
		for _, r := range section {
			row := table.Row{mdEscape(r.Name)}
			for _, g := range columns {
				row = append(row, mdCells(r.Entries[g[0]:g[0]+len(g)]))
			}
			w.AppendRow(row)
		}
	}
	fmt.Fprintf(out, "%s\n\n", w.RenderMarkdown())
	alike := len(slices.Compact(slices.Clone(parts))) == 1
	for i, part := range parts {
		cell := "Each cell of " + groups[i]
		if alike {
			cell = "Each cell"
		}
		if i == 0 || !alike {
			fmt.Fprintf(out, "%s: %s.\n\n", mdEscape(cell), mdEscape(part))
		}
	}
	for _, line := range t.Legend {
		fmt.Fprintf(out, "- %s\n", mdEscape(line))
	}
	if t.Best != "" {
		fmt.Fprintf(out, "- Bold: %s\n", mdEscape(t.Best))
	}
}

// mdCells joins the cells of a group that hold anything.
func mdCells(cells []doc.Entry) string {
	var parts []string
	for _, c := range cells {
		value := mdEscape(c.Text)
		if c.Best {
			value = "**" + value + "**"
		}
		if c.Dev != "" {
			value += " ± " + mdEscape(c.Dev)
		}
		if value != "" {
			parts = append(parts, value)
		}
	}
	return strings.Join(parts, " / ")
}

var mdEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "#", `\#`, "&",
	"&amp;", "~", `\~`, "$", `\$`,
)

// command is a command of the program between backticks, as the program's own notes have it.
var command = regexp.MustCompile("\\\\`(bench [a-z0-9 -]+)\\\\`")

// mdEscape escapes text in a paragraph or cell, but for commands, which stay code. Bars are escaped
// by the table writer.
func mdEscape(s string) string { return command.ReplaceAllString(mdEscaper.Replace(s), "`$1`") }
