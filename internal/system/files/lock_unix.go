//go:build linux || darwin

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// hold locks what is at path, and reports whether no other process has it.
func hold(path string) (l lock, free bool) {
	f, err := os.Open(path)
	if err != nil {
		return lock{}, true
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
	case nil:
		return lock{f}, true
	case unix.EWOULDBLOCK:
		_ = f.Close()
		return lock{}, false
	}
	_ = f.Close() // a file system without locks
	return lock{}, true
}
