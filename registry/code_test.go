package registry

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

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

type noParams struct{}

func never(context.Context, Env, Data, noParams) (Model, error) { return nil, nil }

func defined(files fstest.MapFS) Spec {
	s := Spec{Name: "M", Version: "1", Tasks: Binary, Source: "this test"}
	if files != nil {
		s.Files = files
	}
	return Define(s, noParams{}, nil, never)
}

// TestCode: the code of a method with source files depends on them and on this package, and that
// of a method without on the program.
func TestCode(t *testing.T) {
	must.Be(t, defined(nil).Package(), module+"/registry", "the method is of package")
	code := func(text string) string {
		s := defined(fstest.MapFS{"m.go": {Data: []byte(text)}})
		s.pkg = "example.com/mine"
		sum := must.Get(New(s).With().Code("m"))(t)
		return sum
	}
	const text = "package mine\n\nimport \"github.com/kernelboosting/bench/registry\"\n"
	first := code(text)
	if first != code(text) || first == code(text+"// changed\n") || first == code("package mine\n") {
		t.Error("the code does not follow the method's file and its imports")
	}
	s := defined(nil)
	s.pkg = "example.com/mine"
	r := New(s)
	program := must.Get(r.Code("M"))(t)
	tree := fstest.MapFS{"mine/m.go": {Data: []byte(text)}}
	if known, err := r.WithSource("example.com", tree).With().Code("M"); err != nil || known == program ||
		known != code(text) {
		t.Errorf("a tree with the method's source: %s, %v; without %s, by its files %s", known, err, program,
			code(text))
	}
	if again, _ := r.Code("M"); again != program {
		t.Error("WithSource changed its receiver")
	}
	must.Say(t, must.Err(r.Code("other")), "other")
}

// TestSourceOfThisPackage: what this package imports of the module is embedded or ignored.
func TestSourceOfThisPackage(t *testing.T) {
	h := newHasher(nil)
	h.Module = func(pkg string) (string, bool) {
		if strings.HasPrefix(pkg, module) {
			t.Errorf("the source of %s is not embedded, and it is not ignored", pkg)
		}
		return "", true
	}
	if _, err := h.Package(module + "/registry"); err != nil {
		t.Error(err)
	}
}
