package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// longExperiments have quick parts of 15 to 30 s of processor time.
var longExperiments = []string{"eccv-figure1", "eccv-figure2", "eccv-figure3", "eccv-table3", "eccv-table4", "ecml-figure2", "ecml-table2", "neurips-figure1"}

// TestQuickExperiments runs the quick part of each experiment: the command ends well and draws every figure, none of them empty. make
// test runs one experiment that needs no data file. make thorough runs every experiment that is not in longExperiments; of an
// experiment in that list it checks only that the run can be planned. make fire runs all experiments.
func TestQuickExperiments(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, name := range experiments.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "ecml-figure1" {
				testenv.OnlyThorough(t)
			}
			mirror, err := filepath.Abs(testenv.Mirror(t))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			c := exec.Command("bench", "experiment", "run", name, "--quick", "-o", "figures/")
			planned := slices.Contains(longExperiments, name) && os.Getenv("BENCH_FIRE") == ""
			if planned {
				c.Args = append(c.Args, "--dry-run")
			}
			c.Dir = dir
			c.Env = append(os.Environ(), "BENCH_DATA="+mirror)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			} else if planned {
				if !strings.Contains(string(out), "cells to run") {
					t.Errorf("the plan is %s", out)
				}
				return
			}
			drawn := 0
			err = filepath.WalkDir(filepath.Join(dir, "figures"), func(path string, d os.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(path, ".svg") {
					drawn++
					text, err := os.ReadFile(path)
					if marks := strings.Count(string(text), "\n"); err != nil || marks < 10 {
						t.Errorf("%s has %d lines, %v", path, marks, err)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if tables := strings.Contains(name, "table"); drawn == 0 && !tables {
				t.Errorf("%d figures are drawn", drawn)
			}
		})
	}
}
