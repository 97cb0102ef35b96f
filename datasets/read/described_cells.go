package read

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// cells are all values of a file as text, which are looked at column by column.
type cells struct {
	*Table
	odd   []oddLine // lines with another number of columns than most, which are not among the rows
	lines []int     // of each row
	first []int     // of each row: the number of its first cell
	ends  []uint32  // of each cell: where it ends in text
	text  []byte
}

// An oddLine is a line with its number of columns, and its cells.
type oddLine struct {
	line, columns int
	text          string
}

// foundBytes estimates what is kept of a column besides its values: its name, what was found of it, and the hash of
// its values.
const foundBytes = 400

// readCells reads all cells of a file. In a format with headers the line that names the columns is a row, too. Of a
// sparse file it reads the labels, even of a row whose pairs cannot be read: loading the set reports the error of it.
func readCells(f *Format, in File) (*cells, error) {
	in.Ragged = true
	t, err := f.Read(in)
	if err != nil {
		return nil, err
	}
	if t.Sparse {
		t.Width = 1
	}
	c := &cells{Table: t}
	const rowBytes, endBytes = 2 * 16, 4
	if memory := Sum(int64(len(in.Data)), Product(int64(t.MaxRows), rowBytes)); !in.Fits(memory) {
		return nil, in.Refuse(memory, "take fewer rows", "%s: %d rows", in.Name, t.MaxRows)
	}
	if memory := Product(int64(t.Width), foundBytes); !in.Fits(memory) {
		return nil, in.Refuse(memory, "take fewer columns", "%s: %d columns", in.Name, t.Width)
	}
	counts := map[int]int{}
	var unread error // of the first row of a sparse file that cannot be read
	for row, err := range t.Rows {
		if err != nil && !t.Sparse {
			return nil, err
		}
		unread = cmp.Or(unread, err)
		n := len(row.Cells)
		if row.At != nil && n > 0 {
			n = t.Width
		}
		if t.Sparse && n == 0 {
			continue
		}
		if memory := int64(n) * endBytes; !in.Fits(memory) || len(c.text) > math.MaxInt32 {
			return nil, in.Refuse(memory, "take fewer rows or columns", "%s: %d rows up to here", in.Name, len(c.lines))
		}
		counts[n]++
		c.lines, c.first = append(c.lines, row.Line), append(c.first, len(c.ends))
		for j := range n {
			c.text = append(c.text, t.Cell(row, j)...)
			c.ends = append(c.ends, uint32(len(c.text)))
		}
	}
	if c.lines == nil {
		return nil, cmp.Or(unread, fmt.Errorf("%s: the file has no data rows", in.Name))
	}
	c.Width, c.Rows = mostFrequent(counts), nil // the content of the file is not held any longer
	c.keepRegular()
	return c, nil
}

// keepRegular keeps the rows with as many cells as there are columns.
func (c *cells) keepRegular() {
	kept := 0
	for i, line := range c.lines {
		end := len(c.ends)
		if i+1 < len(c.first) {
			end = c.first[i+1]
		}
		if n := end - c.first[i]; n != c.Width {
			c.odd = append(c.odd, oddLine{line, n, c.shown(i, n)})
			continue
		}
		c.lines[kept], c.first[kept] = line, c.first[i]
		kept++
	}
	c.lines, c.first = c.lines[:kept], c.first[:kept]
}

func (c *cells) rows() int { return len(c.lines) }

// at returns the value of row i in column j.
func (c *cells) at(i, j int) []byte {
	k, start := c.first[i]+j, uint32(0)
	if k > 0 {
		start = c.ends[k-1]
	}
	return c.text[start:c.ends[k]]
}

// shown writes the n cells of row i for people.
func (c *cells) shown(i, n int) string {
	var out []string
	for j := range min(n, 8) {
		out = append(out, clip(c.at(i, j)))
	}
	return strings.Join(out, ", ")
}

// empty reports that no row has a value in column j.
func (c *cells) empty(j int) bool {
	for i := range c.rows() {
		if len(c.at(i, j)) > 0 {
			return false
		}
	}
	return true
}
