// Package format knows the formats of data files. A [Format] is one value: its name, the extensions of its files, the
// keys of a description that it takes, how a file is recognised, and how it is read. [All] lists the formats. Package
// catalogue checks descriptions by this list, package describe recognises files by it, and package read reads files by
// it. A new format is a file of this package and its line in All.
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
	"slices"
	"strconv"
	"strings"
)

// A Format is a format of data files.
type Format struct {
	Name string // as descriptions write it
	// of the files' names, in lower case; a file with another one needs its format in the description
	Extensions []string
	Keys       []string // the keys of a description that this format takes, of those that not every format takes
	Missing    string   // the usual text of a missing value
	Sparse     bool     // a row is a label and the numbers that are not 0; no file tells how many features its set has

	// Separator returns the usual separator of a file with this extension. It is nil if the format takes no key
	// separator.
	Separator func(extension string) string
	// Sniff reports whether the first lines of a file are in this format, and with which options. All formats that
	// follow this one in All have said no before.
	Sniff func(sample []byte) (Options, bool)
	// Read finds the columns of a file. It may change the data, and the table's rows point to it.
	Read func(f File) (*Table, error)
}

// All are the formats. A file is tried from the end of the list to its start, and is in the first one that recognises
// it. CSV is first, since it takes any text: a new format must not recognise what CSV reads.
var All = []*Format{&CSV, &Blank, &LIBSVM, &ARFF, &Parquet}

// tableKeys are the keys that every format of tables takes.
var tableKeys = []string{"label", "group", "drop", "categorical", "dates", "date_order"}

// Options are what a description says of the notation of a file.
type Options struct {
	Separator string   // one character
	Header    bool     // the first line names the columns
	Columns   []string // the names of the columns, where no line has them
	Ragged    bool     // rows of different lengths come as they are; else they are an error
}

// A File is what a format reads.
type File struct {
	Options
	Name string // for errors
	Data []byte
	*Budget
}

// A Table is a file with known columns.
type Table struct {
	File string
	// number of columns; of a sparse file the label and the features up to the last one with a value
	Width int
	Names []string // of the columns; nil if the file has none
	// for each column the levels that the file declares, nil for other columns; nil if it declares none
	Levels []map[string]bool
	Most   int      // the file has at most this many rows
	Hint   string   // see encodingHint
	Notes  []string // what the reader of the file did that its user should know
	Wide   string   // why the table is as wide as it is, for errors; "" if the file shows it
	Sparse bool     // of a sparse format: column 0 is the label, column j feature j
	Rows   iter.Seq2[Row, error]

	defaults [][]byte // for each column the value that rows leave out; nil if they leave out zeros only
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

// ByExtension returns the format of files with this extension, in lower case, or nil.
func ByExtension(extension string) *Format {
	return find(func(f *Format) bool { return slices.Contains(f.Extensions, extension) })
}

func find(is func(*Format) bool) *Format {
	if i := slices.IndexFunc(All, is); i >= 0 {
		return All[i]
	}
	return nil
}

// Takes reports whether the format takes a key that not every format takes.
func (f *Format) Takes(key string) bool { return slices.Contains(f.Keys, key) }

// Names returns the names of all formats, or of those that take a key, as a list for people; last is the word before
// the last.
func Names(key, last string) string {
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
	return strings.Join(names[:end], ", ") + " " + last + " " + names[end]
}

// Sniff finds the format of a file, and its options, by the first lines. An extension that belongs to a format other
// than CSV tells the format: a damaged LIBSVM file is no table.
func Sniff(extension string, data []byte) (*Format, Options) {
	const enough = 1 << 16
	sample := bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(sample) > enough {
		end := bytes.LastIndexByte(sample[:enough], '\n')
		if end < 0 { // the first line is longer
			end = enough + bytes.IndexByte(sample[enough:], '\n')
		}
		sample = sample[:end+1]
	}
	if f := ByExtension(extension); f != nil && f != &CSV {
		o, _ := f.Sniff(sample)
		return f, o
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

// note notes something about the file.
func (t *Table) note(format string, args ...any) {
	t.Notes = append(t.Notes, t.File+": "+fmt.Sprintf(format, args...))
}

// Name returns the name of column j, "" if it has none.
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

// SomeNames lists the first columns for errors.
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
