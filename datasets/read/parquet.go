package read

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Parquet is the format of Parquet files whose columns are not nested. Values become text, so that all formats are read
// by the same rules (parquetvalue.go): numbers keep the digits that tell them from others of their type, true is 1,
// false is 0, and null and NaN are the empty value. Dates, times and decimals are written as in a CSV file. The index
// that pandas adds to a data frame without one is left out. Row.Line is the number of the row, from 1.
var Parquet = Format{
	Format: catalogue.FormatNamed("parquet"),
	Trace:  regexp.MustCompile(`PAR[1E]`),
	Sniff: func(sample []byte) (Options, bool) {
		return Options{}, bytes.HasPrefix(sample, []byte("PAR1")) || bytes.HasPrefix(sample, []byte("PARE"))
	},
	Read: func(f File) (t *Table, err error) {
		defer damaged(f.Name, &err)
		return readParquet(f)
	},
}

// damaged turns a panic into an error, in a deferred call. The library panics on many damaged files.
func damaged(file string, err *error) {
	if cause := recover(); cause != nil {
		what, _, _ := strings.Cut(fmt.Sprint(cause), "\n")
		*err = fmt.Errorf("%s: the Parquet file is damaged: %s", file, what)
	}
}

func readParquet(in File) (*Table, error) {
	f, err := openParquet(in)
	if err != nil {
		return nil, err
	}
	t := &Table{File: in.Name}
	index, schema := indexOfPandas(f), ""
	if schema, _ = f.Lookup("ARROW:schema"); !strings.HasPrefix(f.Metadata().CreatedBy, "Polars") {
		schema = ""
	}
	wide := wideIntegers(schema)
	var leaves []parquetLeaf
	for i, c := range f.Root().Columns() {
		if !c.Leaf() || c.Repeated() {
			return nil, fmt.Errorf("%s: column %q is %s, and a cell holds one value; leave the column out of the file",
				in.Name, clip(c.Name()), nestedKind(c))
		}
		switch named := slices.Contains(index, c.Name()); {
		case named && strings.HasPrefix(c.Name(), "__index_level_"):
			t.note("%q is the index of a data frame of pandas, and is not read", clip(c.Name()))
			continue
		case named:
			t.note("column %q is the index of a data frame of pandas; list it in drop if it is no input",
				clip(c.Name()))
		}
		if err := checkPacking(f, c); err != nil {
			return nil, fmt.Errorf("%s: column %q: %w", in.Name, clip(c.Name()), err)
		}
		meant := meaningOf(f.Metadata().Schema[1+i], c.Type())
		if at, ok := meant.(*format.TimestampType); ok && at.IsAdjustedToUTC {
			t.note("column %q holds times in UTC, whatever the zone in which they were written: so are their month "+
				"and day of the week", clip(c.Name()))
		}
		write := writerOf(meant)
		if signed, is := wide[i]; is {
			write = func(to []byte, v parquet.Value) []byte { return appendWide(to, v, signed) }
		}
		leaves = append(leaves, parquetLeaf{c.Index(), write})
		t.Names = append(t.Names, c.Name())
	}
	rows := f.NumRows()
	if rows < 1 || rows > math.MaxInt32 || len(leaves) == 0 {
		return nil, fmt.Errorf("%s: the file has %d rows of %d columns; 1 to %d rows can be read", in.Name, rows,
			len(leaves), math.MaxInt32)
	}
	t.Width, t.MaxRows = len(leaves), int(rows)
	p := &parquetReader{Table: t, file: f, budget: in.Budget, leaves: leaves, cells: make([][]byte, len(leaves))}
	t.Rows = p.all
	return t, nil
}

