package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
)

// TestNewMethodWorksAsWritten writes a skeleton into a module of its own that
// replaces bench by this repository, passes its test, and runs it from a main of
// five lines: what docs/adding-a-method.md tells a newcomer to do.
func TestNewMethodWorksAsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, dir := testenv.Root(), t.TempDir()
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(module), "module github.com/kernelboosting/bench", "module example.com/mine", 1) +
		"\nrequire github.com/kernelboosting/bench v0.0.0\nreplace github.com/kernelboosting/bench => " + root + "\n"
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	main := `package main

import (
	"os"

	"example.com/mine/myboost"
	"github.com/kernelboosting/bench/cmd"
	"github.com/kernelboosting/bench/methods"
)

func main() { os.Exit(cmd.Execute(methods.All().With(myboost.Spec()))) }
`
	for name, content := range map[string]string{"go.mod": text, "go.sum": string(sums), "main.go": main} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR=", "GOFLAGS=-mod=mod -buildvcs=false")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	out := run("bench", "methods", "new", "MyBoost", "--dir", "myboost")
	if !strings.Contains(out, "myboost.Spec(),") {
		t.Errorf("the line that registers the method is not told:\n%s", out)
	}
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
	run("gofmt", "-l", ".")
	run("go", "vet", "./...")
	run("go", "test", "./...")
	run("go", "run", ".", "run", "--methods", "MyBoost,GBRFF2", "--datasets", "swiss", "--splits", "1")
	if table := run("go", "run", ".", "report", "table2", "--datasets", "swiss"); !strings.Contains(table, "MyBoost") {
		t.Errorf("the table lacks the new method:\n%s", table)
	}

	c := exec.Command("bench", "methods", "new", "MyBoost", "--dir", "myboost")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "exists already") {
		t.Errorf("a second skeleton overwrites the first: %v %s", err, out)
	}
}
