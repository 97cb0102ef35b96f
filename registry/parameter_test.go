package registry

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestRanges: which values a range allows, and its words.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		p       Parameter
		words   string
		allowed []any
		refused []any
	}{
		{Parameter{Default: []byte("1"), Range: "[1,)", Integer: true}, "an integer of at least 1", []any{1.0, 1e15},
			[]any{0.0, 1.5, "1", true}},
		{Parameter{Default: []byte("1"), Range: "[1,30]", Integer: true}, "an integer from 1 to 30", []any{1.0, 30.0},
			[]any{0.0, 31.0}},
		{Parameter{Default: []byte("1"), Range: "(0,)"}, "a finite number above 0", []any{5e-324, 1e308},
			[]any{0.0, -1.0}},
		{Parameter{Default: []byte("1"), Range: "[0,)"}, "a finite number of at least 0", []any{0.0}, []any{-5e-324}},
		{Parameter{Default: []byte("1"), Range: "(0,1]"}, "a number above 0 and at most 1", []any{0.5, 1.0},
			[]any{0.0, 1.1}},
		{Parameter{Default: []byte("1"), Range: "[0.25,1)"}, "a number of at least 0.25 and below 1", []any{0.25},
			[]any{1.0}},
		{Parameter{Default: []byte("1"), Range: "(,3]"}, "a finite number of at most 3", []any{-1e300, 3.0},
			[]any{4.0}},
		{Parameter{Default: []byte("1"), Range: "(,3)"}, "a finite number below 3", []any{2.0}, []any{3.0}},
		{Parameter{Default: []byte("1"), Range: "-1|[1,)", Integer: true}, "-1 or an integer of at least 1",
			[]any{-1.0, 2.0}, []any{0.0, -2.0}},
		{Parameter{Default: []byte(`"a"`), Range: "auto|gini|mse"}, "auto, gini or mse", []any{"gini"},
			[]any{"mae", "", 1.0}},
		{Parameter{Default: []byte("1"), Range: "[0,1000000]"}, "a number from 0 to 1000000", []any{1e6},
			[]any{1e6 + 1}},
		{Parameter{Default: []byte("1"), Integer: true}, "an integer", []any{-7.0}, []any{0.5}},
		{Parameter{Default: []byte("1")}, "a finite number", []any{0.5}, nil},
		{Parameter{Default: []byte("false")}, "true or false", []any{true}, nil},
		{Parameter{Default: []byte(`"x"`)}, "a string", []any{"y"}, nil},
		{Parameter{Default: []byte("[1]")}, "", nil, nil},
	} {
		p := must.Get(c.p.parsed())(t)
		must.Be(t, c.p.Allowed(), c.words, c.p.Range)
		for _, v := range c.allowed {
			must.Be(t, p.allows(v), true, c.p.Range, v)
		}
		for _, v := range c.refused {
			must.Be(t, p.allows(v), false, c.p.Range, v)
		}
	}
	for _, bad := range []string{"[1,", "[a,2]", "[1,2]|", "[1]", "(,x)"} {
		must.Say(t, must.Err((Parameter{Name: "t", Range: bad}).parsed()), bad)
	}
}

// TestEmbeddedStructs: the fields of an embedded struct are parameters like any other, in the order of the JSON.
func TestEmbeddedStructs(t *testing.T) {
	type Common struct {
		T int `json:"t" range:"[1,)" means:"rounds"`
	}
	type params struct {
		A float64 `json:"a"`
		Common
		B float64 `json:"b"`
	}
	s := defineParams(params{Common: Common{T: 3}}, nil)
	var names []string
	for _, p := range s.Parameters() {
		names = append(names, p.Name)
	}
	must.Be(t, strings.Join(names, " "), "a t b", s.Defaults())
	must.Be(t, string(s.Defaults()), `{"a":0,"t":3,"b":0}`, s.Defaults())
	for _, wrong := range []string{`{"t":0}`, `{"t":"x"}`} {
		if _, err := s.does.canonical([]byte(wrong)); err == nil ||
			!strings.HasSuffix(err.Error(), "; it must be an integer of at least 1") {
			t.Errorf("%s gives %v", wrong, err)
		}
	}
}

