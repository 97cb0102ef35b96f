package read

import (
	"fmt"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// Cells are the values of a file as text. Package describe uses them to find out how the file is to be read.
type Cells struct {
	Odd   []OddLine // lines with another number of columns than most, which are not among the rows
	Names []string  // of the columns of an ARFF or Parquet file; nil for other files

	*table
}

// An OddLine is a line with its number, from 1, and its columns.
type OddLine struct{ Line, Columns int }

// CellsOf divides the content of a file into cells. The format is csv, blank, arff or parquet. separator is for csv. In a
// csv or blank file a line that names the columns is a row, too. memory is the bytes that the cells may take. CellsOf
// changes data and keeps it.
func CellsOf(file string, data []byte, format string, separator byte, memory int64) (*Cells, error) {
	b := &budget{limit: memory}
	if format == catalogue.ARFF || format == catalogue.Parquet {
		parse := parseARFF
		if format == catalogue.Parquet {
			parse = parseParquet
		}
		t, err := parse(file, data, b)
		if err != nil {
			return nil, err
		}
		return &Cells{Names: t.names, table: t}, nil
	}
	if format == catalogue.Blank {
		separator = blankSeparator
	}
	buf, err := checkText(file, data)
	if err != nil {
		return nil, err
	}
	lines, cells := countCells(buf, separator)
	if memory := plus(product(int64(lines), 2*lineBytes), product(int64(cells), 2*cellBytes)); !b.fits(memory) {
		return nil, b.refuse(memory, "take fewer rows or columns", "%s: %d lines with %d values", file, lines, cells)
	}
	s := csvScanner{file: file, buf: buf, sep: separator, line: 1, cells: make([]span, 0, cells)}
	var starts, at []int // of each record: its first cell and its line
	for s.pos < len(s.buf) {
		line, start := s.line, len(s.cells)
		if err := s.record(); err != nil {
			return nil, err
		}
		if len(s.cells) > start {
			starts, at = append(starts, start), append(at, line)
		}
	}
	if starts == nil {
		return nil, fmt.Errorf("%s: the file has no data rows", file)
	}
	return cellsOf(file, &s, append(starts, len(s.cells)), at), nil
}

// cellsOf keeps the records with the most frequent number of cells.
func cellsOf(file string, s *csvScanner, starts, at []int) *Cells {
	count, width := map[int]int{}, 0
	for i := range at {
		n := starts[i+1] - starts[i]
		if count[n]++; count[n] > count[width] || count[n] == count[width] && n > width {
			width = n
		}
	}
	c := &Cells{table: &table{file: file, buf: s.buf, names: make([]string, width), hint: encodingHint(file, s.buf)}}
	for i, line := range at {
		if n := starts[i+1] - starts[i]; n != width {
			c.Odd = append(c.Odd, OddLine{line, n})
			continue
		}
		c.cells = append(c.cells, s.cells[starts[i]:starts[i+1]]...)
		c.lines = append(c.lines, int32(line))
	}
	return c
}

// Line returns the line of row i, from 1.
func (c *Cells) Line(i int) int { return int(c.lines[i]) }

// Encoding says where the file is no UTF-8 text, "" if it is.
func (c *Cells) Encoding() string { return c.hint }
