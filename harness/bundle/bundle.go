// Package bundle writes results to one small file and reads them back. The file has the counts of every fold
// of every grid point, the test counts, how cells failed, the measured times and memory, the environments, the
// hashes of code and scores, the grids, and the texts of protocols that are a user's own. It has no data, no
// scores and no models.
//
// A file is
//
//	"bench results\n", then a byte for the version of the format: 5
//	the body, deflated
//	SHA-256 of all bytes before it
//
// In the body "number" is an unsigned varint and "signed" a zigzag varint. "real" is the eight bytes of an
// IEEE 754 double, little-endian. "text" is the number of its bytes and then the bytes. The body is
//
//	number of texts, texts       every other mention of a text is its number in this list
//	number of environments; each as JSON, a text
//	number of protocols that are a user's own; each a name, a hash and the TOML (texts), and how many splits
//	number of grids; each a hash (text), the number of its points, and of each the parameters and what the
//	         grid's author wrote (texts, "" where that is not kept)
//	number of cells, cells
//
// A cell is the following values, one after another:
//
//	texts    protocol, protocol hash, data set, fingerprint, method, method version, grid hash, task,
//	         started_at, hash of the code, hash of the scores
//	numbers  environment, split, rows for training, columns, and how it ended: 0 ok, 1 failed, 2 timeout
//
// and then of a cell that failed
//
//	texts    key, error, class of the failure, the end of its standard error
//	numbers  rows of the test, and 1 if it ran in a process of its own
//	reals    seconds of search, processor (NaN if absent)
//	number   peak_rss_bytes (the value plus one; 0 if absent)
//	reals    timeout in seconds (NaN if absent), cost units
//
// and of one that ended ok
//
//	score    of the test
//	reals    seconds of search, refit, prediction, processor (NaN if absent)
//	numbers  peak_rss_bytes, model_bytes, timeout in seconds (the value plus one; 0 if absent)
//	real     cost units
//	stages   how many; each a round (number) and a score
//	warnings how many; each a text and how often (number)
//	numbers  the selected grid point, the size of the grid, the number of folds
//	scores   for each fold a column of scores, one score a grid point
//	tests    1 and a column with the test score of every grid point, or 0 where the protocol asks for none
//	seeds    the tests with each of the cell's own seeds: how many; each a seed (number), the hash of
//	         its scores (text) and a score
//	reals    logloss, brier and ece of the test (NaN if absent)
//
// The task of a cell gives the form of its scores. A column of scores has every value of the first number,
// then every value of the second number and so on:
//
//	binary      rows; rows of class +1; fp; fn; twice the area's pairs, plus 1 (0 for absent)
//	multiclass  rows; correct rows
//	regression  rows; rmse, mae, r2 (reals; NaN if absent)
//
// Counts of a column are differences to the count before (signed). Neighbouring grid points are alike, so that
// a count takes about a byte. The fit_seconds of single folds are not kept: they would be most of the file's
// size, and no table is made from them. A reader divides the seconds of the search among the folds in equal
// parts.
//
// One description of the body, [codec], serves writing and reading.
//
// Reading checks the SHA-256, the range of every number, and that counts agree with each other. Damage is an error, never a
// panic. Memory is taken only for bytes that were read.
package bundle

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/harness/result"
)

const (
	magic   = "bench results\n"
	version = 5
)

// MaxBytes is the largest size of a file, MaxBody the largest size of its body after inflating.
const (
	MaxBytes = 32 << 20
	MaxBody  = 64 << 20

	maxPoints = 1 << 20 // the most points of a grid
)

// errDamaged is wrapped by every error of reading.
var errDamaged = errors.New("the file is damaged or cut; get it again")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errDamaged}, args...)...)
}

func opened(file []byte) ([]byte, error) {
	const head = len(magic) + 1
	switch {
	case len(file) > MaxBytes:
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(file), MaxBytes)
	case len(file) < len(magic) || string(file[:len(magic)]) != magic:
		return nil, errors.New("it is no file of results; `bench export` writes such files")
	case len(file) < head+sha256.Size:
		return nil, damaged("it has %d bytes", len(file))
	case file[len(magic)] != version:
		return nil, fmt.Errorf("it has version %d of the format and this program reads %d; use the bench that goes with it", file[len(magic)], version)
	}
	body, sum := file[:len(file)-sha256.Size], file[len(file)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil, damaged("its checksum is not that of its bytes")
	}
	return body[head:], nil
}

// Read returns the results of a file, each with its grid. If a protocol is a user's own, the results have its text, too.
func Read(file []byte) ([]result.Run, error) {
	packed, err := opened(file)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), MaxBody+1))
	if err != nil {
		return nil, damaged("%v", err)
	}
	if len(body) > MaxBody {
		return nil, fmt.Errorf("it unfolds to more than %d bytes", MaxBody)
	}
	return decode(body)
}

func decode(body []byte) ([]result.Run, error) {
	c := &codec{bytes: body}
	c.head()
	var out []result.Run
	if list(c, &out, c.cell); c.err == nil && len(c.bytes) > 0 {
		c.fail("%d bytes follow its end", len(c.bytes))
	}
	return out, c.err
}

// A Writer collects results for a file.
type Writer struct {
	body  codec // the cells, and what they share
	count int
}

// Add adds a result as store.DB.Result returns it; a user's own protocol must have its text. An error means that the format
// cannot hold the result; then no file can be written.
func (w *Writer) Add(r result.Run) error {
	w.body.writes = true
	w.count++
	if w.body.cell(&r); w.body.err != nil {
		return fmt.Errorf("%s: %w", r.Name(), w.body.err)
	}
	return nil
}

// WriteTo writes the file.
func (w *Writer) WriteTo(to io.Writer) (int64, error) {
	head := w.body
	head.bytes, head.writes = nil, true
	head.head()
	head.length(w.count)
	file := bytes.NewBufferString(magic)
	file.WriteByte(version)
	packed, err := flate.NewWriter(file, flate.BestCompression)
	if err = errors.Join(err, head.err); err != nil {
		return 0, err
	}
	for _, part := range [][]byte{head.bytes, w.body.bytes} {
		if _, err := packed.Write(part); err != nil {
			return 0, err
		}
	}
	if err := packed.Close(); err != nil {
		return 0, err
	}
	sum := sha256.Sum256(file.Bytes())
	file.Write(sum[:])
	return file.WriteTo(to)
}
