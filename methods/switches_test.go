//go:build cgo && amd64 && !amd64.v2 && !purego

package methods_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
)

// TestWithoutFeatures runs the tests of scores and counts in processes whose Go code must do without features of the
// processor: without fused products and sums, and with BENCH_FEATURES=all without others and without any (make portable).
// (A program built for amd64.v2 or later cannot, and without the kernels in C it would take minutes.)
func TestWithoutFeatures(t *testing.T) {
	if testenv.Race {
		t.Skip("slow under the race detector; make test runs it without")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	switches := []string{"cpu.fma=off"}
	if os.Getenv("BENCH_FEATURES") == "all" {
		switches = append(switches, "cpu.avx=off,cpu.avx2=off,cpu.fma=off", "cpu.all=off")
	}
	for _, off := range switches {
		t.Run(off, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^(TestScoresAreTheSameBits|TestCountsAreTheSame)$")
			c.Env = append(os.Environ(), "GODEBUG="+off)
			out, err := c.CombinedOutput()
			text := string(out)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if strings.Contains(text, "GODEBUG: ") || strings.Count(text, "--- PASS: ") != 2 {
				t.Errorf("the switch was not understood, or a test did not run:\n%s", text)
			}
		})
	}
}
