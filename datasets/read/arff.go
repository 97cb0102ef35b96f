package read

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// parseARFF parses Weka's attribute-relation format: @attribute lines, then @data
// with one row a line. A row is values separated by commas, or a sparse row in braces,
// {index value, ...}. A value that a sparse row leaves out is 0, or the first level of a
// nominal attribute. Keywords ignore case, % begins a comment line, names and values may be
// quoted with ' or " with \ before a quote inside. The types are numeric, real,
// integer, {level, ...}, string and date. An attribute of type string or date must be
// dropped or listed as categorical. parseARFF changes buf, and the table keeps buf.
func parseARFF(file string, buf []byte, b *budget) (*table, error) {
	buf, err := checkText(file, buf)
	if err != nil {
		return nil, err
	}
	p := arffParser{t: &table{file: file, buf: buf, hint: encodingHint(file, buf)}, budget: b}
	for int(p.pos) < len(buf) {
		line := p.nextLine()
		if trimmed := bytes.TrimSpace(p.t.buf[line.start:line.end]); len(trimmed) == 0 || trimmed[0] == '%' {
			continue
		}
		if p.inData {
			err = p.row(line)
		} else {
			err = p.declaration(line)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case len(p.t.names) == 0:
		return nil, fmt.Errorf("%s: the file has no @attribute line; is it an ARFF file?", file)
	case p.t.Rows() == 0:
		return nil, fmt.Errorf("%s: the file has no data rows after @data", file)
	}
	return p.t, nil
}

type arffParser struct {
	t        *table
	pos      uint32
	line     int
	inData   bool
	budget   *budget
	defaults []span // per column, the value that sparse rows leave out
}

// Estimates of what an attribute and one of its levels take beside their text.
const (
	attributeBytes = 256
	levelBytes     = 256
)

func (p *arffParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.t.file, p.line, fmt.Sprintf(format, args...))
}

func (p *arffParser) nextLine() span {
	start := p.pos
	p.line++
	end := start
	if i := bytes.IndexByte(p.t.buf[start:], '\n'); i >= 0 {
		end, p.pos = start+uint32(i), start+uint32(i)+1
	} else {
		end = uint32(len(p.t.buf))
		p.pos = end
	}
	return span{start, end}
}

// declaration reads a line before @data.
func (p *arffParser) declaration(line span) error {
	c := cursor{buf: p.t.buf, pos: line.start, end: line.end}
	keyword := strings.ToLower(string(c.until(" \t\r")))
	switch keyword {
	case "@relation":
		return nil
	case "@attribute":
		return p.attribute(&c)
	case "@data":
		return p.beginData(line)
	}
	return p.errorf("%q is not @relation, @attribute or @data; begin a comment with %%", clip([]byte(keyword)))
}

// beginData takes the memory of all rows. Rows may need much more memory than their bytes
// in the file: a sparse row of two braces has a value for every attribute.
func (p *arffParser) beginData(line span) error {
	p.inData = true
	p.t.buf[line.start] = '0' // the @data line is read, so this byte can hold the zero that sparse rows leave out
	for j, levels := range p.t.levels {
		if levels == nil {
			p.defaults[j] = span{line.start, line.start + 1}
		}
	}
	rows, cells := p.count()
	memory := plus(product(int64(rows), lineBytes), product(cells, cellBytes))
	if !p.budget.fits(memory) {
		return p.budget.refuse(memory, "take fewer rows or attributes", "%s:%d: %d rows of %d attributes", p.t.file, p.line, rows, len(p.t.names))
	}
	p.t.lines, p.t.cells = make([]int32, 0, rows), make([]span, 0, cells)
	return nil
}

// count counts the rows and the most values that they can have.
func (p *arffParser) count() (rows int, cells int64) {
	width := len(p.t.names)
	for line := range bytes.Lines(p.t.buf[p.pos:]) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '%' {
			continue
		}
		rows++
		if line[0] == '{' {
			cells += int64(width)
		} else {
			cells += int64(min(width, bytes.Count(line, []byte(","))+1))
		}
	}
	return rows, cells
}

func (p *arffParser) attribute(c *cursor) error {
	name, err := c.value(" \t\r")
	if err != nil {
		return p.errorf("name of the attribute: %v", err)
	}
	if name.start == name.end {
		return p.errorf("the attribute has no name; write @attribute name type")
	}
	label := string(p.t.buf[name.start:name.end])
	if memory := int64(attributeBytes + len(label)); !p.budget.fits(memory) {
		return p.budget.refuse(memory, "take fewer attributes", "%s:%d: %d attributes up to here", p.t.file, p.line, len(p.t.names)+1)
	}
	var levels map[string]bool
	var first span
	c.skip(" \t\r")
	if c.at('{') {
		c.pos++
		if levels, first, err = p.levels(c); err != nil {
			return p.errorf("attribute %q: %v", label, err)
		}
	} else {
		switch kind := strings.ToLower(string(c.until(" \t\r"))); kind {
		case "numeric", "real", "integer", "string", "date":
		default:
			return p.errorf("attribute %q: type %q is not numeric, real, integer, string, date or a list of levels in braces", label, kind)
		}
	}
	p.t.names = append(p.t.names, label)
	p.t.levels = append(p.t.levels, levels)
	p.defaults = append(p.defaults, first)
	return nil
}

