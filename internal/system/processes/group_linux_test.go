package processes

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// write makes the files of a tree.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// TestOwnGroup as machines and containers show it.
func TestOwnGroup(t *testing.T) {
	for name, c := range map[string]struct{ mounts, own, want string }{
		"machine": {"30 23 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
			"0::/user.slice/a.scope\n", "sys/fs/cgroup/user.slice/a.scope"},
		"container": {"30 23 0:27 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/docker/x/y\n",
			"sys/fs/cgroup/y"},
		"hybrid": {"9 8 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n10 8 0:2 / " +
			"/sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n", "4:memory:/m\n0::/\n", "sys/fs/cgroup/unified"},
		"version 1": {"9 8 0:1 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/m\n", ""},
	} {
		root := t.TempDir()
		write(t, root, map[string]string{"proc/self/mountinfo": c.mounts, "proc/self/cgroup": c.own})
		got, err := ownGroup(root)
		if want := filepath.Join(root, c.want); c.want != "" && got != want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// TestGroup writes the limit, and makes nothing where memory is not limited.
func TestGroup(t *testing.T) {
	parent := t.TempDir()
	own := filepath.Join(parent, fmt.Sprintf("bench-%d", os.Getpid()))
	for _, controllers := range []string{"", "cpu io\n", "cpu memory_hugetlb\n"} {
		write(t, parent, map[string]string{"cgroup.subtree_control": controllers})
		must.Say(t, must.Err(newGroup(parent, 1<<20)), "does not limit memory")
		must.Say(t, must.Err(os.Stat(own)), "no such file")
	}
	write(t, parent, map[string]string{"cgroup.subtree_control": "cpu memory pids\n"})
	g := must.Get(newGroup(parent, 1<<20))(t)
	for file, want := range map[string]string{"memory.max": "1048576", "memory.swap.max": "0",
		"memory.oom.group": "1"} {
		must.Be(t, string(must.Get(os.ReadFile(filepath.Join(own, file)))(t)), want, file)
	}
	for events, want := range map[string]bool{"": false, "low 0\noom 1\noom_kill 0\n": false,
		"low 0\noom 1\noom_kill 3\noom_group_kill 1\n": true} {
		write(t, own, map[string]string{"memory.events": events})
		must.Be(t, g.OutOfMemory(), want, events)
	}
	if g.FD() < 0 {
		t.Error("no descriptor")
	}
	g.Kill()
	must.Be(t, string(must.Get(os.ReadFile(filepath.Join(own, "cgroup.kill")))(t)), "1")
}
