// A data directory ([Directory]) gives every file the path that its entry says. Each file is compared with its SHA-256
// whenever it is read. A missing file that the program has, or of a set that it generates, is not needed. Only regular
// files are read: no pipe, no device. Files packed by gzip are unpacked. Errors name the set and say what to do.

package catalogue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/internal/system/files"
)

// A Directory holds data files: file wine/wine.data of the catalogue is
// Root/wine/wine.data. The zero value uses DefaultDir.
type Directory struct {
	Root string
	// bytes that loading one set may take at its peak; 0 means three quarters of what the machine lets the program use
	Memory int64
}

// DefaultDir returns BENCH_DATA, or bench/data in the user's cache directory.
func DefaultDir() string {
	if dir := os.Getenv("BENCH_DATA"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil { // no home directory: keep the data in the folder of the results
		cache = "."
	}
	return filepath.Join(cache, "bench", "data")
}

// A State says whether an entry's data files can be read.
type State string

// The states of an entry.
const (
	Present   State = "present"   // every data file is there and right
	Missing   State = "missing"   // a data file is not there
	Wrong     State = "wrong"     // a data file differs from its checksum
	Generated State = "generated" // no file is there and none is needed: the program makes the set
	Included  State = "included"  // a data file is not there and need not be: the program brings it
)

// Dir returns the directory itself.
func (d Directory) Dir() string {
	if d.Root == "" {
		return DefaultDir()
	}
	return d.Root
}

// Path returns where a file of the entry is, or would be.
func (d Directory) Path(e *Entry, f File) string { return e.Path(d.Dir(), f) }

// State looks at the entry's data files and their checksums. The error says what
// is missing, wrong or unreadable; it is nil for Present, Generated
// and Included.
func (d Directory) State(e *Entry) (State, error) {
	state := Present
	for _, f := range e.DataFiles() {
		_, err := d.Check(context.Background(), e, f)
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.Generated:
			return Generated, nil
		case errors.Is(err, fs.ErrNotExist) && e.Embedded(f):
			state = Included
		case errors.Is(err, fs.ErrNotExist):
			return Missing, err
		case err != nil:
			return Wrong, err
		}
	}
	return state, nil
}

