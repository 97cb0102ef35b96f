package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestQuickExperiments runs the quick part of each experiment: it ends well and draws every figure, none of them empty. make test
// takes those that need no file.
func TestQuickExperiments(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, name := range experiments.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasPrefix(name, "ecml-figure1") && !strings.HasPrefix(name, "ecml-figure4") {
				testenv.OnlyThorough(t)
			}
			mirror, err := filepath.Abs(testenv.Mirror(t))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			c := exec.Command("bench", "experiment", "run", name, "--quick", "-o", "figures/")
			c.Dir = dir
			c.Env = append(os.Environ(), "BENCH_DATA="+mirror)
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
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
