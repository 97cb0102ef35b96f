//go:build unix

package store

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mayWrite says what of a database this process may not write to: "file", or "folder", where its log would lie; "" if it may. SQLite
// would open it for reading without a word, and every result would wait in memory for a commit that cannot come. What is not there
// yet, or cannot be asked, is left to SQLite.
func mayWrite(path string) (not string) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	refused := func(path string, mode uint32) bool {
		err := unix.Access(path, mode)
		return err == unix.EACCES || err == unix.EROFS || err == unix.EPERM // the last of what is immutable
	}
	switch {
	case refused(path, unix.W_OK):
		return "file"
	case refused(filepath.Dir(path), unix.W_OK|unix.X_OK):
		return "folder"
	}
	return ""
}
