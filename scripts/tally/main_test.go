package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestProcessorTime: the packages that took most come first, what was cached took nothing, and a test program that was
// started by tally has its own output, exit code and signals.
func TestProcessorTime(t *testing.T) {
	var out bytes.Buffer
	all := newTally(&out)
	for i := range 12 {
		all.add(event{"output", fmt.Sprint(module, "p", i), "", fmt.Sprintf("%s%d.50 s\n", mark, i)})
	}
	all.add(event{"output", module + "p11", "", "ok  \tp11\t(cached)\n"})
	all.summary(70 * time.Second)
	want := "ok  \tp11\t(cached)\nprocessor time: 70 s, 60 s of them of test programs: " +
		"p10 10.5, p9 9.5, p8 8.5, p7 7.5, " +
		"p6 6.5, p5 5.5, p4 4.5, p3 3.5, " +
		"p2 2.5, p1 1.5\n0 passed, 0 failed, 0 skipped\n"
	must.Be(t, out.String(), want, "said")
	tally := filepath.Join(t.TempDir(), "tally")
	must.Do(t, exec.Command("go", "build", "-o", tally, ".").Run())
	took := regexp.MustCompile(mark + `[0-9.]+ s\n$`)
	said, err := exec.Command(tally, "exec", "sh", "-c", "echo said; exit 7").Output()
	if e := (&exec.ExitError{}); !errors.As(err, &e) || e.ExitCode() != 7 ||
		!strings.HasPrefix(string(said), "said\n") || !took.Match(said) {
		t.Errorf("%v: %s", err, said)
	}
	const waits = "trap 'echo caught; exit 0' QUIT; echo ready; while :; do sleep 0.01; done"
	c := exec.Command(tally, "exec", "sh", "-c", waits)
	from := must.Get(c.StdoutPipe())(t)
	must.Do(t, c.Start())
	lines := bufio.NewReader(from)
	must.Get(lines.ReadString('\n'))(t)
	must.Do(t, c.Process.Signal(syscall.SIGQUIT))
	said = must.Get(io.ReadAll(lines))(t)
	if err := c.Wait(); err != nil || !strings.HasPrefix(string(said), "caught\n") || !took.Match(said) {
		t.Errorf("after a signal: %v: %s", err, said)
	}
}
