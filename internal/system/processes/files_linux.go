package processes

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// longPath is the length of a path at which a walk goes on from a handle.
const longPath = 500

// WrittenBelow returns the bytes that the files below a folder take.
func WrittenBelow(folder string) int64 {
	var sum int64
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		// else what lies deeper than the longest path counts for nothing
		if err == nil && d.IsDir() && len(path) > longPath {
			fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
			if err == nil {
				sum += WrittenBelow(fmt.Sprintf("/proc/thread-self/fd/%d/.", fd))
				_ = unix.Close(fd)
			}
			return filepath.SkipDir
		}
		var s unix.Stat_t
		if err == nil && d.Type().IsRegular() && unix.Lstat(path, &s) == nil {
			sum += s.Blocks * 512
		}
		return nil // what goes away meanwhile counts no more
	})
	return sum
}

// filesOf returns the names under /proc of the files that a process holds open. A thread may have a table of its own,
// and the first thread may have ended before the others.
func filesOf(p Process) []string {
	threads := []string{fmt.Sprintf("/proc/%d", p.ID)}
	// one pattern for all would list what else each thread's folder has, of which the system keeps a record
	if p.Threads > 1 {
		threads, _ = filepath.Glob(threads[0] + "/task/*")
	}
	var open []string
	for _, thread := range threads {
		files, _ := filepath.Glob(thread + "/fd/*")
		open = append(open, files...)
	}
	return open
}

// HeldInMemory returns the bytes of files in memory that have no name, or none any more, and that processes hold open,
// each file once.
func HeldInMemory(by []Process) int64 {
	type file struct{ device, inode uint64 }
	seen := map[file]bool{}
	var sum int64
	for _, p := range by {
		for _, path := range filesOf(p) {
			var s unix.Stat_t
			if unix.Stat(path, &s) != nil || s.Mode&unix.S_IFMT != unix.S_IFREG || s.Nlink > 0 ||
				seen[file{uint64(s.Dev), s.Ino}] {
				continue
			}
			var system unix.Statfs_t
			if unix.Statfs(path, &system) == nil && (system.Type == unix.TMPFS_MAGIC ||
				system.Type == unix.HUGETLBFS_MAGIC) {
				seen[file{uint64(s.Dev), s.Ino}] = true
				sum += s.Blocks * 512
			}
		}
	}
	return sum
}
