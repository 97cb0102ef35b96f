package read

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// ARFF is Weka's attribute-relation format: @attribute lines, then @data, and then a row in each line. The values of a
// row are separated by commas or, in a line without a comma, by blanks and tabs. A sparse row is in braces, {index
// value, ...}. A value that it leaves out is 0, or the first level of a nominal attribute. The case of keywords does
// not matter. A comment is a line that begins with %, or it follows a row and begins with %. Names and values may be
// quoted with ' or ". In quotes, \ precedes a quote, and \n, \r and \t are line ends and tabs. A ? without quotes is a
// missing value. The types are numeric, real, integer, {level, ...}, string and date. An attribute of type string or
// date can be an input if the description lists it as categorical or in dates. A date whose format has the year, the
// month and the day as numbers in some order, such as dd/MM/yyyy, becomes one with the year first.
var ARFF = Format{
	Format: catalogue.FormatNamed("arff"),
	Sniff: func(sample []byte) (Options, bool) {
		for line := range bytes.Lines(sample) {
			if line = bytes.TrimSpace(line); !isComment(line) && line[0] != '#' {
				return Options{}, line[0] == '@'
			}
		}
		return Options{}, false
	},
	Trace: arffLine, Read: readARFF,
}

// An arffLine is one before the rows.
var arffLine = regexp.MustCompile(`(?im)^[ \t]*@(relation|attribute|data)`)

// isComment reports whether a line of an ARFF file is empty or a comment.
func isComment(trimmed []byte) bool { return len(trimmed) == 0 || trimmed[0] == '%' }

// readARFF reads the lines up to @data, and counts the rows after it.
func readARFF(f File) (*Table, error) {
	text, t, err := f.text()
	if err != nil {
		return nil, err
	}
	if !arffLine.Match(text) {
		other := "csv"
		if separatorOf(text[:min(sniffed, len(text))]) == blanks {
			other = "blank"
		}
		return nil, fmt.Errorf("%s: the file has no @attribute line, so that it is no ARFF file; write format = %q",
			f.Name, other)
	}
	p := arffParser{Table: t, rest: text, budget: f.Budget, at: []int{}}
	for !p.inData && len(p.rest) > 0 {
		if line := p.nextLine(); !isComment(bytes.TrimSpace(line)) {
			if err := p.declaration(line); err != nil {
				return nil, err
			}
		}
	}
	if t.Width = len(t.Names); t.Width == 0 {
		return nil, fmt.Errorf("%s: the file has no @attribute line; is it an ARFF file?", f.Name)
	}
	t.MaxRows = 0
	for line := range bytes.Lines(p.rest) {
		if !isComment(bytes.TrimSpace(line)) {
			t.MaxRows++
		}
	}
	t.Rows = p.rows
	return t, nil
}

type arffParser struct {
	*Table
	rest   []byte
	line   int
	inData bool
	budget *Budget
	at     []int // room for the columns of a sparse row

	numeric []bool   // whether each attribute is numeric
	orders  [][3]int // of each date the places of its year, month and day; 0 for other attributes and formats
}

// attributeBytes estimates the bytes that an attribute takes in addition to its text.
const attributeBytes = 256

func (p *arffParser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.File, p.line, fmt.Sprintf(format, args...))
}

func (p *arffParser) nextLine() (line []byte) {
	p.line++
	line, p.rest, _ = bytes.Cut(p.rest, []byte("\n"))
	return line
}

// declaration reads a line before @data.
func (p *arffParser) declaration(line []byte) error {
	c := cursor{buf: line}
	keyword := strings.ToLower(string(c.until(" \t\r")))
	switch keyword {
	case "@relation":
		return nil
	case "@attribute":
		return p.attribute(&c)
	case "@data":
		p.inData = true
		return nil
	}
	return p.errorf("%q is not @relation, @attribute or @data; begin a comment with %%", clip(keyword))
}

func (p *arffParser) attribute(c *cursor) error {
	text, err := c.value(" \t\r{")
	if err != nil {
		return p.errorf("name of the attribute: %v", err)
	}
	if len(text) == 0 {
		return p.errorf("the attribute has no name; write @attribute name type")
	}
	name := string(text)
	if memory := int64(attributeBytes + len(name)); !p.budget.Fits(memory) {
		return p.budget.Refuse(memory, "take fewer attributes", "%s:%d: %d attributes up to here", p.File, p.line,
			len(p.Names)+1)
	}
	var levels map[string]bool
	first, numeric, order := zeroText, false, [3]int{}
	c.skip(" \t\r")
	if c.at('{') {
		c.pos++
		if levels, first, err = p.levels(c); err != nil {
			return p.errorf("attribute %q: %v", clip(name), err)
		}
	} else {
		switch kind := strings.ToLower(string(c.until(" \t\r"))); kind {
		case "numeric", "real", "integer":
			numeric = true
		case "date":
			format, err := c.value("\r%")
			if err != nil {
				return p.errorf("attribute %q: format of the date: %v", clip(name), err)
			}
			order = orderOf(format)
		case "string":
		default:
			return p.errorf("attribute %q: type %q is not numeric, real, integer, string, date or a list of levels "+
				"in braces", clip(name), clip(kind))
		}
	}
	p.Names, p.Levels, p.defaults = append(p.Names, name), append(p.Levels, levels), append(p.defaults, first)
	p.numeric, p.orders = append(p.numeric, numeric), append(p.orders, order)
	return nil
}

