//go:build linux || darwin

package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// folderPrefix begins the names of private folders.
const folderPrefix = "bench-plugin-"

// lockName is a file in every private folder, locked as long as the program lives that made it.
const lockName = "lock"

// NewFolder makes a folder that nobody else may read and that this program holds by a lock, and removes those that
// nobody holds any more: their programs were killed. Where no parent is given it lies in memory, if the system
// shows that as a folder with room and TMPDIR is not set, else in the system's folder for temporary files.
func NewFolder(parent string) (path string, release func(), err error) {
	if parent == "" {
		parent = memoryFolder()
	}
	fresh, err := os.MkdirTemp(parent, "bench-new-") // nobody takes it for left behind before it is locked
	if err != nil {
		return "", nil, err
	}
	lock, err := os.OpenFile(filepath.Join(fresh, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	path = filepath.Join(filepath.Dir(fresh), folderPrefix+strings.TrimPrefix(filepath.Base(fresh), "bench-new-"))
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		_ = os.RemoveAll(fresh)
		return "", nil, err
	}
	removeStale(filepath.Dir(path))
	return path, func() {
		Remove(path)
		_ = lock.Close()
	}, nil
}

// Remove removes a folder, also where who wrote there took the right to do so away.
func Remove(path string) {
	if os.RemoveAll(path) == nil {
		return
	}
	_ = filepath.WalkDir(path, func(each string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(each, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(path)
}

// removeStale removes the folders whose lock nobody holds.
func removeStale(parent string) {
	folders, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*"))
	if err != nil {
		return
	}
	for _, each := range folders {
		lock, err := os.OpenFile(filepath.Join(each, lockName), os.O_RDWR, 0)
		if err != nil {
			continue // another user's, or none of ours
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			Remove(each)
		}
		_ = lock.Close()
	}
}
