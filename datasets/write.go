package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A localError is a failure to write on this machine: no other source and no other
// attempt mends it.
type localError struct {
	place   string // the directory
	setting string // what chooses another
	cause   error
}

func (e localError) Error() string { return fmt.Sprintf("cannot write to %s: %v", e.place, e.reason()) }
func (e localError) Unwrap() error { return e.cause }
func (e localError) key() string   { return e.setting + e.reason().Error() }

// reason is the cause without the names of files.
func (e localError) reason() error {
	var number syscall.Errno
	if errors.As(e.cause, &number) {
		return number
	}
	return e.cause
}

func (e localError) advice() string {
	other := "choose another directory with " + e.setting
	switch {
	case errors.Is(e.cause, syscall.ENOSPC), errors.Is(e.cause, syscall.EDQUOT):
		return "free some space there, or " + other
	case errors.Is(e.cause, fs.ErrPermission), errors.Is(e.cause, syscall.EROFS):
		return "make it writable, or " + other
	}
	return other
}

// inTempDir is a failure to write a temporary file.
func inTempDir(err error) localError {
	return localError{place: os.TempDir(), setting: "TMPDIR", cause: err}
}

// unwritten is the failure of a file that could not be written.
func (f *fetcher) unwritten(job fetchJob, e localError) unfetched {
	here := e
	if e.place == "" {
		e.place, e.setting = f.store.dir(), "--data"
		here = e
		here.place = filepath.Dir(job.path)
	}
	message := fmt.Sprintf("%s: %s: %v; %s", job.entry.Name, job.file.Path, here, e.advice())
	return unfetched{set: job.entry.Name, message: message, reason: e}
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".fetch-"

// writeChecked writes a file under another name, checks its size and SHA-256, and
// only then gives it its name. When it returns nil the file outlives a loss of power.
// What fails on this machine is a localError.
func writeChecked(name string, file File, fill func(w *countingWriter) error) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return localError{cause: err}
	}
	removeAbandoned(dir)
	out, err := createTemp(dir)
	if err != nil {
		return localError{cause: err}
	}
	defer os.Remove(out.Name()) // fails once the file has its name
	w := &countingWriter{w: out, sum: sha256.New()}
	err = fill(w)
	if err == nil {
		err = checkWritten(file, w)
	}
	if err != nil {
		out.Close()
		return err
	}
	err = out.Sync()
	if e := out.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(out.Name(), name)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return localError{cause: err}
	}
	return nil
}

// createTemp creates a new file with the permissions that the user's umask leaves,
// which os.CreateTemp does not.
func createTemp(dir string) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf("%s%x", tempPrefix, rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// syncDir makes a rename in dir last. File systems that cannot sync a directory say
// that the call is invalid; there is nothing more to do on them.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

func checkWritten(file File, w *countingWriter) error {
	sum := hex.EncodeToString(w.sum.Sum(nil))
	switch {
	case file.Bytes > 0 && w.n != file.Bytes:
		return fmt.Errorf("expected %d bytes, got %d", file.Bytes, w.n)
	case file.SHA256 != "" && sum != file.SHA256:
		return fmt.Errorf("expected SHA-256 %s, got %s", file.SHA256, sum)
	}
	return nil
}

// removeAbandoned deletes what a killed process left in dir more than an hour ago.
func removeAbandoned(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), tempPrefix) && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}
