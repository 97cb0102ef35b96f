package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestFirstMinutes runs scripts/first.sh, which `make run` is: with the data mirror, where its methods are computed on all but the
// largest sets if the test is thorough and on the cheapest sets if not, and without data and network. Both times it ends with one screen.
func TestFirstMinutes(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	limits := []string{"2s"}
	if testenv.Thorough(t) {
		limits = []string{"1h", "--exclude", "splice,spambase,occupancy"}
	}
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"with data": {[]string{"BENCH_MIRROR="}, "12 of 12 cells are equal, bit for bit"},
		"without":   {[]string{"BENCH_MIRROR=", "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY="}, "Without data nothing can be run here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "with data" {
				mirror, err := filepath.Abs(testenv.Mirror(t))
				if err != nil {
					t.Fatal(err)
				}
				c.env[0] += mirror
			}
			dir := t.TempDir()
			run := exec.Command(filepath.Join(testenv.Root(), "scripts", "first.sh"), append([]string{"bench"}, limits...)...)
			run.Dir, run.Env = dir, append(append(os.Environ(), "BENCH_DATA="+filepath.Join(dir, "data")), c.env...)
			var stderr strings.Builder
			run.Stderr = &stderr
			raw, err := run.Output()
			out := string(raw)
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
			}
			if !strings.Contains(out, c.says) || !strings.Contains(out, "\nGBRFF2 leads by mean;") || !strings.Contains(out, "What to type next") {
				t.Errorf("it says\n%s", out)
			}
			if lines := strings.Count(out, "\n"); lines > 50 {
				t.Errorf("it prints %d lines, which is more than a screen:\n%s", lines, out)
			}
			whole := name != "with data" || testenv.Thorough(t)
			if empty := regexp.MustCompile(`(?m)^\S+( +-){3,}`).FindString(out); whole && empty != "" {
				t.Errorf("a row of dashes, %s, in\n%s", empty, out)
			}
			if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
				t.Error(err)
			}
		})
	}
}
