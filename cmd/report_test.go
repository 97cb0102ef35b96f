package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports"
	"github.com/kernelboosting/bench/reports/doc"
)

// An interrupted `bench report -o FILE` leaves no file, and its error says so.
func TestInterruptedReport(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &app{out: newOutput(io.Discard)}
	err := writeReport(ctx, a, doc.Document{Title: "x"}, reportOptions{output: "r.html"}, reportOutput{format: "html"})
	must.Say(t, err, "no report is written")
	if e := (exitError{}); !errors.As(err, &e) || e.code != exitInterrupted {
		t.Errorf("exit code %d, want %d", e.code, exitInterrupted)
	}
	if entries := must.Get(os.ReadDir("."))(t); len(entries) > 0 {
		t.Errorf("the directory holds %v", entries)
	}
}

// Each report has a help that begins with its name, and examples.
func TestHelpOfReports(t *testing.T) {
	root := testRoot(registry.New())
	for _, r := range reports.All() {
		path := []string{"report", r.Name}
		if r.Verb {
			path = path[1:]
		}
		c, _, err := root.Find(path)
		if err != nil || !strings.HasPrefix(c.Long, r.Name+" ") || !strings.Contains(c.Example, "bench ") {
			t.Errorf("%s: its help is incomplete: %v", r.Name, err)
		}
	}
}
