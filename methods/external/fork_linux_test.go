package external_test

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// forking is a method that tries to remember what it saw: in memory, and in files that it made when it was imported.
//
//go:embed testdata/forking.py
var forking string

func forkingPlugin(t testing.TB, text string) *external.Plugin {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.py")
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	return load(t, file, external.Options{Python: python(t), Fork: true})
}

// TestForked: each context gets a process that has seen nothing, whatever those before did, and which cannot leave
// anything for those after it; how one ends is told.
func TestForked(t *testing.T) {
	p := forkingPlugin(t, forking)
	d := sample(10, 2)
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		for k := range 2 {
			for i, v := range fitAndScore(t, ctx, p.Spec(), d, "{}") {
				must.Be(t, v, d.X.At(i, 0)+float64(k), "fit", k, "score", i)
			}
		}
		must.Be(t, len(p.Processes()), 2)
		cancel()
	}
	for how, want := range map[int]string{1: "exit code 3", 2: "SIGSEGV"} {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := p.Spec().Fit(ctx, registry.Env{}, d, fmt.Appendf(nil, `{"how":%d}`, how))
		must.Say(t, err, want)
		cancel()
	}
}

// sharing keeps what it sees where the next copy would find it, if it could: its constructor says where.
//
//go:embed testdata/sharing.py
var sharing string

// TestNothingPassesThroughTheWarmProcess: a plugin that leaves something for its next copy, past the Python side that
// it can change, is not copied, or not from a process that a copy could reach.
func TestNothingPassesThroughTheWarmProcess(t *testing.T) {
	for _, how := range []string{"memory", "pipe", "file", "signal", "woken"} {
		p := forkingPlugin(t, strings.ReplaceAll(sharing, "@HOW@", how))
		d := sample(10, 2)
		for range 3 {
			ctx, cancel := context.WithCancel(context.Background())
			for i, v := range fitAndScore(t, ctx, p.Spec(), d, "{}") {
				must.Be(t, v, d.X.At(i, 0), how, "something of one context is there in the next: score", i)
			}
			cancel()
		}
	}
}

// TestAWarmProcessThatBecomesShared: a plugin whose process has an open file only after its first copy was made is not
// copied again. Its process was stopped while the copy lived, so that it is replaced and not used as if it were new.
func TestAWarmProcessThatBecomesShared(t *testing.T) {
	p := forkingPlugin(t, `
import os
from benchplugin import serve
os.register_at_fork(after_in_parent=lambda: os.pipe())
class Plain:
    def fit(self, X, y): return self
    def decision_function(self, X): return X[:, 0]
serve(Plain)
`)
	d := sample(10, 2)
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		for i, v := range fitAndScore(t, ctx, p.Spec(), d, "{}") {
			must.Be(t, v, d.X.At(i, 0), "score", i)
		}
		cancel()
	}
}

//go:embed testdata/signals.py
var signals string

// TestNoThreadIsLeftInASandbox: a plugin, also the first that a program starts, whatever thread that is on, cannot
// signal the program.
func TestNoThreadIsLeftInASandbox(t *testing.T) {
	plugins := 4
	if testenv.Thorough(t) {
		plugins = 20
	}
	for range plugins {
		p := must.Get(script(t, signals))(t)
		fitAndScore(t, t.Context(), p.Spec(), sample(10, 2), "{}")
	}
}

// leaving joins the group of a child that it starts, and starts another in a session of its own.
//
//go:embed testdata/leaving.py
var leaving string

// TestProcessesThatLeaveTheirGroup: with its context a process ends, and what it started, in whatever groups they are.
func TestProcessesThatLeaveTheirGroup(t *testing.T) {
	for _, fork := range []bool{false, true} {
		p := must.Get(script(t, leaving))(t)
		if fork {
			p = forkingPlugin(t, leaving)
		}
		before := processes.Below(os.Getpid())
		ctx, cancel := context.WithCancel(t.Context())
		fitAndScore(t, ctx, p.Spec(), sample(10, 2), "{}")
		left := slices.DeleteFunc(processes.Below(os.Getpid()), func(p processes.Process) bool {
			return slices.ContainsFunc(before, func(old processes.Process) bool { return old.ID == p.ID })
		})
		if len(left) < 2 {
			t.Errorf("fork %v: it started %v", fork, left)
		}
		cancel()
		p.Settle()
		for _, each := range left {
			must.Be(t, gone(each.ID), true, "fork", fork, each, left)
		}
	}
}

// TestAForgedCopy: a plugin that names another process than a copy of its own is bad output, and that process lives.
func TestAForgedCopy(t *testing.T) {
	victim := exec.Command("sleep", "1000")
	victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must.Do(t, victim.Start())
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	p := forkingPlugin(t, strings.ReplaceAll(`
import benchplugin._serve as side
from benchplugin import serve
side.Server.op_fork = lambda self, r: {"process": @PID@}
class Names:
    def fit(self, X, y): pass
    def decision_function(self, X): return X[:, 0]
serve(Names)
`, "@PID@", strconv.Itoa(victim.Process.Pid)))
	must.Say(t, must.Err(p.Spec().Fit(t.Context(), registry.Env{}, sample(10, 2), nil)),
		"no process that was forked for it")
	p.Close()
	if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("the process that it named was ended")
	}
}

// TestForkedBits: a copy gives the bits of a process that was started.
func TestForkedBits(t *testing.T) {
	testenv.OnlyThorough(t)
	for _, name := range []string{"svc.py", "lightgbm_plugin.py"} {
		started := example(t, name)
		copied := load(t, filepath.Join("python", "examples", name), external.Options{Python: python(t), Fork: true})
		d := sample(200, 5)
		for range 2 {
			ctx, cancel := context.WithCancel(context.Background())
			a, b := fitAndScore(t, ctx, started.Spec(), d, "{}"), fitAndScore(t, ctx, copied.Spec(), d, "{}")
			for i := range a {
				must.Be(t, a[i], b[i], name, "score", i)
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
			must.Do(b, os.WriteFile(file, []byte(constantShell), 0o644))
			return load(b, file, external.Options{})
		}},
		{"PythonForked", func() *external.Plugin {
			return load(b, filepath.Join("python", "examples", "svc.py"),
				external.Options{Python: python(b), Fork: true})
		}},
		{"PythonStarted", func() *external.Plugin { return example(b, "svc.py") }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			p := kind.load()
			for b.Loop() {
				ctx, cancel := context.WithCancel(context.Background())
				must.Get(p.Spec().Fit(ctx, registry.Env{}, d, nil))(b)
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

// TestARefusalSaysWhatToDo: a program that ends at a file which the sandbox refuses names the option that allows it.
func TestARefusalSaysWhatToDo(t *testing.T) {
	if sandbox.Missing() != "" {
		t.Skip(sandbox.Missing())
	}
	secret := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(secret, []byte("x"), 0o600))
	file := filepath.Join(t.TempDir(), "reads.sh")
	must.Do(t, os.WriteFile(file, []byte("#!/bin/sh\ncat "+secret+" || exit 1\n"), 0o755))
	p, err := external.Load(context.Background(), file, external.Options{})
	if err == nil {
		p.Close()
	}
	if err == nil || !strings.Contains(err.Error(), secret) ||
		!strings.Contains(err.Error(), "--allow-read DIR") {
		t.Errorf("%v", err)
	}
}
