// Package strictjson reads JSON that another process or another program wrote. encoding/json takes null for a zero, the
// last of two fields with one name, and a field in another case; this package refuses them, and says where.
//
// null is allowed only where a value may be missing or may be anything: in pointers, interfaces and json.RawMessage.
// Numbers must fit their type. Nothing may follow the value.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// common has the forms of encoding/json for durations and arrays of bytes. As there, text that is no UTF-8 is read with
// U+FFFD in the place of the wrong bytes.
var common = jsonv2.JoinOptions(
	jsonv1.FormatDurationAsNano(true), jsonv1.FormatByteArrayAsArray(true), jsontext.AllowInvalidUTF8(true),
)

// Unmarshal reads data into v, a pointer. Fields that v does not know are an error.
func Unmarshal(data []byte, v any) error { return unmarshal(data, v, false) }

// UnmarshalOpen is Unmarshal for formats that other programs extend: it ignores fields that v does not know, unless
// they are known ones in another case.
func UnmarshalOpen(data []byte, v any) error { return unmarshal(data, v, true) }

func unmarshal(data []byte, v any, open bool) error {
	// Only text with these four bytes can hold a null. Other text is read without a second look.
	suspect := bytes.Contains(data, []byte("null"))
	if !suspect {
		err := jsonv2.Unmarshal(data, v, common, jsonv2.RejectUnknownMembers(true))
		if !open || !errors.Is(err, jsonv2.ErrUnknownName) {
			return explain(err)
		}
	}
	if err := Examine(data, v); err != nil {
		return err
	}
	return explain(jsonv2.Unmarshal(data, v, common, jsonv2.RejectUnknownMembers(!open)))
}

// Examine refuses in data the nulls, repeated fields and fields in another case that Unmarshal refuses for v, a
// pointer.
func Examine(data []byte, v any) error {
	d := jsontext.NewDecoder(bytes.NewReader(data), common)
	return explain(examine(d, reflect.TypeOf(v).Elem()))
}

// Marshal writes v in a form that Unmarshal reads. Fields that are zero are left out, among them nil lists, which
// encoding/json writes as null. Text is not escaped for HTML, and raw JSON keeps its notation.
func Marshal(v any) ([]byte, error) {
	return jsonv2.Marshal(v, common, jsonv2.OmitZeroStructFields(true), jsonv2.Deterministic(true),
		jsontext.PreserveRawStrings(true), jsonv1.OmitEmptyWithLegacySemantics(true))
}

// An Encoder writes values by Marshal, each as a line.
type Encoder struct{ w io.Writer }

// NewEncoder returns an encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w} }

// Encode writes v.
func (e *Encoder) Encode(v any) error {
	line, err := Marshal(v)
	if err == nil {
		_, err = e.w.Write(append(line, '\n'))
	}
	return err
}

// A Decoder reads values one after another by Unmarshal.
type Decoder struct{ from *jsontext.Decoder }

// NewDecoder returns a decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder { return &Decoder{jsontext.NewDecoder(r, common)} }

// Decode reads the next value into v. The error is io.EOF if there is none, and wraps io.ErrUnexpectedEOF if the value
// is cut.
func (d *Decoder) Decode(v any) error {
	raw, err := d.from.ReadValue()
	if err == io.EOF {
		return err
	}
	if err != nil {
		return explain(err)
	}
	return Unmarshal(raw, v)
}

var (
	rawType       = reflect.TypeFor[json.RawMessage]()
	unmarshalType = reflect.TypeFor[json.Unmarshaler]()
	textType      = reflect.TypeFor[interface{ UnmarshalText([]byte) error }]()
)

// examine reads the next value, and refuses nulls and names of fields that a value of type t cannot have.
func examine(d *jsontext.Decoder, t reflect.Type) error {
	kind := d.PeekKind()
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t == rawType {
		if kind == 'n' || t.Kind() != reflect.Pointer {
			return d.SkipValue()
		}
		return examine(d, t.Elem())
	}
	if kind == 'n' {
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		return &wrong{at: d.StackPointer(), is: "null", want: t}
	}
	pointer := reflect.PointerTo(t)
	switch own := pointer.Implements(unmarshalType) || pointer.Implements(textType); {
	case kind == '[' && !own && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return members(d, func(string) (reflect.Type, error) { return t.Elem(), nil })
	case kind == '{' && !own && t.Kind() == reflect.Map:
		return members(d, func(string) (reflect.Type, error) { return t.Elem(), nil })
	case kind == '{' && !own && t.Kind() == reflect.Struct:
		fields := map[string]reflect.Type{}
		fieldsOf(t, fields)
		return members(d, func(name string) (reflect.Type, error) {
			if of, known := fields[name]; known {
				return of, nil
			}
			for other := range fields {
				if strings.EqualFold(other, name) {
					return nil, &wrong{at: d.StackPointer(), meant: other}
				}
			}
			return rawType, nil // Unmarshal ignores it or refuses it
		})
	}
	return d.SkipValue() // of another kind, which Unmarshal refuses, or a value without parts
}

// members examines the parts of a list or an object. of returns the type of a part by its name, "" in a list.
func members(d *jsontext.Decoder, of func(name string) (reflect.Type, error)) error {
	inObject := d.PeekKind() == '{'
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != ']' && d.PeekKind() != '}' {
		name := ""
		if inObject {
			token, err := d.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
		}
		var part reflect.Type
		if part, err = of(name); err == nil {
			err = examine(d, part)
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	return err
}

// fieldsOf adds the types of the fields of a struct by their names in JSON. Those of embedded structs count as its own.
func fieldsOf(t reflect.Type, to map[string]reflect.Type) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := f.Type
		if f.Anonymous && of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case name == "-" || !f.Anonymous && !f.IsExported():
		case name == "" && f.Anonymous && of.Kind() == reflect.Struct:
			fieldsOf(of, to)
		case name == "":
			to[f.Name] = f.Type
		default:
			to[name] = f.Type
		}
	}
}
