package external_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// forking is a method that tries to remember what it saw: in memory, and in files that it made when it was imported.
const forking = `
from benchplugin import serve
import os, sys, tempfile, signal
seen = []
kept = tempfile.NamedTemporaryFile("a+")
class Remembers:
    def __init__(self, how=0):
        self.how = how
    def fit(self, X, y):
        self.before = len(seen)
        seen.append(1)
        try:
            with open(kept.name, "a") as f:
                f.write("x")
            self.before += 100
        except PermissionError:
            pass
        try:
            os.kill(os.getppid(), signal.SIGCONT)
            self.before += 1000
        except PermissionError:
            pass
        with tempfile.NamedTemporaryFile("a+") as own:
            own.write("x")
        if self.how == 1: os._exit(3)
        if self.how == 2: os.kill(os.getpid(), signal.SIGSEGV)
    def decision_function(self, X):
        return X[:, 0] + self.before
serve(Remembers, grid={"how": [0]})
`

func forkingPlugin(t testing.TB, text string) *external.Plugin {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return load(t, file, external.Options{Python: python(t), Fork: true})
}

// TestForked: each context gets a process that has seen nothing, whatever those before did, and which cannot leave anything for
// those after it; how one ends is told.
func TestForked(t *testing.T) {
	p := forkingPlugin(t, forking)
	d := sample(10, 2)
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		for k := range 2 {
			for i, v := range fitAndScore(t, ctx, p.Spec(), d, "{}") {
				if v != d.X.At(i, 0)+float64(k) {
					t.Fatalf("fit %d of a context: score %d is %v of %v", k, i, v, d.X.At(i, 0))
				}
			}
		}
		if n := len(p.Processes()); n != 2 {
			t.Errorf("%d processes; a warm one and its copy are expected", n)
		}
		cancel()
	}
	for how, want := range map[int]string{1: "exit code 3", 2: "SIGSEGV"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := p.Spec().Fit(ctx, registry.Env{}, d, fmt.Appendf(nil, `{"how":%d}`, how))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		cancel()
	}
}

// TestForkedBits: a copy gives the bits of a process that was started.
func TestForkedBits(t *testing.T) {
	for _, name := range []string{"svc.py", "lightgbm_plugin.py"} {
		started := example(t, name)
		copied := load(t, filepath.Join("python", "examples", name), external.Options{Python: python(t), Fork: true})
		d := sample(200, 5)
		for range 2 {
			ctx, cancel := context.WithCancel(context.Background())
			a, b := fitAndScore(t, ctx, started.Spec(), d, "{}"), fitAndScore(t, ctx, copied.Spec(), d, "{}")
			for i := range a {
				if a[i] != b[i] {
					t.Fatalf("%s: score %d is %v from a process that was started and %v from a copy", name, i, a[i], b[i])
				}
			}
			cancel()
		}
	}
}

// BenchmarkContext is what a context costs, as each cell has one, by how its process comes to be.
func BenchmarkContext(b *testing.B) {
	d := sample(10, 2)
	for _, kind := range []struct {
		name string
		load func() *external.Plugin
	}{
		{"Go", func() *external.Plugin { return load(b, plugin(b, "ridge"), external.Options{}) }},
		{"shell", func() *external.Plugin {
			file := filepath.Join(b.TempDir(), "mine.sh")
			if err := os.WriteFile(file, []byte(constantShell), 0o644); err != nil {
				b.Fatal(err)
			}
			return load(b, file, external.Options{})
		}},
		{"PythonForked", func() *external.Plugin {
			return load(b, filepath.Join("python", "examples", "svc.py"), external.Options{Python: python(b), Fork: true})
		}},
		{"PythonStarted", func() *external.Plugin { return example(b, "svc.py") }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			p := kind.load()
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				if _, err := p.Spec().Fit(ctx, registry.Env{}, d, nil); err != nil {
					b.Fatal(err)
				}
				cancel()
			}
		})
	}
}

// constantShell is a plugin that answers a constant.
const constantShell = `while read -r line; do
  id=${line#*'"id":'}; id=${id%%,*}
  case $line in
  *'"op":"describe"'*) echo '{"id":'$id',"protocol":[1,1],"name":"Constant","version":"1","tasks":["binary"]}' ;;
  *) echo '{"id":'$id'}' ;;
  esac
done
`
