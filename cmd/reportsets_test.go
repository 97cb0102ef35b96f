package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
)

// ownSets is what a report knows of its sets, with files of sets that were run from where the test
// is.
func ownSets(t *testing.T, files map[string]string) *storedSets {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"sets/mine.toml":    "name = \"mine\"\nfile = \"mine.csv\"\nlabel = \"class\"\npositive = [\"yes\"]\n",
		"sets/number.toml":  "name = \"number\"\ntask = \"regression\"\nfile = \"mine.csv\"\nlabel = \"a\"\n",
		"sets/renamed.toml": "name = \"another\"\nfile = \"mine.csv\"\nlabel = \"class\"\n",
		"sets/mine.csv":     "a,class\n1,yes\n2,no\n",
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte(content), 0o644))
	}
	a := &app{reg: methods.All(), out: newOutput(io.Discard), err: io.Discard, sets: catalogue.Builtin(), db: defaultDatabase}
	return &storedSets{a, files, map[string]error{}}
}

// A user's set that was run from a file is known by its name: what it holds now, how a command names
// it, and what it is.
func TestReportKnowsOwnSets(t *testing.T) {
	s := ownSets(t, map[string]string{
		"mine": "sets/mine.toml", "number": "sets/number.toml", "gone": "sets/gone.toml", "renamed": "sets/renamed.toml", "wine": "sets/mine.toml",
	})
	if e, err := s.Entry("MINE"); err != nil || e.Name != "mine" {
		t.Fatalf("MINE is %v; error %v", e, err)
	}
	if got := s.File("mine"); got != "sets/mine.toml" {
		t.Errorf("a command names mine %q", got)
	}
	if got := s.File("wine"); got != "" {
		t.Errorf("a command names the catalogue's wine by the file %q", got)
	}
	before, known := s.Now("mine")
	if !known || before.File != "mine.csv" || len(before.Fingerprint) != 64 {
		t.Fatalf("mine holds %+v, known %v", before, known)
	}
	must.Do(t, os.WriteFile("sets/mine.csv", []byte("a,class\n1,yes\n3,no\n"), 0o644))
	if after, _ := s.Now("mine"); after.Fingerprint == before.Fingerprint {
		t.Error("the file was edited and its fingerprint is the same")
	}
	if e, err := s.Entry("number"); err != nil || e.Task != registry.Regression {
		t.Errorf("number is %v; error %v", e, err)
	}
	for set, want := range map[string]string{
		"gone":       "the file that described it cannot be read: open sets/gone.toml: ",
		"renamed":    "sets/renamed.toml describes a set named another now",
		"unheard-of": "unheard-of",
	} {
		for range 2 { // the second answer is from what was read for the first
			must.Say(t, must.Err(s.Entry(set)), want)
		}
		if data, known := s.Now(set); known {
			t.Errorf("%s holds %+v", set, data)
		}
	}
}

// A file that is named describes its set, whatever file it was run from before.
func TestNamedFilesComeFirst(t *testing.T) {
	s := ownSets(t, map[string]string{"mine": "elsewhere/mine.toml"})
	e, err := s.Open("./sets/mine.toml")
	if err != nil || e.Name != "mine" || s.File("mine") != "./sets/mine.toml" {
		t.Errorf("set %v is %q; error %v", e, s.File("mine"), err)
	}
	if _, err := s.Open("no/such.toml"); err == nil {
		t.Error("a file that is not there describes a set")
	}
}

// A report that is interrupted leaves no file, and says so.
func TestInterruptedReport(t *testing.T) {
	a := ownSets(t, nil).app
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := a.writeReport(ctx, doc.Document{Title: "x"}, reportFlags{output: "r.html"}, reportOutput{format: "html"})
	var e exitError
	if !errors.As(err, &e) || e.code != exitInterrupted || !strings.Contains(e.Error(), "no report is written") {
		t.Errorf("error %v, want exit code %d", err, exitInterrupted)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "sets" {
		t.Errorf("the directory holds %v; error %v", entries, err)
	}
}
