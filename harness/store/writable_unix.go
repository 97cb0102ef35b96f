//go:build unix

package store

import "golang.org/x/sys/unix"

// mayWrite reports whether this process may write to a file that is there. SQLite would open it for
// reading without a word, and every result would wait in memory for a commit that cannot come.
func mayWrite(path string) bool {
	err := unix.Access(path, unix.W_OK)
	return err != unix.EACCES && err != unix.EROFS
}
