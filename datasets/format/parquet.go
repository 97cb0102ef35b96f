package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Parquet is files of flat columns. Values become text, so that one rule holds for all formats: numbers keep
// all their digits, true is 1 and false is 0, and null and NaN are the empty value. Dates, times and decimals are written as
// in a CSV file. The line of a row is its number, from 1.
var Parquet = Format{
	Name: "parquet", Extensions: []string{".parquet", ".pq"}, Keys: []string{"label", "drop", "categorical"},
	Sniff: func(sample []byte) (Options, bool) { return Options{}, bytes.HasPrefix(sample, []byte("PAR1")) },
	Read: func(f File) (t *Table, err error) {
		defer damaged(f.Name, &err)
		return readParquet(f)
	},
}

// damaged makes an error of a panic, with which the library answers many damaged files.
func damaged(file string, err *error) {
	if said := recover(); said != nil {
		what, _, _ := strings.Cut(fmt.Sprint(said), "\n")
		*err = fmt.Errorf("%s: the Parquet file is damaged: %s", file, what)
	}
}

func readParquet(in File) (*Table, error) {
	f, err := parquet.OpenFile(bytes.NewReader(in.Data), int64(len(in.Data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read as Parquet: %w", in.Name, err)
	}
	leaves, err := leavesOf(in.Name, f)
	if err != nil {
		return nil, err
	}
	rows := f.NumRows()
	if rows < 1 || rows > math.MaxInt32 || len(leaves) == 0 {
		return nil, fmt.Errorf("%s: the file has %d rows of %d columns; 1 to %d rows can be read", in.Name, rows, len(leaves), math.MaxInt32)
	}
	t := &Table{File: in.Name, Width: len(leaves), Most: int(rows)}
	for _, leaf := range leaves {
		t.Names = append(t.Names, leaf.name)
	}
	p := parquetReader{Table: t, leaves: leaves, reader: parquet.NewGenericReader[any](f), cells: make([][]byte, len(leaves))}
	t.Rows = p.all
	return t, nil
}

// A parquetLeaf is a column, and how its values are written as text.
type parquetLeaf struct {
	name  string
	write func(to []byte, v parquet.Value) []byte
}

// leavesOf lists the columns, and refuses those that hold lists or further columns.
func leavesOf(file string, f *parquet.File) ([]parquetLeaf, error) {
	var out []parquetLeaf
	for _, c := range f.Root().Columns() {
		if !c.Leaf() || c.Repeated() {
			return nil, fmt.Errorf("%s: column %q holds lists or further columns; leave it out of the file", file, c.Name())
		}
		out = append(out, parquetLeaf{c.Name(), writerOf(c.Type())})
	}
	return out, nil
}

// writerOf returns the function that writes values of a type: by the meaning that the file declares, otherwise as they are
// stored.
func writerOf(t parquet.Type) func(to []byte, v parquet.Value) []byte {
	if logical := t.LogicalType(); logical != nil {
		switch meant := logical.Value.(type) {
		case *format.DateType:
			return func(to []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(to, time.DateOnly)
			}
		case *format.TimestampType:
			if meant.Unit.Value == nil {
				return writePlain
			}
			unit := meant.Unit.Value.Duration()
			return func(to []byte, v parquet.Value) []byte {
				perSecond := int64(time.Second / unit)
				seconds := v.Int64() / perSecond
				return time.Unix(seconds, (v.Int64()-seconds*perSecond)*int64(unit)).UTC().AppendFormat(to, time.RFC3339Nano)
			}
		case *format.DecimalType:
			if t.Kind() == parquet.Int32 || t.Kind() == parquet.Int64 {
				return func(to []byte, v parquet.Value) []byte { return appendDecimal(to, v, int(meant.Scale)) }
			}
		case *format.IntType:
			if !meant.IsSigned {
				return func(to []byte, v parquet.Value) []byte {
					if v.Kind() == parquet.Int32 {
						return strconv.AppendUint(to, uint64(v.Uint32()), 10)
					}
					return strconv.AppendUint(to, v.Uint64(), 10)
				}
			}
		}
	}
	return writePlain
}

// appendDecimal writes a whole number with its last digits, scale in number, behind the point.
func appendDecimal(to []byte, v parquet.Value, scale int) []byte {
	whole := v.Int64()
	if v.Kind() == parquet.Int32 {
		whole = int64(v.Int32())
	}
	size := uint64(whole)
	if whole < 0 {
		to, size = append(to, '-'), -size
	}
	digits := fmt.Sprintf("%0*d", scale+1, size)
	if point := len(digits) - scale; scale > 0 {
		digits = digits[:point] + "." + digits[point:]
	}
	return append(to, digits...)
}

// writePlain writes a value as it is stored.
func writePlain(to []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return append(to, '1')
		}
		return append(to, '0')
	case parquet.Int32:
		return strconv.AppendInt(to, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(to, v.Int64(), 10)
	case parquet.Float:
		return appendNumber(to, float64(v.Float()))
	case parquet.Double:
		return appendNumber(to, v.Double())
	case parquet.ByteArray:
		return append(to, v.ByteArray()...)
	}
	return append(to, v.String()...)
}

func appendNumber(to []byte, x float64) []byte {
	if math.IsNaN(x) {
		return to
	}
	return strconv.AppendFloat(to, x, 'g', -1, 64)
}

type parquetReader struct {
	*Table
	leaves []parquetLeaf
	reader *parquet.GenericReader[any]
	row    int
	text   []byte // of the cells of a row
	cells  [][]byte
}

// all yields the rows.
func (p *parquetReader) all(yield func(Row, error) bool) {
	defer p.reader.Close()
	for {
		some, err := p.some()
		for _, values := range some {
			row, err := p.write(values)
			if !yield(row, err) || err != nil {
				return
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			yield(Row{}, err)
			return
		}
	}
}

// some returns the next rows, and io.EOF after the last one.
func (p *parquetReader) some() (some []parquet.Row, err error) {
	defer damaged(p.File, &err)
	var room [64]parquet.Row
	n, err := p.reader.ReadRows(room[:])
	for i, row := range room[:n] {
		if p.row+i >= p.Most || len(row) != len(p.leaves) {
			return nil, fmt.Errorf("%s: row %d has %d values of %d columns; the file announces %d rows",
				p.File, p.row+i+1, len(row), len(p.leaves), p.Most)
		}
	}
	switch ends := errors.Is(err, io.EOF); {
	case err != nil && !ends:
		return nil, fmt.Errorf("%s: %w", p.File, err)
	case err == nil && n == 0, ends && p.row+n != p.Most:
		return nil, fmt.Errorf("%s: the file announces %d rows and has %d", p.File, p.Most, p.row+n)
	}
	return room[:n], err
}

// write writes the values of a row as text; null is the empty text.
func (p *parquetReader) write(values parquet.Row) (row Row, err error) {
	defer damaged(p.File, &err)
	p.row++
	p.text = p.text[:0]
	for j, v := range values {
		start := len(p.text)
		if !v.IsNull() {
			p.text = p.leaves[j].write(p.text, v)
		}
		p.cells[j] = p.text[start:]
	}
	return Row{Line: p.row, Cells: p.cells}, nil
}
