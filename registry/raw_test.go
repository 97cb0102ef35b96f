package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func constant(v float64) Model {
	return ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
		for i := range out {
			out[i] = v
		}
		return nil
	})
}

type simple struct {
	T    int     `json:"t" range:"[1,)" means:"rounds"`
	Rate float64 `json:"rate" range:"(0,1]"`
	Kind string  `json:"kind" range:"a|b"`
	On   bool    `json:"on"`
}

func (p simple) value() float64 { return float64(p.T) + p.Rate }

var simpleGrid = Grid{{Name: "t", Values: Values(1, 2, 3)}, {Name: "rate", Values: Powers(2, -3, -1), Per: PerFeature}}

// typedAndRaw are one method, declared in both ways.
func typedAndRaw() (typed, raw Spec) {
	base := Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test",
		Growth: Growth{Rows: 1, By: By{"t": 1}},
		Load:   func(io.Reader) (Model, error) { return constant(7), nil }}
	typed = Define(base, simple{T: 3, Rate: 0.5, Kind: "a"}, simpleGrid,
		func(_ context.Context, _ Env, _ Data, p simple) (Model, error) { return constant(p.value()), nil },
		Path(func(_ context.Context, _ Env, _ Data, ps []simple, yield func(int, Model) error) error {
			for i, p := range ps {
				if err := yield(i, constant(p.value())); err != nil {
					return err
				}
			}
			return nil
		}), Memory(func(s Shape, p simple) int64 { return int64(s.N * p.T) }))
	read := func(setting json.RawMessage) (p simple) {
		if err := json.Unmarshal(setting, &p); err != nil || p.T == 0 {
			panic(fmt.Sprintf("%s is not a whole setting (%v)", setting, err))
		}
		return p
	}
	raw = DefineRaw(base, []Parameter{
		{Name: "t", Default: json.RawMessage("3"), Range: "[1,)", Integer: true, Means: "rounds"},
		{Name: "rate", Default: json.RawMessage("0.5"), Range: "(0,1]"},
		{Name: "kind", Default: json.RawMessage(`"a"`), Range: "a|b"},
		{Name: "on", Default: json.RawMessage("false")},
	}, simpleGrid, func(_ context.Context, env Env, _ Data, setting json.RawMessage) (Model, error) {
		if env.Log == nil {
			return nil, errors.New("no log")
		}
		return constant(read(setting).value()), nil
	}, Path(func(_ context.Context, _ Env, _ Data, settings []json.RawMessage, yield func(int, Model) error) error {
		for i, s := range settings {
			if err := yield(i, constant(read(s).value())); err != nil {
				return err
			}
		}
		return nil
	}), Memory(func(s Shape, setting json.RawMessage) int64 { return int64(s.N * read(setting).T) }))
	return typed, raw
}