// threeParts matches a date of three parts, and the format of one.
var threeParts = regexp.MustCompile(`^(\d+|y+|M+|d+)([-/.])(\d+|y+|M+|d+)([-/.])(\d+|y+|M+|d+)(.*)$`)

// orderOf returns the places of the year, the month and the day among the parts of a format of Java's SimpleDateFormat,
// 1, 3 or 5 each. The order is 0 if dates of the format are not read: the year is short, or the month is a word.
func orderOf(format []byte) (order [3]int) {
	m := threeParts.FindSubmatch(format)
	for part := 1; m != nil && part <= 5; part += 2 {
		switch string(m[part]) {
		case "yyyy", "y":
			order[0] = part
		case "MM", "M":
			order[1] = part
		case "dd", "d":
			order[2] = part
		}
	}
	if slices.Contains(order[:], 0) {
		return [3]int{}
	}
	return order
}

// yearFirst writes over a date of another order. It leaves other texts as they are.
func yearFirst(text []byte, order [3]int) {
	if m := threeParts.FindSubmatch(bytes.Clone(text)); m != nil && order[0] > 0 {
		year := slices.Concat(m[order[0]], m[2], m[order[1]], m[4], m[order[2]])
		copy(text, year)
	}
}

func (p *arffParser) rows(yield func(Row, error) bool) {
	row := Row{}
	for len(p.rest) > 0 {
		line := p.nextLine()
		if isComment(bytes.TrimSpace(line)) {
			continue
		}
		row.Line, row.Cells, row.At = p.line, row.Cells[:0], nil
		if err := p.row(line, &row); !yield(row, err) || err != nil {
			return
		}
	}
}

// row reads a line after @data. A % may begin a comment, or belong to a value. So row reads the whole line first. If
// this is an error, it reads the line up to the first %, then up to the second, and so on.
func (p *arffParser) row(line []byte, row *Row) error {
	places := commentStart.FindAllIndex(line, -1)
	if places == nil {
		return p.values(line, row)
	}
	err := p.values(bytes.Clone(line), row) // of a copy, since values writes over quotes
	for _, at := range places {
		if err == nil {
			break
		}
		row.Cells, row.At = row.Cells[:0], nil
		if p.values(bytes.Clone(line[:at[0]]), row) == nil {
			return nil
		}
	}
	return err
}

// A commentStart is where a comment after a row may begin. Without a blank before it a last % is that of a percentage.
var commentStart = regexp.MustCompile(`[ \t]+%|%.`)

// values reads a dense or sparse row without a comment. A number with a commentStart in it is an error, so that row
// tries again without the comment.
func (p *arffParser) values(line []byte, row *Row) error {
	c := cursor{buf: line}
	c.skip(" \t\r")
	if c.at('{') {
		c.pos++
		row.At = p.at[:0]
		if err := p.sparse(&c, row); err != nil {
			return err
		}
		p.at = row.At
	} else if n, err := p.dense(&c, row); err != nil {
		return err
	} else if n == p.Width+1 && bytes.HasSuffix(bytes.TrimSpace(line), []byte("}")) {
		return p.errorf("the row ends in braces; instance weights are not supported")
	} else if n != p.Width {
		return p.errorf("the row has %d values and there are %d attributes; repair the row", n, p.Width)
	}
	for k, text := range row.Cells {
		j := row.Column(k)
		switch levels := p.Levels[j]; {
		case p.numeric[j] && commentStart.Match(text):
			return p.Errorf(p.line, j, text, "is no number")
		case levels != nil && !levels[string(text)] && text != nil && string(text) != "?":
			return p.Errorf(p.line, j, text, "is not a level of its @attribute line; repair one of them")
		case p.orders[j][0] > 0:
			yearFirst(text, p.orders[j])
		}
	}
	return nil
}

