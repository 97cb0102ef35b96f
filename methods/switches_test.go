//go:build amd64 && !amd64.v2

package methods_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
)

// TestScoresWithoutFeatures runs TestScoresAreTheSameBits in processes whose Go code must do without features of
// the processor. (A program built for amd64.v2 or later cannot do without.)
func TestScoresWithoutFeatures(t *testing.T) {
	if testenv.Race {
		t.Skip("slow under the race detector; make test runs it without")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []string{"cpu.fma=off", "cpu.avx=off,cpu.avx2=off,cpu.fma=off", "cpu.all=off"} {
		t.Run(off, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestScoresAreTheSameBits$")
			c.Env = append(os.Environ(), "GODEBUG="+off)
			out, err := c.CombinedOutput()
			text := string(out)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if strings.Contains(text, "GODEBUG: ") || !strings.Contains(text, "--- PASS: TestScoresAreTheSameBits") {
				t.Errorf("the switch or the test was not understood:\n%s", text)
			}
		})
	}
}
