package datasets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Directory holds data files: file wine/wine.data of the catalogue is
// Root/wine/wine.data. The zero value uses DefaultDir.
type Directory struct {
	Root   string
	Memory int64 // bytes that loading one set may take at its peak; 0 means three quarters of what the machine lets the program use
}

// DefaultDir returns BENCH_DATA, or bench/data in the user's cache directory.
func DefaultDir() string {
	if dir := os.Getenv("BENCH_DATA"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil { // no home directory: keep the data beside the results
		cache = "."
	}
	return filepath.Join(cache, "bench", "data")
}

// DefaultMirror returns BENCH_MIRROR, the directory or URL that fetching looks in
// first; "" if there is none.
func DefaultMirror() string { return os.Getenv("BENCH_MIRROR") }

// A State says whether an entry's data files can be read.
type State string

// The states of an entry.
const (
	Present   State = "present"   // every data file is there and right
	Missing   State = "missing"   // a data file is not there
	Wrong     State = "wrong"     // a data file differs from its checksum
	Generated State = "generated" // no file is there and none is needed: the program makes the set
)

func (s Directory) dir() string {
	if s.Root == "" {
		return DefaultDir()
	}
	return s.Root
}

// Path returns where a file of the entry is, or would be.
func (s Directory) Path(e *Entry, f File) string {
	switch {
	case filepath.IsAbs(f.Path):
		return f.Path
	case e.Local():
		return filepath.Join(e.dir, filepath.FromSlash(f.Path))
	}
	return filepath.Join(s.dir(), filepath.FromSlash(f.Path))
}

// State looks at the entry's data files and their checksums. The error says what
// is missing, wrong or unreadable; it is nil for Present and Generated.
func (s Directory) State(e *Entry) (State, error) {
	for _, f := range e.DataFiles() {
		_, err := s.hashFile(context.Background(), e, f)
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.Generated:
			return Generated, nil
		case errors.Is(err, fs.ErrNotExist):
			return Missing, err
		case err != nil:
			return Wrong, err
		}
	}
	return Present, nil
}

