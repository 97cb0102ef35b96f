package files

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A ForeignError is a folder that is not replaced, since it holds a file that no earlier Folder wrote, or that was
// edited since.
type ForeignError struct {
	Folder, File string
	Edited       bool
}

func (e *ForeignError) Error() string {
	if e.Edited {
		return fmt.Sprintf("%s holds %s, which was edited since this program wrote it; name another folder, or add "+
			"--force to replace it", e.Folder, e.File)
	}
	return fmt.Sprintf("%s holds %s, which this program did not write; name another folder, or one that is empty or "+
		"not there", e.Folder, e.File)
}

// Folder writes the folder at path whole or not at all. write hands every file to add, by its name with slashes below
// the folder; the files go to another folder in the same place, which takes its name only once all of them are complete
// and on disk. On any error, also one that write returns, a folder already at path stays as it was.
//
// What killed calls left there is removed first, and a folder that one of them was replacing has its name again.
//
// A folder that is there is replaced if it is empty or an earlier call wrote everything in it, which the file
// named mark lists as sha256sum does; else the error is a ForeignError. force replaces files that were edited
// since, and removes no other file. Between the old folder and the new one there is a moment without any.
//
// Files named as one of products, which other programs make of the folder's files and would make again, do not count,
// and go with the folder that is replaced.
func Folder(path, mark string, force bool, write func(add func(name string, content func(io.Writer) error) error) error,
	products ...string,
) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	clean(filepath.Dir(path))
	replaces, mode, err := replaceable(path, mark, force, products)
	if err != nil {
		return err
	}
	made, release, err := fresh(filepath.Dir(path), filepath.Base(path), func(name string) error {
		return os.Mkdir(name, 0o777)
	})
	if err != nil {
		return fmt.Errorf("write %s: %w; the directory above must exist and be writable", path, err)
	}
	defer release()
	err = fillFolder(made, mark, write)
	if err == nil && replaces {
		err = os.Chmod(made, mode)
	}
	if err == nil {
		err = exchange(path, made, replaces)
	}
	if err != nil {
		os.RemoveAll(made)
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// replaceable reports whether a folder is there that may be replaced, and its permissions.
func replaceable(path, mark string, force bool, products []string) (bool, fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, 0, nil
	case err != nil:
		return false, 0, err
	case !info.IsDir():
		return false, 0, fmt.Errorf("%s is a file; name a folder", path)
	}
	list, err := os.ReadFile(filepath.Join(path, mark))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, 0, err
	}
	sums := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		sums[name] = sum
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(path, file)
		name = filepath.ToSlash(name)
		if err != nil || len(list) > 0 && (name == mark || slices.Contains(products, name)) {
			return err
		}
		if sums[name] == "" {
			return &ForeignError{Folder: path, File: name}
		}
		if sum, err := SHA256(file); err != nil || force || sum == sums[name] {
			return err
		}
		return &ForeignError{path, name, true}
	})
	return true, info.Mode().Perm(), err
}

// fillFolder writes the files, and last the list of them with their hashes.
func fillFolder(folder, mark string, write func(add func(string, func(io.Writer) error) error) error) error {
	names, list := []string{mark}, ""
	err := write(func(name string, content func(io.Writer) error) error {
		if !filepath.IsLocal(filepath.FromSlash(name)) || slices.Contains(names, name) {
			return fmt.Errorf("%q is no name of a file below the folder, or was written already", name)
		}
		file, sum := filepath.Join(folder, filepath.FromSlash(name)), sha256.New()
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		err := Write(file, func(w io.Writer) error { return content(io.MultiWriter(w, sum)) })
		names, list = append(names, name), fmt.Sprintf("%s%x  %s\n", list, sum.Sum(nil), name)
		return err
	})
	if err != nil {
		return err
	}
	return Write(filepath.Join(folder, mark), func(w io.Writer) error {
		_, err := io.WriteString(w, list)
		return err
	})
}

// exchange gives the folder that was made its name, and removes what had it.
func exchange(path, made string, replaces bool) error {
	old := filepath.Join(filepath.Dir(path), temporary(filepath.Base(path), strconv.FormatUint(rand.Uint64(), 10),
		former))
	if replaces {
		before, free := hold(path)
		defer before.release()
		if !free {
			return errors.New("another program is replacing it; try again when that has ended")
		}
		if err := os.Rename(path, old); err != nil {
			return err
		}
	}
	if err := os.Rename(made, path); err != nil {
		if replaces {
			err = errors.Join(err, os.Rename(old, path))
		}
		return err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	return os.RemoveAll(old) // of a folder that was not there nothing
}
