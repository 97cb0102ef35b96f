package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/kernelboosting/bench/internal/system/files"
)

// writeChecked writes a file with fill. The file gets its name only when it is whole and check accepts its size and its
// SHA-256. A failure of this machine is a localError.
func writeChecked(name string, check func(size int64, sum string) error, fill func(w *countingWriter) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return localError{cause: err}
	}
	var wrong error // with the content, and not with this machine
	err := files.Write(name, func(out io.Writer) error {
		w := &countingWriter{w: out, sum: sha256.New()}
		if wrong = fill(w); wrong == nil {
			wrong = check(w.n, hex.EncodeToString(w.sum.Sum(nil)))
		}
		return wrong
	})
	if err != nil && wrong == nil {
		return localError{cause: err}
	}
	return wrong
}

type countingWriter struct {
	w        io.Writer
	sum      hash.Hash
	n        int64
	reported int64
	progress func(done int64)
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil {
		err = localError{cause: err}
	}
	c.sum.Write(p[:n])
	c.n += int64(n)
	if c.progress != nil && c.n-c.reported >= 256<<10 {
		c.reported = c.n
		c.progress(c.n)
	}
	return n, err
}

// A localError is a failure to write on this machine: neither another source nor another
// attempt helps.
type localError struct {
	place   string // the directory
	setting string // what chooses another directory
	cause   error
}

func (e localError) Error() string { return fmt.Sprintf("cannot write to %s: %v", e.place, e.reason()) }

func (e localError) Unwrap() error { return e.cause }

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

func inTempDir(err error) localError {
	return localError{place: os.TempDir(), setting: "TMPDIR", cause: err}
}

func (f *fetcher) unwritten(job job, e localError) unfetched {
	here := e
	if e.place == "" {
		e.place, e.setting = f.store.Dir(), "--data"
		here = e
		here.place = filepath.Dir(job.path)
	}
	message := fmt.Sprintf("%s: %s: %v; %s", job.entry.Name, job.file.Path, here, e.advice())
	return unfetched{set: job.entry.Name, message: message, reason: e, key: e.Error(), advice: e.advice()}
}
