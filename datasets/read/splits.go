package read

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/internal/wording"
)

// Splits reads the splits that come with a set of n rows, without the set itself. It returns nil if the set has none. The
// file is an ARFF file as OpenML writes it: a line for each row of each split, with the attributes type (TRAIN or TEST),
// rowid, repeat and fold, all counted from 0. Splits are ordered by repeat and then by fold. It is an error if a split
// names a row twice, or has no training rows or no test rows.
func Splits(ctx context.Context, d files.Directory, e *catalogue.Entry, n int) ([]datasets.Division, error) {
	f, has := e.SplitsFile()
	if !has {
		return nil, nil
	}
	return reader{e, &budget{limit: MemoryLimit(d.Memory)}}.splits(ctx, d, f, n)
}

// The sides of a split on which a row can be.
const (
	neither = iota
	train
	test
)

func (r reader) splits(ctx context.Context, d files.Directory, f catalogue.File, n int) ([]datasets.Division, error) {
	path, held := d.Path(r.Entry, f), r.held
	defer func() { r.held = held }()
	data, _, err := d.Read(ctx, r.Entry, f, 0, func(size int64) error {
		if !r.fits(size) {
			return r.refuse(size, "leave the file of splits out", "%s: the %d bytes of the file", path, size)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t, err := parseARFF(path, data, r.budget)
	if err != nil {
		return nil, err
	}
	var columns [4]int // type, rowid, repeat, fold
	for i, want := range []string{"type", "rowid", "repeat", "fold"} {
		if columns[i] = slices.IndexFunc(t.names, func(name string) bool { return strings.EqualFold(name, want) }); columns[i] < 0 {
			return nil, fmt.Errorf("%s: a file of splits has the attributes type, rowid, repeat and fold; there is no %s", path, want)
		}
	}
	if slices.ContainsFunc(t.names, func(name string) bool { return strings.EqualFold(name, "sample") }) {
		return nil, fmt.Errorf("%s: the splits are of a learning curve, whose attribute sample divides them further; leave the file out", path)
	}
	whole := func(i, column, below int) (int, error) {
		v, ok := wording.ParseDecimal(t.Text(i, columns[column]))
		if !ok || v != float64(int(v)) || v < 0 || int(v) >= below {
			return 0, t.errorf(i, columns[column], "is not a whole number from 0 to %d", below-1)
		}
		return int(v), nil
	}
	repeats, folds := 0, 0
	at := make([][3]int, t.Rows()) // rowid, repeat, fold
	for i := range at {
		for k, below := range []int{n, t.Rows(), t.Rows()} {
			if at[i][k], err = whole(i, k+1, below); err != nil {
				return nil, err
			}
		}
		repeats, folds = max(repeats, at[i][1]+1), max(folds, at[i][2]+1)
	}
	if memory := product(int64(repeats), int64(folds), int64(n), 9); !r.fits(memory) {
		return nil, r.refuse(memory, "leave the file of splits out", "%s: %d splits of %d rows", path, repeats*folds, n)
	}
	sides := make([]byte, repeats*folds*n) // of split k, row j: sides[k*n+j]
	for i, a := range at {
		side := &sides[(a[1]*folds+a[2])*n+a[0]]
		if *side != neither {
			return nil, t.errorf(i, columns[1], "names a row a second time in repeat %d, fold %d", a[1], a[2])
		}
		switch kind := string(t.Text(i, columns[0])); {
		case strings.EqualFold(kind, "TRAIN"):
			*side = train
		case strings.EqualFold(kind, "TEST"):
			*side = test
		default:
			return nil, t.errorf(i, columns[0], "is neither TRAIN nor TEST")
		}
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
			return nil, fmt.Errorf("%s: repeat %d, fold %d has %d rows to learn from and %d to test on; each needs one", path, k/folds, k%folds, len(out[k].Train), len(out[k].Test))
		}
	}
	return out, nil
}
