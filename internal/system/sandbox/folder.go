package sandbox

import (
	"cmp"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/kernelboosting/bench/internal/system/files"
)

// NewFolder makes a folder that nobody else may read and that this program holds by a lock, and removes those of
// programs that were killed. Where no parent is given it lies in memory, if the system shows that as a folder with
// room and TMPDIR is not set, else in the system's folder for temporary files.
func NewFolder(parent string) (path string, release func(), err error) {
	path, undo, err := files.Scratch(cmp.Or(parent, memoryFolder(), os.TempDir()), "bench-plugin")
	return path, func() { Remove(path); undo() }, err
}

// Remove removes a folder, also where who wrote there took the right to do so away.
func Remove(path string) {
	if root, err := os.OpenRoot(path); err == nil {
		Empty(root)
		root.Close()
	}
	_ = os.Remove(path)
}

// emptying is how long a folder may take to become empty: who still writes there may never let it.
const emptying = time.Minute

// Empty removes what lies in a folder, however deep, and whatever rights were taken from it. Folders in folders move up
// before they are emptied in turn, so that neither the length of a path nor the number of open files bounds their
// depth. No link leads out of the folder.
func Empty(root *os.Root) {
	for deadline := time.Now().Add(emptying); time.Now().Before(deadline); {
		removed := false
		for _, e := range entries(root, ".") {
			if e.IsDir() {
				for _, below := range entries(root, e.Name()) {
					name := filepath.Join(e.Name(), below.Name())
					if !below.IsDir() {
						_ = root.Remove(name)
						continue
					}
					_ = root.Chmod(name, 0o700) // else another user than the superuser cannot move it
					_ = root.Rename(name, rand.Text())
				}
			}
			removed = root.Remove(e.Name()) == nil || removed
		}
		if !removed {
			return
		}
	}
}

// entries lists a folder below another.
func entries(root *os.Root, name string) []fs.DirEntry {
	_ = root.Chmod(name, 0o700)
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.ReadDir(-1)
	return list
}
