package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestGuide runs every sh block of docs/how-to/adding-a-method.md, each as one script that stops at the first
// error, in an empty folder: with the data mirror, a Python that BENCH_PEERS names and this checkout.
func TestGuide(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	testenv.OnlyThorough(t) // it builds programs; TestNewMethodWorksAsWritten builds one, and plugin.txtar checks a plugin
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "how-to", "adding-a-method.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := shellBlocks(string(raw))
	if len(blocks) != 5 {
		t.Fatalf("the guide has %d blocks of commands, not 5", len(blocks))
	}
	for _, b := range blocks {
		t.Run(b.section, func(t *testing.T) {
			t.Parallel()
			python := ""
			if strings.Contains(b.text, "python") || strings.Contains(b.text, "sklearn") {
				python = testenv.Python(t)
			}
			dir := t.TempDir()
			b.text = strings.ReplaceAll(b.text, "methods check", "methods check --timeout 1h") // however busy the machine is
			c := exec.Command("sh", "-e", "-c", b.text)
			c.Dir = dir
			c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR="+mirror, "BENCH_PYTHON="+python,
				"BENCH_PLUGINS=", "BENCH_KNOWN_PLUGINS="+filepath.Join(dir, "known"), "CHECKOUT="+testenv.Root(), "GOFLAGS=-buildvcs=false")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%s\n%v\n%s", b.text, err, out)
			}
			if strings.Contains(b.text, "report table2") && !strings.Contains(string(out), "Mean test accuracy") {
				t.Errorf("%s\nprints no table:\n%s", b.text, out)
			}
			if strings.Contains(b.text, "methods check") && !strings.Contains(string(out), "checks passed") {
				t.Errorf("%s\nsays nothing of the checks:\n%s", b.text, out)
			}
		})
	}
}

// TestRSkeleton: the skeleton in R passes the checks of plugins, where there is an R.
func TestRSkeleton(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("there is no Rscript; r-base-core has it")
	}
	c := exec.Command("sh", "-e", "-c", "bench methods new Mine --lang r; bench methods check Mine --timeout 1h")
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "BENCH_KNOWN_PLUGINS="+filepath.Join(c.Dir, "known"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A shellBlock is a fenced block of commands, and the heading above it.
type shellBlock struct{ section, text string }

func shellBlocks(text string) []shellBlock {
	var out []shellBlock
	section, inside := "", false
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case !inside && strings.HasPrefix(line, "## "):
			section = strings.TrimPrefix(trimmed, "## ")
		case trimmed == "```sh":
			inside = true
			out = append(out, shellBlock{section: section})
		case trimmed == "```":
			inside = false
		case inside:
			out[len(out)-1].text += line
		}
	}
	return out
}

// TestTutorial runs every command of docs/tutorial/first-hour.md in order in one empty folder: sh blocks as scripts, console blocks line by
// line, whose output is compared with what the page shows.
func TestTutorial(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	testenv.OnlyThorough(t) // TestReadmeExamples and plugin.txtar run its parts
	python := testenv.Python(t)
	mirror, err := filepath.Abs(testenv.Mirror(t))
	if err != nil {
		t.Fatal(err)
	}
	const page = "docs/tutorial/first-hour.md"
	text, dir := strings.Join(readLines(t, page), "\n"), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(python, filepath.Join(dir, "bin", "python3")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "work")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		c := exec.Command("sh", "-e", "-c", strings.ReplaceAll(command, "methods check", "methods check --timeout 1h")) // however busy the machine is
		c.Dir = folder
		c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_MIRROR="+mirror, "BENCH_PYTHON="+python,
			"BENCH_PLUGINS=", "BENCH_KNOWN_PLUGINS="+filepath.Join(dir, "known"), "CHECKOUT="+testenv.Root(), "GOFLAGS=-buildvcs=false",
			"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s\n%v\n%s%s", command, err, out, said.String())
		}
		return string(out)
	}
	commands := 0
	for block := range strings.SplitSeq(text, "\n```") {
		kind, body, _ := strings.Cut(block, "\n")
		switch kind {
		case "sh":
			run(body)
			commands++
		case "console":
			for _, e := range consoleExamples(page, "```console\n"+body) {
				out := run(e.command)
				commands++
				if len(e.output) > 0 && !matches(strings.Split(strings.TrimRight(out, "\n"), "\n"), e.output) {
					t.Errorf("%s prints\n%s\n%s shows\n%s", e.command, out, page, strings.Join(e.output, "\n"))
				}
			}
		}
	}
	if commands < 22 {
		t.Errorf("the tutorial has %d commands", commands)
	}
}
