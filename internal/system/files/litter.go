package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What is being written has a hidden name with a number in it and one of these ends, so that nothing of the user's is
// taken for it: a file or folder that is not complete, and the folder that is being replaced.
const (
	unfinished = ".bench-partial"
	former     = ".bench-former"
)

// abandonedAfter is the age from which something is taken to be left behind where a system has no locks that would
// tell.
const abandonedAfter = time.Hour

// mostBase is how much of a long name is in that of what is not complete: a file system takes 255 bytes.
const mostBase = 150

// temporary is a name made from base.
func temporary(base, number, end string) string { return "." + base + "." + number + end }

// baseOf returns the name from which a temporary name was made.
func baseOf(name, end string) (base string, ok bool) {
	middle := strings.TrimPrefix(strings.TrimSuffix(name, end), ".")
	number := strings.TrimPrefix(filepath.Ext(middle), ".")
	base = strings.TrimSuffix(middle, "."+number)
	_, err := strconv.ParseUint(number, 10, 64)
	return base, err == nil && name == temporary(base, number, end)
}

// fresh makes something new in dir, with a temporary name of base, and holds it until release: as long as that is so,
// no other process takes it for left behind. make fails with fs.ErrExist where the name is taken.
func fresh(dir, base string, make func(path string) error) (path string, release func(), err error) {
	for range 100 {
		path = filepath.Join(dir, temporary(base[:min(len(base), mostBase)], strconv.FormatUint(rand.Uint64(), 10),
			unfinished))
		if err = make(path); errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		lock, free := hold(path)
		if _, gone := os.Lstat(path); free && gone == nil {
			return path, lock.release, nil
		}
		lock.release() // another process took it for left behind before it was held
	}
	return "", nil, fmt.Errorf("no name in %s stays: %w", dir, err)
}

// clean removes what killed processes left in a directory, whatever they were writing. A folder that was being replaced
// gets its name back if nothing took it. What cannot be removed stays, and harms nothing.
func clean(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		base, replaced := baseOf(e.Name(), former)
		if _, ours := baseOf(e.Name(), unfinished); !ours && !replaced || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		path, target := filepath.Join(dir, e.Name()), filepath.Join(dir, base)
		lock, free := hold(path)
		info, err := e.Info()
		_, missing := os.Lstat(target)
		switch {
		case !free || err != nil || lock.file == nil && time.Since(info.ModTime()) < abandonedAfter:
		case replaced && errors.Is(missing, fs.ErrNotExist):
			_ = os.Rename(path, target)
		default:
			_ = os.RemoveAll(path)
		}
		lock.release()
	}
}

// A lock says that this process is at a file or a folder, until it is released or the process ends, however it does.
type lock struct{ file *os.File } // nil where the system gives none

func (l lock) release() {
	if l.file != nil {
		_ = l.file.Close()
	}
}

// Scratch makes a folder in dir that nobody else may read, for files on their way; release removes it. Folders that
// killed processes left in dir are removed by the next call, here or for another file.
func Scratch(dir, base string) (path string, release func(), err error) {
	clean(dir)
	path, unlock, err := fresh(dir, base, func(path string) error { return os.Mkdir(path, 0o700) })
	if err != nil {
		return "", nil, err
	}
	return path, func() {
		_ = os.RemoveAll(path)
		unlock()
	}, nil
}
