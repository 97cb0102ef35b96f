package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
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
	p := parquetReader{t: t, budget: b, width: width}
	for j, leaf := range leaves {
		t.names = append(t.names, leaf.name)
		first := 0
		for _, group := range f.RowGroups() {
			if err := p.column(group.ColumnChunks()[j], leaf, first, j, int(group.NumRows())); err != nil {
				return nil, err
			}
			first += int(group.NumRows())
		}
		if first != int(rows) {
			return nil, fmt.Errorf("%s: column %s has %d values for %d rows", file, t.columnName(j), first, rows)
		}
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
				return func(to []byte, v parquet.Value) []byte {
					return append(to, new(big.Rat).Mul(big.NewRat(wholeOf(v), 1), tenTo(-int64(meant.Scale))).FloatString(int(meant.Scale))...)
				}
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

func wholeOf(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func tenTo(e int64) *big.Rat {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(e, -e)), nil)
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), power)
	}
	return new(big.Rat).SetInt(power)
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
	width  int
	values [512]parquet.Value
}

// column reads the values of one column in one group of rows.
func (p *parquetReader) column(chunk parquet.ColumnChunk, leaf parquetLeaf, first, j, rows int) error {
	pages := chunk.Pages()
	defer pages.Close()
	i := first
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: column %q: %w", p.t.file, leaf.name, err)
		}
		values := page.Values()
		for {
			n, err := values.ReadValues(p.values[:])
			for _, v := range p.values[:n] {
				if i == first+rows {
					return fmt.Errorf("%s: column %q has more values than rows", p.t.file, leaf.name)
				}
				if err := p.put(leaf.write, v, i, j); err != nil {
					return err
				}
				i++
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("%s: column %q: %w", p.t.file, leaf.name, err)
			}
		}
		parquet.Release(page)
	}
	if i != first+rows {
		return fmt.Errorf("%s: column %q has %d values for %d rows", p.t.file, leaf.name, i-first, rows)
	}
	return nil
}

// put writes a value as text; null is the empty text.
func (p *parquetReader) put(write func([]byte, parquet.Value) []byte, v parquet.Value, i, j int) error {
	start := len(p.t.buf)
	if !v.IsNull() {
		p.t.buf = write(p.t.buf, v)
	}
	end := len(p.t.buf)
	if size := int64(end - start); !p.budget.fits(size) || end > math.MaxInt32 {
		return p.budget.refuse(size, "take fewer rows or columns", "%s: %d bytes of values", p.t.file, end)
	}
	p.t.cells[i*p.width+j] = span{uint32(start), uint32(end)}
	return nil
}
