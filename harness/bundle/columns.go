package bundle

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// A column has one number for each value of a field, cell after cell. Columns form a tree, as types do: a struct is its
// fields, a list its length and its items, and a pointer a list of at most one item. No field is named here, so that a
// new field is written and read without a change.
type column struct {
	tree  *tree
	name  string
	of    reflect.Type
	parts []*column // the fields of a struct, or the item of a list
	item  reflect.Value

	numbers []int64 // whole numbers, lengths of lists, or places in texts
	steps   []int64 // the differences of the numbers, unless all are equal; nil when the numbers are read
	next    int     // the number that is read next
	used    bool    // a value that was written is not zero
	texts   []string
	places  map[string]int64 // of the texts that were written
	values  []reflect.Value  // the texts that were read
}

// A tree is what its columns share.
type tree struct {
	reads  bool           // else it writes
	fields []result.Field // of scores
	bytes  int64          // the memory that the results take
	err    error          // the first
}

func (t *tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// take adds to the memory, and reports whether there is so much.
func (t *tree) take(n int64, each uintptr) bool {
	if n > (MaxMemory-t.bytes)/int64(each) {
		t.fail(errTooMany)
		return false
	}
	t.bytes += n * int64(each)
	return true
}

var (
	scoreType = reflect.TypeFor[result.Score]()
	jsonType  = reflect.TypeFor[json.RawMessage]()
)

func newColumn(t *tree, name string, of reflect.Type) *column {
	c := &column{tree: t, name: name, of: of, places: map[string]int64{}, item: reflect.New(of).Elem()}
	part := func(name string, of reflect.Type) {
		c.parts = append(c.parts, newColumn(t, strings.TrimPrefix(name, "."), of))
	}
	switch kind := of.Kind(); {
	case of == scoreType: // the number of its rows, and values that it may have
		part(name+".n", reflect.TypeFor[int]())
		for _, f := range t.fields {
			if f.Kind == result.Real {
				part(name+"."+f.Name, reflect.TypeFor[*float64]())
			} else {
				part(name+"."+f.Name, reflect.TypeFor[*int64]())
			}
		}
	case kind == reflect.Struct:
		for f := range of.Fields() {
			if f.Anonymous { // as in JSON, its fields are the struct's own
				part(name, f.Type)
			} else {
				part(name+"."+f.Name, f.Type)
			}
		}
	case of != jsonType && (kind == reflect.Slice || kind == reflect.Pointer):
		part(name+"[]", of.Elem())
	}
	return c
}

// each calls do for each column that has numbers.
func (c *column) each(do func(*column)) {
	if c.of.Kind() != reflect.Struct {
		do(c)
	}
	for _, p := range c.parts {
		p.each(do)
	}
}

// visit writes the value of v, or reads the next value into v, which is zero before.
func (c *column) visit(v reflect.Value) {
	switch kind := c.of.Kind(); {
	case c.of == scoreType:
		c.score(v.Addr().Interface().(*result.Score))
	case kind == reflect.Struct:
		for i, p := range c.parts {
			p.visit(v.Field(i))
		}
	case c.of == jsonType:
		c.text(v, string(v.Bytes()))
	case kind == reflect.String:
		c.text(v, v.String())
	case kind == reflect.Float64:
		c.text(v, strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case kind == reflect.Slice:
		n := c.number(int64(v.Len()), 0, math.MaxInt64)
		if c.tree.take(n, c.of.Elem().Size()) && c.tree.reads && n > 0 {
			v.Set(reflect.MakeSlice(c.of, int(n), int(n)))
		}
		for i := range v.Len() {
			c.parts[0].visit(v.Index(i))
		}
	case kind == reflect.Pointer:
		if c.has(!v.IsNil()) {
			if c.tree.reads {
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
			if value = f.Value(s); value != nil {
				item.item.Set(reflect.ValueOf(value))
			}
		}
		if !list.has(value != nil) {
			continue
		}
		if item.visit(item.item); c.tree.reads {
			c.tree.fail(f.Set(s, item.item.Interface()))
		}
	}
}

// text is visit for a value that the file has as text.
func (c *column) text(v reflect.Value, s string) {
	if c.tree.reads {
		if n := c.number(0, 0, int64(len(c.values))-1); int(n) < len(c.values) {
			v.Set(c.values[n])
		}
		return
	}
	at, there := c.places[s]
	if !there {
		at = int64(len(c.texts))
		c.places[s], c.texts = at, append(c.texts, s)
	}
	c.number(at, 0, at)
	c.used = c.used || !v.IsZero()
}

func (c *column) flag(is bool) bool {
	if is {
		return c.number(1, 0, 1) == 1
	}
	return c.number(0, 0, 1) == 1
}

// has is visit for the length of a list of at most one item.
func (c *column) has(is bool) bool { return c.flag(is) && c.tree.take(1, c.of.Elem().Size()) }

// number writes n, or reads and returns the next number.
func (c *column) number(n, least, most int64) int64 {
	if !c.tree.reads {
		c.numbers, c.used = append(c.numbers, n), c.used || n != 0
		return n
	}
	switch c.next++; {
	case len(c.numbers) == 0: // the file lacks the column
		return 0
	case len(c.numbers) == 1: // it is everywhere
		n = c.numbers[0]
	case c.next <= len(c.numbers):
		n = c.numbers[c.next-1]
	default:
		c.tree.fail(fmt.Errorf("column %s has too few numbers", c.name))
	}
	if n < least || n > most {
		c.tree.fail(fmt.Errorf("column %s has %d", c.name, n))
		return max(least, 0)
	}
	return n
}
