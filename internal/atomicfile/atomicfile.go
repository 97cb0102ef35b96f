// Package atomicfile writes a file whole or not at all, whatever ends the program
// while it is written. It knows nothing of what is in the file.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// suffix ends the names of files that are being written, so that nothing of the
// user's is taken for one.
const suffix = ".partial"

// abandonedAfter is the age at which a file that is being written is taken to be
// the rest of a killed process.
const abandonedAfter = time.Hour

// Write writes the file at path with write: the content goes to a temporary file in
// the same directory, which takes the name path only once it is complete and on
// disk. On any error, also one that write returns, a file already at path stays as
// it was and the temporary file is removed. A file that is replaced keeps its
// permissions; a new one gets those that the umask leaves of rw-rw-rw-. A link is
// followed, so that what it points to is replaced and not the link.
//
// Temporary files of the same path that a killed process left more than an hour ago
// are removed.
func Write(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode, replaces := fs.FileMode(0o666), false
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("write %s: it is not a regular file; give another name", path)
		}
		mode, replaces = info.Mode().Perm(), true
	}
	removeAbandoned(path)
	f, err := create(path, mode)
	if err != nil {
		return fmt.Errorf("write %s: %w; the directory must exist and be writable", path, err)
	}
	if err := fill(f, write, mode, replaces); err != nil {
		f.Close() // the second close of a closed file is harmless
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: the file is there, but its directory does not reach the disk: %w", path, err)
	}
	return nil
}

// fill writes the content and brings it to disk; a replaced file's permissions are
// set again, since the umask took from them.
func fill(f *os.File, write func(io.Writer) error, mode fs.FileMode, replaces bool) error {
	buffered := bufio.NewWriter(f)
	if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if replaces {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// create opens a new file beside path. os.CreateTemp would not ask the umask.
func create(path string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := filepath.Join(dir, temporary(base, strconv.FormatUint(rand.Uint64(), 10)))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// temporary is the name under which base is written.
func temporary(base, number string) string { return "." + base + "." + number + suffix }

// removeAbandoned deletes what killed processes left of earlier writes of path. What
// cannot be removed stays, and harms nothing.
func removeAbandoned(path string) {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		number := strings.TrimSuffix(strings.TrimPrefix(e.Name(), "."+base+"."), suffix)
		if _, err := strconv.ParseUint(number, 10, 64); err != nil || e.Name() != temporary(base, number) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandonedAfter {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// syncDir brings a directory's names to disk: without it a file that was renamed
// may be gone after a loss of power. It is a variable for the package's test.
var syncDir = func(dir string) error {
	d, err := os.Open(dir)
	if err != nil || runtime.GOOS == "windows" {
		return nil // a directory that may be written and not read, or no such notion
	}
	defer d.Close()
	if err := d.Sync(); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil // a file system that does not sync directories
}
