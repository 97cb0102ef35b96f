package architecture

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestRefusals: a build that cannot work says so in one line, below the name of the package.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		settings []string
		want     string
	}{
		{[]string{"GOOS=linux", "GOARCH=386", "CGO_ENABLED=0"},
			"bench_needs_a_processor_of_64_bits__build_it_for_GOARCH_amd64_or_arm64"},
		{[]string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"},
			"bench_keeps_results_in_SQLite_which_needs_a_C_compiler__install_one_and_build_with_CGO_ENABLED_1"},
		{[]string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1"}, ""},
	} {
		build := exec.CommandContext(t.Context(), "go", "build", "./registry/rng", "./internal/system/scarcity")
		build.Dir = testenv.Root()
		build.Env = append(os.Environ(), c.settings...)
		out, err := build.CombinedOutput()
		var said []string
		for line := range strings.Lines(string(out)) {
			if !strings.HasPrefix(line, "#") {
				said = append(said, strings.TrimSpace(line))
			}
		}
		if c.want == "" {
			if err != nil {
				t.Errorf("%v: %v\n%s", c.settings, err, out)
			}
		} else if err == nil || len(said) != 1 || !strings.HasSuffix(said[0], "undefined: "+c.want) {
			t.Errorf("%v: %v\n%s\nwant one line that ends in %s", c.settings, err, out, c.want)
		}
	}
}