// row reads a line after @data, dense or sparse.
func (p *arffParser) row(line span) error {
	width := len(p.t.names)
	if width == 0 {
		return p.errorf("@data comes before any @attribute")
	}
	c := cursor{buf: p.t.buf, pos: line.start, end: line.end}
	c.skip(" \t\r")
	n := width
	var err error
	if c.at('{') {
		c.pos++
		first := len(p.t.cells)
		p.t.cells = append(p.t.cells, p.defaults...)
		err = p.sparse(&c, p.t.cells[first:])
	} else {
		n, err = p.dense(&c, width)
	}
	if err != nil {
		return err
	}
	if n != width {
		return p.errorf("the row has %d values and there are %d attributes; repair the row", n, width)
	}
	p.t.lines = append(p.t.lines, int32(p.line))
	return p.checkLevels()
}

// dense reads values separated by commas, keeps up to width of them and returns how
// many there are.
func (p *arffParser) dense(c *cursor, width int) (n int, err error) {
	for {
		v, err := c.value(",")
		if err != nil {
			return n, p.errorf("value %d: %v", n, err)
		}
		if n++; n <= width {
			p.t.cells = append(p.t.cells, v)
		}
		if !c.at(',') {
			return n, nil
		}
		c.pos++
	}
}

func (p *arffParser) sparse(c *cursor, row []span) error {
	for previous := -1; ; {
		c.skip(" \t\r")
		if c.at('}') && previous < 0 {
			return p.closeRow(c)
		}
		text := c.until(" \t\r,}")
		index, err := strconv.Atoi(string(text))
		if err != nil || index <= previous || index >= len(row) {
			return p.errorf("sparse index %q is not a number above %d and below %d; indices count from 0 and ascend", clip(text), previous, len(row))
		}
		v, err := c.value(",}")
		if err != nil {
			return p.errorf("sparse value of index %d: %v", index, err)
		}
		row[index], previous = v, index
		if c.at('}') {
			return p.closeRow(c)
		}
		if !c.at(',') {
			return p.errorf("the sparse row is not closed by }")
		}
		c.pos++
	}
}

// closeRow reads the brace that ends a sparse row.
func (p *arffParser) closeRow(c *cursor) error {
	c.pos++
	if c.skip(" \t\r"); c.pos < c.end {
		return p.errorf("text follows the } of the sparse row; instance weights are not supported")
	}
	return nil
}

// checkLevels compares the last row's nominal values with their declarations.
func (p *arffParser) checkLevels() error {
	i := p.t.Rows() - 1
	for j, levels := range p.t.levels {
		if levels == nil {
			continue
		}
		if text := p.t.Text(i, j); !levels[string(text)] && string(text) != "?" {
			return p.t.errorf(i, j, "is not a level of its @attribute line; repair one of them")
		}
	}
	return nil
}

// A cursor reads tokens of one line.
type cursor struct {
	buf      []byte
	pos, end uint32
}

func (c *cursor) at(b byte) bool { return c.pos < c.end && c.buf[c.pos] == b }

func (c *cursor) skip(set string) {
	for c.pos < c.end && strings.IndexByte(set, c.buf[c.pos]) >= 0 {
		c.pos++
	}
}

// until skips blanks and returns the text up to a byte of stops.
func (c *cursor) until(stops string) []byte {
	c.skip(" \t\r")
	start := c.pos
	for c.pos < c.end && strings.IndexByte(stops, c.buf[c.pos]) < 0 {
		c.pos++
	}
	return c.buf[start:c.pos]
}

// value reads a quoted or plain value up to a byte of stops, which it leaves
// unread; blanks around it are skipped.
func (c *cursor) value(stops string) (span, error) {
	c.skip(" \t\r")
	if !c.at('\'') && !c.at('"') {
		text := c.until(stops)
		start := c.pos - uint32(len(text))
		return span{start, start + uint32(len(bytes.TrimRight(text, " \t\r")))}, nil
	}
	quote := c.buf[c.pos]
	c.pos++
	v := span{c.pos, c.pos}
	for ; c.pos < c.end && c.buf[c.pos] != quote; c.pos++ {
		if c.buf[c.pos] == '\\' && c.pos+1 < c.end {
			c.pos++
		}
		c.buf[v.end] = c.buf[c.pos]
		v.end++
	}
	if c.pos >= c.end {
		return v, fmt.Errorf("a quote is opened and not closed on the line")
	}
	c.pos++
	if !strings.Contains(stops, " ") {
		c.skip(" \t\r")
	}
	if c.pos < c.end && strings.IndexByte(stops, c.buf[c.pos]) < 0 {
		return v, fmt.Errorf("text follows the closing quote")
	}
	return v, nil
}

// levels reads a nominal attribute's list after its opening brace and returns where
// its first level is.
func (p *arffParser) levels(c *cursor) (levels map[string]bool, first span, err error) {
	levels = map[string]bool{}
	for {
		v, err := c.value(",}")
		if err != nil {
			return nil, first, err
		}
		level := string(c.buf[v.start:v.end])
		if levels[level] {
			return nil, first, fmt.Errorf("level %q is listed twice", level)
		}
		if memory := int64(levelBytes + len(level)); !p.budget.fits(memory) {
			return nil, first, p.budget.refuse(memory, "take fewer levels", "%d levels", len(levels)+1)
		}
		if len(levels) == 0 {
			first = v
		}
		levels[level] = true
		if c.at('}') {
			return levels, first, nil
		}
		if !c.at(',') {
			return nil, first, fmt.Errorf("the list of levels is not closed by }")
		}
		c.pos++
	}
}