// dense reads the values of a row, keeps as many as there are attributes, and returns how many there are.
func (p *arffParser) dense(c *cursor, row *Row) (n int, err error) {
	separators := ","
	if p.Width > 1 && bytes.IndexByte(c.buf, ',') < 0 {
		separators = " \t\r"
	}
	for {
		v, err := c.value(separators)
		if err != nil {
			return n, p.errorf("value %d: %v", n, err)
		}
		if n++; n <= p.Width {
			row.Cells = append(row.Cells, p.known(n-1, c, v))
		}
		if separators != "," {
			c.skip(separators)
			if c.pos == len(c.buf) {
				return n, nil
			}
			continue
		}
		if !c.at(',') {
			return n, nil
		}
		c.pos++
	}
}

// known returns the value of attribute j that the cursor read, and nil for a missing one where ? in quotes is a level.
func (p *arffParser) known(j int, c *cursor, v []byte) []byte {
	if !c.quoted && string(v) == "?" && p.Levels[j]["?"] {
		return nil
	}
	return v
}

func (p *arffParser) sparse(c *cursor, row *Row) error {
	for previous := -1; ; {
		c.skip(" \t\r")
		if c.at('}') && previous < 0 {
			return p.closeRow(c)
		}
		text := c.until(" \t\r,}")
		index, err := strconv.Atoi(string(text))
		if err != nil || index <= previous || index >= p.Width {
			return p.errorf("sparse index %q is not a number above %d and below %d; indices count from 0 and ascend",
				clip(text), previous, p.Width)
		}
		v, err := c.value(",}")
		if err != nil {
			return p.errorf("sparse value of index %d: %v", index, err)
		}
		row.Cells, row.At, previous = append(row.Cells, p.known(index, c, v)), append(row.At, index), index
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
	if c.skip(" \t\r"); c.pos < len(c.buf) {
		return p.errorf("text follows the } of the sparse row; instance weights are not supported")
	}
	return nil
}

// A cursor reads tokens of one line.
type cursor struct {
	buf    []byte
	pos    int
	quoted bool // the last value was
}

func (c *cursor) at(b byte) bool { return c.pos < len(c.buf) && c.buf[c.pos] == b }

func (c *cursor) skip(set string) {
	for c.pos < len(c.buf) && strings.IndexByte(set, c.buf[c.pos]) >= 0 {
		c.pos++
	}
}

// until skips blanks and returns the text up to a byte of stops.
func (c *cursor) until(stops string) []byte {
	c.skip(" \t\r")
	start := c.pos
	for c.pos < len(c.buf) && strings.IndexByte(stops, c.buf[c.pos]) < 0 {
		c.pos++
	}
	return c.buf[start:c.pos]
}

// escaped are the characters that a letter behind \ means in quotes; other characters mean themselves.
var escaped = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}

// value reads a quoted or plain value, and stops before the next byte of stops. It drops blanks around the value. It
// returns a quoted value without its quotes and escapes, and writes over the line for this.
func (c *cursor) value(stops string) ([]byte, error) {
	c.skip(" \t\r")
	if c.quoted = c.at('\'') || c.at('"'); !c.quoted {
		return bytes.TrimRight(c.until(stops), " \t\r"), nil
	}
	quote := c.buf[c.pos]
	c.pos++
	start, end := c.pos, c.pos
	for ; c.pos < len(c.buf) && c.buf[c.pos] != quote; c.pos++ {
		b := c.buf[c.pos]
		if b == '\\' && c.pos+1 < len(c.buf) {
			c.pos++
			if b = c.buf[c.pos]; escaped[b] != 0 {
				b = escaped[b]
			}
		}
		c.buf[end] = b
		end++
	}
	if c.pos >= len(c.buf) {
		return nil, fmt.Errorf("a quote is opened and not closed on the line")
	}
	c.pos++
	if !strings.Contains(stops, " ") {
		c.skip(" \t\r")
	}
	if c.pos < len(c.buf) && strings.IndexByte(stops, c.buf[c.pos]) < 0 {
		return nil, fmt.Errorf("text follows the closing quote")
	}
	return c.buf[start:end], nil
}

// levels reads the list of a nominal attribute's levels, which begins after the opening brace. It returns the levels,
// and the first of them.
func (p *arffParser) levels(c *cursor) (levels map[string]bool, first []byte, err error) {
	levels = map[string]bool{}
	for {
		v, err := c.value(",}")
		if err != nil {
			return nil, nil, err
		}
		level := string(v)
		if levels[level] {
			return nil, nil, fmt.Errorf("level %q is listed twice", clip(level))
		}
		if memory := int64(levelBytes + len(level)); !p.budget.Fits(memory) {
			return nil, nil, p.budget.Refuse(memory, "take fewer levels", "%d levels", len(levels)+1)
		}
		if len(levels) == 0 {
			first = v
		}
		levels[level] = true
		if c.at('}') {
			return levels, first, nil
		}
		if !c.at(',') {
			return nil, nil, fmt.Errorf("the list of levels is not closed by }")
		}
		c.pos++
	}
}
