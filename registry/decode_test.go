package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// lists has parameters that an assignment shares.
type lists struct {
	Scale   map[string]float64 `json:"scale"`
	Widths  []float64          `json:"widths"`
	Penalty *float64           `json:"penalty"`
	Inner   struct {
		Names []string `json:"names"`
	} `json:"inner"`
}

func listDefaults() lists {
	penalty := 0.5
	p := lists{Scale: map[string]float64{"a": 1, "b": 2}, Widths: []float64{1, 2, 3}, Penalty: &penalty}
	p.Inner.Names = []string{"x", "y"}
	return p
}

const listJSON = `{"scale":{"a":1,"b":2},"widths":[1,2,3],"penalty":0.5,"inner":{"names":["x","y"]}}`

func defineParams[P any](defaults P, grid Grid) Spec {
	return Define(Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test"}, defaults, grid,
		func(context.Context, Env, Data, P) (Model, error) { return nil, nil })
}

// TestSettingsDoNotLeak: a setting changes neither the defaults nor another setting, and a fit
// that writes to its own parameters changes neither.
func TestSettingsDoNotLeak(t *testing.T) {
	s := Define(Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test"}, listDefaults(), nil,
		func(_ context.Context, _ Env, _ Data, p lists) (Model, error) {
			p.Scale["written by"], p.Widths[0], *p.Penalty, p.Inner.Names[0] = 1, -1, -1, "written"
			return nil, nil
		})
	for _, raw := range []string{
		`{"scale":{"c":3}}`, `{"scale":{"a":9}}`, `{"widths":[7]}`, `{"widths":[7,8,9]}`, `{"penalty":4}`,
		`{"inner":{"names":["z"]}}`,
	} {
		must.Get(s.does.canonical(json.RawMessage(raw)))(t)
		must.Get(s.Fit(t.Context(), Env{}, sound(), json.RawMessage(raw)))(t)
		if got, err := s.does.canonical(nil); err != nil || string(got) != listJSON {
			t.Errorf("after the setting %s the defaults are %s (%v), not %s", raw, got, err, listJSON)
		}
	}
	got, err := s.Settings(Shape{D: 2}, Grid{{Name: "scale", Values: []any{map[string]any{"c": 3.0},
		map[string]any{"a": 4.0}}}}, nil)
	if err != nil || !strings.Contains(string(got[0]), `{"a":1,"b":2,"c":3}`) ||
		!strings.Contains(string(got[1]), `{"a":4,"b":2}`) {
		t.Errorf("two values of a map become %s and %s (%v)", got[0], got[1], err)
	}
}

// TestMapAsParameters: P may be a map itself.
func TestMapAsParameters(t *testing.T) {
	s := defineParams(map[string]float64{"a": 1}, Grid{{Name: "b", Values: Values(2.0, 3.0)}})
	got, err := s.Settings(Shape{D: 2}, s.DefaultGrid(), nil)
	if err != nil || string(got[0]) != `{"a":1,"b":2}` || string(got[1]) != `{"a":1,"b":3}` {
		t.Errorf("settings %s, %v", got, err)
	}
	must.Be(t, string(s.Defaults()), `{"a":1}`, "defaults")
}

// TestConcurrentSettings is for the race detector too.
func TestConcurrentSettings(t *testing.T) {
	s := defineParams(listDefaults(), nil)
	var wg sync.WaitGroup
	for _, raw := range []string{`{"scale":{"a":5}}`, `{"scale":{"b":6}}`, `{"widths":[9,9,9]}`, `{"penalty":9}`} {
		want := must.Get(s.does.canonical(json.RawMessage(raw)))(t)
		wg.Go(func() {
			for range 200 {
				if got, err := s.does.canonical(json.RawMessage(raw)); err != nil || string(got) != string(want) {
					t.Errorf("%s becomes %s (%v) beside others, %s alone", raw, got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

type hidden struct {
	Widths []int `json:"widths"`
	seen   int
}

type plain struct {
	T    int `json:"t"`
	seen int
}

// TestDefaultsThatJSONCannotHold: a type without references keeps its unexported fields; beside
// a reference they would be lost, and Define says so, as it does of infinities.
func TestDefaultsThatJSONCannotHold(t *testing.T) {
	decode := decoder("m", plain{T: 1, seen: 2})
	must.Be(t, must.Get(decode(json.RawMessage(`{"t":3}`)))(t), plain{T: 3, seen: 2}, "decoded")
	for says, define := range map[string]func(){
		"the defaults of method m":      func() { defineParams(hidden{Widths: []int{1}, seen: 2}, nil) },
		"unsupported value: +Inf":       func() { defineParams(params{T: 1, Gamma: math.Inf(1)}, nil) },
		"parameters: json: unsupported": func() { defineParams(map[string]float64{"a": math.Inf(1)}, nil) },
		"unsupported type: chan int":    func() { defineParams(struct{ C chan int }{make(chan int)}, nil) },
		"come back as float64":          func() { defineParams(map[string]any{"a": 1}, nil) },
		"gamma is -1: it must not be":   func() { defineParams(pointed{Gamma: -1}, nil) },
		"gamma is -2: it must not be":   func() { defineParams(&pointed{Gamma: -2}, nil) },
		`unknown field "b"`:             func() { defineParams(pointed{}, Grid{{Name: "b", Values: Values(1.0)}}) },
		"cannot unmarshal number into Go ": func() {
			defineParams(listDefaults(), Grid{{Name: "scale", Values: Values(1.0)}})
		},
	} {
		must.Panic(t, says, define)
	}
}

// pointed checks itself by a method of the pointer.
type pointed struct {
	Gamma float64 `json:"gamma"`
}

func (p *pointed) Validate() error {
	if p.Gamma < 0 {
		return fmt.Errorf("gamma is %v: it must not be negative", p.Gamma)
	}
	return nil
}
