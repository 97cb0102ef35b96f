// Package format knows the formats of data files. A [Format] is one value: its name, the extensions of its files, the
// keys of a description that it takes, how a file is recognised, and how it is read. [All] lists the formats. Package
// catalogue checks descriptions by this list, and package read recognises and reads files by it. A new format is a file
// of this package and its line in All.
//
// A file is read in two steps. Read finds the columns, and returns a [Table]. Its rows then come one after another,
// each cell as text. Nothing holds all cells as text, so that a reader can put each cell where it belongs. A [Budget]
// counts memory before it is taken.
//
// The package does not know what a column is for, and interprets no cell. It opens no file: its callers give it the
// content.
package format

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Format is a format of data files.
type Format struct {
	Name string // as descriptions write it
	// The extensions of file names, such as ".csv", in lower case. The description of a file with another extension
	// must name the format.
	Extensions []string
	Keys       []string // the keys of a description that this format takes, without those that every format takes
	Missing    string   // the usual text of a missing value
	Sparse     bool     // a row is a label and the numbers that are not 0, so that a file may lack the last features

	// Separator returns the usual separator of a file with this extension. It is nil if the format takes no key
	// separator.
	Separator func(extension string) string
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

// tableKeys are the keys that every format of tables takes.
var tableKeys = []string{"label", "group", "drop", "categorical", "dates", "date_order"}

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

// Named returns the format with this name, or nil.
func Named(name string) *Format { return find(func(f *Format) bool { return f.Name == name }) }

// ByExtension returns the format of files with this extension, such as ".csv", in lower case, or nil.
func ByExtension(extension string) *Format {
	return find(func(f *Format) bool { return slices.Contains(f.Extensions, extension) })
}

func find(matches func(*Format) bool) *Format {
	if i := slices.IndexFunc(All, matches); i >= 0 {
		return All[i]
	}
	return nil
}

// Takes reports whether Keys has the key. Keys lacks those that every format takes.
func (f *Format) Takes(key string) bool { return slices.Contains(f.Keys, key) }

// Names lists the formats whose Keys have the key, or all formats if the key is "", for a message. The conjunction,
// such as "or", is put before the last name.
func Names(key, conjunction string) string {
	var names []string
	for _, f := range All {
		if key == "" || f.Takes(key) {
			names = append(names, f.Name)
		}
	}
	end := len(names) - 1
	if end == 0 {
		return names[0]
	}
	return strings.Join(names[:end], ", ") + " " + conjunction + " " + names[end]
}

// sniffed is how many bytes of a file tell its format.
const sniffed = 1 << 16

// Sniff finds the format of a file, and its options, from the first lines. The extension of a format other than CSV
// decides if the lines have a trace of the format, so that a damaged LIBSVM file is not read as a table.
func Sniff(extension string, data []byte) (*Format, Options) {
	sample := bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(sample) > sniffed {
		end := bytes.LastIndexByte(sample[:sniffed], '\n')
		if end < 0 { // the first line is longer
			end = sniffed + bytes.IndexByte(sample[sniffed:], '\n')
		}
		sample = sample[:end+1]
	}
	if f := ByExtension(extension); f != nil && f != &CSV {
		if o, ok := f.Sniff(sample); ok || f.Trace == nil || f.Trace.Match(sample) {
			return f, o
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
	return zero
}

var zero = []byte("0")

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
		return fmt.Sprintf("%d (%q)", j, name)
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
