// Package must says in one line what a test expects of an error: none, so that the test ends where there is one, or one
// that says something. What a text must hold and what a value must be are said as briefly. A function that finds
// another value or text than the test expects calls testing.T.Errorf, which marks the test as failed and
// lets the code of the test go on.
//
//	set := must.Get(read.Load(ctx, files, entry))(t)
//	must.Do(t, model.Save(&b))
//	must.Say(t, must.Err(read.Load(ctx, files, wrong)), "has no rows")
//	must.Hold(t, page, "a heading", "a note")
//	must.Be(t, len(rows), 3, "rows of", set.Name)
package must

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
)

// A T is a test, a benchmark, a fuzz test or a property.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Get returns a function that gives v, or ends the test with err. Go lets a call with two results be the only arguments
// of another, so that the test comes in a second pair of parentheses.
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Get2 is Get for calls with two values.
func Get2[V, W any](v V, w W, err error) func(T) (V, W) {
	return func(t T) (V, W) {
		t.Helper()
		Do(t, err)
		return v, w
	}
}

// Do ends the test with err if there is one.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Err returns the error of a call with a value.
func Err[V any](_ V, err error) error { return err }

// Say reports err unless it is an error whose message contains text.
func Say(t T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one that says %q", err, text)
	}
}

// Hold reports each string of parts that the string text does not contain.
func Hold(t T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%.5000s", part, text)
		}
	}
}

// Lack reports each string of parts that the string text contains.
func Lack(t T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in\n%.5000s", part, text)
		}
	}
}

// Have reports each of the strings items that the strings list do not contain.
func Have(t T, list []string, items ...string) {
	t.Helper()
	for _, item := range items {
		if !slices.Contains(list, item) {
			t.Errorf("%q is not among\n%q", item, list)
		}
	}
}

// Begin reports the string text unless it begins with the string start.
func Begin(t T, text, start string) {
	t.Helper()
	if !strings.HasPrefix(text, start) {
		t.Errorf("%.5000q does not begin with %q", text, start)
	}
}

// Is reports err unless it is target, as errors.Is says.
func Is(t T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("error %v, want %v", err, target)
	}
}

// Panic reports the function f unless it panics with a string that contains text.
func Panic(t T, text string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); !strings.Contains(got, text) || got == "" {
			t.Errorf("panic %q, want one that says %q", got, text)
		}
	}()
	f()
}

// Near reports the number got unless its distance from want is at most within. of is as for Be.
func Near(t T, got, want, within float64, of ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf(strings.Repeat("%v: ", len(of))+"%v, want %v within %.3g", append(of, got, want, within)...)
	}
}

// Be reports the value got unless it equals want in each of its parts. of says which of several values differs.
func Be[V any](t T, got, want V, of ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf(strings.Repeat("%v: ", len(of))+"%v, want %v", append(of, got, want)...)
	}
}
