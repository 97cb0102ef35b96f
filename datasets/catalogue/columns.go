package catalogue

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Column names a column by its header, or by its number from 0; negative
// numbers count from the end. In TOML it is a string or an integer. In a list of
// columns it may also be a range that includes both of its ends, or all columns that
// are neither label, nor group, nor dropped.
type Column struct {
	Index int     `json:"index"`
	Name  string  `json:"name,omitempty"`
	To    *Column `json:"to,omitempty"`  // the last column of a range whose length only the file tells
	All   bool    `json:"all,omitempty"` // every column with no other use
}

// UnmarshalTOML implements toml.Unmarshaler.
func (c *Column) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case int64:
		*c = Column{Index: int(v)}
	case string:
		if v == "" {
			return fmt.Errorf("a column's name is empty; give its number instead")
		}
		*c = Column{Name: v}
	default:
		return fmt.Errorf("column %v is neither a name nor a number", v)
	}
	return nil
}

// String returns the column as it is written in TOML.
func (c Column) String() string {
	switch {
	case c.All:
		return `"all"`
	case c.To != nil:
		first := c
		first.To = nil
		return fmt.Sprintf("{from = %s, to = %s}", first, *c.To)
	case c.Name != "":
		return fmt.Sprintf("%q", c.Name)
	}
	return fmt.Sprint(c.Index)
}

// A ColumnList is what drop and categorical hold. In TOML it is a list, or one
// column alone; {from = 3, to = 7} stands for the columns 3 to 7, and the string
// "all", not in a list, for every column with no other use. Ranges of numbers are
// spelled out when they are read, so that both spellings are one reading.
type ColumnList []Column

// UnmarshalTOML implements toml.Unmarshaler.
func (l *ColumnList) UnmarshalTOML(v any) error {
	if v == "all" {
		*l = ColumnList{{All: true}}
		return nil
	}
	values := listOf(v)
	out := make(ColumnList, 0, len(values))
	for _, each := range values {
		ends, isRange := each.(map[string]any)
		if !isRange {
			var c Column
			if err := c.UnmarshalTOML(each); err != nil {
				return err
			}
			out = append(out, c)
			continue
		}
		columns, err := readRange(ends)
		if err != nil {
			return err
		}
		out = append(out, columns...)
	}
	*l = out
	return nil
}

// listOf returns the elements of a list in TOML, or a value without a list as the only element.
func listOf(v any) (values []any) {
	switch v := v.(type) {
	case []any:
		return v
	case []map[string]any: // the decoder's type for a list that holds tables only
		for _, t := range v {
			values = append(values, t)
		}
		return values
	}
	return []any{v}
}

func readRange(ends map[string]any) ([]Column, error) {
	from, hasFrom := ends["from"]
	to, hasTo := ends["to"]
	if !hasFrom || !hasTo || len(ends) != 2 {
		return nil, fmt.Errorf("a range of columns is written {from = 3, to = 7}, with numbers or names of both ends")
	}
	var first, last Column
	if err := first.UnmarshalTOML(from); err != nil {
		return nil, err
	}
	if err := last.UnmarshalTOML(to); err != nil {
		return nil, err
	}
	return spell(first, last)
}

// maxRange bounds a range: a longer range is a typing mistake.
const maxRange = 1 << 20

// spell lists the columns of a range. It returns the range itself if only the file
// tells which columns the range has.
func spell(first, last Column) ([]Column, error) {
	if first.Name != "" || last.Name != "" || (first.Index < 0) != (last.Index < 0) {
		first.To = &last
		return []Column{first}, nil
	}
	switch {
	case last.Index < first.Index:
		return nil, fmt.Errorf("the range of columns from %s to %s is empty; write the smaller number first", first,
			last)
	case last.Index-first.Index >= maxRange:
		return nil, fmt.Errorf("the range of columns from %s to %s has more than %d columns; write the numbers of "+
			"both ends again", first, last, maxRange)
	}
	out := make([]Column, last.Index-first.Index+1)
	for i := range out {
		out[i].Index = first.Index + i
	}
	return out, nil
}

// numbered replaces names by numbers where the entry names all columns, so that a
// name corrected later changes no fingerprint.
func (e *Entry) numbered(c Column) Column {
	if c.Name == "" {
		return c
	}
	if i := slices.Index(e.Columns, c.Name); i >= 0 {
		return Column{Index: i}
	}
	return c
}

// numberedList replaces names, ranges and "all" by numbers in the same way.
func (e *Entry) numberedList(list ColumnList) (ColumnList, error) {
	if list == nil {
		return nil, nil
	}
	out := ColumnList{}
	for _, c := range list {
		switch {
		case c.All:
			out = append(out, e.remaining()...)
		case c.To != nil:
			first, last := c, *c.To
			first.To = nil
			columns, err := spell(e.fromStart(e.numbered(first)), e.fromStart(e.numbered(last)))
			if err != nil {
				return nil, err
			}
			out = append(out, columns...)
		default:
			out = append(out, e.numbered(c))
		}
	}
	return out, nil
}

// fromStart turns a number that counts from the end into one from the start.
func (e *Entry) fromStart(c Column) Column {
	if c.Name == "" && c.Index < 0 {
		c.Index += len(e.Columns)
	}
	return c
}

// remaining lists the numbers of all columns but label, group, drop and dates.
func (e *Entry) remaining() []Column {
	taken := map[int]bool{}
	for _, c := range []*Column{e.Label, e.Group} {
		if c != nil {
			taken[e.fromStart(*c).Index] = true
		}
	}
	for _, c := range slices.Concat(e.Drop, e.Dates) {
		taken[e.fromStart(c).Index] = true
	}
	var out []Column
	for i := range e.Columns {
		if !taken[i] {
			out = append(out, Column{Index: i})
		}
	}
	return out
}

// Texts is a list of labels or of names. In TOML it is a list or one value alone,
// and a number stands for its text: positive = 2 is positive = ["2"].
type Texts []string

// UnmarshalTOML implements toml.Unmarshaler.
func (l *Texts) UnmarshalTOML(v any) error {
	values := listOf(v)
	out := make(Texts, 0, len(values))
	for _, each := range values {
		switch each := each.(type) {
		case string:
			out = append(out, each)
		case int64:
			out = append(out, strconv.FormatInt(each, 10))
		case float64:
			if math.IsNaN(each) || math.IsInf(each, 0) {
				return fmt.Errorf("%v is no number to compare labels with; write the text in quotes", each)
			}
			out = append(out, strconv.FormatFloat(each, 'g', -1, 64))
		default:
			return fmt.Errorf("%v is neither a text nor a number; write it in quotes", each)
		}
	}
	*l = out
	return nil
}

// Marks are the texts that stand for missing values. In TOML they are written as Texts.
type Marks []string

// UnmarshalTOML implements toml.Unmarshaler.
func (m *Marks) UnmarshalTOML(v any) error { return (*Texts)(m).UnmarshalTOML(v) }

// IsZero reports whether the marks read files as no marks do: there are none, or the empty value is the only mark.
func (m Marks) IsZero() bool { return len(m) == 0 || len(m) == 1 && m[0] == "" }

// MarshalJSON writes a single mark as a string, so that the JSON of older readings keeps its bytes.
func (m Marks) MarshalJSON() ([]byte, error) {
	if len(m) == 1 {
		return json.Marshal(m[0])
	}
	return json.Marshal([]string(m))
}

// String returns the list as it is written in TOML.
func (l Texts) String() string {
	quoted := make([]string, len(l))
	for i, text := range l {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
