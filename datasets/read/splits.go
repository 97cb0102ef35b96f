package read

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/wording"
)

// Splits reads the splits that come with a set of n rows, without the set itself. It returns nil if the set has none.
// The file is an ARFF file as OpenML writes it: a line for each row of each split, with the attributes type (TRAIN or
// TEST), rowid, repeat and fold, all counted from 0. Splits are ordered by repeat and then by fold. It is an error if a
// split names a row twice, or has no training rows or no test rows.
func Splits(ctx context.Context, d catalogue.Directory, e *catalogue.Entry, n int) ([]datasets.Division, error) {
	f, has := e.SplitsFile()
	if !has {
		return nil, nil
	}
	return reader{e, &Budget{Limit: MemoryLimit(d.Memory)}}.splits(ctx, d, f, n)
}

// The sides of a split on which a row can be.
const (
	neither byte = iota
	train
	test
)

func (r reader) splits(ctx context.Context, d catalogue.Directory, f catalogue.File, n int) ([]datasets.Division,
	error) {
	path, held := d.Path(r.Entry, f), r.Held
	defer func() { r.Held = held }()
	data, _, err := d.Read(ctx, r.Entry, f, 0, func(size int64) error {
		if !r.Fits(size) {
			return r.Refuse(size, "leave the file of splits out", "%s: the %d bytes of the file", path, size)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t, err := ARFF.Read(File{Name: path, Data: data, Budget: r.Budget})
	if err != nil {
		return nil, err
	}
	if memory := Product(int64(t.MaxRows), 40); !r.Fits(memory) { // of a splitLine
		return nil, r.Refuse(memory, "leave the file of splits out", "%s: %d lines", path, t.MaxRows)
	}
	lines, err := splitLines(t, n)
	if err != nil {
		return nil, err
	}
	repeats, folds := 0, 0
	for _, l := range lines {
		repeats, folds = max(repeats, l.repeat+1), max(folds, l.fold+1)
	}
	if memory := Product(int64(repeats), int64(folds), int64(n), 9); !r.Fits(memory) {
		return nil, r.Refuse(memory, "leave the file of splits out", "%s: %d splits of %d rows", path, repeats*folds, n)
	}
	sides := make([]byte, repeats*folds*n) // of split k, row j: sides[k*n+j]
	for _, l := range lines {
		side := &sides[(l.repeat*folds+l.fold)*n+l.row]
		if *side != neither {
			return nil, fmt.Errorf("%s:%d: row %d is named a second time in repeat %d, fold %d", path, l.line, l.row,
				l.repeat, l.fold)
		}
		*side = l.side
	}
	out := make([]datasets.Division, repeats*folds)
	for k := range out {
		for row, side := range sides[k*n : (k+1)*n] {
			switch side {
			case train:
				out[k].Train = append(out[k].Train, row)
			case test:
				out[k].Test = append(out[k].Test, row)
			}
		}
		if out[k].Train == nil || out[k].Test == nil {
			return nil, fmt.Errorf("%s: repeat %d, fold %d has %d rows to learn from and %d to test on; each needs one",
				path, k/folds, k%folds, len(out[k].Train), len(out[k].Test))
		}
	}
	return out, nil
}

// A splitLine is a line of a file of splits: the side of a row in a split.
type splitLine struct {
	line, row, repeat, fold int
	side                    byte
}

// splitLines reads the lines of a file of splits of n rows.
func splitLines(t *Table, n int) ([]splitLine, error) {
	var columns [4]int
	for i, want := range []string{"type", "rowid", "repeat", "fold"} {
		if columns[i] = slices.IndexFunc(t.Names, func(name string) bool {
			return strings.EqualFold(name, want)
		}); columns[i] < 0 {
			return nil, fmt.Errorf("%s: a file of splits has the attributes type, rowid, repeat and fold; there is "+
				"no %s", t.File, want)
		}
	}
	if slices.ContainsFunc(t.Names, func(name string) bool { return strings.EqualFold(name, "sample") }) {
		return nil, fmt.Errorf("%s: the splits are of a learning curve, whose attribute sample divides them further; "+
			"leave the file out", t.File)
	}
	lines := make([]splitLine, 0, t.MaxRows)
	for row, err := range t.Rows {
		if err != nil {
			return nil, err
		}
		l := splitLine{line: row.Line}
		for i, to := range []*int{&l.row, &l.repeat, &l.fold} {
			below := t.MaxRows
			if to == &l.row {
				below = n
			}
			text := t.Cell(row, columns[i+1])
			v, ok := wording.ParseDecimal(text)
			if *to = int(v); !ok || v != float64(*to) || v < 0 || *to >= below {
				return nil, t.Errorf(row.Line, columns[i+1], text, "is not a whole number from 0 to %d", below-1)
			}
		}
		switch kind := t.Cell(row, columns[0]); {
		case bytes.EqualFold(kind, []byte("TRAIN")):
			l.side = train
		case bytes.EqualFold(kind, []byte("TEST")):
			l.side = test
		default:
			return nil, t.Errorf(row.Line, columns[0], kind, "is neither TRAIN nor TEST")
		}
		lines = append(lines, l)
	}
	return lines, nil
}