// TestRawEqualsTyped: the two have the same settings byte for byte, so the same keys, refuse the
// same with the same words, and do the same.
func TestRawEqualsTyped(t *testing.T) {
	typed, raw := typedAndRaw()
	must.Be(t, string(typed.Defaults()), string(raw.Defaults()), "defaults")
	must.Be(t, fmt.Sprintf("%+v", typed.Parameters()), fmt.Sprintf("%+v", raw.Parameters()), "parameters")
	for d := 1; d < 9; d++ {
		a, errA := typed.Settings(Shape{D: d}, typed.DefaultGrid(), nil)
		b, errB := raw.Settings(Shape{D: d}, raw.DefaultGrid(), json.RawMessage(`{"kind": "b"}`))
		c, errC := typed.Settings(Shape{D: d}, raw.DefaultGrid(), json.RawMessage(`{"kind": "b"}`))
		if errA != nil || errB != nil || errC != nil || len(a) != 9 ||
			!slices.EqualFunc(b, c, func(x, y json.RawMessage) bool { return string(x) == string(y) }) {
			t.Errorf("settings %s and %s (%v, %v, %v)", b, c, errA, errB, errC)
		}
	}
	values := []string{"0", "1", "2", "-1", "1.5", "0.25", "1e0", "1e-7", "1e21", "1e999", "0.1000", `"a"`, `"b"`,
		`"c"`, "true", "false", "null", "[1]", "{}"}
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"t", "rate", "kind", "on", "other"}),
			rapid.ID[string]).Draw(rt, "names")
		var fields []string
		for _, n := range names {
			fields = append(fields, fmt.Sprintf("%q : %s", n, rapid.SampledFrom(values).Draw(rt, n)))
		}
		setting := json.RawMessage("{" + strings.Join(fields, ", ") + "}")
		a, errA := typed.does.canonical(setting)
		b, errB := raw.does.canonical(setting)
		if (errA == nil) != (errB == nil) || string(a) != string(b) {
			rt.Fatalf("%s: %s (%v) and %s (%v)", setting, a, errA, b, errB)
		}
		if len(names) == 1 && errA != nil && errA.Error() != errB.Error() &&
			!strings.Contains(errA.Error(), `unknown field "other"`) {
			rt.Fatalf("%s: %v and %v", setting, errA, errB)
		}
		both := func(what string, of func(s Spec) (any, error)) {
			x, errX := of(typed)
			y, errY := of(raw)
			if x != y || (errX == nil) != (errY == nil) || (errX == nil) != (errA == nil) {
				rt.Fatalf("%s of %s: %v (%v) and %v (%v)", what, setting, x, errX, y, errY)
			}
		}
		score := func(m Model, err error) (any, error) {
			if err != nil {
				return nil, err
			}
			out := []float64{0}
			err = m.Score(t.Context(), nil, out)
			return out[0], err
		}
		sh := Shape{N: 10, D: 2}
		both("memory", func(s Spec) (any, error) { return s.MemoryEstimate(sh, setting) })
		both("work", func(s Spec) (any, error) { return s.Work(sh, []json.RawMessage{setting, nil}) })
		both("fit", func(s Spec) (any, error) { return score(s.Fit(t.Context(), Env{}, sound(), setting)) })
		both("path", func(s Spec) (got any, err error) {
			err = s.FitAll(t.Context(), Env{}, sound(), []json.RawMessage{nil, setting}, func(_ int, m Model) error {
				got, err = score(m, nil)
				return err
			})
			return got, err
		})
	})
}

// TestRawRefuses: mistakes of the program are found when it starts.
func TestRawRefuses(t *testing.T) {
	fit := func(context.Context, Env, Data, json.RawMessage) (Model, error) { return nil, nil }
	one := func(p Parameter) []Parameter { return []Parameter{p} }
	for says, parameters := range map[string][]Parameter{
		"has no fit":                 nil,
		`parameter "t" has no defau`: one(Parameter{Name: "t"}),
		`range "(1" of parameter t`:  one(Parameter{Name: "t", Default: json.RawMessage("1"), Range: "(1"}),
		"t = 0; it must be a finite": one(Parameter{Name: "t", Default: json.RawMessage("0"), Range: "(0,)"}),
		"t = 1.5; it must be an int": one(Parameter{Name: "t", Default: json.RawMessage("1.5"), Integer: true}),
		"t = [1]; it must be a numb": one(Parameter{Name: "t", Default: json.RawMessage("[1]"), Mixed: true}),
		`unknown field "c"`:          one(Parameter{Name: "t", Default: json.RawMessage("1")}),
	} {
		with := fit
		if parameters == nil {
			with = nil
		}
		must.Panic(t, says, func() {
			DefineRaw(Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test"}, parameters,
				Grid{{Name: "c", Values: Values(1)}}, with)
		})
	}
}

// TestDefaultsAreWrittenOnce: completing a setting allocates for what it gives, not for each of many defaults.
func TestDefaultsAreWrittenOnce(t *testing.T) {
	parameters := make([]Parameter, 1000)
	for i := range parameters {
		parameters[i] = Parameter{Name: fmt.Sprint("p", i), Default: json.RawMessage("0.50")}
	}
	complete := completer("m", parameters)
	whole, err := complete(json.RawMessage(`{"p999":2}`))
	begins := strings.HasPrefix(string(whole), `{"p0":0.5,"p1":0.5,`)
	if err != nil || !begins || !strings.HasSuffix(string(whole), `,"p999":2}`) {
		t.Fatalf("%.50s, %v", whole, err)
	}
	if n := testing.AllocsPerRun(10, func() { _, _ = complete(json.RawMessage(`{"p999":2}`)) }); n > 100 {
		t.Errorf("%v allocations for a setting of 1000 parameters, of which one is given", n)
	}
}
