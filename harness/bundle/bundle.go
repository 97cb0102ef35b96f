// Package bundle writes results to one small file and reads them back: the counts of every fold of
// every grid point, the test counts, what was measured of time and memory, the environments and the
// hashes of code and scores. No data, no scores, no models, no texts.
//
// A file is
//
//	"bench results\n", then a byte for the version of the format: 4, or an older one
//	the body, deflated
//	SHA-256 of all bytes before it
//
// and the body, in which "number" is an unsigned varint, "signed" a zigzag varint, "real" the eight
// bytes of an IEEE 754 double, little-endian, and "text" the number of its bytes and the bytes:
//
//	number of texts, texts       every other mention of a text is its number in this list
//	number of environments; each as JSON, a text
//	number of cells, cells
//
// A cell is: protocol, protocol hash, data set, fingerprint, method, method version, grid hash, task,
// started_at, hash of the code, hash of the scores (texts); environment, split, rows for training, columns
// (numbers); its test score; seconds of search, refit, prediction, processor (reals; an absent one is
// NaN); peak_rss_bytes, model_bytes, timeout in seconds (numbers, one more than the value, 0 for
// absent); cost units (real); stages: how many, each a round (number) and a score; warnings: how many, each
// a text and how often; the selected point, the grid's size and the number of folds (numbers); for
// each fold its scores, one a grid point, column by column; from version 2 on, 1 and the test score of
// every grid point as such columns, or 0 where the protocol does not ask for them; from version 3 on, the tests
// with each of the cell's own seeds: how many, each a seed (number), the hash of its scores (text) and a score;
// from version 4 on, logloss, brier and ece of the test (reals; absent ones are NaN).
//
// A score is one of three forms, by the cell's task. A column of scores is every value of its first
// number, then of its second and so on:
//
//	binary      rows; rows of class +1; fp; fn; twice the area's pairs, plus 1 (0 for absent)
//	multiclass  rows; correct rows
//	regression  rows; rmse, mae, r2 (reals; an absent one is NaN)
//
// Numbers of a column are differences to the row before (signed), since neighbouring grid points are
// alike: a count takes about a byte. fit_seconds of single folds are not kept. They are most of the
// file's size, and no table is made from them; a reader gets the search's seconds in equal parts.
//
// Only results that are ok are written. Reading checks the sum, every number against its range and
// that counts agree with each other; damage is an error, never a panic, and memory is taken for what was
// read only.
package bundle

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

const (
	magic   = "bench results\n"
	version = 4
)

// MaxBytes bounds a file, MaxBody what it may unfold to.
const (
	MaxBytes = 32 << 20
	MaxBody  = 64 << 20

	maxPoints = 1 << 20 // of a grid
)

// errDamaged is wrapped by every error of reading.
var errDamaged = errors.New("the file is damaged or cut; get it again")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errDamaged}, args...)...)
}

// opened returns the deflated body of a file and the version of its format.
func opened(file []byte) ([]byte, int, error) {
	const head = len(magic) + 1
	switch {
	case len(file) > MaxBytes:
		return nil, 0, fmt.Errorf("it has %d bytes; at most %d are read", len(file), MaxBytes)
	case len(file) < len(magic) || string(file[:len(magic)]) != magic:
		return nil, 0, errors.New("it is no file of results; `bench bundle` writes such files")
	case len(file) < head+sha256.Size:
		return nil, 0, damaged("it has %d bytes", len(file))
	case file[len(magic)] < 1 || file[len(magic)] > version:
		return nil, 0, fmt.Errorf("it has version %d of the format and this program reads 1 to %d; use a newer bench", file[len(magic)], version)
	}
	body, sum := file[:len(file)-sha256.Size], file[len(file)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil, 0, damaged("its checksum is not that of its bytes")
	}
	return body[head:], int(file[len(magic)]), nil
}
