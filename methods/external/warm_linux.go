package external

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// No information may pass from one copy of a warm process to the next. A copy runs code of the plugin, which
// nobody can trust, so the warm process is checked from outside. When it is copied it must have no open
// files, no shared memory, and no processes or threads of its own. While a copy lives the warm process is
// stopped. If a signal or a file in its folder reaches it in the meantime, it is ended.

// alone reports whether a process shares nothing with its future copies. It has one thread, no children but
// copies, no files but the streams of the protocol, and no writable shared memory.
func (q *process) alone() bool {
	is, there := processes.Of(q.pid)
	if !there || is.Threads != 1 || len(q.orphans()) > 0 {
		return false
	}
	for _, id := range processes.Children(q.pid) {
		copied := q.copies[id]
		if copied != nil && copied.death() != nil { // the cell of this copy is over
			copied.awaitEnd()
			copied = nil
		}
		if child, there := processes.Of(id); there && !child.Zombie && copied == nil {
			return false
		}
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", q.pid))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(maps)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], "rw") &&
			strings.HasSuffix(fields[1], "s") {
			return false
		}
	}
	own := map[string]bool{"/dev/null": true, "/dev/urandom": true}
	for _, f := range []*os.File{q.in, q.out, q.errors} {
		if info, err := f.Stat(); err == nil {
			own[fmt.Sprintf("pipe:[%d]", info.Sys().(*syscall.Stat_t).Ino)] = true
		}
	}
	dir := fmt.Sprintf("/proc/%d/fd", q.pid)
	open, err := os.ReadDir(dir)
	for _, each := range open {
		if to, err := os.Readlink(filepath.Join(dir, each.Name())); err != nil || !own[to] {
			return false
		}
	}
	return err == nil
}

// stop stops a process and returns when it is stopped.
func (q *process) stop() error {
	if err := unix.Kill(q.pid, unix.SIGSTOP); err != nil {
		return err
	}
	for range 1000 {
		if is, there := processes.Of(q.pid); there && is.Stopped {
			time.Sleep(100 * time.Microsecond) // until the process has left its processor, which look counts
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New(q.plugin.name() + ": its warm process does not stop")
}

// look describes the parts of a stopped process that other processes can change: its waiting signals, how
// often it ran (more often if a process woke it), and its folder without the folders of copies.
func (q *process) look() string {
	var out strings.Builder
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", q.pid))
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "SigPnd") || strings.HasPrefix(line, "ShdPnd") ||
			strings.Contains(line, "_ctxt_switches") {
			out.WriteString(line)
		}
	}
	_ = filepath.WalkDir(q.folder.path, func(path string, d fs.DirEntry, err error) error {
		if path == q.folder.path {
			return nil
		}
		var s unix.Stat_t
		if err != nil || unix.Lstat(path, &s) != nil {
			return nil
		}
		if filepath.Dir(path) == q.folder.path && slices.Contains(q.folder.made, filepath.Base(path)) {
			return filepath.SkipDir
		}
		fmt.Fprintln(&out, path, s.Size, s.Mode, s.Mtim, s.Ctim)
		return nil
	})
	return out.String()
}
