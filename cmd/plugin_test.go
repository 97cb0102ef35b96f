package cmd_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/faulty"
)

// slowPlugin is a method whose fit never ends.
const slowPlugin = `while read -r line; do
	case $line in
	*describe*) echo '{"id":1,"protocol":[1,1],"name":"Slow","version":"1","tasks":["binary"]}' ;;
	*) while :; do sleep 1; done ;;
	esac
done
`

// TestNoOrphans: whichever way a run ends, killed or by its time limit, no process of a plugin is left.
func TestNoOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	for _, end := range []string{"kill", "timeout"} {
		t.Run(end, func(t *testing.T) {
			p := newProcess(t)
			mark := faulty.Mark + "=" + p.dir
			if err := os.WriteFile(filepath.Join(p.dir, "slow.sh"), []byte(slowPlugin), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--plugin", "slow.sh", "--methods", "Slow", "--datasets", "swiss", "--splits", "1"}
			if end == "timeout" {
				args = append(args, "--timeout", "300ms")
			}
			c, said := p.command(args...)
			c.Env = append(c.Env, mark)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if end == "kill" {
				waitFor(t, func() bool { // what the method starts is there
					return slices.ContainsFunc(carriersOf(t, mark), func(line string) bool { return strings.Contains(line, "sleep") })
				})
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			_ = c.Wait()
			if end == "timeout" && !strings.Contains(said.String(), "complete 0/1; 1 failed") {
				t.Errorf("%s", said)
			}
			waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
		})
	}
}
