package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
)

// An interrupted `bench report -o FILE` leaves no file, and its error says so.
func TestInterruptedReport(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &app{out: newOutput(io.Discard)}
	err := a.writeReport(ctx, doc.Document{Title: "x"}, reportFlags{output: "r.html"}, reportOutput{format: "html"})
	must.Say(t, err, "no report is written")
	if e := (exitError{}); !errors.As(err, &e) || e.code != exitInterrupted {
		t.Errorf("exit code %d, want %d", e.code, exitInterrupted)
	}
	if entries := must.Get(os.ReadDir("."))(t); len(entries) > 0 {
		t.Errorf("the directory holds %v", entries)
	}
}
