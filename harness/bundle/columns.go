package bundle

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// A column is the values of one field, cell after cell, each as a number. Columns form a tree, as types do: a struct is
// its fields, a list its length and its items, and a pointer a list of at most one item. A text or a real is its place
// in the list of those that differ. No field is named here, so that a new field is written and read without a change.
type column struct {
	tree  *tree
	of    reflect.Type
	parts []*column     // the fields of a struct, or the item of a list
	item  reflect.Value // where a value of a score is before it is written, and after it was read

	stored
	used   bool             // the file has the column
	places map[string]int64 // of the texts that were written
	values []reflect.Value  // of the texts that were read

	last   int64   // the last number
	step   int64   // the difference of last to the number before it
	before *column // in a score, the value before this one
	sum    int64   // step plus the step of before: counts that add up have opposite steps
	times  int64   // how often sum comes one after another, or still comes
	sums   []byte  // what was written
}

// A stored is a column as the file has it. Columns whose values are all zero are left out.
type stored struct {
	Name  string   `json:"name"`
	Texts []string `json:"texts,omitempty"` // that differ, and reals as text
	Sums  string   `json:"sums"`            // "3*9" is 3 nine times
}

// A tree is what its columns share.
type tree struct {
	reads  bool           // else it writes
	fields []result.Field // of scores
	bytes  int64          // the memory that the items of lists take
	texts  int            // of all columns that were read
	err    error          // the first
}

func (t *tree) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

var (
	scoreType = reflect.TypeFor[result.Score]()
	jsonType  = reflect.TypeFor[json.RawMessage]()
	textType  = reflect.TypeFor[string]()
)

func newColumn(t *tree, name string, of reflect.Type) *column {
	c := &column{tree: t, of: of, item: reflect.New(of).Elem(), stored: stored{Name: name}, places: map[string]int64{}}
	part := func(part string, of reflect.Type) { c.parts = append(c.parts, newColumn(t, name+part, of)) }
	switch kind := of.Kind(); {
	case of == scoreType: // the number of its rows, and values that it may have
		part(".n", reflect.TypeFor[int]())
		for i, f := range t.fields {
			if f.Kind == result.Real {
				part("."+f.Name, reflect.TypeFor[*float64]())
			} else {
				part("."+f.Name, reflect.TypeFor[*int64]())
			}
			if i > 0 {
				c.parts[i+1].parts[0].before = c.parts[i].parts[0]
			}
		}
	case kind == reflect.Struct:
		for f := range of.Fields() {
			if f.Anonymous { // as in JSON, its fields are the struct's own
				part("", f.Type)
			} else {
				part("."+f.Name, f.Type)
			}
		}
	case of != jsonType && (kind == reflect.Slice || kind == reflect.Pointer):
		part("[]", of.Elem())
	}
	return c
}

// each calls do for a column and all below it.
func (c *column) each(do func(*column)) {
	do(c)
	for _, p := range c.parts {
		p.each(do)
	}
}

