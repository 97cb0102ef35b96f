package cmd

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// widthOfFiles is the width of texts that no terminal bounds.
const widthOfFiles = 100

// terminalWidth is the number of columns for a text that goes to w, or to a file.
func terminalWidth(w io.Writer, file string) int {
	if width := windowWidth(w); width > 0 && file == "" {
		return width
	}
	return widthOfFiles
}

// windowWidth is the number in COLUMNS, else the columns that the terminal shows, else 0: w is a file or a pipe.
func windowWidth(w io.Writer) int {
	if said, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && said > 0 {
		return said
	}
	width, _, _ := terminalSize(w)
	return width
}

// A tableStream writes rows as a table whose columns are aligned by the widths of the first rows. If the table is wider
// than room, columns of less are left out, one after another, until no row takes more than rowLines lines, and texts
// are wrapped between words. If the columns of numbers alone are wider than room, each row is written as a record, with
// a line for each column. A value of a later row that is wider than its column moves the values that follow it.
type tableStream struct {
	w    io.Writer
	room int       // columns; 0 for any number
	less []string  // columns that may be left out, in this order
	cut  bool      // a text of the last column is cut where a wrapped one would go on in the next line
	err  *messages // says what was left out
	layout
	first   [][]string // the names and the first rows, until the layout is known
	names   []string   // nil until the layout is known
	held    int        // bytes of the rows in first
	records bool
}

const (
	rowsForWidths, bytesForWidths = 1000, 1 << 20
	columnGap                     = 2
	rowLines                      = 3 // that a row may take while a column can be left out
	wordShare                     = 3 // words of the last column may pass the edge from this share of the room on
)

func (t *tableStream) row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = visible(v)
		t.held += len(cells[i])
	}
	if t.names != nil {
		return t.print(cells)
	}
	if t.first = append(t.first, cells); len(t.first) > rowsForWidths || t.held > bytesForWidths {
		return t.flush()
	}
	return nil
}

func (t *tableStream) end() error {
	if t.names != nil {
		return nil
	}
	return t.flush()
}

func (t *tableStream) flush() error {
	t.names = t.first[0]
	shown := make([]int, len(t.names))
	for i := range shown {
		shown[i] = i
	}
	var left []string
	for t.layout = t.lay(shown); (!t.fits || t.lines > rowLines) && len(left) < len(t.less); t.layout = t.lay(shown) {
		name := t.less[len(left)]
		left = append(left, name)
		shown = slices.DeleteFunc(shown, func(c int) bool { return t.names[c] == name })
	}
	rows := t.first
	if t.first = nil; !t.fits {
		t.records, rows = true, rows[1:]
	}
	for _, r := range rows {
		if err := t.print(r); err != nil {
			return err
		}
	}
	if left != nil && t.err != nil {
		t.err.say("no room for %s; a wider window or --format csv shows all columns", strings.Join(left, ", "))
	}
	return nil
}

// A layout is the columns of a table that are shown, with their widths.
type layout struct {
	shown, widths []int
	fits          bool
	lines         int // of the row that takes most
}

// lay shrinks the widest columns until they fit, none below its longest word.
func (t *tableStream) lay(shown []int) layout {
	l := layout{shown: slices.Clone(shown), widths: make([]int, len(shown)), lines: 1}
	least, total := make([]int, len(shown)), -columnGap
	for i, c := range shown {
		for _, r := range t.first {
			l.widths[i] = max(l.widths[i], columnsOf(r[c]))
			if t.room == 0 {
				continue
			}
			for _, word := range strings.Fields(r[c]) {
				least[i] = max(least[i], columnsOf(word))
			}
		}
		if t.room > 0 {
			l.widths[i] = max(least[i], min(l.widths[i], t.room))
		}
		total += l.widths[i] + columnGap
	}
	if last := len(shown) - 1; last > 0 {
		if t.cut {
			least[last] = l.widths[last]
		}
		least[last] = min(least[last], t.room/wordShare)
	}
	for ; t.room > 0 && total > t.room; total-- {
		widest := -1
		for i, w := range l.widths {
			if w > least[i] && (widest < 0 || w > l.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return l
		}
		l.widths[widest]--
	}
	l.fits = true
	for _, r := range t.first {
		for i, c := range shown {
			l.lines = max(l.lines, len(t.wrapped(r, c, l.widths[i])))
		}
	}
	return l
}

func (t *tableStream) print(cells []string) error {
	var b strings.Builder
	if t.records {
		t.record(&b, cells)
	} else {
		parts, lines := make([][]string, len(t.shown)), 1
		for i, c := range t.shown {
			parts[i] = t.wrapped(cells, c, t.widths[i])
			lines = max(lines, len(parts[i]))
		}
		for line := range lines {
			alignedLine(&b, parts, line, t.widths)
		}
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// alignedLine writes a line of the cells of a row.
func alignedLine(b *strings.Builder, cells [][]string, line int, widths []int) {
	var said strings.Builder
	for i, lines := range cells {
		part := ""
		if line < len(lines) {
			part = lines[line]
		}
		said.WriteString(part + strings.Repeat(" ", columnGap+max(0, widths[i]-columnsOf(part))))
	}
	b.WriteString(strings.TrimRight(said.String(), " ") + "\n")
}

// record writes a row with a line for each column, and an empty line after it.
func (t *tableStream) record(b *strings.Builder, cells []string) {
	widths := []int{0, 0}
	for _, c := range t.shown {
		widths[0] = max(widths[0], columnsOf(t.names[c]))
	}
	widths[1] = max(t.room/wordShare, t.room-widths[0]-columnGap)
	for _, c := range t.shown {
		parts := [][]string{{t.names[c]}, wrapped(cells[c], widths[1])}
		for line := range parts[1] {
			alignedLine(b, parts, line, widths)
		}
	}
	b.WriteString("\n")
}

func columnsOf(s string) int { return text.StringWidthWithoutEscSequences(s) }

// wrapped is the lines of a cell of a row.
func (t *tableStream) wrapped(row []string, column, width int) []string {
	if t.cut && column == len(row)-1 {
		return []string{text.Snip(row[column], width, "...")}
	}
	return wrapped(row[column], width)
}

// wrapped divides a text between words into lines. A longer word has a line of its own.
func wrapped(said string, width int) []string {
	if columnsOf(said) <= width {
		return []string{said}
	}
	var lines []string
	for _, word := range strings.Fields(said) {
		if n := len(lines); n > 0 && columnsOf(lines[n-1])+1+columnsOf(word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
