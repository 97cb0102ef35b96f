package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestPythonPackage runs the tests of the Python package in cmd/python with this program. It needs the libraries of
// methods/internal/gbdt/testdata/peers.txt.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	python := testenv.Python(t)
	tests := []string{"test_bench"}
	if !testenv.Thorough(t) {
		tests = []string{"test_bench.SourceTest", "test_bench.RunTest.test_changed_class_is_another_version", "test_bench.RunTest.test_errors"}
	}
	root, err := filepath.Abs(testenv.Root())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := exec.Command(python, append([]string{"-m", "unittest"}, tests...)...)
	c.Dir = dir
	packages := []string{filepath.Join(root, "cmd", "python"), filepath.Join(root, "cmd", "python", "tests"), filepath.Join(root, "methods", "external", "python")}
	c.Env = append(os.Environ(), "PYTHONPATH="+strings.Join(packages, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1",
		"BENCH_PYTHON="+python, "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_PLUGINS=", "BENCH_KNOWN_PLUGINS="+filepath.Join(dir, "known"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
