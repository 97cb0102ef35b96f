package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// gonum is what results may see of gonum: a matrix as storage, and functions with one rounding an element. The others
// (sums, products, norms, factorizations) go another way in its assembly than in its Go code, and on other processors.
var gonum = strings.Fields(`
	floats.Add floats.AddConst floats.Max floats.Min floats.Mul floats.MulTo floats.Scale floats.ScaleTo floats.SubTo
	mat.DenseCopyOf mat.NewDense Dense.At Dense.Copy Dense.Dims Dense.IsEmpty Dense.RawMatrix Dense.RawRowView
	Dense.ReuseAs Dense.Row Dense.Set Dense.SetRow Dense.Slice Matrix.At Matrix.Dims`)

// seen are the packages that results come from; the functions of the store are of questions in SQL.
var seen = strings.Fields("./methods/... ./registry ./registry/rng ./datasets/... ./harness ./harness/metric " +
	"./harness/protocol ./harness/runner ./harness/split ./harness/externaltrees ./internal/npy")

// TestGonumIsStorage looks up every name in those packages.
func TestGonumIsStorage(t *testing.T) {
	if testenv.Race {
		t.Skip("reads sources alone; make test runs it without the race detector")
	}
	files, exports := packages(t)
	set := token.NewFileSet()
	from := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for pkg, names := range files {
		for _, c := range arithmetic(t, set, from, pkg, names) {
			t.Error(c)
		}
	}
	source := filepath.Join(t.TempDir(), "a.go")
	text := "package a\nimport (\"gonum.org/v1/gonum/floats\"; \"gonum.org/v1/gonum/mat\")\n" +
		"func F(x []float64, m *mat.Dense) float64 { floats.Scale(2, x); m.Mul(m, m); return floats.Dot(x, " +
		"m.RawRowView(0)) }\n"
	must.Do(t, os.WriteFile(source, []byte(text), 0o600))
	got := strings.Join(arithmetic(t, set, from, "a", []string{source}), "\n")
	must.Hold(t, got, "a.go:3:67: Dense.Mul of gonum")
	must.Hold(t, got, "a.go:3:92: floats.Dot of gonum")
	must.Be(t, strings.Count(got, "\n"), 1)
}

// packages returns the Go files of the packages that results come from, and where the compiled form of all that they
// import is.
func packages(t *testing.T) (files map[string][]string, exports map[string]string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", append([]string{"list", "-compiled", "-export", "-deps",
		"-json=ImportPath,Dir,CompiledGoFiles,Export,DepOnly"}, seen...)...)
	c.Dir = testenv.Root()
	c.Stderr = os.Stderr
	out := must.Get(c.Output())(t)
	files, exports = map[string][]string{}, map[string]string{}
	for from := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			CompiledGoFiles         []string // those that import C as the compiler sees them
			DepOnly                 bool
		}
		if err := from.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly && !among(forTests, strings.TrimPrefix(p.ImportPath, module)) {
			for _, f := range p.CompiledGoFiles {
				if !filepath.IsAbs(f) {
					f = filepath.Join(p.Dir, f)
				}
				files[p.ImportPath] = append(files[p.ImportPath], f)
			}
		}
	}
	if len(files) < 30 {
		t.Fatalf("%d packages are read: are these all that results come from?", len(files))
	}
	return files, exports
}

// arithmetic lists the uses of gonum's functions in a package that results must not see.
func arithmetic(t *testing.T, set *token.FileSet, from types.Importer, pkg string, names []string) (out []string) {
	t.Helper()
	var parsed []*ast.File
	for _, name := range names {
		f := must.Get(parser.ParseFile(set, name, nil, parser.SkipObjectResolution))(t)
		parsed = append(parsed, f)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	must.Get((&types.Config{Importer: from}).Check(pkg, set, parsed, &info))(t)
	for id, o := range info.Uses {
		f, ok := o.(*types.Func)
		if !ok || f.Pkg() == nil || !strings.HasPrefix(f.Pkg().Path(), "gonum.org/v1/gonum/") {
			continue
		}
		name := f.Pkg().Name() + "." + f.Name()
		if of := f.Signature().Recv(); of != nil {
			name = types.TypeString(of.Type(), func(*types.Package) string { return "" }) + "." + f.Name()
		}
		if name = strings.TrimPrefix(name, "*"); !slices.Contains(gonum, name) {
			out = append(out, set.Position(id.Pos()).String()+": "+name+" of gonum, whose bits depend on the machine: "+
				"see methods/internal/vmath and solve")
		}
	}
	slices.Sort(out)
	return out
}
