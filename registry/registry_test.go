package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

type params struct {
	T     int     `json:"t"`
	Gamma float64 `json:"gamma"`
}

func (p params) Validate() error {
	if p.T < 1 {
		return errors.New("t must be at least 1")
	}
	return nil
}

func define(name string, grid Grid, opts ...Option[params]) Spec {
	return Define(Spec{Name: name, Version: "1", Tasks: Binary, Source: "this test"}, params{T: 100, Gamma: 1}, grid,
		func(_ context.Context, _ Env, _ Data, p params) (Model, error) {
			return ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
				out[0] = float64(p.T) + p.Gamma
				return nil
			}), nil
		}, opts...)
}

func TestSettingsAreTheProductInOrder(t *testing.T) {
	s := define("m", Grid{{Name: "t", Values: Values(1, 2)}, {Name: "gamma", Values: Powers(2, -1, 1),
		Per: PerFeature}})
	got := must.Get(s.Settings(Shape{D: 4}, s.DefaultGrid(), nil))(t)
	want := `[{"t":1,"gamma":0.125},{"t":1,"gamma":0.25},{"t":1,"gamma":0.5},{"t":2,"gamma":0.125},{"t":2,` +
		`"gamma":0.25},{"t":2,"gamma":0.5}]`
	if raw, err := json.Marshal(got); err != nil || string(raw) != want {
		t.Errorf("got %s, want %s (%v)", raw, want, err)
	}
	got, err := s.Settings(Shape{D: 4}, Grid{{Values: []any{map[string]any{"t": 3, "gamma": 0.5}}}}, nil)
	if err != nil || len(got) != 1 || string(got[0]) != `{"t":3,"gamma":0.5}` {
		t.Errorf("an axis of objects gives %s, %v", got, err)
	}
	got, err = s.Settings(Shape{D: 4}, Grid{{Name: "gamma", Values: Values(2.0)}}, json.RawMessage(`{"t":7}`))
	if err != nil || string(got[0]) != `{"t":7,"gamma":2}` {
		t.Errorf("fixed parameters give %s, %v", got, err)
	}
	if got, err := s.Settings(Shape{D: 4}, nil, nil); err != nil || len(got) != 1 ||
		string(got[0]) != string(s.Defaults()) {
		t.Errorf("an empty grid gives %s, %v; want the defaults", got, err)
	}
}

func TestSettingsRefuse(t *testing.T) {
	s := define("m", nil)
	for _, c := range []struct {
		grid  Grid
		fixed string
		want  string
	}{
		{Grid{{Name: "gama", Values: Values(1.0)}}, "", `unknown field "gama"`},
		{Grid{{Name: "t", Values: Values(0)}}, "", "t must be at least 1"},
		{Grid{{Name: "t"}}, "", `axis "t" has no values`},
		{Grid{{Name: "gamma", Values: Values(1.0), Per: "row"}}, "", `per "row"`},
		{Grid{{Name: "gamma", Values: Values("x"), Per: PerFeature}}, "", "not a number"},
		{Grid{{Values: Values(1.0)}}, "", "needs objects"},
		{Grid{{Name: "t", Values: Values(1)}}, `{"t":2}`, "both fixed and an axis"},
		{nil, `{"t":"many"}`, `m: t = "many"; it must be an integer`},
	} {
		must.Say(t, must.Err(s.Settings(Shape{D: 2}, c.grid, json.RawMessage(c.fixed))), c.want)
	}
}

// TestCanonicalSettings: the same parameters have one JSON form, whatever the
// order and the spelling they came in, so that keys agree.
func TestCanonicalSettings(t *testing.T) {
	s := define("m", nil)
	rapid.Check(t, func(t *rapid.T) {
		tt, gamma := rapid.IntRange(1, 1e6).Draw(t, "t"), rapid.Float64Range(-1e9, 1e9).Draw(t, "gamma")
		a := fmt.Sprintf(`{"t":%d,"gamma":%v}`, tt, gamma)
		b := fmt.Sprintf(`{ "gamma" : %v, "t" : %d }`, gamma, tt)
		ca, errA := s.does.canonical(json.RawMessage(a))
		cb, errB := s.does.canonical(json.RawMessage(b))
		if errA != nil || errB != nil || string(ca) != string(cb) {
			t.Fatalf("%s and %s become %s (%v) and %s (%v)", a, b, ca, errA, cb, errB)
		}
	})
}

func TestRegistry(t *testing.T) {
	r := New(define("b", nil)).With(define("A", nil))
	must.Be(t, strings.Join(r.Names(), " "), "A b", "names")
	if s, err := r.Lookup("B"); err != nil || s.Name != "b" {
		t.Errorf("lookup ignores case: %v %v", s.Name, err)
	}
	must.Say(t, must.Err(r.Lookup("c")), "known: A, b")
	for says, f := range map[string]func(){
		`two methods are named "X"`:       func() { New(define("x", nil), define("X", nil)) },
		"was not made by registry.Define": func() { New(Spec{Name: "x"}) },
		"version": func() {
			Define(Spec{Name: "x", Tasks: Binary, Source: "s"}, struct{}{}, nil, func(context.Context, Env, Data,
				struct{}) (Model, error) {
				return nil, nil
			})
		},
		`unknown field "nope"`: func() { define("x", Grid{{Name: "nope", Values: Values(1)}}) },
		"t must be at least 1": func() {
			Define(Spec{Name: "x", Version: "1", Tasks: Binary, Source: "s"}, params{}, nil, func(context.Context, Env,
				Data, params) (Model, error) {
				return nil, nil
			})
		},
	} {
		must.Panic(t, says, f)
	}
}

