package registry

import (
	"context"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"example.com/bench/methods/rffsvm.GFC":                           "example.com/bench/methods/rffsvm",
		"example.com/bench/registry.Define[go.shape.struct { A/b int }]": "example.com/bench/registry",
		"example.com/a/b%2ev2.(*T).Method":                               "example.com/a/b.v2",
		"main.main":                                                      "main",
		"main.main.func1":                                                "main",
	} {
		must.Be(t, packageOf(function), want, function)
	}
}

// TestPackage: a method is of the package that defined it.
func TestPackage(t *testing.T) {
	s := Define(Spec{Name: "M", Version: "1", Tasks: Binary, Source: "this test"}, struct{}{}, nil,
		func(context.Context, Env, Data, struct{}) (Model, error) { return nil, nil })
	must.Be(t, s.Package(), module+"/registry")
}