// Verify checks every file of the entry, documentation included, against its size
// and SHA-256. A missing documentation file is no error, and neither is a missing file
// that the program brings or makes. The error has one line per file.
func (d Directory) Verify(e *Entry) error {
	var all []error
	for _, f := range e.Files {
		_, err := d.Check(context.Background(), e, f)
		if errors.Is(err, fs.ErrNotExist) && (f.Role == RoleDocumentation || e.needless(f)) {
			continue
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// A missingError says that a file is missing; errors.Is finds fs.ErrNotExist in it.
type missingError struct{ message string }

func (e missingError) Error() string { return e.message }

func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }

// Check compares a file with its size and SHA-256 and returns its SHA-256.
func (d Directory) Check(ctx context.Context, e *Entry, f File) (sum string, err error) {
	return d.scan(ctx, e, f, func(int64) (io.Writer, error) { return io.Discard, nil })
}

// Read returns the content of a data file, and the SHA-256 of the file as it lies on the disk, which Read compares with
// the catalogue. If the file is packed by gzip, the content is the unpacked text. If lines is not 0, the content is the
// first so many lines. A missing file that the program brings or makes is not needed. Read asks reserve whether it may
// take the memory, before it takes it.
func (d Directory) Read(ctx context.Context, e *Entry, f File, lines int,
	reserve func(size int64) error) (data []byte, sum string, err error) {
	if f.Packed() {
		return d.unpack(ctx, e, f, lines, reserve)
	}
	var buf *bytes.Buffer
	sum, err = d.scan(ctx, e, f, func(size int64) (io.Writer, error) {
		if err := reserve(size); err != nil {
			return nil, err
		}
		buf = bytes.NewBuffer(make([]byte, 0, size))
		return buf, nil
	})
	switch {
	case err == nil:
		return firstLines(buf.Bytes(), &lines), sum, nil
	case errors.Is(err, fs.ErrNotExist) && e.needless(f):
		if err := reserve(f.Bytes); err != nil {
			return nil, "", err
		}
		data, err := Make(e, f)
		return firstLines(data, &lines), f.SHA256, err
	}
	return nil, "", err
}

// Make returns the bytes of a file that the program brings, or makes by the generator of the entry, and checks them.
func Make(e *Entry, f File) ([]byte, error) {
	if packed, err := embedded.ReadFile("embedded/" + f.Path + gzipExtension); err == nil && e.Embedded(f) {
		data, err := Unpack(f.Path, packed, 16*int64(len(packed))+4<<20)
		if err == nil {
			err = f.Check(int64(len(data)), Checksum(data))
		}
		return data, err
	}
	generator, err := Named(e.Generator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	data := generator()
	if err := f.Check(int64(len(data)), Checksum(data)); err != nil {
		return nil, fmt.Errorf("%s: this machine generates other bytes than the catalogue's: %w; get the file with "+
			"`bench data fetch --from DIR %s`", e.Name, err, e.Name)
	}
	return data, nil
}

// damagedError is a file that is not the one that the entry describes.
type damagedError struct{ error }

// scan copies a file to the writer that into returns for its size, and returns its SHA-256. The
// size is checked before anything is read. Errors name the set and say what to do.
func (d Directory) scan(ctx context.Context, e *Entry, f File, into func(size int64) (io.Writer,
	error)) (sum string, err error) {
	path, hash := d.Path(e, f), sha256.New()
	var length int64
	err = files.Copy(ctx, path, func(size int64) (io.Writer, error) {
		length = size
		if err := f.CheckSize(size); err != nil {
			return nil, damagedError{err}
		}
		w, err := into(size)
		if err != nil {
			return nil, err
		}
		return io.MultiWriter(hash, w), nil
	})
	if err == nil {
		sum = hex.EncodeToString(hash.Sum(nil))
		if err = f.Check(length, sum); err == nil {
			return sum, nil
		}
		err = damagedError{err}
	}
	var damaged damagedError
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Local():
		again := ""
		if f.Note != "" {
			again = " (its note on the file: " + f.Note + ")"
		}
		return "", missingError{fmt.Sprintf("%s: %s is not there; correct the path in the set's TOML file%s", e.Name,
			path, again)}
	case errors.Is(err, fs.ErrNotExist):
		return "", missingError{fmt.Sprintf("%s: %s is not there; get it with `bench data fetch %s`%s", e.Name, path,
			e.Name, advice(f))}
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &damaged) && e.Local():
		return "", fmt.Errorf("%s: %s: %w; restore the file, or correct bytes and sha256 in the set's TOML file",
			e.Name, path, err)
	case errors.As(err, &damaged) && e.Embedded(f):
		return "", fmt.Errorf("%s: %s: %w; delete it: the program brings the right file", e.Name, path, err)
	case errors.As(err, &damaged):
		return "", fmt.Errorf("%s: %s: %w; delete it and run `bench data fetch %s`", e.Name, path, err, e.Name)
	}
	return "", fmt.Errorf("%s: %w", e.Name, err)
}

// advice is what to add where a file without a public address is missing.
func advice(f File) string {
	if f.Repository != "" {
		return ""
	}
	return " from a mirror that has it (--from DIR or URL): the file has no public address"
}

// Fingerprint returns the entry's fingerprint. It parses nothing: checksums come from the catalogue.
// If a user's set gives no checksum for a file, the file is hashed.
func (d Directory) Fingerprint(e *Entry) (string, error) {
	var sums []string
	for _, f := range e.DataFiles() {
		sum := f.SHA256
		if sum == "" {
			var err error
			if sum, err = d.Check(context.Background(), e, f); err != nil {
				return "", err
			}
		}
		sums = append(sums, sum)
	}
	return e.Fingerprint(sums), nil
}
