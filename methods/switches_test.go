//go:build cgo && amd64 && !amd64.v2 && !nokernels

package methods_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestWithoutFeatures runs the tests of scores and counts in processes whose Go code must do without features of the
// processor: without fused products and sums, and without any. make portable asks for it.
// (A program built for amd64.v2 or later cannot, and without the kernels in C it would take minutes.)
func TestWithoutFeatures(t *testing.T) {
	if os.Getenv("BENCH_FEATURES") == "" {
		t.Skip("make portable runs it, with BENCH_FEATURES set")
	}
	self := must.Get(os.Executable())(t)
	for _, off := range []string{"cpu.fma=off", "cpu.all=off"} {
		t.Run(off, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), self, "-test.v",
				"-test.run=^(TestScoresAreTheSameBits|TestReferenceIsTheSame)$")
			c.Env = append(os.Environ(), "GODEBUG="+off)
			out, err := c.CombinedOutput()
			text := string(out)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			must.Lack(t, text, "GODEBUG: ")
			must.Be(t, strings.Count(text, "--- PASS: "), 2, "the switch was not understood, or a test did not run")
		})
	}
}
