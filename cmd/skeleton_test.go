package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestNewMethodWorksAsWritten begins a module in an empty folder, writes a skeleton, passes its
// test, and a further method beside it passes, too. TestPages runs it from the main that was written.
func TestNewMethodWorksAsWritten(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, dir := testenv.Root(), t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR=", "GOFLAGS=-buildvcs=false")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "mod", "init", "example.com/mine")
	out := run("bench", "methods", "new", "MyBoost")
	if !strings.Contains(out, "go mod edit -replace github.com/kernelboosting/bench=FOLDER") || strings.Contains(out, "methods/all.go") {
		t.Errorf("what to do is not told:\n%s", out)
	}
	run("go", "mod", "edit", "-replace", "github.com/kernelboosting/bench="+root)
	run("go", "mod", "tidy")
	lines := 0
	for _, file := range []string{"myboost.go", "myboost_test.go"} {
		source, err := os.ReadFile(filepath.Join(dir, "myboost", file))
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(source), "\n")
	}
	if lines > 40 {
		t.Errorf("a method with its test takes %d lines, 40 are promised", lines)
	}
	if unformatted := run("gofmt", "-l", "."); unformatted != "" {
		t.Errorf("gofmt would change %s", unformatted)
	}
	for file, content := range map[string]string{"drawn.go": drawnMethod, "drawn_test.go": drawnMethodTest} {
		if err := os.WriteFile(filepath.Join(dir, "myboost", file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("go", "mod", "tidy") // the further method imports more
	run("go", "vet", "./...")
	run("go", "test", "-vet=off", "-ldflags=-s -w", "./...")
	run("go", "build", "-ldflags=-s -w", "-o", "mine", ".")
	run("./mine", "run", "--methods", "MyBoost,GBRFF2", "--datasets", "swiss", "--splits", "1")
	if version := run("./mine", "version"); !strings.Contains(version, "example.com/mine (devel) with github.com/kernelboosting/bench v0.0.0-00010101000000-000000000000 (replaced by a folder)") {
		t.Errorf("the version does not name both modules:\n%s", version)
	}
	stored := run("./mine", "query", "SELECT count(DISTINCT code) FROM results WHERE code <> ''")
	if !strings.HasSuffix(strings.TrimSpace(stored), "\n2") {
		t.Errorf("the hashes of code are %s", stored)
	}

	c := exec.Command("bench", "methods", "new", "MyBoost", "--dir", "myboost")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "holds Go files already") {
		t.Errorf("a second skeleton overwrites the first: %v %s", err, out)
	}
}

// A method outside of this module whose parameters are known at run time only, and that hands its
// generator on by the name of its type, as docs/how-to/adding-a-method.md says.
const drawnMethod = `package myboost

import (
	"context"
	"encoding/json"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// directions returns count random directions in d dimensions.
func directions(draws *rng.RandomState, count, d int) *mat.Dense {
	w := mat.NewDense(count, d, nil)
	draws.Norms(w.RawMatrix().Data)
	return w
}

// Drawn is the best of some random directions.
func Drawn() registry.Spec {
	spec := registry.Spec{Name: "Drawn", Version: "1", Tasks: registry.Binary, Source: "this test"}
	parameters := []registry.Parameter{{Name: "t", Default: json.RawMessage("100"), Range: "[1,)", Integer: true, Means: "directions tried"}}
	return registry.DefineRaw(spec, parameters, registry.Grid{{Name: "t", Values: registry.Values(50, 100)}},
		func(ctx context.Context, env registry.Env, train registry.Data, setting json.RawMessage) (registry.Model, error) {
			var p struct{ T int }
			if err := json.Unmarshal(setting, &p); err != nil {
				return nil, err
			}
			n, d := train.X.Dims()
			tried, scores := directions(env.Rand(), p.T, d), mat.NewDense(p.T, n, nil)
			scores.Mul(tried, train.X.T())
			best, most := 0, 0.0
			for t := range p.T {
				if right := mat.Dot(scores.RowView(t), mat.NewVecDense(n, train.Y)); right > most {
					best, most = t, right
				}
			}
			return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
				mat.NewVecDense(len(out), out).MulVec(x, tried.RowView(best))
				return nil
			}), ctx.Err()
		})
}
`

const drawnMethodTest = `package myboost

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
	"github.com/kernelboosting/bench/registry/rng"
)

func TestDrawn(t *testing.T) { conform.Run(t, Drawn()) }

// The first normal that NumPy draws after seed(1).
func TestStream(t *testing.T) {
	if v := directions(rng.New(1), 1, 1).At(0, 0); v != 1.6243453636632417 {
		t.Errorf("the first normal of seed 1 is %v", v)
	}
}
`

// TestNewMethodInTheRepository adds the two lines that are told to methods/all.go,
// in an overlay of this repository, and compiles it.
func TestNewMethodInTheRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a package")
	}
	root, dir := testenv.Root(), t.TempDir()
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), module, 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("bench", "methods", "new", "MyBoost")
	c.Dir = dir
	var told strings.Builder
	c.Stderr = &told
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(told.String(), "\n")
	if len(lines) < 3 {
		t.Fatalf("told only %q", told.String())
	}
	all, err := os.ReadFile(filepath.Join(root, "methods", "all.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(all), "import (\n", "import (\n"+lines[1]+"\n", 1)
	text = strings.Replace(text, "registry.New(\n", "registry.New(\n"+lines[2]+"\n", 1)
	changed := filepath.Join(dir, "all.go")
	if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "methods", "all.go"):                changed,
		filepath.Join(root, "methods", "myboost", "myboost.go"): filepath.Join(dir, "methods", "myboost", "myboost.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "./methods")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("methods/all.go with the two lines does not compile: %v\n%s", err, out)
	}
}

func TestNewMethodRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"MyBoost": "there is no go.mod here; run `go mod init example.com/mine` first, or use --lang python",
		"type":    "word of the Go language", "3x": "a letter first", "gbrff2": "named GBRFF2 already", "a b": "a letter first",
	} {
		c := exec.Command("bench", "methods", "new", name)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("new %q: %v %s; want %q", name, err, out, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
