package registry

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
)

// sound returns a training set of two rows.
func sound() Data {
	return Data{Task: Binary, Classes: 2, X: mat.NewDense(2, 2, []float64{1, 2, 3, 4}), Y: []float64{-1, 1}}
}

func TestCheck(t *testing.T) {
	view := sound()
	view.X = mat.NewDense(3, 3, []float64{math.NaN(), 1, 2, math.NaN(), 3, 4, math.NaN(), math.NaN(),
		math.NaN()}).Slice(0, 2, 1, 3).(*mat.Dense)
	blocks, some := sound(), sound()
	blocks.Blocks, some.Blocks = []Block{{"a", 0, 1}, {"b", 1, 2}}, []Block{{"b", 1, 2}}
	for name, d := range map[string]Data{
		"blocks":     blocks,
		"a block":    some,
		"binary":     sound(),
		"a view":     view,
		"one row":    {Task: Binary, Classes: 2, X: mat.NewDense(1, 1, nil), Y: []float64{1}},
		"multiclass": {Task: Multiclass, Classes: 3, X: mat.NewDense(2, 1, nil), Y: []float64{0, 2}},
		"regression": {Task: Regression, X: mat.NewDense(2, 1, nil), Y: []float64{-math.MaxFloat64, 0.5}},
	} {
		if err := d.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for says, change := range map[string]func(d *Data){
		"the training set is empty":        func(d *Data) { d.X = nil },
		"is empty: it needs rows and":      func(d *Data) { d.X, d.Y = &mat.Dense{}, nil },
		"has 1 targets for 2 rows":         func(d *Data) { d.Y = d.Y[:1] },
		"has 3 targets for 2 rows":         func(d *Data) { d.Y = []float64{1, -1, 1} },
		"feature 0 of row 1 is +Inf: feat": func(d *Data) { d.X.Set(1, 0, math.Inf(1)) },
		"feature 1 of row 1 is -Inf: feat": func(d *Data) { d.X.Set(1, 1, math.Inf(-1)) },
		"feature 1 of row 0 is NaN: feat":  func(d *Data) { d.X.Set(0, 1, math.NaN()) },
		`block "b" holds features 1 to 2 of the 2 from 0`: func(d *Data) {
			d.Blocks = []Block{{"a", 0, 1}, {"b", 1, 3}}
		},
		`block "a" holds features -1 to 0 of`:    func(d *Data) { d.Blocks = []Block{{"a", -1, 1}} },
		`block "a" from feature 1 to 0 is empty`: func(d *Data) { d.Blocks = []Block{{"a", 1, 1}} },
		`block "b" begins with feature 0, before the end`: func(d *Data) {
			d.Blocks = []Block{{"a", 0, 1}, {"b", 0, 2}}
		},
		`block "c" begins with feature 0, before the`: func(d *Data) {
			d.Blocks = []Block{{"b", 1, 2}, {"c", 0, 1}}
		},
		"target of row 1 is 0: labels":   func(d *Data) { d.Y[1] = 0 },
		"target of row 0 is NaN: labels": func(d *Data) { d.Y[0] = math.NaN() },
		"row 1 is 2: classes must be whole numbers from 0 to 1": func(d *Data) {
			d.Task, d.Y = Multiclass, []float64{0, 2}
		},
		"row 1 is 0.5: classes must": func(d *Data) {
			d.Task, d.Y = Multiclass, []float64{0, 0.5}
		},
		"row 0 is -1: classes must": func(d *Data) { d.Task = Multiclass },
		"cannot have 1 classes":     func(d *Data) { d.Task, d.Classes = Multiclass, 1 },
		"row 1 is NaN: targets must be finite": func(d *Data) {
			d.Task, d.Y[1] = Regression, math.NaN()
		},
		"row 0 is +Inf: targets must be finite": func(d *Data) {
			d.Task, d.Y[0] = Regression, math.Inf(1)
		},
		`task of the training set is ""`:                  func(d *Data) { d.Task = 0 },
		`task of the training set is "binary,regression"`: func(d *Data) { d.Task = Binary | Regression },
	} {
		d := sound()
		change(&d)
		must.Say(t, d.Check(), says)
	}
}

// TestFitsCheckTheirData: no method sees data that it cannot learn from, whichever way it is asked.
func TestFitsCheckTheirData(t *testing.T) {
	never := func(context.Context, Env, Data, params) (Model, error) {
		t.Error("the method was asked")
		return nil, nil
	}
	spec := Spec{Name: "m", Version: "1", Tasks: Multiclass | Regression, Source: "this test"}
	alone := Define(spec, params{T: 1}, nil, never)
	shared := Define(spec, params{T: 1}, nil, never, Path(func(context.Context, Env, Data, []params,
		func(int, Model) error) error {
		t.Error("the method was asked")
		return nil
	}))
	short := sound()
	short.Task, short.Y = Regression, short.Y[:1]
	for says, d := range map[string]Data{
		"m: the training set has 1 targets for 2 rows":                                         short,
		`m: the task of the training set is "binary": the method solves multiclass,regression`: sound(),
	} {
		for _, s := range []Spec{alone, shared} {
			yield := func(int, Model) error { return errors.New("a model was given") }
			must.Say(t, must.Err(s.Fit(t.Context(), Env{}, d, nil)), says)
			must.Say(t, s.FitAll(t.Context(), Env{}, d, []json.RawMessage{nil}, yield), says)
		}
	}
}
