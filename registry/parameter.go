package registry

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Parameter describes one parameter of a method, for listings and for checks.
type Parameter struct {
	Name    string          `json:"name"`
	Default json.RawMessage `json:"default"`
	// Range says which values are allowed. It is an interval of numbers such as [0,1], (0,1] or [1,), where a square
	// bracket includes the end and a missing end is infinite; or single values; or several of these with | between
	// them, as in -1|[1,) and gini|entropy. An empty Range allows every value of the default's kind.
	Range   string `json:"range,omitempty"`
	Integer bool   `json:"integer,omitempty"` // numbers must be whole
	Means   string `json:"means,omitempty"`   // one line, for people
	// Mixed, only for a method of [DefineRaw], lets one parameter be a number, string, boolean or null. It then has no
	// range.
	Mixed bool `json:"mixed,omitempty"`

	intervals []interval
	choices   []string // numbers in strconv's shortest form, strings as they are
}

// An interval holds the numbers between two ends; a missing end is infinite.
type interval struct {
	low, high         float64
	openLow, openHigh bool
}

var intervalText = regexp.MustCompile(`^([\[(])([^,]*),([^,]*)([\])])$`)

func (p Parameter) parsed() (Parameter, error) {
	p.intervals, p.choices = nil, nil
	if p.Range == "" {
		return p, nil
	}
	for _, text := range strings.Split(p.Range, "|") {
		m := intervalText.FindStringSubmatch(text)
		if m == nil {
			if text == "" || strings.ContainsAny(text, "[](),") {
				return p, fmt.Errorf("range %q of parameter %s: %q is neither an interval such as [1,) nor a single "+
					"value", p.Range, p.Name, text)
			}
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				text = shortest(v)
			}
			p.choices = append(p.choices, text)
			continue
		}
		in := interval{low: math.Inf(-1), high: math.Inf(1), openLow: m[1] == "(", openHigh: m[4] == ")"}
		for _, end := range []struct {
			text string
			into *float64
		}{{m[2], &in.low}, {m[3], &in.high}} {
			if end.text == "" {
				continue
			}
			v, err := strconv.ParseFloat(end.text, 64)
			if err != nil {
				return p, fmt.Errorf("range %q of parameter %s: %q is not a number", p.Range, p.Name, end.text)
			}
			*end.into = v
		}
		p.intervals = append(p.intervals, in)
	}
	return p, nil
}

// allows reports whether v, a number as float64, a string or a boolean, is in the range.
func (p *Parameter) allows(v any) bool {
	number, isNumber := v.(float64)
	if isNumber && (!finite(number) || p.Integer && number != math.Trunc(number)) {
		return false
	}
	if isNumber {
		for _, in := range p.intervals {
			if (number > in.low || number == in.low && !in.openLow) && (number < in.high || number == in.high &&
				!in.openHigh) {
				return true
			}
		}
	}
	if len(p.choices) > 0 {
		text := fmt.Sprint(v)
		if isNumber {
			text = shortest(number)
		}
		return slices.Contains(p.choices, text)
	}
	return p.Range == ""
}

// Allowed says in words which values the parameter may have. It returns "" if the parameter is neither a number, a
// string nor a boolean.
func (p Parameter) Allowed() string {
	if read, err := p.parsed(); err == nil {
		p = read
	}
	if p.Mixed {
		return "a number, a string, true, false or null"
	}
	words := slices.Clone(p.choices)
	for _, in := range p.intervals {
		words = append(words, in.words(p.Integer))
	}
	if len(words) > 0 {
		return alternatives(words)
	}
	switch kind(p.Default) {
	case '0':
		return interval{low: math.Inf(-1), high: math.Inf(1)}.words(p.Integer)
	case '"':
		return "a string"
	case 't':
		return "true or false"
	}
	return ""
}

