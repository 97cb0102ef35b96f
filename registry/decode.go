package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// decoder returns a function that reads a setting into a fresh copy of the defaults.
//
// Assigning a struct copies its maps, slices and pointers, but not what they refer to, and JSON is read into existing
// maps and slices. So settings would change each other and the defaults. A type with such fields therefore gets its
// defaults from JSON each time, and this JSON must reproduce them.
func decoder[P any](name string, defaults P) func(json.RawMessage) (P, error) {
	fresh := func() (P, error) { return defaults, nil }
	if refers(reflect.TypeFor[P]()) {
		canonical, err := json.Marshal(defaults)
		fresh = func() (p P, _ error) {
			if err != nil {
				return p, fmt.Errorf("%s parameters: %w", name, err)
			}
			return p, json.Unmarshal(canonical, &p)
		}
		if p, err := fresh(); err == nil && !reflect.DeepEqual(p, defaults) {
			panic(fmt.Sprintf("registry: the defaults of method %s are %#v, and %#v when read back from their JSON "+
				"%s: in a struct with a map, a slice or a pointer every field must have a JSON form that gives it "+
				"back (numbers in an interface come back as float64)", name, defaults, p, canonical))
		}
	}
	fields, err := fieldsOf(reflect.TypeFor[P]())
	if err != nil {
		panic(fmt.Sprintf("registry: method %s: %v", name, err))
	}
	return func(raw json.RawMessage) (P, error) {
		p, err := fresh()
		if err != nil {
			return p, err
		}
		if len(raw) > 0 {
			if err := noNulls(name, fields, raw); err != nil {
				return p, err
			}
			d := json.NewDecoder(bytes.NewReader(raw))
			d.DisallowUnknownFields()
			if err := d.Decode(&p); err != nil {
				return p, misfit(name, fields, raw, err)
			}
		}
		for _, f := range fields {
			if value := reflect.Indirect(reflect.ValueOf(&p).Elem()).FieldByIndex(f.at); f.absent != "" &&
				value.Kind() == reflect.String && value.String() == f.absent {
				value.SetString("")
			}
		}
		if err := within(name, fields, reflect.ValueOf(&p).Elem()); err != nil {
			return p, err
		}
		if err := validate(&p); err != nil {
			return p, fmt.Errorf("%s parameters %s: %w", name, raw, err)
		}
		return p, nil
	}
}

// noNulls refuses null as the value of a parameter, unless the parameter may be null. encoding/json would keep the
// default in silence. A program in JavaScript writes NaN as null.
func noNulls(method string, fields []field, raw json.RawMessage) error {
	var given map[string]json.RawMessage
	if !bytes.Contains(raw, []byte("null")) || json.Unmarshal(raw, &given) != nil {
		return nil // the decoder says what is wrong
	}
	for i := range fields {
		f := &fields[i]
		if value := given[f.Name]; string(value) == "null" && string(f.Default) != "null" {
			return f.refusal(method, value)
		}
	}
	return nil
}

// misfit returns the error of a setting that P cannot hold. For a value of the wrong kind the error says what the
// parameter may be.
func misfit(method string, fields []field, raw json.RawMessage, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		var given map[string]json.RawMessage
		if json.Unmarshal(raw, &given) == nil {
			name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] // without the embedded struct's
			for i := range fields {
				f := &fields[i]
				if value := given[f.Name]; f.Name == name && value != nil && f.Allowed() != "" {
					return f.refusal(method, value)
				}
			}
		}
	}
	return fmt.Errorf("%s parameters %s: %w", method, raw, err)
}

// validate calls the method Validate of P or of *P, if there is one.
func validate[P any](p *P) error {
	v, ok := any(p).(interface{ Validate() error })
	if !ok {
		v, ok = any(*p).(interface{ Validate() error }) // P is a pointer itself
	}
	if !ok {
		return nil
	}
	return v.Validate()
}

// refers reports whether values of type t share memory when one is assigned to another.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.String:
		return false
	}
	return t.Kind() > reflect.Complex128 // kinds up to Complex128 are numbers and booleans
}