// visit writes the value of v, or reads the next value into v, which is zero before.
func (c *column) visit(v reflect.Value) {
	t := c.tree
	switch kind := c.of.Kind(); {
	case c.of == scoreType:
		c.score(v.Addr().Interface().(*result.Score))
	case kind == reflect.Struct:
		for i, p := range c.parts {
			p.visit(v.Field(i))
		}
	case kind == reflect.String || c.of == jsonType:
		c.text(v, v.Convert(textType).String())
	case kind == reflect.Float64:
		c.text(v, strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case kind == reflect.Slice:
		n := c.number(int64(v.Len()), 0, MaxMemory)
		if t.bytes += n * int64(c.of.Elem().Size()); t.bytes > MaxMemory {
			t.fail("these are too many results for one file; write several, of some methods or sets each")
		} else if t.reads && n > 0 {
			v.Set(reflect.MakeSlice(c.of, int(n), int(n)))
		}
		for i := 0; i < v.Len() && t.err == nil; i++ {
			c.parts[0].visit(v.Index(i))
		}
	case kind == reflect.Pointer:
		if c.flag(!v.IsNil()) {
			if t.reads {
				v.Set(reflect.New(c.of.Elem()))
			}
			c.parts[0].visit(v.Elem())
		}
	case kind == reflect.Bool:
		v.SetBool(c.flag(v.Bool()))
	case v.CanInt():
		v.SetInt(c.number(v.Int(), math.MinInt64, math.MaxInt64))
	default:
		v.SetUint(uint64(c.number(int64(v.Uint()), 0, 1<<v.Type().Bits()-1)))
	}
}

// score is visit for a score.
func (c *column) score(s *result.Score) {
	c.parts[0].visit(reflect.ValueOf(&s.N).Elem())
	for i, f := range c.tree.fields {
		list, value := c.parts[i+1], any(nil)
		item := list.parts[0]
		if !c.tree.reads {
			value = f.Value(s)
		}
		if !list.flag(value != nil) {
			continue
		}
		if value != nil {
			item.item.Set(reflect.ValueOf(value))
		}
		item.visit(item.item)
		if !c.tree.reads {
			continue
		}
		if err := f.Set(s, item.item.Interface()); err != nil {
			c.tree.fail("%w", err)
		}
	}
}

// text is visit for a value that the file has as text.
func (c *column) text(v reflect.Value, s string) {
	if c.tree.reads {
		if n := c.number(0, 0, math.MaxInt64); n < int64(len(c.values)) {
			v.Set(c.values[n])
		} else if c.used {
			c.tree.fail("column %s has no text %d", c.Name, n)
		}
		return
	}
	at, there := c.places[s]
	if !there {
		at = int64(len(c.Texts))
		c.places[s], c.Texts = at, append(c.Texts, s)
	}
	c.number(at, 0, at)
	c.used = c.used || !v.IsZero()
}

// flag is number for 1 if something is so, else 0.
func (c *column) flag(is bool) bool {
	if is {
		return c.number(1, 0, 1) == 1
	}
	return c.number(0, 0, 1) == 1
}

// number writes n, or reads the next number, which is at least least and at most most.
func (c *column) number(n, least, most int64) int64 {
	other := int64(0)
	if c.before != nil {
		other = c.before.step
	}
	switch {
	case !c.tree.reads:
		if sum := n - c.last + other; sum != c.sum || c.times == 0 {
			c.flush()
			c.sum = sum
		}
		c.times++
		c.used = c.used || n != 0
	case c.used:
		if c.times == 0 {
			c.advance()
		}
		c.times--
		n = c.last + c.sum - other
	}
	c.last, c.step = n, n-c.last
	if n < least || n > most {
		c.tree.fail("column %s has %d", c.Name, n)
		return max(least, 0)
	}
	return n
}

// flush appends the sum to those that are written.
func (c *column) flush() {
	if c.times > 0 {
		c.sums = fmt.Appendf(c.sums, " %d", c.sum)
	}
	if c.times > 1 {
		c.sums = fmt.Appendf(c.sums, "*%d", c.times)
	}
	c.times = 0
}

// advance reads the next sum.
func (c *column) advance() {
	word, rest, _ := strings.Cut(c.Sums, " ")
	sum, times, many := strings.Cut(word, "*")
	var err error
	if c.sum, err = strconv.ParseInt(sum, 10, 64); err == nil && many {
		c.times, err = strconv.ParseInt(times, 10, 64)
	}
	if c.Sums, c.times = rest, max(c.times, 1); err != nil {
		c.tree.fail("column %s has too few numbers, or %q is none", c.Name, word)
	}
}

// columns returns what is written, sorted by name: the order of fields in their types does not matter.
func (c *column) columns() []stored {
	out := []stored{}
	c.each(func(c *column) {
		if c.flush(); c.used {
			c.Sums = strings.TrimSpace(string(c.sums))
			out = append(out, c.stored)
		}
	})
	slices.SortFunc(out, func(a, b stored) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// load gives the column what a file has.
func (c *column) load(s stored) error {
	if c.tree.texts += len(s.Texts); c.tree.texts > mostTexts {
		return fmt.Errorf("its columns have more than %d texts", mostTexts)
	}
	c.used, c.stored = true, s
	c.values = make([]reflect.Value, len(s.Texts))
	for i, text := range s.Texts {
		v, err := c.parse(text)
		if err != nil {
			return fmt.Errorf("column %s: %w", s.Name, err)
		}
		c.values[i] = v
	}
	return nil
}

// parse returns the value that a file has as text.
func (c *column) parse(text string) (reflect.Value, error) {
	switch v := reflect.ValueOf(text); {
	case c.of.Kind() == reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		return reflect.ValueOf(x), err
	case c.of == jsonType && !json.Valid([]byte(text)):
		return v, fmt.Errorf("%q is no JSON", text)
	case !v.CanConvert(c.of):
		return v, fmt.Errorf("%q is no number", text)
	default:
		return v.Convert(c.of), nil
	}
}
