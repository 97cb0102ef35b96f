package methods_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// exact are the functions of package math whose results IEEE 754 or their meaning fixes.
var exact = map[string]bool{
	"Abs": true, "Ceil": true, "Copysign": true, "Floor": true, "Float32bits": true, "Float32frombits": true,
	"Float64bits":     true,
	"Float64frombits": true, "FMA": true, "Frexp": true, "Inf": true, "IsInf": true, "IsNaN": true, "Ldexp": true,
	"Max": true,
	"Min": true, "Mod": true, "Modf": true, "NaN": true, "Nextafter": true, "Nextafter32": true, "Round": true,
	"RoundToEven": true, "Signbit": true,
	"Sqrt": true, "Trunc": true,
}

// seenByNoResult are functions whose values decide what is run when, not what comes out; the generated sets,
// whose files have checksums; the functions of questions in SQL, which nothing that is stored comes from.
var seenByNoResult = map[string]bool{
	"datasets/catalogue/generate.go twoMoons": true, "datasets/catalogue/generate.go swiss": true,
	"datasets/catalogue/generate.go circles": true, "datasets/catalogue/generate.go channelSum": true,
	"datasets/catalogue/published.go moons": true, "datasets/catalogue/published.go swissRoll": true,
	"datasets/catalogue/published.go rings": true,
	"methods/internal/gbdt/ranks.go pays":   true, "methods/mkl/gmkl.go ranks": true,
	"harness/store/functions.go registerFunctions": true,
	"harness/runner/canary.go right":               true, "harness/runner/canary.go choose": true,
	"registry/growth.go WorkAt": true, "registry/growth.go Scale": true,
	"harness/environment/speed.go yardstick": true, "harness/plan/costs.go referenceCost": true,
	"harness/plan/memory.go Memory": true, "harness/plan/forecast.go nearest": true,

	"harness/verify/workers.go Finds":         true, // a share that a line for people names
	"harness/externaltrees/objectives.go exp": true, // predictions of models that were trained elsewhere
}

// TestElementaryFunctionsAreOurOwn: what decides a result calls no exponential, logarithm, power or trigonometric
// function of package math: their last bits depend on the processor. See vmath, and internal/architecture for gonum's.
func TestElementaryFunctionsAreOurOwn(t *testing.T) {
	met, root := map[string]bool{}, testenv.Root()
	for _, folder := range []string{"methods", "registry", "harness", "datasets", "registry/rng"} {
		must.Do(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "conform") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(root, path)
			for _, d := range file.Decls {
				where := filepath.ToSlash(name)
				if f, ok := d.(*ast.FuncDecl); ok {
					where += " " + f.Name.Name
				}
				for _, call := range inexactCalls(d) {
					if met[where] = true; !seenByNoResult[where] {
						t.Errorf("%s calls %s: take it from methods/internal/vmath, or say here that no result sees it",
							where, call)
					}
				}
			}
			return nil
		}))
	}
	for where := range seenByNoResult {
		if !met[where] {
			t.Errorf("%s calls no such function any more: take it off the list", where)
		}
	}
}

// inexactCalls lists the calls in d whose last bits may depend on the machine.
func inexactCalls(d ast.Decl) (calls []string) {
	ast.Inspect(d, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok {
			of := fmt.Sprint(s.X)
			if of == "math" && !exact[s.Sel.Name] {
				calls = append(calls, of+"."+s.Sel.Name)
			}
		}
		return true
	})
	return calls
}
