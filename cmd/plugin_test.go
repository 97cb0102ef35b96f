package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// slowPlugin is a method whose fit never ends. It notes its process.
const slowPlugin = `echo $$ >>"$PIDS"
while read -r line; do
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
			pids := filepath.Join(p.dir, "pids")
			if err := os.WriteFile(filepath.Join(p.dir, "slow.sh"), []byte(slowPlugin), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--plugin", "slow.sh", "--methods", "Slow", "--datasets", "swiss", "--splits", "1"}
			if end == "timeout" {
				args = append(args, "--timeout", "300ms")
			}
			c, said := p.command(args...)
			c.Env = append(c.Env, "PIDS="+pids)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if end == "kill" {
				for !strings.Contains(said.String(), "1 cell to run") {
					time.Sleep(10 * time.Millisecond)
				}
				time.Sleep(200 * time.Millisecond) // any moment will do
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			_ = c.Wait()
			if end == "timeout" && !strings.Contains(said.String(), "complete 0/1; 1 failed") {
				t.Errorf("%s", said)
			}
			text, err := os.ReadFile(pids)
			if err != nil {
				t.Fatal(err)
			}
			for _, field := range strings.Fields(string(text)) {
				pid, err := strconv.Atoi(field)
				if err != nil {
					t.Fatal(err)
				}
				if !goneSoon(pid) {
					t.Errorf("process %d of the plugin lives on", pid)
				}
			}
		})
	}
}

// goneSoon waits until a process has ended, reaped or not.
func goneSoon(pid int) bool {
	for range 400 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}
