package describe

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/wording"
)

// sample is how much of a file decides its format.
const sample = 1 << 16

// A sparseLine has values that are numbers, which tells it from a line with a time of day, such as 2020-01-01 12:30:00,1.5,yes.
var sparseLine = regexp.MustCompile(`^\S+(\s+\d+:[-+.0-9eE]+)+\s*(#.*)?$`)

// formatOf finds the format of a file, and the separator of csv.
func formatOf(path string, data []byte, memory int64) (format string, separator byte) {
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return catalogue.Parquet, 0
	}
	head := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(head) > sample {
		end := bytes.LastIndexByte(head[:sample], '\n')
		if end < 0 { // the first line is longer
			end = sample + bytes.IndexByte(head[sample:], '\n')
		}
		head = head[:end+1]
	}
	sparse, lines := 0, 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '%' || line[0] == '#' {
			continue
		}
		if lines == 0 && bytes.HasPrefix(bytes.ToLower(line), []byte("@")) {
			return catalogue.ARFF, 0
		}
		if lines++; sparseLine.Match(line) {
			sparse++
		}
	}
	if sparse > 0 && 2*sparse > lines {
		return catalogue.LIBSVM, 0
	}
	best := 0.0
	format, separator = catalogue.CSV, ','
	for _, c := range []struct {
		format string
		sep    byte
	}{{catalogue.CSV, '\t'}, {catalogue.CSV, ';'}, {catalogue.CSV, '|'}, {catalogue.CSV, ','}, {catalogue.Blank, 0}} {
		cells, err := read.CellsOf(path, bytes.Clone(head), c.format, c.sep, memory)
		if err != nil || cells.Columns() < 2 {
			continue
		}
		if share := float64(cells.Rows()) / float64(cells.Rows()+len(cells.Odd)); share > best+0.05 {
			best, format, separator = share, c.format, c.sep
		}
	}
	return format, separator
}

// findHeader decides whether the first line names the columns. No name is a number or missing, except that spreadsheets and
// pandas leave the first name empty. In at least one column no further row has the name as its value.
func (s *source) findHeader() {
	cells := s.parts[0]
	if cells.Names != nil {
		s.names = cells.Names
		return
	}
	names, differs := make([]string, cells.Columns()), false
	for j := range names {
		text := cells.Text(0, j)
		_, number := wording.ParseDecimal(text)
		_, comma := read.CommaNumber(text)
		if number || comma || read.NotationOf(text, "") != read.NoNumber || read.IsMissingMark(text) && (j > 0 || len(text) > 0) {
			s.names = make([]string, cells.Columns())
			return
		}
		names[j] = string(text)
		again := false
		for i := 1; i < cells.Rows() && !again; i++ {
			again = bytes.Equal(cells.Text(i, j), text)
		}
		differs = differs || !again
	}
	if s.header = differs; s.header {
		s.first, s.names = 1, names
	} else {
		s.names = make([]string, cells.Columns())
	}
}

// findDecimal decides whether numbers have a decimal comma: at least one column has decimal commas, and no column has
// decimal points.
func (s *source) findDecimal(d *Description) {
	if s.format != catalogue.CSV && s.format != catalogue.Blank {
		return
	}
	var commas, points []string
	sure := false // some comma is not followed by exactly three digits, so that it cannot separate thousands
	for j := range s.parts[0].Columns() {
		comma, point, known := 0, 0, 0
		for i := range s.rows() {
			text := s.text(i, j)
			if read.IsMissingMark(text) {
				continue
			}
			known++
			if _, ok := read.CommaNumber(text); ok && bytes.IndexByte(text, ',') >= 0 {
				comma++
				sure = sure || read.NotationOf(text, "") == read.DecimalComma
			}
			if _, ok := wording.ParseDecimal(text); ok && bytes.IndexByte(text, '.') >= 0 {
				point++
			}
		}
		switch {
		case comma > 0 && 5*comma > known:
			commas = append(commas, s.nameOf(j))
		case point > 0 && 5*point > known:
			points = append(points, s.nameOf(j))
		}
	}
	switch {
	case !sure:
	case commas != nil && points == nil:
		s.decimal = ","
	case commas != nil:
		d.problem("numbers have a decimal comma in %s and a decimal point in %s; write one of them throughout the file", listed(commas), listed(points))
	}
}

// nameOf is a column's name for people.
func (s *source) nameOf(j int) string {
	if s.names[j] == "" {
		return fmt.Sprint(j)
	}
	return s.names[j]
}

// byName reports whether a column can be called by its name: it is text, and no other column has it.
func (s *source) byName(j int) bool {
	name := s.names[j]
	return name != "" && utf8.ValidString(name) && slices.Index(s.names, name) == j && !slices.Contains(s.names[j+1:], name)
}
