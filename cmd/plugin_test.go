package cmd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/faulty"
)

// TestNoOrphans: whichever way a run ends, killed or by its time limit, no process of a plugin is left.
func TestNoOrphans(t *testing.T) {
	onLinux(t)
	p := newProcess(t)
	mark := faulty.Mark + "=" + p.dir
	p.env = []string{mark}
	p.copy(t, "slow.sh")
	args := []string{"run", "--plugin", "slow.sh", "--methods", "Slow", "--datasets", "swiss", "--splits", "1"}
	c := p.begin(t, args...)
	waitFor(t, func() bool { // what the method starts is there
		return slices.ContainsFunc(carriersOf(t, mark), func(line string) bool {
			return strings.Contains(line, "sleep")
		})
	})
	c.kill()
	waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
	p.command(t, append(args, "--timeout", "300ms")...).ends(3, "complete 0/1; 1 failed")
	waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
}
