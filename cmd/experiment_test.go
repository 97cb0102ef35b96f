package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// longExperiments have quick parts of 15 to 30 s of processor time.
var longExperiments = []string{"eccv-figure1", "eccv-figure2", "eccv-figure3", "eccv-table3", "eccv-table4",
	"ecml-figure2", "ecml-table2", "neurips-figure1"}

// TestQuickExperiments runs the quick part of each experiment: the command ends well and draws every figure, none of
// them empty. make test runs one experiment, whose data the program brings. make thorough runs the experiments that are
// not in longExperiments, and checks that those in the list can be planned. make fire runs all experiments.
func TestQuickExperiments(t *testing.T) {
	for _, name := range experiments.Names() {
		quick := name == "ecml-figure1"
		if !quick && !testenv.ThoroughPart(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			if !quick {
				p.env = []string{"BENCH_DATA=" + must.Get(filepath.Abs(testenv.Mirror(t)))(t)}
			}
			args := []string{"experiment", "run", name, "--quick", "-o", "figures/"}
			if slices.Contains(longExperiments, name) && os.Getenv("BENCH_FIRE") == "" {
				p.command(t, append(args, "--dry-run")...).ends(0, "cells to run")
				return
			}
			p.run(t, args...)
			drawn := must.Get(filepath.Glob(p.file("figures", "*.svg")))(t)
			for _, file := range drawn {
				if marks := strings.Count(string(must.Get(os.ReadFile(file))(t)), "\n"); marks < 10 {
					t.Errorf("%s has %d lines", file, marks)
				}
			}
			if tables := strings.Contains(name, "table"); drawn == nil && !tables {
				t.Error("no figure is drawn")
			}
		})
	}
}
