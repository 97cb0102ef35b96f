package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/reports/doc"
)

const (
	ansiBold  = "\x1b[1m"
	ansiReset = "\x1b[0m"
	gap       = 2 // blanks after a column
)

// Text writes a document for a terminal or a file that people read.
func Text(w io.Writer, d doc.Document, o Options) error {
	d = d.Clean().Essential()
	if d.Line != "" {
		_, err := fmt.Fprintln(w, d.Line)
		return err
	}
	d, alone := narrowed(d, o)
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s.\n", d.Title)
	if !alone || d.Warnings != nil {
		out.WriteString("\n")
	}
	for _, line := range d.Warnings {
		fmt.Fprintf(out, "Warning: %s\n\n", line)
	}
	walk(d, func(b doc.Block) { textBlock(out, b, o) }, func() { textList(out, "Notes", d.Notes) })
	textList(out, "Where the numbers come from", factLines(d.Provenance))
	for _, q := range d.Queries {
		textCode(out, q.Title, q.SQL)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// narrowed is the document with the first narrow form that fits, where its first table is too wide and the form needs
// fewer lines; alone is that of the form.
func narrowed(d doc.Document, o Options) (shown doc.Document, alone bool) {
	first := firstTable(d)
	if d.Narrow == nil || first < 0 {
		return d, false
	}
	wide := newTextLayout(d.Blocks[first].(doc.Table), o)
	fits := func(n doc.Narrow) bool { return len(newTextLayout(n.Table, o).blocks()) == 1 }
	form := d.Narrow[len(d.Narrow)-1]
	if i := slices.IndexFunc(d.Narrow, fits); i >= 0 {
		form = d.Narrow[i]
	}
	if len(wide.blocks()) == 1 || newTextLayout(form.Table, o).lines() >= wide.lines() {
		return d, false
	}
	d.Title, d.Blocks = form.Title, slices.Clone(d.Blocks)
	if d.Blocks[first] = form.Table; form.Alone {
		d.Notes = nil
		d.Blocks = slices.DeleteFunc(d.Blocks, func(b doc.Block) bool {
			_, code := b.(doc.Code)
			return code
		})
	}
	return d, form.Alone
}

func textBlock(out *strings.Builder, b doc.Block, o Options) {
	switch b := b.(type) {
	case doc.Table:
		textTable(out, b, o)
	case doc.Prose:
		for _, p := range append([]string{b.Heading}, b.Paragraphs...) {
			if p != "" {
				blankLine(out)
				fmt.Fprintln(out, wrapped(p, o.Width))
			}
		}
	case doc.Figure:
		blankLine(out)
		fmt.Fprintf(out, "%s. %s.\n\n", b.Title, b.Alt)
		if b.Numbers != nil {
			textTable(out, *b.Numbers, o)
		}
	case doc.Code:
		if b.Language == "sh" {
			textList(out, b.Title, []string{b.Text})
		} else {
			textCode(out, b.Title, b.Text)
		}
	}
}

// wrapped breaks a paragraph between words, where a width is given.
func wrapped(paragraph string, width int) string {
	if width <= 0 {
		return paragraph
	}
	lines := strings.Split(text.WrapSoft(paragraph, width), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func blankLine(out *strings.Builder) {
	if !strings.HasSuffix(out.String(), "\n\n") {
		out.WriteString("\n")
	}
}

func textList(out *strings.Builder, heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	blankLine(out)
	fmt.Fprintf(out, "%s:\n", heading)
	for _, line := range lines {
		fmt.Fprintf(out, "- %s\n", line)
	}
}

func textCode(out *strings.Builder, title, code string) {
	blankLine(out)
	fmt.Fprintf(out, "%s:\n  %s\n", title, strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n  "))
}

// textTable writes a table with horizontal rules only, in blocks of columns that fit.
func textTable(out *strings.Builder, t doc.Table, o Options) {
	if t.Caption != "" {
		blankLine(out)
		fmt.Fprintf(out, "%s.\n\n", t.Caption)
	}
	l := newTextLayout(t, o)
	for i, columns := range l.blocks() {
		if i > 0 {
			out.WriteString("\n")
		}
		l.block(out, columns)
	}
	for _, line := range t.Legend {
		fmt.Fprintln(out, line)
	}
	switch {
	case t.Best != "" && o.Bold:
		fmt.Fprintln(out, "Bold:", t.Best)
	case t.Best != "":
		fmt.Fprintln(out, "*:", t.Best)
	}
}

// textLayout is a table as text: every cell, and the widths.
type textLayout struct {
	doc.Table
	cells  [][][]string // by section, row and column
	names  int          // width of the rows' names
	widths []int        // of the columns
	gap    int          // blanks after a column
	room   int          // of the columns of a line; 0 for any width
}

func (l *textLayout) blocks() [][]int {
	return blocks(l.Head, doc.Map(l.widths, func(w int) int { return w + l.gap }), l.room)
}

func (l *textLayout) lines() int {
	lines := 1
	for _, section := range l.Sections {
		lines += len(section)
	}
	return lines * len(l.blocks())
}

func newTextLayout(t doc.Table, o Options) *textLayout {
	l := &textLayout{Table: t, widths: make([]int, len(t.Head)), gap: gap}
	if t.Tight {
		l.gap = 0 // each cell begins with a blank or a mark
	}
	deviation := 0
	for _, section := range t.Sections {
		for _, r := range section {
			l.names = max(l.names, width(r.Name))
			for _, c := range r.Entries {
				deviation = max(deviation, width(c.Dev))
			}
		}
	}
	for i, c := range t.Head {
		if l.widths[i] = width(c.Name); t.Tight {
			l.widths[i]++
		}
	}
	for _, section := range t.Sections {
		var rows [][]string
		for _, r := range section {
			var row []string
			for i, c := range r.Entries {
				s := textCell(c, deviation, o.Bold)
				if t.Tight && (o.Bold || !c.Best) {
					s = " " + s
				}
				l.widths[i] = max(l.widths[i], width(s))
				row = append(row, s)
			}
			rows = append(rows, row)
		}
		l.cells = append(l.cells, rows)
	}
	for _, g := range allGroups(t.Head) { // a group's name is over its last column but one, or its only one
		if over := g[max(0, len(g)-2)]; grouped(t) {
			l.widths[over] = max(l.widths[over], width(t.Head[over].Group))
		}
	}
	if t.Tight {
		l.names++ // no mark touches a name
	}
	if o.Width > 0 {
		l.room = max(1, o.Width-l.names-l.gap)
	}
	return l
}

func width(s string) int { return text.StringWidthWithoutEscSequences(s) }

// textCell pads the deviation to a common width and marks the best, so that right-aligned cells
// keep their decimal points in line.
func textCell(c doc.Entry, deviation int, bold bool) string {
	value := c.Text
	if c.Dev != "" {
		value += " ± " + strings.Repeat(" ", deviation-width(c.Dev)) + c.Dev
	}
	switch {
	case c.Best && bold:
		return ansiBold + value + ansiReset
	case c.Best:
		return "*" + value
	}
	return value
}

func (l *textLayout) block(out *strings.Builder, columns []int) {
	total := l.names + l.gap
	for _, i := range columns {
		total += l.widths[i] + l.gap
	}
	rule := strings.Repeat("─", total) + "\n"
	if grouped(l.Table) {
		l.groupNames(out, columns)
	}
	head := doc.Map(l.Head, func(c doc.Column) string { return c.Name })
	l.line(out, "", head, columns)
	for s, section := range l.Sections {
		out.WriteString(rule)
		for r, row := range section {
			l.line(out, row.Name, l.cells[s][r], columns)
		}
	}
}

// line writes a row: names and words to the left, numbers to the right.
func (l *textLayout) line(out *strings.Builder, name string, cells []string, columns []int) {
	line := name + strings.Repeat(" ", l.names-width(name)+l.gap)
	for _, i := range columns {
		pad := strings.Repeat(" ", l.widths[i]-width(cells[i]))
		if l.Head[i].Kind == doc.Words {
			line += cells[i] + pad
		} else {
			line += pad + cells[i]
		}
		line += strings.Repeat(" ", l.gap)
	}
	out.WriteString(strings.TrimRight(line, " ") + "\n")
}

// groupNames writes the names over the groups, each ending where the group's last column but one
// does.
func (l *textLayout) groupNames(out *strings.Builder, columns []int) {
	line := strings.Repeat(" ", l.names+l.gap)
	end := len(line) // of the columns before
	for _, g := range groups(l.Head, columns) {
		until := end
		for k, i := range g {
			end += l.widths[i] + l.gap
			if k == 0 || k < len(g)-1 {
				until = end
			}
		}
		name := l.Head[g[0]].Group
		line += strings.Repeat(" ", max(0, until-l.gap-width(line)-width(name))) + name
	}
	out.WriteString(strings.TrimRight(line, " ") + "\n")
}
