package cmd

import (
	"cmp"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// A listing is a table of values that a command prints in the format that the user chooses.
type listing struct {
	header []string
	less   []string // columns that a table leaves out, in this order, where it is too wide
	cut    bool     // a table cuts texts of the last column rather than wrapping them
	rows   [][]any
	format string
	out    io.Writer
	err    *messages
}

// listing returns an empty listing of a command, to which it adds --format.
func (a *app) listing(c *cobra.Command, more ...string) *listing {
	l := &listing{out: a.out, err: a.err}
	formats := slices.Concat([]string{"table", "json", "csv", "md"}, more)
	oneOf(c, &l.format, "format", "table", strings.Join(formats, ", "), formats...)
	return l
}

func (l *listing) add(values ...any) { l.rows = append(l.rows, values) }

// forPeople reports whether people read it, who want times and sizes with units, and few digits.
func (l *listing) forPeople() bool { return l.format == "table" }

// printAny is print, but for no table without a row.
func (l *listing) printAny() error {
	if len(l.rows) == 0 && l.forPeople() {
		l.header = nil
		return nil
	}
	return l.print()
}

// print prints the listing, which is empty afterwards.
func (l *listing) print() error {
	s, err := newStream(l.out, l.format, l.header)
	if t, ok := s.(*tableStream); ok {
		t.room, t.less, t.cut, t.err = windowWidth(l.out), l.less, l.cut, l.err
	}
	if err != nil {
		return err
	}
	rows := l.rows
	l.header, l.less, l.rows = nil, nil, nil
	for _, r := range rows {
		if err := s.row(r); err != nil {
			return err
		}
	}
	return s.end()
}

// oneOf adds a flag that takes one of some values. Any other value is refused before the command does anything.
func oneOf(c *cobra.Command, to *string, name, value, means string, values ...string) {
	c.Flags().StringVar(to, name, value, means)
	complete(c, name, values...)
	beforehand(c, func() error {
		for _, v := range values {
			if strings.EqualFold(v, *to) {
				*to = v
				return nil
			}
		}
		if *to == value {
			return nil
		}
		return usage("--%s %q is not one of %s", name, *to, strings.Join(values, ", "))
	})
}

// beforehand makes a command check its flags before it runs.
func beforehand(c *cobra.Command, check func() error) {
	before := c.PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error {
		if before != nil {
			if err := before(c, args); err != nil {
				return err
			}
		}
		return check()
	}
}

// lists makes a command of c that prints what list fills in. What could be listed comes before an error.
func (a *app) lists(c *cobra.Command, list func(c *cobra.Command, args []string, l *listing) error) *cobra.Command {
	l := a.listing(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		err := list(c, args, l)
		if l.header == nil { // nothing was to be listed, or it is printed
			return err
		}
		return cmp.Or(l.print(), err)
	}
	return c
}

// A stream writes a listing row by row, so that one of any length takes little memory.
type stream interface {
	row(values []any) error
	end() error
}

// newStream begins a listing with the names of its columns.
func newStream(w io.Writer, format string, header []string) (stream, error) {
	names := make([]any, len(header))
	for i, n := range header {
		names[i] = n
	}
	switch format {
	case "table":
		t := &tableStream{w: w}
		return t, t.row(names)
	case "md":
		m := &mdStream{w}
		_, err := io.WriteString(w, m.line(names)+"|"+strings.Repeat(" --- |", len(names))+"\n")
		return m, err
	case "csv":
		c := &csvStream{w: csv.NewWriter(w), visible: isTerminal(w)}
		return c, c.w.Write(wording.SheetCells(header))
	}
	j := &jsonStream{w: w}
	for i, n := range header {
		if slices.Contains(header[:i], n) {
			return nil, usage("two columns are named %s; name them apart with AS for JSON", n)
		}
		key, err := marshalVisible(n)
		if err != nil {
			return nil, err
		}
		j.keys = append(j.keys, key)
	}
	_, err := io.WriteString(w, "[")
	return j, err
}

// plain writes floats with just the digits that are needed to read them back, and bytes as hexadecimal digits.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

// visible is plain for people: a missing value is a dash, and characters that control a terminal are spelled out.
func visible(v any) string {
	if v == nil {
		return "-"
	}
	return wording.Spelled(plain(v))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// An output is standard output that keeps its first error, so that a listing or a help text that could not be written
// is no success. It sends no control characters of data to a terminal.
type output struct {
	io.Writer
	shown wording.Writer // of a terminal
	err   error
}

func newOutput(w io.Writer) *output {
	o := &output{Writer: w}
	if isTerminal(w) {
		o.shown.To = w
	}
	return o
}

func (o *output) Write(p []byte) (int, error) {
	if o.shown.To != nil {
		return o.noted(o.shown.Write(p))
	}
	return o.noted(o.Writer.Write(p))
}

// bold returns the output for text with escape sequences of this program; data in it must be made harmless before.
func (o *output) bold() io.Writer { return boldOutput{o} }

type boldOutput struct{ *output }

func (b boldOutput) Write(p []byte) (int, error) { return b.noted(b.Writer.Write(p)) }

func (o *output) noted(n int, err error) (int, error) {
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd returns the file descriptor behind it, or none.
func (o *output) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

type mdStream struct{ w io.Writer }

func (m *mdStream) line(values []any) string {
	text := "|"
	for _, v := range values {
		text += " " + strings.ReplaceAll(visible(v), "|", `\|`) + " |"
	}
	return text + "\n"
}

func (m *mdStream) row(values []any) error {
	_, err := io.WriteString(m.w, m.line(values))
	return err
}

func (m *mdStream) end() error { return nil }

// A csvStream keeps every byte of a value. But for a terminal it makes control characters visible, and it marks text
// that a spreadsheet would take for a formula.
type csvStream struct {
	w       *csv.Writer
	visible bool
}

func (c *csvStream) row(values []any) error {
	record := make([]string, len(values))
	for i, v := range values {
		record[i] = plain(v)
		if _, number := v.(float64); !number {
			record[i] = wording.SheetCell(record[i])
		}
		if c.visible {
			record[i] = wording.Spelled(record[i])
		}
	}
	return c.w.Write(record)
}

func (c *csvStream) end() error {
	c.w.Flush()
	return c.w.Error()
}

// A jsonStream writes an array of objects whose keys keep the columns' order.
type jsonStream struct {
	w    io.Writer
	keys []string
	some bool
}

func (j *jsonStream) row(values []any) error {
	var b strings.Builder
	if j.some {
		b.WriteString(",")
	}
	j.some = true
	b.WriteString("\n  {")
	for i, v := range values {
		if i > 0 {
			b.WriteString(", ")
		}
		if raw, ok := v.([]byte); ok {
			v = plain(raw)
		}
		if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			v = plain(f) // JSON has no such number
		}
		value, err := marshalVisible(v)
		if err != nil {
			return err
		}
		b.WriteString(j.keys[i] + ": " + value)
	}
	b.WriteString("}")
	_, err := io.WriteString(j.w, b.String())
	return err
}

func (j *jsonStream) end() error {
	_, err := io.WriteString(j.w, "\n]\n")
	return err
}

// marshalVisible returns JSON that also escapes control characters which JSON allows: DEL, controls from 0x80 on, and
// signs that turn the direction of writing.
func marshalVisible(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil || strings.IndexFunc(string(raw), wording.Obeyed) < 0 {
		return string(raw), err
	}
	var b strings.Builder
	for _, r := range string(raw) {
		if wording.Obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String(), nil
}

// writeTo writes to a file, whole or not at all, and prints a line with about; or to standard output if file is
// "".
func (a *app) writeTo(file string, write func(io.Writer) error, about string) error {
	if file == "" {
		return write(a.out)
	}
	return a.wrote(file+about, nil, a.write(file, write))
}

// write writes a file for the user, whole or not at all. It replaces an existing file only if the program wrote that
// file and nobody has changed it since, or with --force, which replaces no database.
func (a *app) write(file string, write func(io.Writer) error) error {
	return a.writeUnless(func(path string) bool { return store.IsDatabase(path) || store.IsLog(path) }, file, write)
}

// writeUnless is write for a file that never decides on.
func (a *app) writeUnless(never func(string) bool, file string, write func(io.Writer) error) error {
	cache, err := os.UserCacheDir()
	if err != nil { // no home directory: the hashes lie beside the database
		cache = filepath.Dir(a.db)
	}
	if info, err := os.Stat(cmp.Or(file, ".")); err == nil && !info.Mode().IsRegular() {
		return usage("%q is not a regular file; give another name", file)
	}
	own := files.Own{Folder: filepath.Join(cache, "bench", "written"), Force: a.force, Never: never}
	err = own.Write(file, write)
	if kept := (*files.KeptError)(nil); errors.As(err, &kept) {
		return usageError(err)
	}
	return err
}

// outputFlag adds --output, and --force for what is there already.
func (a *app) outputFlag(c *cobra.Command, to *string, means string) {
	c.Flags().StringVarP(to, "output", "o", "", means)
	a.forceFlag(c)
}

func (a *app) forceFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.force, "force", false,
		"replace a file that this program did not write, or that was edited since")
	rare(c, "force")
}

func (a *app) writeText(file, text, about string) error {
	return a.writeTo(file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}, about)
}

// messages is standard error. It carries text for people, and no control characters of data reach the terminal.
type messages struct {
	wording.Writer
}

func (m *messages) say(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// Fd returns the file descriptor behind it, or none.
func (m *messages) Fd() uintptr { return (&output{Writer: m.To}).Fd() }

func round1(x float64) float64 { return math.Round(10*x) / 10 }

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
// a line for each column. If a value of a later row is wider than its column, the rest of that row moves to the right.
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
