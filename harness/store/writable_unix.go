//go:build unix

package store

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mayWrite says what this process may not write to: "file" is the database, "folder" the folder of its log,
// and "" neither. SQLite would silently open the database for reading, and every result would wait in
// memory for a commit that cannot succeed. Where the file does not exist yet or the system does not answer,
// SQLite finds the obstacle.
func mayWrite(path string) (not string) {
	path = realPath(path)
	refused := func(path string, mode uint32) bool {
		err := unix.Access(path, mode)
		return err == unix.EACCES || err == unix.EROFS || err == unix.EPERM // EPERM is for immutable files
	}
	switch {
	case refused(path, unix.W_OK):
		return "file"
	case refused(filepath.Dir(path), unix.W_OK|unix.X_OK):
		return "folder"
	}
	return ""
}
