package strictjson

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/kernelboosting/bench/internal/wording"
)

// A wrong is a value that a type cannot hold, or a field in another case than the one that is meant.
type wrong struct {
	at    jsontext.Pointer
	is    string
	want  reflect.Type
	meant string
}

func (w *wrong) Error() string {
	if w.meant != "" {
		return fmt.Sprintf("the field %s must be written %q", path(w.at), w.meant)
	}
	return fmt.Sprintf("%s is %s; %s is wanted", path(w.at), w.is, wanted(w.want))
}

// explain returns the error in the words of JSON, with the place as a path such as "scores[0]".
func explain(err error) error {
	var meaning *jsonv2.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &meaning) && meaning.Err == jsonv2.ErrUnknownName:
		return fmt.Errorf("the field %s is not known here", path(meaning.JSONPointer))
	case errors.As(err, &meaning) && (meaning.Err == nil || meaning.JSONValue != nil) && meaning.GoType != nil:
		is := kinds[meaning.JSONKind]
		if meaning.JSONValue != nil {
			is = short(string(meaning.JSONValue))
		}
		return &wrong{at: meaning.JSONPointer, is: is, want: meaning.GoType}
	case errors.As(err, &meaning) && meaning.Err != nil: // of a type that reads itself, or a list of another length
		return fmt.Errorf("%s: %w", path(meaning.JSONPointer), meaning.Err)
	case errors.As(err, &syntax) && errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		return fmt.Errorf("the field %s comes twice", path(syntax.JSONPointer))
	case errors.As(err, &syntax) && errors.Is(syntax.Err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the JSON is cut at %s, after %d bytes: %w",
			path(syntax.JSONPointer), syntax.ByteOffset, io.ErrUnexpectedEOF)
	case errors.As(err, &syntax):
		return fmt.Errorf("it is no JSON at %s, after %d bytes: %w",
			path(syntax.JSONPointer), syntax.ByteOffset, syntax.Err)
	}
	return err
}

var kinds = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '"': "a text", '0': "a number", '{': "an object", '[': "a list",
}

func wanted(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return wanted(t.Elem())
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.String:
		return "a text"
	case kind == reflect.Float64:
		return "a number"
	case kind == reflect.Float32:
		return "a number of 32 bits"
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		return "a whole number that fits " + kind.String()
	case kind == reflect.Slice || kind == reflect.Array:
		return "a list"
	case kind == reflect.Struct || kind == reflect.Map:
		return "an object"
	}
	return "another value"
}

// path writes a pointer as people write places: scores[0], cells[3].Score.
func path(p jsontext.Pointer) string {
	var out strings.Builder
	for part := range p.Tokens() {
		switch {
		case strings.Trim(part, "0123456789") == "" && part != "":
			fmt.Fprintf(&out, "[%s]", part)
		case out.Len() > 0:
			out.WriteString("." + part)
		default:
			out.WriteString(part)
		}
	}
	if out.Len() == 0 {
		return "the whole value"
	}
	return short(out.String())
}

// short cuts what a hostile writer may make long, and spells out what a terminal obeys.
func short(s string) string {
	if s = wording.Spelled(s); len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "..."
	}
	return s
}