func TestFitChecksBeforeItWorks(t *testing.T) {
	s := define("m", nil)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Fit(gone, Env{}, sound(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	must.Say(t, must.Err(s.Fit(t.Context(), Env{}, sound(), json.RawMessage(`{"t":0}`))), "t must be at least 1")
	m := must.Get(s.Fit(context.Background(), Env{}, sound(), json.RawMessage(`{"gamma":3}`)))(t)
	out := []float64{0}
	if err := m.Score(context.Background(), nil, out); err != nil || out[0] != 103 {
		t.Errorf("parameters that are not given keep their defaults: %v %v", out, err)
	}
}

func TestEstimates(t *testing.T) {
	sh := Shape{Task: Binary, N: 10, D: 3, Classes: 2}
	plain := define("m", nil)
	must.Be(t, must.Get(plain.MemoryEstimate(sh, nil))(t), 16*30, "default memory")
}

// TestWork: the work of a method grows by its exponents, and without them like n d for each grid point.
func TestWork(t *testing.T) {
	sh := Shape{Task: Multiclass, N: 16, D: 9, Classes: 4}
	settings := []json.RawMessage{json.RawMessage(`{"t":1}`), json.RawMessage(`{"t":4}`), nil, nil}
	check := func(g Growth, settings []json.RawMessage, want float64) {
		t.Helper()
		s := define("m", nil)
		s.Growth = g
		must.Near(t, must.Get(s.Work(sh, settings))(t), want, 1e-9*want, g)
	}
	check(Growth{}, settings, 4*16*9)
	check(Growth{Rows: 1}, settings, 16)
	check(Growth{Rows: 1.5, Features: 0.5, Outputs: 1, Points: 0.5}, settings, 64*3*4*2)
	check(Growth{Rows: 1, By: By{"t": 0.5}}, settings[:2], 16*(1+2)/2.)
	small := []json.RawMessage{json.RawMessage(`{"t":3,"gamma":0.1}`)}
	check(Growth{Rows: 1, By: By{"t": 1, "gamma": 1}}, small, 48)
	must.Panic(t, `grows by "nope"`, func() {
		Define(Spec{Name: "x", Version: "1", Tasks: Binary, Source: "s", Growth: Growth{Rows: 1, By: By{"nope": 1}}},
			params{T: 1}, nil, func(context.Context, Env, Data, params) (Model, error) { return nil, nil })
	})
}

func TestTasks(t *testing.T) {
	must.Be(t, (Binary | Regression).String(), "binary,regression", "tasks print as")
	for _, task := range []Task{Binary, Multiclass, Regression} {
		must.Be(t, must.Get(ParseTask(task.String()))(t), task, "is read back as")
	}
	must.Say(t, must.Err(ParseTask("ranking")), "ranking")
	must.Be(t, (Shape{Task: Multiclass, Classes: 4}).Outputs(), 4)
	must.Be(t, (Shape{Task: Binary, Classes: 2}).Outputs(), 1)
}

// TestPowers compares with decimal and binary literals, which the compiler rounds correctly, and with math.Pow, which
// made the values of stored keys.
func TestPowers(t *testing.T) {
	want := []any{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5}
	must.Be(t, Powers(10, -5, 5), want, "powers of 10")
	want = []any{0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1, 1.0, 2.0, 4.0}
	must.Be(t, Powers(2, -5, 2), want, "powers of 2")
	if got := Powers(2, 1, 0); got != nil {
		t.Errorf("powers from 1 to 0 are %v", got)
	}
	for _, base := range []float64{2, 3, 10, 0.1, 1.5, 7.3, -2} {
		for i, got := range Powers(base, -20, 20) {
			must.Be[any](t, got, math.Pow(base, float64(i-20)), base, i-20)
		}
	}
}

// TestAliases: an alias is found, ignoring case; a method that is added with the name of an alias has it to itself; no
// alias is taken twice.
func TestAliases(t *testing.T) {
	r := New(define("LGBM", nil), define("RF", nil)).WithGroups(map[string][]string{"trees": {"LGBM", "RF"}})
	aliased := r.WithAliases(map[string][]string{"LGBM": {"LightGBM", "LGBMClassifier"}, "RF": {"RandomForest"}})
	for name, want := range map[string]string{"lightgbm": "LGBM", "RANDOMFOREST": "RF", "LGBM": "", "trees": "",
		"x": ""} {
		must.Be(t, aliased.Alias(name), want, name)
	}
	must.Be(t, aliased.Aliases("LGBM"), []string{"LGBMClassifier", "LightGBM"})
	must.Say(t, must.Err(aliased.Lookup("LigthGBM")), `no method is named "LigthGBM"; did you mean LGBM (LightGBM)?`)
	must.Say(t, must.Err(aliased.Lookup("LightGBM")), "did you mean LGBM (LightGBM)?")
	must.Say(t, must.Err(aliased.Lookup("Rand")), "known: LGBM, RF") // too little of an alias
	own := aliased.With(define("lightgbm", nil))
	must.Be(t, own.Alias("LightGBM"), "")
	must.Be(t, own.Alias("RandomForest"), "RF")
	must.Be(t, own.Aliases(""), []string{"LGBMClassifier", "RandomForest"})
	must.Be(t, must.Get(own.Lookup("LightGBM"))(t).Name, "lightgbm")
	for _, wrong := range []map[string][]string{{"LGBM": {"rf"}}, {"LGBM": {"Trees"}}, {"RF": {"A", "a"}},
		{"RF": {"A"}, "LGBM": {"a"}}, {"nothing": {"A"}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is taken", wrong)
				}
			}()
			r.WithAliases(wrong)
		}()
	}
}
