package cmd_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/cmd"
	"github.com/kernelboosting/bench/internal/codehash"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs inside the scripts")

// TestMain makes the program itself the command bench, for scripts and for tests
// that start processes.
//
// The build records no versions of modules in a test program, so that each process would read its whole file, 60 MB, to know its
// code. These tests run one file, and need no hash of it; package codehash tests the hash.
//
// Plugins need --yes only where the sandbox lacks something. The command bench-unbounded thinks so, and no other, whatever the machine.
func TestMain(m *testing.M) {
	cmd.Lacks("")
	codehash.Program = func() (string, error) { return "the program of these tests", nil }
	testscript.Main(m, map[string]func(){
		"bench":           func() { os.Exit(cmd.Execute(methods.All())) },
		"bench-first":     func() { os.Exit(cmd.Execute(methods.All().With(stump("1", 0)))) },
		"bench-second":    func() { os.Exit(cmd.Execute(methods.All().With(stump("2", 1e-9)))) },
		"bench-blocked":   func() { os.Exit(cmd.Execute(methods.All().With(blocked()))) },
		"bench-gated":     func() { os.Exit(cmd.Execute(methods.All().With(gated()))) },
		"bench-faulty":    func() { os.Exit(cmd.Execute(faulty.Registry())) },
		"bench-hostile":   hostileMain,
		"bench-unbounded": func() { cmd.Lacks("this kernel has no Landlock"); os.Exit(cmd.Execute(methods.All())) },
		"bench-third":     func() { os.Exit(cmd.Execute(methods.All().With(stump("3", 0)))) },
	})
}

// TestScripts runs testdata/script: the sets that need no file. Under the race detector it runs
// run.txtar alone, where cells run together.
func TestScripts(t *testing.T) {
	dir, files := filepath.Join("testdata", "script"), []string(nil)
	if testenv.Race {
		dir, files = "", []string{filepath.Join(dir, "run.txtar")}
	}
	testscript.Run(t, testscript.Params{
		Dir: dir, Files: files, UpdateScripts: *update, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("BENCH_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("BENCH_MIRROR", "")
			e.Setenv("BENCH_KNOWN_PLUGINS", filepath.Join(e.WorkDir, "known"))
			e.Setenv("REPO", testenv.Root())
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}

// TestRealDataScripts runs testdata/realdata: the sets of the mirror.
func TestRealDataScripts(t *testing.T) {
	testenv.NotUnderRace(t)
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "realdata"), UpdateScripts: *update, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("BENCH_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("BENCH_MIRROR", mirror)
			e.Setenv("BENCH_KNOWN_PLUGINS", filepath.Join(e.WorkDir, "known"))
			return nil
		},
	})
}
