package read

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

// parseParquet reads a Parquet file of flat columns as a table of text, so that one rule holds for all formats. Numbers keep
// all their digits, true is 1 and false is 0, and null and NaN are the empty value. Dates, times and decimals are written as
// in a CSV file. The line of a row is its number, from 1.
func parseParquet(file string, data []byte, b *budget) (t *table, err error) {
	// The library answers many damaged files with a panic.
	defer func() {
		if said := recover(); said != nil {
			what, _, _ := strings.Cut(fmt.Sprint(said), "\n")
			t, err = nil, fmt.Errorf("%s: the Parquet file is damaged: %s", file, what)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be read as Parquet: %w", file, err)
	}
	leaves, err := leavesOf(file, f)
	if err != nil {
		return nil, err
	}
	width, rows := len(leaves), f.NumRows()
	if rows < 1 || width == 0 {
		return nil, fmt.Errorf("%s: the file has no data rows", file)
	}
	memory := plus(product(rows, lineBytes), product(rows, int64(width), cellBytes+2)) // at least two bytes of text a cell
	if rows > math.MaxInt32 || !b.fits(memory) {
		return nil, b.refuse(memory, "take fewer rows or columns", "%s: %d rows of %d columns", file, rows, width)
	}
	t = &table{file: file, cells: make([]span, int(rows)*width), lines: make([]int32, rows)}
	for i := range t.lines {
		t.lines[i] = int32(i + 1)
	}
	for _, leaf := range leaves {
		t.names = append(t.names, leaf.name)
	}
	p := parquetReader{t: t, budget: b, leaves: leaves}
	for _, group := range f.RowGroups() {
		if err := p.group(group); err != nil {
			return nil, err
		}
	}
	if p.next != len(t.lines) {
		return nil, fmt.Errorf("%s: the file announces %d rows and has %d", file, len(t.lines), p.next)
	}
	t.hint = encodingHint(file, t.buf)
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
	t      *table
	budget *budget
	leaves []parquetLeaf
	next   int // the row that is read next
}

// group reads the rows of a group.
func (p *parquetReader) group(group parquet.RowGroup) error {
	rows := group.Rows()
	defer rows.Close()
	var some [64]parquet.Row
	for {
		n, err := rows.ReadRows(some[:])
		for _, row := range some[:n] {
			if p.next == len(p.t.lines) || len(row) != len(p.leaves) {
				return fmt.Errorf("%s: row %d has %d values of %d columns; the file announces %d rows", p.t.file, p.next+1, len(row), len(p.leaves), len(p.t.lines))
			}
			for j, v := range row {
				if err := p.put(v, j); err != nil {
					return err
				}
			}
			p.next++
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", p.t.file, err)
		case n == 0:
			return fmt.Errorf("%s: the rows end after row %d", p.t.file, p.next)
		}
	}
}

// put writes a value of column j as text; null is the empty text.
func (p *parquetReader) put(v parquet.Value, j int) error {
	start := len(p.t.buf)
	if !v.IsNull() {
		p.t.buf = p.leaves[j].write(p.t.buf, v)
	}
	end := len(p.t.buf)
	if size := int64(end - start); !p.budget.fits(size) || end > math.MaxInt32 {
		return p.budget.refuse(size, "take fewer rows or columns", "%s: %d bytes of values", p.t.file, end)
	}
	p.t.cells[p.next*len(p.leaves)+j] = span{uint32(start), uint32(end)}
	return nil
}
