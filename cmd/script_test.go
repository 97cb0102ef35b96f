package cmd_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/cmd"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs inside the scripts")

// lostVariable says in the environment of a command how long a worker may be silent.
const lostVariable = "BENCH_TEST_LOST"

// TestMain makes the program itself the command bench, for scripts and for tests that start processes.
//
// Plugins need --yes only where the sandbox lacks something. The command bench-unbounded thinks so, and no other,
// whatever the machine.
//
// Under the race detector run.txtar alone runs, where cells run together: workers are as large as the detector makes
// them.
func TestMain(m *testing.M) {
	if testenv.Race && strings.HasSuffix(os.Args[0], ".test") { // and not one of the commands below
		flag.Parse()
		_ = flag.Set("test.run", "^TestScripts$/^run$")
	}
	cmd.Lacks("")
	if lost, err := time.ParseDuration(os.Getenv(lostVariable)); err == nil {
		cmd.LostAfter(lost)
	}
	testscript.Main(m, map[string]func(){
		"bench":           func() { os.Exit(cmd.Execute(methods.All())) },
		"bench-first":     func() { os.Exit(cmd.Execute(methods.All().With(stump(0)))) },
		"condense":        condense,
		"bench-second":    func() { os.Exit(cmd.Execute(methods.All().With(stump(1e-9)))) },
		"bench-blocked":   func() { os.Exit(cmd.Execute(methods.All().With(blocked()))) },
		"bench-gated":     func() { os.Exit(cmd.Execute(methods.All().With(gated()))) },
		"bench-faulty":    func() { os.Exit(cmd.Execute(faulty.Registry())) },
		"bench-hostile":   hostileMain,
		"bench-unbounded": func() { cmd.Lacks("this kernel has no Landlock"); os.Exit(cmd.Execute(methods.All())) },
		"bench-peak":      peakMain,
	})
}

// condense writes a file of results with the folds of the chosen grid points alone: condense FROM TO.
func condense() {
	whole, err := os.ReadFile(os.Args[1])
	var runs []result.Run
	if err == nil {
		runs, err = bundle.Read(whole)
	}
	for i, r := range runs {
		runs[i] = storetest.Condensed(r)
	}
	var out bytes.Buffer
	if err == nil {
		_, err = bundle.Write(&out, runs)
	}
	if err = cmp.Or(err, os.WriteFile(os.Args[2], out.Bytes(), 0o644)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runScripts runs the scripts of a folder of testdata. [thorough] is true in make thorough: what follows
// [!thorough] stop runs there alone.
func runScripts(t *testing.T, folder, mirror string, more testscript.Params) {
	t.Helper()
	setUp := more.Setup
	more.UpdateScripts, more.RequireExplicitExec = *update, true
	caches := strings.Fields(string(must.Get(exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output())(t)))
	more.Setup = func(e *testscript.Env) error {
		for name, value := range map[string]string{
			"BENCH_DATA": filepath.Join(e.WorkDir, "data"), "XDG_CACHE_HOME": filepath.Join(e.WorkDir, "cache"),
			"BENCH_MIRROR": mirror,
			"REPO":         testenv.Root(), "GORACE": os.Getenv("GORACE"),
			"BENCH_YARDSTICK": cmp.Or(os.Getenv("BENCH_YARDSTICK"), "1"),
			"GOCACHE":         caches[0], "GOMODCACHE": caches[1],
			"GOFLAGS": os.Getenv("GOFLAGS") + " -buildvcs=false",
		} {
			e.Setenv(name, value)
		}
		if setUp != nil {
			return setUp(e)
		}
		return nil
	}
	scripts := map[bool][]string{}
	for _, file := range must.Get(filepath.Glob(filepath.Join("testdata", folder, "*.txtar")))(t) {
		thorough := testenv.ThoroughPart(t, file)
		scripts[thorough] = append(scripts[thorough], file)
	}
	for thorough, files := range scripts {
		more.Files = files
		more.Condition = func(name string) (bool, error) {
			if name != "thorough" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return thorough, nil
		}
		testscript.Run(t, more)
	}
}

// TestScripts runs testdata/script: the sets that need no file.
func TestScripts(t *testing.T) { runScripts(t, "script", "", testscript.Params{}) }

// TestRealDataScripts runs testdata/realdata: the sets of the mirror.
func TestRealDataScripts(t *testing.T) {
	runScripts(t, "realdata", must.Get(filepath.Abs(testenv.Mirror(t)))(t), testscript.Params{})
}