// TestAbsentParameters: a parameter whose zero settings leave out is listed with the value that the zero means.
// Settings that name this value are those that leave it out.
func TestAbsentParameters(t *testing.T) {
	s := defineParams(struct {
		A    int    `json:"a"`
		Kind string `json:"kind,omitempty" absent:"plain" range:"plain|fancy"`
		On   bool   `json:"on,omitempty" absent:"false"`
		Hid  string `json:"hid,omitempty"`
	}{A: 1}, nil)
	var listed []string
	for _, p := range s.Parameters() {
		listed = append(listed, p.Name+"="+string(p.Default))
	}
	must.Be(t, strings.Join(listed, " "), `a=1 kind="plain" on=false`, "the parameters")
	for setting, want := range map[string]string{
		`{}`: `{"a":1}`, `{"kind":"plain","on":false}`: `{"a":1}`, `{"kind":"fancy"}`: `{"a":1,"kind":"fancy"}`,
		`{"on":true}`: `{"a":1,"on":true}`,
	} {
		if got, err := s.does.canonical([]byte(setting)); err != nil || string(got) != want {
			t.Errorf("%s is %s, not %s: %v", setting, got, want, err)
		}
	}
	if _, err := s.does.canonical([]byte(`{"kind":"x"}`)); err == nil ||
		!strings.HasSuffix(err.Error(), `kind = "x"; it must be plain or fancy`) {
		t.Errorf("another value gives %v", err)
	}
}

type ranged struct {
	T    int     `json:"t" range:"[1,)" means:"rounds"`
	Rate float64 `json:"rate" range:"(0,1]"`
	Kind string  `json:"kind" range:"a|b"`
	Free float64 `json:"free"`
	On   bool    `json:"on" means:"whether it is on"`
}

// Validate checks what no range can.
func (p ranged) Validate() error {
	if p.Kind == "b" && !p.On {
		return errOff
	}
	return nil
}

var errOff = errors.New("kind b must be on")

var rangedDefaults = ranged{T: 3, Rate: 0.5, Kind: "a", On: true}

// TestErrorsQuoteRanges: of typed parameters; those of raw ones are the same by TestRawEqualsTyped.
func TestErrorsQuoteRanges(t *testing.T) {
	s := defineParams(rangedDefaults, nil)
	for raw, want := range map[string]string{
		`{"t":0}`:                   "m: t = 0; it must be an integer of at least 1",
		`{"t":1.5}`:                 "m: t = 1.5; it must be an integer of at least 1",
		`{"t":"x"}`:                 `m: t = "x"; it must be an integer of at least 1`,
		`{"rate":1.25}`:             "m: rate = 1.25; it must be a number above 0 and at most 1",
		`{"rate":1e21}`:             "m: rate = 1e+21; it must be a number above 0 and at most 1",
		`{"rate":1e999}`:            "m: rate = 1e999; it must be a number above 0 and at most 1",
		`{"kind":"c"}`:              `m: kind = "c"; it must be a or b`,
		`{"free":"x"}`:              `m: free = "x"; it must be a finite number`,
		`{"on":1}`:                  "m: on = 1; it must be true or false",
		`{"kind":"b","on":false}`:   "kind b must be on",
		`{"rate":0.5,"colour":"b"}`: `unknown field "colour"`,
	} {
		must.Say(t, must.Err(s.does.canonical(json.RawMessage(raw))), want)
	}
	got, err := json.Marshal(s.Parameters())
	want := `[{"name":"t","default":3,"range":"[1,)","integer":true,"means":"rounds"},{"name":"rate","default":0.5,` +
		`"range":"(0,1]"},` +
		`{"name":"kind","default":"a","range":"a|b"},{"name":"free","default":0},{"name":"on","default":true,` +
		`"means":"whether it is on"}]`
	must.Do(t, err)
	must.Be(t, string(got), want, got)
	var back []Parameter // as another process may describe them
	must.Do(t, json.Unmarshal(got, &back))
	raw := DefineRaw(Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test"}, back, nil,
		func(context.Context, Env, Data, json.RawMessage) (Model, error) { return nil, nil })
	must.Be(t, string(s.Defaults()), string(raw.Defaults()), "defaults")
	for says, define := range map[string]func(){
		"t = 0; it must be": func() { defineParams(ranged{Rate: 1, Kind: "a"}, nil) },
		`range "[1" of`: func() {
			defineParams(struct {
				T int `json:"t" range:"[1"`
			}{}, nil)
		},
		"t = -1; it must be": func() { defineParams(&ranged{T: -1, Rate: 1, Kind: "a"}, nil) },
	} {
		must.Panic(t, says, define)
	}
}

// FuzzRange: a range is refused or can be used.
func FuzzRange(f *testing.F) {
	for _, text := range []string{"", "[1,)", "(0,1]", "-1|[1,)", "auto|gini|mse", "[,]", "[1,2", "|", "[1e999,)",
		"[NaN,1]", "[2,1]"} {
		f.Add(text, 0.5, true)
	}
	f.Fuzz(func(t *testing.T, text string, v float64, integer bool) {
		p, err := Parameter{Name: "p", Default: json.RawMessage("1"), Range: text, Integer: integer}.parsed()
		if err != nil {
			return
		}
		if p.allows(v) && (!finite(v) || integer && v != math.Trunc(v)) {
			t.Errorf("%q allows %v, which is no integer or not finite", text, v)
		}
		if p.Allowed() == "" {
			t.Errorf("%q has no words", text)
		}
	})
}
