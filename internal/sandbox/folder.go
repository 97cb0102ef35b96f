package sandbox

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/internal/atomicfile"
)

// NewFolder makes a folder that nobody else may read and that this program holds by a lock, and removes those of
// programs that were killed. Where no parent is given it lies in memory, if the system shows that as a folder with
// room and TMPDIR is not set, else in the system's folder for temporary files.
func NewFolder(parent string) (path string, release func(), err error) {
	path, undo, err := atomicfile.Scratch(cmp.Or(parent, memoryFolder(), os.TempDir()), "bench-plugin")
	return path, func() { Remove(path); undo() }, err
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
