package reports

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes the file at path with write, all or nothing: the content goes
// to a temporary file in the same directory, which takes the name path only once
// it is complete and on disk. On any error a file already at path stays as it
// was, and nothing else is left behind. A file that is replaced keeps its
// permissions; a new one gets 0644.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	mode := fs.FileMode(0o644)
	// A link is followed, so that what it points to is replaced and not the link.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("write %s: it is not a regular file; give another name", path)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w; the directory must exist and be writable", path, err)
	}
	defer func() {
		if err != nil {
			f.Close() // the second close of a closed file is harmless
			os.Remove(f.Name())
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	buffered := bufio.NewWriter(f)
	if err = write(buffered); err != nil {
		return err
	}
	if err = buffered.Flush(); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
