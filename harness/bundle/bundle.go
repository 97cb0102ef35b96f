// Package bundle writes results to one small file and reads them back. The file has the counts of every fold of every
// grid point, the test counts, how cells failed, the measured times and memory, the environments, the hashes of code
// and scores, the grids, and the texts of protocols that are a user's own. It has no data, no scores and no models:
// result.Run.Portable says what is left out.
//
// A file is JSON (type body), compressed by gzip, which also has a checksum. The JSON has the fields of result.Run by
// columns: of each field the values of all cells. A field of a list's items has the values of all items, and the list
// itself its lengths. A pointer is a list of at most one item. So the column "cells[].Folds[].Score.tn[]" has the
// counts tn of all folds of all cells. The values of neighbouring grid points are alike, so that columns have
// differences; see type column. The standard library's gzip makes a file as small as zstd in Go does
// (docs/notebook/performance.md).
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

	"github.com/go-json-experiment/json/jsontext"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
)

// A file has at most MaxBytes, its JSON at most MaxBody, and its results take at most MaxMemory, all in bytes.
const (
	MaxBytes  = 32 << 20
	MaxBody   = 64 << 20
	MaxMemory = 1 << 30

	mostTexts = 4 << 20 // of all columns; each takes some 50 bytes beside its own

	version = 6
	before6 = "bench results\n" // begins a file of an earlier version
)

// A body is the JSON of a file.
type body struct {
	Version int      `json:"bench_results"`
	Columns []stored `json:"columns"`
}

func newRoot(reads bool) *column {
	return newColumn(&tree{reads: reads, fields: result.Fields()}, "cells", reflect.TypeFor[[]result.Run]())
}

var errForeign = errors.New("it is no file of results, which `bench export` writes; a table of test scores needs " +
	"--as, one of printed values --published")

func damaged(err error) error { return fmt.Errorf("the file is damaged or cut; get it again: %w", err) }

// Read returns the results of a file, each with its grid. If a protocol is a user's own, the results have its text,
// too.
func Read(file []byte) ([]result.Run, error) {
	switch {
	case len(file) > MaxBytes:
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(file), MaxBytes)
	case bytes.HasPrefix(file, []byte(before6)):
		return nil, errors.New("it is a file of results in an old format, of a program before the first release; " +
			"read it with that program, or run the cells again")
	}
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, errForeign
	}
	text, err := io.ReadAll(io.LimitReader(in, MaxBody+1))
	switch {
	case err != nil:
		return nil, damaged(err)
	case len(text) > MaxBody:
		return nil, fmt.Errorf("it unfolds to more than %d bytes", MaxBody)
	}
	return decode(text)
}

// decode reads one column after another, so that a hostile file ends at the first that this program does not know.
func decode(text []byte) (runs []result.Run, err error) {
	var had float64 // the version
	in := jsontext.NewDecoder(bytes.NewReader(text))
	next := func(want string) bool { // a sign of JSON, or a name
		token, err := in.ReadToken()
		return err == nil && token.String() == want
	}
	value := func(to any) error {
		raw, err := in.ReadValue()
		if err != nil {
			return err
		}
		return strictjson.Unmarshal(raw, to)
	}
	if !next("{") || !next("bench_results") || value(&had) != nil || had == 0 {
		return nil, errForeign
	}
	if had != version {
		return nil, fmt.Errorf("it has version %v of the format and this program reads %d; use the bench that goes "+
			"with it", had, version)
	}
	root := newRoot(true)
	columns := map[string]*column{} // that the file has not had yet
	root.each(func(c *column) { columns[c.Name] = c })
	whole := next("columns") && next("[")
	for whole && in.PeekKind() == '{' {
		var s stored
		if err := value(&s); err != nil {
			return nil, damaged(err)
		}
		c := columns[s.Name]
		if c == nil {
			return nil, fmt.Errorf("it has column %q, which this program does not know, or has it twice; use the "+
				"bench that wrote it", s.Name)
		}
		delete(columns, s.Name)
		if err := c.load(s); err != nil {
			return nil, damaged(err)
		}
	}
	whole = whole && next("]") && next("}")
	if _, err := in.ReadToken(); !whole || err != io.EOF {
		return nil, damaged(errors.New("its JSON does not end as it should"))
	}
	root.visit(reflect.ValueOf(&runs).Elem())
	root.each(func(c *column) {
		if c.Sums != "" || c.times > 0 {
			root.tree.fail("column %s has too many numbers", c.Name)
		}
	})
	for _, r := range runs {
		if err := r.Check(); err != nil {
			root.tree.fail("%s: %w", r.Name(), err)
		}
	}
	if root.tree.err != nil {
		return nil, damaged(root.tree.err)
	}
	return runs, nil
}

// Write writes results as store.DB.Result returns them; a user's own protocol must have its text. It returns the size
// of the file in bytes.
func Write(to io.Writer, runs []result.Run) (int64, error) {
	root := newRoot(false)
	portable := make([]result.Run, len(runs))
	for i, r := range runs {
		portable[i] = r.Portable()
		if err := portable[i].Check(); err != nil {
			return 0, fmt.Errorf("%s: %w", r.Name(), err)
		}
	}
	root.visit(reflect.ValueOf(&portable).Elem())
	text, err := json.Marshal(body{version, root.columns()})
	if len(text) > MaxBody {
		root.tree.fail("the results take more than %d bytes; write several files, of some methods or sets each",
			MaxBody)
	}
	if root.tree.err != nil {
		return 0, root.tree.err
	}
	if err != nil {
		return 0, err
	}
	var file bytes.Buffer
	packed, _ := gzip.NewWriterLevel(&file, gzip.BestCompression) // the level is valid
	_, _ = packed.Write(text)                                     // memory takes all bytes
	_ = packed.Close()
	return file.WriteTo(to)
}
