package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

type lineParams struct {
	Slope float64 `json:"slope"`
	Order int     `json:"order"`
	Free  bool    `json:"free"`
}

func lineSpec() registry.Spec {
	return registry.Define(registry.Spec{Name: "Line", Version: "1", Tasks: registry.Binary | registry.Regression,
		Source: "test", Summary: "test"},
		lineParams{Order: 1}, registry.Grid{{Name: "slope", Values: registry.Values(1.0, 2.0)}},
		func(context.Context, registry.Env, registry.Data, lineParams) (registry.Model, error) {
			return nil, errors.New("not fitted here")
		})
}

const variants = `
splits = 2
datasets = ["balance", "swiss"]
[semantics]
test_fraction = 0.3
folds = 2
[methods.LINE]
params = { order = 2 }
on = { swiss = { order = 3 } }
[methods."Line free"]
of = "line"
tasks = ["regression"]
params = { free = true }
on = { swiss = { free = false } }
[methods."Line steep"]
of = "Line"
grid = [{ name = "slope", values = [9.0] }]
`

// TestVariants: a variant has a name of its own and may have fewer tasks. It has the settings of its method, except for
// those that it replaces.
func TestVariants(t *testing.T) {
	p := must.Get(protocol.Parse("mine", []byte(variants)))(t)
	reg := must.Get(p.Resolve(registry.New(lineSpec())))(t)
	must.Do(t, p.ResolveSets(catalogue.Builtin()))
	if diff := cmp.Diff([]string{"Line", "Line free", "Line steep"}, reg.Names()); diff != "" {
		t.Fatal(diff)
	}
	sh := registry.Shape{Task: registry.Regression, N: 10, D: 2}
	for _, c := range []struct{ method, set, want string }{
		{"Line", "balance", `[{"slope":1,"order":2,"free":false},{"slope":2,"order":2,"free":false}]`},
		{"Line", "swiss", `[{"slope":1,"order":3,"free":false},{"slope":2,"order":3,"free":false}]`},
		{"line FREE", "balance", `[{"slope":1,"order":2,"free":true},{"slope":2,"order":2,"free":true}]`},
		{"Line free", "swiss", `[{"slope":1,"order":3,"free":false},{"slope":2,"order":3,"free":false}]`},
		{"Line steep", "swiss", `[{"slope":9,"order":3,"free":false}]`},
	} {
		spec := must.Get(reg.Lookup(c.method))(t)
		points, err := p.GridPoints(spec, c.set, sh)
		if got, _ := json.Marshal(points); err != nil || string(got) != c.want {
			t.Errorf("%s on %s: %s, %v; want %s", c.method, c.set, got, err, c.want)
		}
	}
	free, _ := reg.Lookup("Line free")
	steep, _ := reg.Lookup("Line steep")
	if free.Tasks != registry.Regression || steep.Tasks != registry.Binary|registry.Regression ||
		p.Base("Line free") != "Line" || p.Base("Line") != "Line" {
		t.Errorf("tasks %v and %v, variant of %s", free.Tasks, steep.Tasks, p.Base("Line free"))
	}
}

// TestVariantMistakes: an edit of the protocol (old|new) gives an error that names the method.
func TestVariantMistakes(t *testing.T) {
	for edit, want := range map[string]string{
		`of = "line"|of = "lime"`: `[methods.Line free]: no method is named "lime"; did you ` +
			`mean Line?`,
		`"Line free"]|"lINE"]`: `[methods.lINE]: of = "Line", but Line is a method itself; ` +
			`give the variant a name of its own`,
		`"Line free"]|"a,b"]`: `[methods.a,b]: the name of the variant: "a,b" has a comma, ` +
			`or a blank at its ends; give one without`,
		`tasks = ["regression"]|tasks = ["multiclass"]`: `[methods.Line free]: tasks = ["multiclass"]; Line solves ` +
			`none of them`,
		`tasks = ["regression"]|tasks = ["guess"]`: `[methods.Line free]: tasks: task "guess" is not binary, ` +
			`multiclass or regression`,
		`params = { order = 2 }|tasks = ["binary"]`:    `[methods.LINE]: tasks needs the key of, which makes a variant`,
		`on = { swiss = { order|on = { wine = { order`: `[methods.Line]: on names "wine", which is not in datasets`,
	} {
		old, text, _ := strings.Cut(edit, "|")
		p, err := protocol.Parse("mine", []byte(strings.Replace(variants, old, text, 1)))
		if err == nil {
			if _, err = p.Resolve(registry.New(lineSpec())); err == nil {
				err = p.ResolveSets(catalogue.Builtin())
			}
		}
		if err == nil || err.Error() != "protocol mine: "+want {
			t.Errorf("got  %v\nwant protocol mine: %s", err, want)
		}
	}
}
