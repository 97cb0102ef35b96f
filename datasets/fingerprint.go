package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

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

// checksum returns the SHA-256 of data in hexadecimal digits.
func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
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
