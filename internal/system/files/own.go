package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Own writes files for a user and replaces none of the user's. It remembers the hash of each file that it wrote,
// and replaces a file only if that has the hash still, or is empty.
type Own struct {
	// of the hashes, one small file for each path; where it cannot be written, Own takes no file for its own
	Folder string
	Force  bool                   // any regular file is replaced
	Never  func(path string) bool // for files that are not replaced even by Force, such as databases; nil for none
}

// A KeptError is a file that was not replaced. Without a reason it never is.
type KeptError struct{ Path, Why string }

func (e *KeptError) Error() string {
	if e.Why == "" {
		return fmt.Sprintf("%s is a database or its log, which is not replaced; name another file", e.Path)
	}
	return fmt.Sprintf("%s is there, and %s; name another file, or add --force to replace it", e.Path, e.Why)
}

// Write is [Write] for a file of the user's folders. If a file is there that Own did not write, or that was
// changed since, the error is a KeptError, and write is not called.
func (o Own) Write(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := o.check(path); err != nil {
		return err
	}
	sum := sha256.New()
	if err := Write(path, func(w io.Writer) error { return write(io.MultiWriter(w, sum)) }); err != nil {
		return err
	}
	if record, err := o.record(path); err == nil && os.MkdirAll(o.Folder, 0o700) == nil {
		_ = Write(record, func(w io.Writer) error { // without it the file is not replaced, and check says why
			_, err := fmt.Fprintf(w, "%x  %s\n", sum.Sum(nil), path)
			return err
		})
	}
	return nil
}

func (o Own) check(path string) error {
	info, err := os.Stat(path)
	if (err != nil || info.Mode().IsRegular()) && o.Never != nil && o.Never(path) { // also a log that will be there
		return &KeptError{Path: path}
	}
	if o.Force || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // where it cannot be written, Write says so
	}
	record, err := o.record(path)
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(record)
	switch sum, sumErr := SHA256(path); {
	case errors.Is(err, fs.ErrNotExist):
		return &KeptError{path, "this program has no record of having written it"}
	case err != nil:
		return &KeptError{path, fmt.Sprintf("what this program wrote is not known: %v", err)}
	case sumErr != nil:
		return sumErr
	case len(kept) < len(sum) || string(kept[:len(sum)]) != sum:
		return &KeptError{path, "it was changed since this program wrote it"}
	}
	return nil
}

// record is the file that holds the hash of the one at path.
func (o Own) record(path string) (string, error) {
	full, err := filepath.Abs(path)
	sum := sha256.Sum256([]byte(full))
	return filepath.Join(o.Folder, hex.EncodeToString(sum[:16])), err
}

// SHA256 returns the SHA-256 of a file, in hexadecimal.
func SHA256(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	return hex.EncodeToString(sum.Sum(nil)), err
}
