package cmd_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// runScripts runs the scripts of a folder of testdata, or of some of its files. [thorough] is true in make thorough: what stands behind
// [!thorough] stop runs there alone.
func runScripts(t *testing.T, folder, mirror string, more testscript.Params, files ...string) {
	t.Helper()
	for i, name := range files {
		files[i] = filepath.Join("testdata", folder, name)
	}
	if more.Files = files; files == nil {
		more.Dir = filepath.Join("testdata", folder)
	}
	setUp := more.Setup
	more.UpdateScripts, more.RequireExplicitExec = *update, true
	more.Condition = func(name string) (bool, error) {
		if name != "thorough" {
			return false, fmt.Errorf("unknown condition %s", name)
		}
		return testenv.Thorough(t), nil
	}
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	more.Setup = func(e *testscript.Env) error {
		for name, value := range map[string]string{
			"BENCH_DATA": filepath.Join(e.WorkDir, "data"), "BENCH_MIRROR": mirror, "BENCH_KNOWN_PLUGINS": filepath.Join(e.WorkDir, "known"),
			"REPO": testenv.Root(), "GORACE": os.Getenv("GORACE"), "GOCACHE": cache, "GOMODCACHE": modules, "GOFLAGS": "-buildvcs=false",
		} {
			e.Setenv(name, value)
		}
		if setUp != nil {
			return setUp(e)
		}
		return nil
	}
	testscript.Run(t, more)
}

// TestScripts runs testdata/script: the sets that need no file. Under the race detector it runs
// run.txtar alone, where cells run together.
func TestScripts(t *testing.T) {
	var files []string
	if testenv.Race {
		files = []string{"run.txtar"}
	}
	runScripts(t, "script", "", testscript.Params{}, files...)
}

// TestRealDataScripts runs testdata/realdata: the sets of the mirror.
func TestRealDataScripts(t *testing.T) {
	testenv.NotUnderRace(t)
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, "realdata", mirror, testscript.Params{})
}