func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (in interval) words(integer bool) string {
	below, above := math.IsInf(in.low, -1), math.IsInf(in.high, 1)
	noun := "a finite number"
	switch {
	case integer:
		noun = "an integer"
	case !below && !above:
		noun = "a number"
	}
	low, high := "of at least "+shortest(in.low), "at most "+shortest(in.high)
	if in.openLow {
		low = "above " + shortest(in.low)
	}
	if in.openHigh {
		high = "below " + shortest(in.high)
	}
	switch {
	case below && above:
		return noun
	case above:
		return noun + " " + low
	case below && in.openHigh:
		return noun + " " + high
	case below:
		return noun + " of " + high
	case !in.openLow && !in.openHigh:
		return fmt.Sprintf("%s from %s to %s", noun, shortest(in.low), shortest(in.high))
	}
	return noun + " " + low + " and " + high
}

// shortest writes a number with the digits it needs, without an exponent if it is not large or tiny.
func shortest(v float64) string {
	if size := math.Abs(v); size >= 1e-4 && size < 1e15 || v == 0 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// kind names the kind of a JSON value by a character with which it begins: '0' for numbers and 't' for
// booleans, or 0 if there is none.
func kind(raw json.RawMessage) byte {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "":
		return 0
	case text[0] == '-' || text[0] >= '0' && text[0] <= '9':
		return '0'
	case text[0] == 'f':
		return 't'
	}
	return text[0]
}

// refusal returns the error for a value, in JSON, that is not allowed. It quotes a number in the form of the database,
// since a decoded number has lost its notation.
func (p *Parameter) refusal(method string, value json.RawMessage) error {
	var number float64
	if kind(value) == '0' && json.Unmarshal(value, &number) == nil {
		if written, err := json.Marshal(number); err == nil {
			value = written
		}
	}
	return fmt.Errorf("%s: %s = %s; it must be %s", method, p.Name, value, p.Allowed())
}

// A field is a parameter that a struct holds.
type field struct {
	at     []int  // for reflect.Value.FieldByIndex
	absent string // the value that settings leave out; see Define
	Parameter
}

// fieldsOf describes the exported fields of t, a struct or a pointer to one, by their JSON names and their tags range
// and means. Their defaults are zero. The fields of an embedded struct count as fields of t, as in JSON. Other types
// have no fields.
func fieldsOf(t reflect.Type) ([]field, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	var out []field
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct {
			continue // its fields follow
		}
		if name == "" {
			name = f.Name
		}
		zero, err := json.Marshal(reflect.Zero(f.Type).Interface())
		if !f.IsExported() || name == "-" || err != nil {
			continue // not in JSON, or not always there
		}
		p, err := Parameter{Name: name, Default: zero, Range: f.Tag.Get("range"), Integer: isInteger(f.Type),
			Means: f.Tag.Get("means")}.parsed()
		if err != nil {
			return nil, err
		}
		out = append(out, field{f.Index, f.Tag.Get("absent"), p})
	}
	return out, nil
}

func isInteger(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 }

// parametersOf describes the fields of t whose values the defaults hold.
func parametersOf(t reflect.Type, defaults json.RawMessage) ([]Parameter, error) {
	fields, err := fieldsOf(t)
	if err != nil || len(fields) == 0 {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(defaults, &values); err != nil {
		return nil, err
	}
	var out []Parameter
	for _, f := range fields {
		value, there := values[f.Name]
		if !there && f.absent != "" {
			if value, there = json.RawMessage(f.absent), true; kind(f.Default) == '"' {
				value = json.RawMessage(strconv.Quote(f.absent))
			}
		}
		if there {
			f.Default = value
			out = append(out, f.Parameter)
		}
	}
	return out, nil
}

// within returns an error for the first field of v, a struct or a pointer to one, that is outside its range.
func within(method string, fields []field, v reflect.Value) error {
	for i := range fields {
		f := &fields[i]
		if f.Range == "" {
			continue
		}
		value := reflect.Indirect(v).FieldByIndex(f.at)
		if f.absent != "" && value.IsZero() || f.allows(scalar(value)) {
			continue
		}
		raw, err := json.Marshal(value.Interface())
		if err != nil {
			raw = fmt.Append(nil, value.Interface()) // an infinity has no JSON
		}
		return f.refusal(method, raw)
	}
	return nil
}

// scalar returns v as Parameter.allows takes it.
func scalar(v reflect.Value) any {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	return v.Interface()
}
