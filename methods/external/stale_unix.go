//go:build linux || darwin

package external

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is a file in every private folder, locked as long as the program lives that made it.
const lockName = "lock"

// privateFolder makes a folder that this program holds by a lock, and removes those that nobody holds
// any more: their programs were killed.
func privateFolder(parent string) (path string, release func(), err error) {
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
		_ = os.RemoveAll(path)
		_ = lock.Close()
	}, nil
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
			_ = os.RemoveAll(each)
		}
		_ = lock.Close()
	}
}
