package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/reports"
)

// ownSets is a report's sets, with files of sets that were run from where the test
// is.
func ownSets(t *testing.T, files map[string]string) *reportSets {
	t.Helper()
	t.Chdir(t.TempDir())
	p, err := protocol.Load("table2")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"sets/mine.toml":    "name = \"mine\"\nfile = \"mine.csv\"\nlabel = \"class\"\npositive = [\"yes\"]\n",
		"sets/number.toml":  "name = \"number\"\ntask = \"regression\"\nfile = \"mine.csv\"\nlabel = \"a\"\n",
		"sets/renamed.toml": "name = \"another\"\nfile = \"mine.csv\"\nlabel = \"class\"\n",
		"sets/mine.csv":     "a,class\n1,yes\n2,no\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{reg: methods.All(), out: io.Discard, err: io.Discard, sets: datasets.Builtin(), db: defaultDatabase}
	return &reportSets{&storedSets{app: a, files: files}, p}
}

// A user's set that was run from a file is known by its name: what it holds now, how
// a command names it, and what can be run on it.
func TestReportKnowsOwnSets(t *testing.T) {
	s := ownSets(t, map[string]string{
		"mine": "sets/mine.toml", "number": "sets/number.toml", "gone": "sets/gone.toml", "renamed": "sets/renamed.toml", "wine": "sets/mine.toml",
	})
	src, err := s.source(reportFlags{datasets: []string{"MINE"}})
	if err != nil || len(src.Datasets) != 1 || src.Datasets[0].Name != "mine" {
		t.Fatalf("--datasets MINE gives %v; error %v", src.Datasets, err)
	}
	if got := src.SetFile("mine"); got != "sets/mine.toml" {
		t.Errorf("a command names mine %q", got)
	}
	if got := src.SetFile("wine"); got != "" {
		t.Errorf("a command names the catalogue's wine by the file %q", got)
	}
	before, known := src.Now("mine")
	if !known || before.File != "mine.csv" || len(before.Fingerprint) != 64 {
		t.Fatalf("mine holds %+v, known %v", before, known)
	}
	if err := os.WriteFile("sets/mine.csv", []byte("a,class\n1,yes\n3,no\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if after, _ := src.Now("mine"); after.Fingerprint == before.Fingerprint {
		t.Error("the file was edited and its fingerprint is the same")
	}
	if got := src.Task("number"); got != "regression" {
		t.Errorf("number is of task %q", got)
	}
	for _, c := range []struct{ method, set, want string }{
		{"CART", "mine", ""},
		{"CART", "number", ""},
		{"GBRFF2", "number", "the method does not solve regression sets"},
		{"GBRFF9", "mine", "this program has no such method"},
		{"CART", "unheard-of", "the file that describes the set is not known, name it with --datasets FILE.toml"},
		{"CART", "gone", "the file that described it cannot be read: open sets/gone.toml: "},
		{"CART", "renamed", "sets/renamed.toml describes a set named another now"},
	} {
		for range 2 { // the second answer is from what was read for the first
			if got := src.Cannot(c.method, c.set); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("%s on %s cannot be run: %q, want %q", c.method, c.set, got, c.want)
			}
		}
	}
	for _, set := range []string{"gone", "renamed", "unheard-of"} {
		if data, known := src.Now(set); known {
			t.Errorf("%s holds %+v", set, data)
		}
	}
}

// A file that is named describes its set, whatever file it was run from before.
func TestNamedFilesComeFirst(t *testing.T) {
	s := ownSets(t, map[string]string{"mine": "elsewhere/mine.toml"})
	src, err := s.source(reportFlags{datasets: []string{"wine", "./sets/mine.toml"}})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{src.Datasets[0].Name, src.Datasets[1].Name}
	if !slices.Equal(names, []string{"wine", "mine"}) || src.SetFile("mine") != "./sets/mine.toml" {
		t.Errorf("sets %v, mine is %q", names, src.SetFile("mine"))
	}
}

// A report that is interrupted leaves no file, and says so.
func TestInterruptedReport(t *testing.T) {
	a := ownSets(t, nil).app
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := reports.Table2Input{Protocol: "p", Methods: []string{"A"}, Splits: 1, Datasets: []reports.Dataset{{Name: "x"}}}
	err := a.writeTable2(ctx, in, reportFlags{format: "html", output: "r.html", decimals: 1})
	var e exitError
	if !errors.As(err, &e) || e.code != exitInterrupted || !strings.Contains(e.Error(), "no report is written") {
		t.Errorf("error %v, want exit code %d", err, exitInterrupted)
	}
	entries, err := os.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "sets" {
		t.Errorf("the directory holds %v; error %v", entries, err)
	}
}

// The first signal ends the context of a report.
func TestReportListensToSignals(t *testing.T) {
	signals := make(chan os.Signal, 1)
	stopped := false
	a := &app{signals: func() (<-chan os.Signal, func()) { return signals, func() { stopped = true } }}
	ctx, done := a.untilSignal(t.Context())
	if ctx.Err() != nil {
		t.Error("the context ends without a signal")
	}
	signals <- os.Interrupt
	<-ctx.Done()
	done()
	if !stopped {
		t.Error("signals are still taken")
	}
}
