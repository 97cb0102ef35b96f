package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestPythonScripts runs testdata/python: scripts that need a Python with NumPy.
func TestPythonScripts(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	runScripts(t, "python", "", testscript.Params{Setup: func(e *testscript.Env) error {
		e.Setenv("BENCH_PYTHON", python)
		return nil
	}})
}

// TestPythonPackage runs the tests of the Python package in cmd/python with this program. It needs the libraries of
// methods/internal/gbdt/testdata/peers.txt.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	python := testenv.Python(t)
	tests := []string{"test_bench"}
	if !testenv.Thorough(t) {
		tests = []string{"test_bench.SourceTest", "test_bench.RunTest.test_changed_class_is_another_version",
			"test_bench.RunTest.test_errors", "test_bench.RunTest.test_groups",
			"test_bench.RunTest.test_nothing_of_the_users_is_replaced"}
	}
	root := must.Get(filepath.Abs(testenv.Root()))(t)
	dir := t.TempDir()
	c := exec.Command(python, append([]string{"-m", "unittest"}, tests...)...)
	c.Dir = dir
	packages := []string{filepath.Join(root, "cmd", "python"), filepath.Join(root, "cmd", "python", "tests"),
		filepath.Join(root, "methods", "external", "python")}
	c.Env = append(os.Environ(), "PYTHONPATH="+strings.Join(packages, string(os.PathListSeparator)),
		"PYTHONDONTWRITEBYTECODE=1",
		"BENCH_PYTHON="+python, "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_PLUGINS=",
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
