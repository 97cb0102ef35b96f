// A file is read in two steps. Read finds the columns, and returns a [Table]. Its rows then come one after another,
// each cell as text. Nothing holds all cells as text, so that a reader can put each cell where it belongs. A [Budget]
// counts memory before it is taken. Formats do not know what a column is for, and interpret no cell.
//
// A new format is a file of this package with its line in All, and what descriptions know of it, in catalogue.Formats.

package read

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// A Format is a format of data files.
type Format struct {
	*catalogue.Format

	// Sniff reports whether the first lines of a file are in this format, and with which options. It is called if the
	// file's extension belongs to this format, or if the Sniff of every later format in All has returned false.
	Sniff func(sample []byte) (Options, bool)
	// Trace is what a damaged file of this format still has. A file with the format's extension and without a trace is
	// in another format, which its content decides. If Trace is nil, the extension decides.
	Trace *regexp.Regexp
	// Read finds the columns of a file. It may change the data. The rows of the table refer to the data.
	Read func(f File) (*Table, error)
}

// All are the formats. The function Sniff asks them from the end of the list to its start, and takes the first one that
// recognises the file. CSV is at the start, since it takes any text. So a new format must not recognise CSV files.
var All = []*Format{&CSV, &Blank, &LIBSVM, &ARFF, &Parquet}

// Options are what a description says about the notation of a file.
type Options struct {
	Separator string   // one character
	Header    bool     // the first line names the columns
	Columns   []string // the names of the columns, if no line has them
	Ragged    bool     // rows may have different lengths; otherwise this is an error
}

// A File is the input of Format.Read.
type File struct {
	Options
	Name string // for errors
	Data []byte
	*Budget
}

// A Table is a file with known columns.
type Table struct {
	File string
	// The number of columns. A sparse file has a column for the label, and one for each feature up to the largest index
	// in the file.
	Width int
	Names []string // of the columns; nil if the file has no names
	// For each column the levels that the file declares, or nil. The list is nil if the format has no declarations.
	Levels  []map[string]bool
	MaxRows int      // the file has at most this many rows
	Hint    string   // see encodingHint
	Notes   []string // what the user should know about how the file was read
	WhyWide string   // which line or key makes the table so wide, for errors; "" if every row has all columns
	Sparse  bool     // the format is sparse: column 0 is the label, and column j is feature j
	Rows    iter.Seq2[Row, error]

	defaults [][]byte // for each column the value of cells that a sparse row leaves out; nil if this is 0 everywhere
}

// A Row is one row of a table. It is valid until the next one comes.
type Row struct {
	Line  int      // from 1; in a binary file the number of the row
	Cells [][]byte // without the blanks and quotes around them
	At    []int    // the columns of the cells, ascending; nil if there is a cell for each column
}

// Column returns the column of cell k.
func (r Row) Column(k int) int {
	if r.At == nil {
		return k
	}
	return r.At[k]
}

// FormatOf returns the format of an entry's data files.
func FormatOf(e *catalogue.Entry) *Format {
	return All[slices.IndexFunc(All, func(f *Format) bool { return f.Format == e.FileFormat() })]
}

// sniffed is how many bytes of a file tell its format.
const sniffed = 1 << 16

// Sniff finds the format of a file, and its options, from the first lines. The extension of a format other than CSV
// decides if the lines have a trace of the format, so that a damaged LIBSVM file is not read as a table.
func Sniff(extension string, data []byte) (*Format, Options) {
	sample := bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(sample) > sniffed {
		end := bytes.LastIndexByte(sample[:sniffed], '\n') + 1
		for lines := bytes.Count(sample[:end], []byte("\n")); lines < 2; lines++ { // the first lines are longer
			end = max(end, sniffed)
			end += 1 + bytes.IndexByte(sample[end:], '\n')
		}
		sample = sample[:end]
	}
	if !bytes.Contains(sample, []byte("\x00")) { // a binary file has no lines
		sample = bytes.Clone(sample)
		endLines(sample)
	}
	for _, f := range All[1:] {
		if slices.Contains(f.Extensions, extension) {
			if o, ok := f.Sniff(sample); ok || f.Trace == nil || f.Trace.Match(sample) {
				return f, o
			}
		}
	}
	for _, f := range slices.Backward(All) {
		if o, ok := f.Sniff(sample); ok {
			return f, o
		}
	}
	return All[0], Options{}
}

// Cell returns the value of a row in column j.
func (t *Table) Cell(row Row, j int) []byte {
	if row.At == nil {
		return row.Cells[j]
	}
	if k, ok := slices.BinarySearch(row.At, j); ok {
		return row.Cells[k]
	}
	if t.defaults != nil {
		return t.defaults[j]
	}
	return zeroText
}

var zeroText = []byte("0")

// note adds a note about the file.
func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, t.File+": "+fmt.Sprintf(format, args...))
}

// Name returns the name of column j, or "".
func (t *Table) Name(j int) string {
	if t.Names == nil {
		return ""
	}
	return t.Names[j]
}

// Nominal reports whether the file declares the levels of column j.
func (t *Table) Nominal(j int) bool { return t.Levels != nil && t.Levels[j] != nil }

// declares reports whether the file declares a text as a level of column j.
func (t *Table) declares(j int, text []byte) bool { return t.Nominal(j) && t.Levels[j][string(text)] }

// Errorf returns an error about a value in column j, of the form `file:line: column 3 ("age"): value "x" ...`.
func (t *Table) Errorf(line, j int, value []byte, format string, args ...any) error {
	place := "column " + t.Column(j) + ": value"
	switch {
	case t.Sparse && j == 0:
		place = "label"
	case t.Sparse:
		place = fmt.Sprintf("feature %d: value", j)
	}
	return fmt.Errorf("%s:%d: %s %q %s", t.File, line, place, clip(value), fmt.Sprintf(format, args...))
}

// Column names column j for errors, by number and name.
func (t *Table) Column(j int) string {
	if name := t.Name(j); name != "" {
		return fmt.Sprintf("%d (%q)", j, clip(name))
	}
	return strconv.Itoa(j)
}

// SomeNames lists the columns for errors, by name or number. Of more than 20 columns it lists the first 20.
func (t *Table) SomeNames() string {
	var out []string
	for j := range t.Width {
		if j == 20 {
			out = append(out, fmt.Sprintf("... (%d in all)", t.Width))
			break
		}
		name := t.Name(j)
		if name == "" {
			name = strconv.Itoa(j)
		}
		out = append(out, Shown(name))
	}
	return strings.Join(out, ", ")
}
