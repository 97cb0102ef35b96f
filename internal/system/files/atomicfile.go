// Package files writes files and folders whole or not at all, whatever ends the program while they are written
// ([Write], [Folder], [Own]), removes what killed processes left ([Scratch]), and reads regular files alone ([Read],
// [Copy], [Open]): reading a named pipe or a device may never end. It knows nothing of what is in the files.
package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write writes the file at path with write: the content goes to a temporary file in
// the same directory, which takes the name path only once it is complete and on
// disk. On any error, also one that write returns, a file already at path stays as
// it was and the temporary file is removed. A file that is replaced keeps its
// permissions; a new one gets those that the umask leaves of rw-rw-rw-. A link is
// followed, so that what it points to is replaced and not the link.
//
// What killed processes left in the directory, of this file or of others, is removed first.
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
	clean(filepath.Dir(path))
	var f *os.File
	made, release, err := fresh(filepath.Dir(path), filepath.Base(path), func(name string) (err error) {
		if f != nil {
			_ = f.Close()
		}
		// which asks the umask; os.CreateTemp would not
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w; the directory must exist and be writable", path, err)
	}
	defer release()
	if err := fill(f, write, mode, replaces); err != nil {
		f.Close() // the second close of a closed file is harmless
		os.Remove(made)
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(made, path); err != nil {
		os.Remove(made)
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
