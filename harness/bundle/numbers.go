package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A stored is a column as the file has it. A column whose values are all zero is left out.
type stored struct {
	Name string `json:"name"`
	// Texts are the different texts of the column, or its reals as text. The numbers are places in them then.
	Texts []string `json:"texts,omitempty"`
	// Steps has the difference of each number to the number before it, the first to 0; "3*9" is 3 nine times. If all
	// numbers are equal, it has the first one only.
	Steps string `json:"steps"`
	// Less are earlier columns, whose steps were subtracted. Of counts that add up, little but zeros is left.
	Less []term `json:"less,omitempty"`
}

const maxTerms = 4 // of a column; the counts of two classes need two

// A term is the steps of a column, subtracted Times times, which is 1 or -1.
type term struct {
	Column string `json:"column"`
	Times  int64  `json:"times"`
}

// columns returns the columns of a tree that are not zero everywhere.
func (c *column) columns() (out []stored) {
	var earlier []*column
	c.each(func(c *column) {
		if c.used {
			out, earlier = append(out, c.stored(earlier)), append(earlier, c)
		}
	})
	return out
}

func (c *column) stored(earlier []*column) stored {
	rest := slices.Clone(c.numbers)
	for i := len(rest) - 1; i > 0; i-- {
		rest[i] -= rest[i-1]
	}
	s := stored{Name: c.name, Texts: c.texts}
	if slices.Max(c.numbers) == slices.Min(c.numbers) {
		rest = rest[:1]
	} else {
		c.steps = slices.Clone(rest)
		for range maxTerms {
			by, times := closest(rest, earlier)
			if by == nil {
				break
			}
			subtract(rest, by.steps, times)
			s.Less = append(s.Less, term{by.name, times})
		}
	}
	var text []byte
	for i, n := 0, 0; i < len(rest); i += n {
		for n = 1; i+n < len(rest) && rest[i+n] == rest[i]; n++ {
		}
		if text = strconv.AppendInt(text, rest[i], 10); n > 1 {
			text = strconv.AppendInt(append(text, '*'), int64(n), 10)
		}
		text = append(text, ' ')
	}
	s.Steps = strings.TrimSuffix(string(text), " ")
	return s
}

func subtract(rest, steps []int64, times int64) {
	for i, s := range steps {
		rest[i] -= times * s
	}
}

// closest returns the earlier column that makes rest smallest, or nil if none saves a fiftieth of the bits.
func closest(rest []int64, earlier []*column) (by *column, times int64) {
	size := func(steps []int64, times int64) (n int) {
		for i, v := range rest {
			v -= times * steps[i]
			n += bits.Len64(uint64(v<<1 ^ v>>63))
		}
		return n
	}
	least := size(rest, 0) * 49 / 50
	for _, c := range earlier {
		for t := int64(-1); t <= 1 && len(c.steps) == len(rest); t += 2 {
			if n := size(c.steps, t); n < least {
				least, by, times = n, c, t
			}
		}
	}
	return by, times
}

// load gives the columns their numbers and texts.
func load(root *column, file []stored) error {
	columns := map[string]*column{}
	root.each(func(c *column) { columns[c.name] = c })
	for _, s := range file {
		c := columns[s.Name]
		if c == nil {
			return fmt.Errorf("it has column %q, which this program does not know; use the bench that wrote it", s.Name)
		}
		if c.numbers != nil {
			return damaged(fmt.Errorf("column %s is there twice", s.Name))
		}
		if err := c.load(s, columns); err != nil {
			return damaged(fmt.Errorf("column %s: %w", s.Name, err))
		}
	}
	root.each(func(c *column) { c.steps = nil })
	return nil
}

func (c *column) load(s stored, columns map[string]*column) (err error) {
	steps, err := c.parse(s.Steps)
	if err != nil {
		return err
	}
	if len(s.Less) > maxTerms || !c.tree.take(int64(len(s.Texts)), reflect.TypeFor[reflect.Value]().Size()) {
		return cmp.Or(c.tree.err, errors.New("it has too many terms"))
	}
	for _, t := range s.Less {
		by := columns[t.Column]
		if by == nil || len(by.steps) != len(steps) || t.Times*t.Times != 1 {
			return fmt.Errorf("%d times %q cannot be added", t.Times, t.Column)
		}
		subtract(steps, by.steps, -t.Times)
	}
	c.numbers = slices.Clone(steps)
	for i := range steps[1:] {
		c.numbers[i+1] += c.numbers[i]
	}
	if len(steps) > 1 {
		c.steps = steps
	}
	for _, text := range s.Texts {
		v := reflect.New(c.of).Elem()
		switch {
		case c.of.Kind() == reflect.String:
			v.SetString(text)
		case c.of.Kind() == reflect.Float64:
			var x float64
			x, err = strconv.ParseFloat(text, 64)
			v.SetFloat(x)
		case c.of == jsonType && json.Valid([]byte(text)):
			v.SetBytes([]byte(text))
		case text != "":
			err = fmt.Errorf("%q is no JSON", text)
		}
		if err != nil {
			return err
		}
		c.values = append(c.values, v)
	}
	return nil
}

// parse returns the steps that a text has.
func (c *column) parse(text string) ([]int64, error) {
	steps := make([]int64, 0, strings.Count(text, " ")+1)
	for word := range strings.FieldsSeq(text) {
		step, times, many := strings.Cut(word, "*")
		n, err := strconv.ParseInt(step, 10, 64)
		count := int64(1)
		if many && err == nil {
			count, err = strconv.ParseInt(times, 10, 64)
		}
		if err != nil || count < 1 {
			return nil, fmt.Errorf("%q is no step", word)
		}
		if !c.tree.take(count, 2*8) { // for the steps, and for the numbers
			return nil, c.tree.err
		}
		for range count {
			steps = append(steps, n)
		}
	}
	if len(steps) == 0 {
		return nil, errors.New("it has no numbers")
	}
	return steps, nil
}
