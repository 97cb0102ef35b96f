// Package bundle writes results to one small file and reads them back. The file has the counts of every fold of every
// grid point, the test counts, how cells failed, the measured times and memory, the environments, the hashes of code
// and scores, the grids, and the texts of protocols that are a user's own. It has no data, no scores and no models:
// result.Run.Portable says what is left out.
//
// A file is JSON (type body), compressed by gzip, which also has a checksum. The JSON has the fields of result.Run by
// columns: of each field the values of all cells. A field of a list's items has the values of all items, and the list
// itself its lengths. A pointer is a list of at most one item. So the column "Folds[].Score.tn[]" has the counts tn of
// all folds of all cells. columns.go turns cells into columns and back. numbers.go stores a column in few bytes: of
// neighbouring grid points, whose counts are alike, it has the differences.
// The standard library's gzip makes of the reference run a smaller file than zstd in Go (docs/notebook/performance.md).
//
// The same results are the same bytes. Reading checks each result by result.Run.Check. Damage is an error, never a
// panic. A column that a file lacks is zero, and a column that this program does not know is an error.
package bundle

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/kernelboosting/bench/harness/result"
)

// A file has at most MaxBytes, its JSON at most MaxBody, and its results take at most MaxMemory, all in bytes.
const (
	MaxBytes  = 32 << 20
	MaxBody   = 64 << 20
	MaxMemory = 1 << 30

	version = 6
	before6 = "bench results\n" // begins a file of an earlier version
)

// A body is the JSON of a file.
type body struct {
	Version int      `json:"bench_results"`
	Cells   int      `json:"cells"`
	Columns []stored `json:"columns"`
}

func newRoot(reads bool) *column {
	return newColumn(&tree{reads: reads, fields: result.Fields()}, "", reflect.TypeFor[result.Run]())
}

var (
	errForeign = errors.New("it is no file of results; `bench export` writes such files")
	errTooMany = errors.New("these are too many results for one file; write several, of some methods or sets each")
)

func damaged(err error) error { return fmt.Errorf("the file is damaged or cut; get it again: %w", err) }

// Read returns the results of a file, each with its grid. If a protocol is a user's own, the results have its text, too.
func Read(file []byte) ([]result.Run, error) {
	switch {
	case len(file) > MaxBytes:
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(file), MaxBytes)
	case bytes.HasPrefix(file, []byte(before6)):
		return nil, errors.New("it is a file of results in an old format; " +
			"import it with the bench that wrote it, and write it again from that database with `bench export` of this one")
	}
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, errForeign
	}
	text, err := io.ReadAll(io.LimitReader(in, MaxBody+1))
	if len(text) > MaxBody {
		return nil, fmt.Errorf("it unfolds to more than %d bytes", MaxBody)
	}
	if err != nil {
		return nil, damaged(err)
	}
	return decode(text)
}

func decode(text []byte) ([]result.Run, error) {
	var b body
	switch err := json.Unmarshal(text, &b); {
	case err != nil || b.Version == 0:
		return nil, errForeign
	case b.Version != version:
		return nil, fmt.Errorf("it has version %d of the format and this program reads %d; use the bench that goes with it", b.Version, version)
	}
	root := newRoot(true)
	if err := load(root, b.Columns); err != nil {
		return nil, err
	}
	var runs []result.Run
	for i := 0; i < b.Cells && root.tree.take(1, root.of.Size()); i++ {
		var r result.Run
		if root.visit(reflect.ValueOf(&r).Elem()); root.tree.err != nil {
			break
		}
		if err := r.Check(); err != nil {
			return nil, damaged(fmt.Errorf("%s: %w", r.Name(), err))
		}
		runs = append(runs, r)
	}
	root.each(func(c *column) {
		if n := len(c.numbers); n > 1 && n > c.next {
			root.tree.fail(fmt.Errorf("column %s has %d numbers, and %d are read", c.name, n, c.next))
		}
	})
	if root.tree.err != nil {
		return nil, damaged(root.tree.err)
	}
	return runs, nil
}

// A Writer collects results for a file.
type Writer struct {
	root  *column
	cells int
}

// Add adds a result as store.DB.Result returns it; a user's own protocol must have its text. An error means that the
// result is not valid, or that the results are too many for one file; then no file can be written.
func (w *Writer) Add(r result.Run) error {
	if w.root == nil {
		w.root = newRoot(false)
	}
	r = r.Portable()
	if err := r.Check(); err != nil {
		return fmt.Errorf("%s: %w", r.Name(), err)
	}
	w.cells++
	if w.root.tree.take(1, w.root.of.Size()) {
		w.root.visit(reflect.ValueOf(&r).Elem())
	}
	return w.root.tree.err
}

// WriteTo writes the file.
func (w *Writer) WriteTo(to io.Writer) (int64, error) {
	b := body{Version: version, Cells: w.cells}
	if w.root != nil {
		b.Columns = w.root.columns()
	}
	text, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	if len(text) > MaxBody {
		return 0, errTooMany
	}
	var file bytes.Buffer
	packed, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := packed.Write(text); err != nil {
		return 0, err
	}
	if err := packed.Close(); err != nil {
		return 0, err
	}
	return file.WriteTo(to)
}