// openParquet reads the footer of the file, which describes the columns. The library takes about thirty times its size.
func openParquet(in File) (*parquet.File, error) {
	const end, times = 8, 30 // end: the bytes after the footer, which are its length and four letters
	if size := int64(len(in.Data)); size >= end {
		footer := int64(binary.LittleEndian.Uint32(in.Data[size-end:]))
		switch memory := Product(footer, times); string(in.Data[size-4:]) {
		case "PARE":
			return nil, fmt.Errorf("%s: the Parquet file is encrypted; write it without encryption", in.Name)
		case "PAR1":
			if footer > size-end { // the library would take as much memory
				return nil, fmt.Errorf("%s: the Parquet file is damaged: its last bytes announce %d bytes on its "+
					"columns, and the file has %d; get the file again", in.Name, footer, size)
			}
			if !in.Fits(memory) {
				return nil, in.Refuse(memory, "take fewer columns", "%s: the columns", in.Name)
			}
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(in.Data), int64(len(in.Data)),
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read as Parquet: %w", in.Name, err)
	}
	return f, nil
}

func nestedKind(c *parquet.Column) string {
	switch kind := strings.ToLower(strings.TrimSuffix(c.Type().String(), "()")); {
	case c.Repeated():
		return "a list"
	case kind == "list", kind == "map":
		return "a " + kind
	case strings.HasPrefix(kind, "variant"):
		return "a variant"
	}
	return "a structure of further columns"
}

// checkPacking refuses a column of 32-bit integers that DuckDB may have packed as differences of more than 32 bits,
// since the library would read wrong numbers. Such differences need numbers that are 2^31 or more apart. A column
// without statistics may have them, too.
func checkPacking(f *parquet.File, c *parquet.Column) error {
	if !strings.HasPrefix(f.Metadata().CreatedBy, "DuckDB") || c.Type().Kind() != parquet.Int32 {
		return nil
	}
	for _, group := range f.Metadata().RowGroups {
		chunk := group.Columns[c.Index()].MetaData
		if !slices.Contains(chunk.Encoding, format.DeltaBinaryPacked) {
			continue
		}
		low, high := chunk.Statistics.MinValue, chunk.Statistics.MaxValue
		if len(low) != 4 || len(high) != 4 || !near(binary.LittleEndian.Uint32(low), binary.LittleEndian.Uint32(high)) {
			return fmt.Errorf("DuckDB packs numbers that are 2^31 or more apart in a way of its own; " +
				"write the file with PARQUET_VERSION V1, or the column as BIGINT")
		}
	}
	return nil
}

// near reports whether two 32-bit integers are less than 2^31 apart, both if they have a sign and if they have none.
func near(low, high uint32) bool {
	return int64(int32(high))-int64(int32(low)) < 1<<31 && int64(high)-int64(low) < 1<<31 && high-low < 1<<31
}

// indexOfPandas lists the columns that are the index of a data frame. Pandas writes their names into the file.
func indexOfPandas(f *parquet.File) (names []string) {
	text, _ := f.Lookup("pandas")
	var of struct {
		Index []any `json:"index_columns"` // names; a range is described by an object
	}
	if strictjson.UnmarshalOpen([]byte(text), &of) != nil {
		return nil
	}
	for _, index := range of.Index {
		if name, is := index.(string); is {
			names = append(names, name)
		}
	}
	return names
}

// A parquetLeaf is a column: its number among all columns of the file, and how its values are written as text.
type parquetLeaf struct {
	at    int
	write func(to []byte, v parquet.Value) []byte
}

// A parquetReader reads blocks of rows, and the columns of a block one after another.
type parquetReader struct {
	*Table
	file   *parquet.File
	budget *Budget
	leaves []parquetLeaf
	row    int      // rows that were yielded
	text   []byte   // the cells of a block, one column after another
	ends   []int    // where each cell ends in text
	cells  [][]byte // of a row
}

func (p *parquetReader) all(yield func(Row, error) bool) {
	for _, group := range p.file.RowGroups() {
		for row, err := range p.group(group) {
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
	if p.row != p.MaxRows {
		yield(Row{}, fmt.Errorf("%s: the file announces %d rows and has %d", p.File, p.MaxRows, p.row))
	}
}

// A group of rows with at most fewCells cells is read as one block, so that only one column is open at a time. A larger
// group is read in blocks of blockRows rows, for which all columns are open. An open column takes at least openBytes.
const (
	fewCells  = 1 << 22
	blockRows = 1024
	openBytes = 48 << 10
)

// group yields the rows of a group, which may have none.
func (p *parquetReader) group(group parquet.RowGroup) func(yield func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		width, rows := len(p.leaves), group.NumRows()
		if rows < 0 || rows > int64(p.MaxRows-p.row) {
			yield(Row{}, fmt.Errorf("%s: the file announces %d rows and has more", p.File, p.MaxRows))
			return
		}
		columns := make([]parquetColumn, width)
		defer func() {
			for i := range columns {
				columns[i].close()
			}
		}()
		block := int(rows)
		if rows > fewCells/int64(width) {
			block = blockRows
			if memory := Product(int64(width), openBytes); !p.budget.Fits(memory) {
				yield(Row{}, p.budget.Refuse(memory, "take fewer columns", "%s: %d columns", p.File, width))
				return
			}
			defer func() { p.budget.Held -= Product(int64(width), openBytes) }()
		}
		for first := 0; first < int(rows); first += block {
			n := min(block, int(rows)-first)
			if err := p.block(group, columns, n, first+n == int(rows)); err != nil {
				yield(Row{}, err)
				return
			}
			for i := range n {
				p.row++
				if !yield(p.at(i, n), nil) {
					return
				}
			}
		}
	}
}

// at returns row i of a block of n rows.
func (p *parquetReader) at(i, n int) Row {
	for j := range p.cells {
		start := 0
		if k := j*n + i; k > 0 {
			start = p.ends[k-1]
		}
		p.cells[j] = p.text[start:p.ends[j*n+i]]
	}
	return Row{Line: p.row, Cells: p.cells}
}

// block reads the next n rows of a group, and closes the columns after the last rows of the group.
func (p *parquetReader) block(group parquet.RowGroup, columns []parquetColumn, n int, last bool) (err error) {
	defer damaged(p.File, &err)
	p.text, p.ends = p.text[:0], p.ends[:0]
	chunks := group.ColumnChunks()
	for j, leaf := range p.leaves {
		if leaf.at >= len(chunks) {
			return fmt.Errorf("%s: a group of rows has %d columns, and the file %d", p.File, len(chunks), p.Width)
		}
		c := &columns[j]
		if c.pages == nil {
			c.pages = chunks[leaf.at].Pages()
		}
		if err := p.read(c, leaf, n); err != nil {
			return fmt.Errorf("%s: column %s: %w", p.File, p.Column(j), err)
		}
		if last {
			c.close()
		}
	}
	return nil
}

// read reads the next n values of a column; null is the empty text.
func (p *parquetReader) read(c *parquetColumn, leaf parquetLeaf, n int) error {
	for end := len(p.ends) + n; len(p.ends) < end; {
		values, err := c.next(end - len(p.ends))
		if err != nil {
			return err
		}
		for _, v := range values {
			if !v.IsNull() {
				p.text = leaf.write(p.text, v)
			}
			p.ends = append(p.ends, len(p.text))
		}
	}
	return nil
}

// A parquetColumn is a column of a group of rows, and the place up to which it was read.
type parquetColumn struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	room   [64]parquet.Value
}

// next returns at least one and at most n values.
func (c *parquetColumn) next(n int) ([]parquet.Value, error) {
	for {
		if c.values == nil {
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("a group of rows has fewer values than rows")
			}
			if err != nil {
				return nil, err
			}
			c.page, c.values = page, page.Values()
		}
		k, err := c.values.ReadValues(c.room[:min(n, len(c.room))])
		if k > 0 {
			return c.room[:k], nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		parquet.Release(c.page)
		c.page, c.values = nil, nil
	}
}

func (c *parquetColumn) close() {
	if c.pages == nil {
		return
	}
	if c.page != nil {
		parquet.Release(c.page)
	}
	_ = c.pages.Close() // cannot fail, since the file is in memory
	c.pages, c.page, c.values = nil, nil, nil
}
