package processes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Group is a control group, version 2, whose processes together may have so much memory. The system
// itself ends them all when they want more, at once, which nobody who looks now and then can do.
type Group struct {
	dir  *os.File
	path string
}

// NewGroup makes a group below the one that this process is in. It is an error where that is not
// permitted, or memory is not among what groups there limit.
func NewGroup(limit int64) (*Group, error) {
	parent, err := ownGroup("/")
	if err != nil {
		return nil, err
	}
	return newGroup(parent, limit)
}

// ownGroup returns the directory of this process's group; root is in place of "/".
func ownGroup(root string) (string, error) {
	files, point, top := os.DirFS(root), "", ""
	for _, h := range mounted(files) {
		if h.file == "memory.max" {
			top, point = h.group, h.point
		}
	}
	for _, line := range lines(files, "proc/self/cgroup") {
		if group, unified := strings.CutPrefix(strings.TrimSpace(line), "0::"); unified && point != "" {
			if inside, below := strings.CutPrefix(group, strings.TrimSuffix(top, "/")); below {
				group = inside
			}
			return filepath.Join(root, point, group), nil
		}
	}
	return "", errors.New("no control groups of version 2")
}

func newGroup(parent string, limit int64) (*Group, error) {
	controllers, err := os.ReadFile(filepath.Join(parent, "cgroup.subtree_control"))
	if err != nil || !strings.Contains(" "+strings.TrimSpace(string(controllers))+" ", " memory ") {
		return nil, errors.Join(err, fmt.Errorf("%s does not limit memory", parent))
	}
	g := &Group{path: filepath.Join(parent, fmt.Sprintf("bench-%d", os.Getpid()))}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	err = g.write("memory.max", strconv.FormatInt(limit, 10))
	if err == nil {
		_ = g.write("memory.swap.max", "0") // not there without swap
		err = g.write("memory.oom.group", "1")
	}
	if err == nil {
		g.dir, err = os.Open(g.path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(g.path))
	}
	return g, nil
}

func (g *Group) write(file, value string) error {
	return os.WriteFile(filepath.Join(g.path, file), []byte(value), 0o644)
}

// FD returns the descriptor by which a process is started in the group.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// OutOfMemory reports whether the system ended processes of the group for want of memory.
func (g *Group) OutOfMemory() bool {
	return numbers(filepath.Join(g.path, "memory.events"))["oom_kill"] > 0
}

// Kill ends every process of the group.
func (g *Group) Kill() { _ = g.write("cgroup.kill", "1") }

// Close removes the group, whose processes have ended.
func (g *Group) Close() error { return errors.Join(g.dir.Close(), os.Remove(g.path)) }