// Verify checks every file of the entry, documentation included, against its size
// and SHA-256. Documentation that is not there is no error, and neither is a file
// that the program can make. The error has one line per file.
func (s Directory) Verify(e *Entry) error {
	var all []error
	for _, f := range e.Files {
		_, err := s.hashFile(context.Background(), e, f)
		if errors.Is(err, fs.ErrNotExist) && (f.Role == RoleDocumentation || e.Generated) {
			continue
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// missingError is a file that is not there; it is an fs.ErrNotExist.
type missingError struct{ message string }

func (e missingError) Error() string        { return e.message }
func (e missingError) Is(target error) bool { return target == fs.ErrNotExist }

// hashFile checks a file without keeping it and returns its SHA-256.
func (s Directory) hashFile(ctx context.Context, e *Entry, f File) (sum string, err error) {
	return s.scan(ctx, e, f, func(int64) (io.Writer, error) { return io.Discard, nil })
}

// readFile returns the checked bytes of a file and their SHA-256.
func (s Directory) readFile(ctx context.Context, e *Entry, f File, b *budget) (data []byte, sum string, err error) {
	var buf *bytes.Buffer
	sum, err = s.scan(ctx, e, f, func(size int64) (io.Writer, error) {
		if !b.fits(size) {
			return nil, b.refuse(size, "take fewer rows or columns", "%s: the %d bytes of the file", s.Path(e, f), size)
		}
		buf = bytes.NewBuffer(make([]byte, 0, size))
		return buf, nil
	})
	if err != nil {
		return nil, "", err
	}
	return buf.Bytes(), sum, nil
}

// scan is scanFile with errors that name the set and say what to do.
func (s Directory) scan(ctx context.Context, e *Entry, f File, into func(size int64) (io.Writer, error)) (string, error) {
	path := s.Path(e, f)
	sum, err := scanFile(ctx, path, f, into)
	var damaged damagedError
	switch {
	case err == nil:
		return sum, nil
	case errors.Is(err, fs.ErrNotExist) && e.Local():
		return "", missingError{fmt.Sprintf("%s: %s is not there; correct the path in the set's TOML file", e.Name, path)}
	case errors.Is(err, fs.ErrNotExist):
		return "", missingError{fmt.Sprintf("%s: %s is not there; get it with `bench data fetch %s`%s", e.Name, path, e.Name, f.advice())}
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &damaged) && e.Local():
		return "", fmt.Errorf("%s: %s: %w; restore the file, or correct bytes and sha256 in the set's TOML file", e.Name, path, err)
	case errors.As(err, &damaged):
		return "", fmt.Errorf("%s: %s: %w; delete it and run `bench data fetch %s`", e.Name, path, err, e.Name)
	}
	return "", fmt.Errorf("%s: %w", e.Name, err)
}

// advice is what to add where a file without a public address is missing.
func (f File) advice() string {
	if f.Repository != "" {
		return ""
	}
	return " from a mirror that has it (--from DIR or URL): the file has no public address"
}

// check compares the size and the SHA-256 of a file with those of its description, where it gives them.
func (f File) check(size int64, sum string) error {
	if err := f.checkSize(size); err != nil {
		return err
	}
	if f.SHA256 != "" && f.SHA256 != sum {
		return fmt.Errorf("expected SHA-256 %s, got %s", f.SHA256, sum)
	}
	return nil
}

func (f File) checkSize(size int64) error {
	if f.Bytes > 0 && f.Bytes != size {
		return fmt.Errorf("expected %d bytes, got %d", f.Bytes, size)
	}
	return nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Load reads the entry's data files, checks their SHA-256, and returns the set. A
// set that the program can make needs no files. Errors name the file, the line and
// the column, and say what to do. A set that would take more than s.Memory is an
// error before the memory is taken.
func (s Directory) Load(ctx context.Context, e *Entry) (*Set, error) {
	b := &budget{limit: s.memory()}
	var contents []content
	var sums []string
	for _, f := range e.DataFiles() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, sum, err := s.readFile(ctx, e, f, b)
		if errors.Is(err, fs.ErrNotExist) && e.Generated {
			data, err = e.generate(f)
			sum = checksum(data)
		}
		if err != nil {
			return nil, err
		}
		contents = append(contents, content{file: f, name: s.Path(e, f), data: data})
		sums = append(sums, sum)
	}
	set, err := e.read(ctx, contents, b)
	if err != nil {
		return nil, err
	}
	set.Fingerprint = e.fingerprint(sums)
	return set, nil
}

// Fingerprint returns a hash of everything that the loaded numbers depend on: the
// checksums of the data files and how they are read, not titles or citations. It
// parses nothing: checksums come from the catalogue, or from hashing the file of a
// user's set that does not give them.
func (s Directory) Fingerprint(e *Entry) (string, error) {
	var sums []string
	for _, f := range e.DataFiles() {
		sum := f.SHA256
		if sum == "" {
			var err error
			if sum, err = s.hashFile(context.Background(), e, f); err != nil {
				return "", err
			}
		}
		sums = append(sums, sum)
	}
	return e.fingerprint(sums), nil
}

// readingVersion changes when the same files and the same Reading give other numbers.
const readingVersion = 1

func (e *Entry) fingerprint(sums []string) string {
	type part struct {
		SHA256, Role, Channel string
		Permute               uint32 `json:",omitempty"`
	}
	var files []part
	for i, f := range e.DataFiles() {
		files = append(files, part{sums[i], f.Role, f.Channel, f.Permute})
	}
	reading := e.Reading
	reading.Columns = nil // names change no number: label, drop and categorical hold numbers where columns is given
	width := 0
	if e.Format == formatLIBSVM {
		width = e.Features // trailing features that no row uses
	}
	raw, err := json.Marshal(struct {
		Version int
		Task    string
		Files   []part
		Reading Reading
		Width   int
	}{readingVersion, e.Task.String(), files, reading, width})
	if err != nil { // strings, numbers and booleans always encode
		panic(err)
	}
	return checksum(raw)
}
