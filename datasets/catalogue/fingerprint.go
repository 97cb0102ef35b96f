package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// readingVersion changes when the same files and the same Reading give other numbers.
const readingVersion = 1

// Fingerprint returns a hash of everything that the loaded numbers depend on: the checksums of the
// data files, in reading order, and how they are read, not titles or citations.
func (e *Entry) Fingerprint(sums []string) string {
	type part struct {
		SHA256, Role, Channel string
		Permute               uint32 `json:",omitempty"`
		FirstRows             int    `json:",omitempty"`
	}
	var files []part
	for i, f := range e.DataFiles() {
		files = append(files, part{sums[i], f.Role, f.Channel, f.Permute, f.FirstRows})
	}
	reading := e.Reading
	reading.Columns = nil // names change no number: label, drop and categorical hold numbers where columns is given
	width := 0
	if e.FileFormat().Sparse {
		width = e.Features // trailing features that no row uses
	}
	raw, err := json.Marshal(struct {
		Version int
		Task    string
		Files   []part
		Reading Reading
		Width   int
		// a column of dates has one indicator of gaps, and had three
		OneIndicator bool `json:",omitempty"`
	}{readingVersion, e.Task.String(), files, reading, width, e.Indicator && e.Dates != nil})
	if err != nil { // strings, numbers and booleans always encode
		panic(err)
	}
	return Checksum(raw)
}

// Checksum returns the SHA-256 of data in hexadecimal digits.
func Checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Check compares the size and the SHA-256 of a file with its description, as far as the description gives them.
func (f File) Check(size int64, sum string) error {
	if err := f.CheckSize(size); err != nil {
		return err
	}
	if f.SHA256 != "" && f.SHA256 != sum {
		return fmt.Errorf("expected SHA-256 %s, got %s", f.SHA256, sum)
	}
	return nil
}

// CheckSize compares the size alone, which is known before a file is read.
func (f File) CheckSize(size int64) error {
	if f.Bytes > 0 && f.Bytes != size {
		return fmt.Errorf("expected %d bytes, got %d", f.Bytes, size)
	}
	return nil
}

// A Description is the text of a set as it was written. Another process makes
// the same Entry from it.
type Description struct {
	TOML string `json:"toml"`
	Path string `json:"path,omitempty"` // of a user's TOML file, absolute; "" for a built-in entry
}

// Description returns the entry's description.
func (e *Entry) Description() Description {
	if e.dir == "" {
		return Description{TOML: e.text}
	}
	return Description{TOML: e.text, Path: filepath.Join(e.dir, filepath.Base(e.toml))}
}

// Entry reads the description.
func (s Description) Entry() (*Entry, error) {
	if s.Path == "" {
		return decodeEntry("built-in set", []byte(s.TOML), "")
	}
	e, err := decodeEntry(s.Path, []byte(s.TOML), filepath.Dir(s.Path))
	if err == nil {
		e.toml = s.Path
	}
	return e, err
}
