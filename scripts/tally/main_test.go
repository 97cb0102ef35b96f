package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

const program = `package sample

import ("os"; "syscall"; "testing")

func TestPasses(t *testing.T) { t.Log("said by one that passes") }
func TestParts(t *testing.T) {
	t.Run("one", func(t *testing.T) {})
	t.Run("two", func(t *testing.T) {})
	t.Run("three", func(t *testing.T) { t.Skip("no LaTeX") })
}
func TestPartFails(t *testing.T) {
	t.Run("one", func(t *testing.T) { if os.Getenv("FAULT") == "fail" { t.Error("one is wrong") } })
}
func TestSkipped(t *testing.T) { t.Skip("no LaTeX") }
func TestShort(t *testing.T) { if testing.Short() { t.Skip("slow") } }
func TestLast(t *testing.T) {
	switch os.Getenv("FAULT") {
	case "panic":
		panic("out of order")
	case "exit":
		println("leaves early")
		syscall.Exit(3)
	}
}
`

func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{"go.mod": "module sample\n\ngo 1.26\n", "a_test.go": program,
		filepath.Join("broken", "a_test.go"): "package broken\n\nvar x int = \"\"\n"} {
		os.MkdirAll(filepath.Dir(file), 0o777)
		must.Do(t, os.WriteFile(file, []byte(text), 0o666))
	}
	const once, short = "go test -vet=off -json .", "go test -vet=off -json -short ."
	const skipped = "2 skipped: no LaTeX\n"
	for _, c := range []struct {
		fault    string
		commands []string
		code     int
		says     string // somewhere
		ends     string
	}{
		{"", []string{once}, 0, "ok  \tsample", skipped + "6 passed, 0 failed, 2 skipped\n"},
		{"", []string{short}, 0, "", skipped + "1 skipped: slow\n5 passed, 0 failed, 3 skipped\n"},
		{"fail", []string{once, "true"}, 1, "one is wrong\n--- FAIL: TestPartFails/one",
			skipped + "5 passed, 1 failed, 2 skipped\n"},
		{"panic", []string{once}, 1, "out of order", skipped + "5 passed, 1 failed, 2 skipped\n"},
		{"exit", []string{once}, 1, "leaves early", skipped + "5 passed, 1 failed, 2 skipped\n"},
		{"", []string{"go test -vet=off -json ./broken"}, 1, "a_test.go:3:13: cannot use",
			"0 passed, 1 failed, 0 skipped\n"},
		{"", []string{"echo no event; exit 7", once}, 1, "no event\n", skipped + "6 passed, 0 failed, 2 skipped\n"},
	} {
		t.Setenv("FAULT", c.fault)
		var out bytes.Buffer
		code := run(&out, c.commands)
		if said := out.String(); code != c.code || !strings.Contains(said, c.says) ||
			!strings.HasSuffix(said, "\n"+c.ends) ||
			strings.Contains(said, "said by one that passes") {
			t.Errorf("%q with fault %q exits with %d, want %d; it must say %q and end with %q:\n%s", c.commands,
				c.fault, code, c.code, c.says, c.ends, said)
		}
	}
}
