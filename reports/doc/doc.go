// Package doc is a report before its layout: a document of blocks, as plain data.
//
// A report builds a [Document]. Package render turns a document into text, Markdown, LaTeX, HTML, CSV and
// JSON. A document has each number twice: as text in tables and figures, rounded once by the report, and in
// [Records] at full precision for programs.
//
// The package formats no bytes and knows no report. It escapes nothing. Names and reasons come from databases
// of other people, so [Document.Clean] removes what a terminal would obey, and each format escapes its own
// special characters.
package doc

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// A Document is a report.
type Document struct {
	Report   string   // name of the report
	Title    string   // on one line, no full stop
	Heading  string   // shorter than the title, for pages; "" to use the title
	Label    string   // names the document's tables to LaTeX
	Warnings []string // texts to read before everything else, a sentence each
	Blocks   []Block
	Notes    []string // a sentence each, shown after the first table
	Narrow   []Narrow // what text shows instead, where the first table is too wide: the first that fits, or the last
	Line     string   // shown as text in place of everything else; "" for none
	Alarm    string   // what was found that the user asked to be a failure; "" for nothing
	Provenance
}

// Narrow is another form of a document's first table, for a window that the table's columns do not fit.
type Narrow struct {
	Title string // in place of the document's
	Table Table
	Alone bool // without what would not fit a screen: the notes of the document, its commands, a line below the title
}

// Provenance says where the numbers come from. Empty fields are not shown.
type Provenance struct {
	Program      string    // name and version of the program
	ProtocolHash string    // hash of the protocol's definition
	Database     string    // path of the database
	Generated    time.Time // when the report was made
	Command      string    // command that made the report
	Why          string    // command that shows what is behind a number; it names DATASET and METHOD
	Environment  []string  // machines and versions the runs used, one a line
	Queries      []Query   // database queries that return the report's numbers
}

// A Query is a database query and what it returns.
type Query struct {
	Title string `json:"title"`
	SQL   string `json:"sql"`
}

// A Block is a Table, a Figure, Prose, Code or Records.
type Block interface{ detailed() bool }

func (b Table) detailed() bool  { return b.Detail }
func (b Figure) detailed() bool { return b.Detail }
func (b Prose) detailed() bool  { return b.Detail }
func (Code) detailed() bool     { return false }
func (Records) detailed() bool  { return false }

// Table is rows of cells under a head.
type Table struct {
	Heading  string // heading of the part that begins with the table, on pages; "" to continue the last part
	Caption  string // no full stop; "" for the document's title
	Label    string // added to the document's; "" for the first table
	Corner   string // heading of the rows' names, where there is room
	Head     []Column
	Sections [][]Row
	Legend   []string // a sentence each
	Best     string   // meaning of the mark of the best; "" where nothing is marked
	Detail   bool     // shown only on pages, which have room for details
	Tight    bool     // as text there is one blank between columns, which the mark of the best may take
}

// Add appends a row to the last section.
func (t *Table) Add(name string, entries ...Entry) {
	if t.Sections == nil {
		t.Sections = make([][]Row, 1)
	}
	last := &t.Sections[len(t.Sections)-1]
	*last = append(*last, Row{name, entries})
}

// Project is a table that has an entry for each of rows and each of columns, which are given by their names.
func Project(corner string, rows, columns []string, value func(row, column int) Entry) Table {
	out := Table{Corner: corner, Head: Map(columns, func(name string) Column { return Column{Name: name} })}
	for r, name := range rows {
		entries := make([]Entry, len(columns))
		for c := range columns {
			entries[c] = value(r, c)
		}
		out.Add(name, entries...)
	}
	return out
}

// Texts are entries with a text alone.
func Texts(texts ...string) []Entry {
	entries := make([]Entry, len(texts))
	for i, text := range texts {
		entries[i].Text = text
	}
	return entries
}

// A Column is a column after that of the rows' names.
type Column struct {
	Name  string
	Long  string // a longer name, used where there is room; "" for Name
	Group string // columns of one group stay side by side under the group's name
	Kind  Kind
}

// Kind says how the cells of a column are laid out: numbers to the right, words to the left.
type Kind int

const (
	Number   Kind = iota
	Repeated      // a number about the row itself: a table in several blocks repeats the column
	Quoted        // a number from another source
	Signed        // a difference with its sign
	Words
)

// Row is a line of a table. It has one cell a column.
type Row struct {
	Name    string
	Entries []Entry
}

// Entry is the content of a cell.
type Entry struct {
	Text  string // "83.0", "-" for none
	Dev   string // "5.0", the deviation of Text; "" for none
	Best  bool   // marked as the best of its row or column
	Shade int    // -3 to 3, how strongly a difference is coloured
	Tip   string // how the number was computed; may have several lines
	SQL   string // query that returns the values behind the number
}

// Figure is a drawing.
type Figure struct {
	Name         string // name of its file among the figures of a document; "" for the title
	Title, About string
	Plot         Plot   // nil for none
	Alt          string // describes the drawing for readers who cannot see it
	Numbers      *Table // the drawn values as numbers; nil for none
	Detail       bool
}

// Prose is paragraphs.
type Prose struct {
	Heading    string // of the part that they begin, on pages
	Paragraphs []string
	Detail     bool
}

// Code is text to paste elsewhere: commands, queries.
type Code struct {
	Title    string
	Language string // sh or sql
	Text     string
}

// Records are values at full precision. CSV and JSON have them, and the layouts for people do not. CSV has
// the first records of a document.
type Records struct {
	Name    string
	Columns []string
	Rows    [][]any // a value a column: string, bool, int, int64, float64, *float64, []int, []string or nil
}

// Add appends a row. An exact value becomes the nearest float64. NaN becomes nil, and an infinite value "inf" or
// "-inf", since JSON has no such numbers.
func (r *Records) Add(values ...any) { r.Rows = append(r.Rows, Map(values, value)) }

// Put appends a row of names of columns, each with its value after it. The first row names the columns of all rows.
func (r *Records) Put(pairs ...any) {
	var columns []string
	var row []any
	for i := 0; i < len(pairs); i += 2 {
		columns, row = append(columns, pairs[i].(string)), append(row, pairs[i+1])
	}
	r.Columns = columns
	r.Add(row...)
}

// Short writes a number with as few digits as it needs, and with an exponent only where these are very many.
func Short(x float64) string {
	format := byte('f')
	if size := math.Abs(x); size >= 1e15 || size < 1e-6 && size > 0 {
		format = 'g'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}

func value(v any) any {
	switch v := v.(type) {
	case *big.Rat:
		if v == nil {
			return nil
		}
		f, _ := v.Float64()
		return f
	case float64:
		switch {
		case math.IsNaN(v):
			return nil
		case math.IsInf(v, 0):
			return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'f', -1, 64), "+"))
		}
	}
	return v
}
