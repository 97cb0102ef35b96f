// Package doc is what a report is before it is laid out: a document of blocks, as plain data.
//
// A report builds a [Document]; package render turns any of them into text, Markdown, LaTeX, HTML,
// CSV and JSON. Numbers stand in it twice: in tables and figures as the text that people read,
// rounded once by the report that knows how, and in [Records] at full precision for programs.
//
// The package formats no bytes and knows no report. Of what it holds nothing is escaped: names and
// reasons come from databases that others wrote, so [Document.Clean] takes out what a terminal
// would obey, and each format escapes what it must.
package doc

import "time"

// A Document is a report.
type Document struct {
	Report   string   // name of the report
	Title    string   // on one line, no full stop
	Heading  string   // shorter than the title, for pages; "" for the title
	Label    string   // names the document's tables to LaTeX
	Warnings []string // what must be read before everything else, a sentence each
	Blocks   []Block
	Notes    []string // a sentence each; they stand after the first table
	Provenance
}

// Provenance says where the numbers come from. Empty fields are left out.
type Provenance struct {
	Program      string    // name and version of the program
	ProtocolHash string    // hash of the protocol's definition
	Database     string    // path of the database
	Generated    time.Time // when the report was made
	Command      string    // command that made the report
	Environment  []string  // machines and versions the runs used, one a line
	Queries      []Query   // database queries that return the report's numbers
}

// A Query is a database query and what it returns.
type Query struct {
	Title, SQL string
}

// A Block is a Table, a Figure, Prose, Code or Records.
type Block interface{ block() }

func (Table) block()   {}
func (Figure) block()  {}
func (Prose) block()   {}
func (Code) block()    {}
func (Records) block() {}

// Table is rows of cells under a head.
type Table struct {
	Heading  string // of the part that the table begins, on pages; "" to go on with the last part
	Caption  string // no full stop; "" for the document's title
	Label    string // added to the document's; "" for the first table
	Corner   string // head of the rows' names, where there is room for one
	Head     []Column
	Sections [][]Row
	Legend   []string // a sentence each
	Best     string   // what the mark of the best means; "" where nothing is marked
	Detail   bool     // shown on pages alone, which have room for it
}

// A Column is one that follows the rows' names.
type Column struct {
	Name  string
	Long  string // the name where there is room; "" for Name
	Group string // columns of one group stand side by side under its name and are never parted
	Kind  Kind
}

// Kind is how the cells of a column are laid out: numbers to the right, words to the left.
type Kind int

const (
	Number   Kind = iota
	Repeated      // a number about the row itself: a table in several blocks repeats the column
	Quoted        // a number that is not ours
	Signed        // a difference with its sign
	Words
)

// Row is a line of a table. It has a cell a column.
type Row struct {
	Name    string
	Entries []Entry
}

// Entry is what stands at a row and a column of a table.
type Entry struct {
	Text  string // "83.0", "-" for none
	Dev   string // "5.0", the deviation of Text; "" for none
	Best  bool   // marked as the best of its row or column
	Shade int    // of a difference: -3 to 3, how much it is to be seen
	Tip   string // how the number was computed; may have several lines
	SQL   string // query that returns what the number was computed from
}

// Figure is a drawing.
type Figure struct {
	Name         string // of its file among the figures of a document; "" for the title
	Title, About string
	Plot         Plot   // nil for none
	Alt          string // says what is drawn, for those who cannot see it
	Numbers      *Table // what is drawn, as numbers; nil for none
	Detail       bool
}

// Prose is paragraphs.
type Prose struct {
	Heading    string // of the part that they begin, on pages
	Paragraphs []string
	Detail     bool
}

// Code is what is pasted elsewhere: commands, queries.
type Code struct {
	Title    string
	Language string // sh or sql
	Text     string
}

// Records are values at full precision, which CSV and JSON hold and the layouts for people do
// not show. CSV holds the first records of a document.
type Records struct {
	Name    string
	Columns []string
	Rows    [][]any // a value a column: string, bool, int, int64, *float64, []int, []string or nil
}

// Add appends a row.
func (r *Records) Add(values ...any) { r.Rows = append(r.Rows, values) }
