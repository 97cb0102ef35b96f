package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
)

// plannedSet is what planning needs to know of a data set.
type plannedSet struct {
	entry       *catalogue.Entry
	fingerprint string
	train       registry.Shape // shape of a split's training part
	rows        int
	positive    int                 // rows of class +1; 0 in a set that has not two classes
	trainRows   int                 // of the set's own training part; 0 if it has none
	own         []datasets.Division // the set's own splits; nil for as many splits as are asked for
	splitsHash  string              // SHA-256 of the file that lists the splits; "" if the protocol uses none
	grouped     *datasets.Set       // a set with groups, without its inputs; nil for other sets
	drawn       map[drawing]sizes   // of grouped
}

// A drawing is a split of a set with groups. Only drawing it tells its sizes.
type drawing struct {
	splitter split.Splitter
	number   int
}

// The sizes of a split are rows, and in a set with groups also groups.
type sizes struct {
	train, test int
	groups      [2]int // of both parts
	positive    [4]int // CellSpec.Positive
}

// A Size is the name of a set whose data is not here, with the shape of all its rows.
type Size struct {
	Name  string
	Shape registry.Shape
}

// OfSizes plans the cells of sets of which nothing but the size is known. Such a plan can be shown and not run: what
// the cells need of the data is not in it.
func (e *Experiment) OfSizes(req Request, sizes []Size, forecast *Forecast) (*Plan, error) {
	out := &Plan{Forecast: forecast, Versions: map[string]string{}}
	methods, err := e.Methods(req.Methods)
	if err != nil {
		return nil, err
	}
	methods = slices.DeleteFunc(methods, func(m registry.Spec) bool { return slices.Contains(req.Exclude, m.Name) })
	var pairs []pair
	for _, s := range sizes {
		set := plannedSet{entry: &catalogue.Entry{Name: s.Name, Task: s.Shape.Task}, rows: s.Shape.N, train: s.Shape}
		specs, err := out.suited(methods, set.entry, req.Methods != nil)
		if err == nil {
			set.train.N, _, err = e.Protocol.Semantics.Splitter().Sizes(s.Shape.N, 0)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		for _, spec := range specs {
			cells, err := e.cells(set, spec, req.Splits, forecast)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, pair{spec, cells})
		}
	}
	out.take(pairs, req, nil, false)
	return out, nil
}

func (p plannedSet) sizes(splitter split.Splitter, number int) (s sizes, err error) {
	if p.grouped == nil {
		if s.train, s.test, err = splitter.SizesOf(p.rows, p.trainRows, p.own, number); err == nil && p.positive > 0 {
			s.positive = splitter.Shares(p.rows, p.trainRows, p.positive, s.train, s.test)
		}
		return s, err
	}
	key := drawing{splitter, number}
	if s, known := p.drawn[key]; known {
		return s, nil
	}
	drawn, err := splitter.Split(p.grouped, uint32(number))
	if err != nil {
		return s, err
	}
	s.train, s.test = len(drawn.Train), len(drawn.Test)
	s.groups = [2]int{p.grouped.Groups.Count(drawn.Train), p.grouped.Groups.Count(drawn.Test)}
	if p.positive > 0 {
		positive := func(row int) bool { return p.grouped.Y[row] > 0 }
		tested := len(slices.DeleteFunc(drawn.Test, func(row int) bool { return !positive(row) }))
		both := tested + len(slices.DeleteFunc(drawn.Train, func(row int) bool { return !positive(row) }))
		s.positive = [4]int{tested, tested, both, both}
	}
	p.drawn[key] = s
	return s, nil
}

// set looks up what planning needs of a data set. It loads the set only if the catalogue does not tell the set's
// size, classes or parts, or if it has groups. Then all splits are drawn, so that one that cannot be is noticed here.
func (e *Experiment) set(ctx context.Context, entry *catalogue.Entry, splits []int) (plannedSet, error) {
	fingerprint, err := e.Data.Fingerprint(entry)
	if err != nil {
		return plannedSet{}, err
	}
	if _, err := metric.ForSelection(e.Protocol.Semantics.Metric, entry.Task); err != nil {
		return plannedSet{}, fmt.Errorf("%s, protocol %s: semantics.metric: %w", entry.Name, e.Protocol.Name, err)
	}
	trainRows, partsKnown := entry.TrainRows()
	blocks, blocksKnown := entry.Blocks()
	sh := registry.Shape{Task: entry.Task, N: entry.Rows, D: entry.Features, Codes: entry.Codes,
		Classes: len(entry.Counts), Blocks: blocks}
	counts, labels := entry.Counts, entry.ClassNames()
	var grouped *datasets.Set
	if entry.Group != nil || sh.N == 0 || sh.D == 0 || sh.Task != registry.Regression && counts == nil ||
		!partsKnown || !blocksKnown {
		set, err := read.Load(ctx, e.Data, entry)
		if err != nil {
			return plannedSet{}, err
		}
		n, d := set.X.Dims()
		sh.N, sh.D, sh.Codes, sh.Classes, sh.Blocks = n, d, set.Codes(), set.Classes, set.Blocks
		trainRows, counts, labels = set.TrainRows, set.Counts(), set.Labels
		if set.Groups != nil {
			grouped, set.X = set, nil
		}
	}
	splitter := e.Protocol.Semantics.Splitter()
	var own []datasets.Division
	var train int
	var file catalogue.File
	if splitter.Kind == split.OpenML {
		file, _ = entry.SplitsFile()
		own, err = e.ownSplits(ctx, entry, sh.N)
		if err == nil {
			train, _, err = splitter.SizesOf(sh.N, trainRows, own, 1)
		}
	} else {
		train, _, err = splitter.Sizes(sh.N, trainRows)
	}
	if err != nil {
		return plannedSet{}, &splitError{fmt.Errorf("%s, protocol %s: %w", entry.Name, e.Protocol.Name, err)}
	}
	p := plannedSet{entry: entry, fingerprint: fingerprint, rows: sh.N, train: sh, trainRows: trainRows,
		own: own, splitsHash: file.SHA256, grouped: grouped, drawn: map[drawing]sizes{}}
	p.train.N = train
	if sh.Task == registry.Binary && len(counts) == 2 {
		p.positive = counts[1]
	}
	if grouped == nil {
		return p, e.enoughOfEachClass(entry, counts, labels)
	}
	for _, number := range append([]int{1}, splits...) {
		if _, err := p.sizes(splitter, number); err != nil && (len(own) == 0 || number <= len(own)) {
			return plannedSet{}, &splitError{fmt.Errorf("protocol %s, split %d: %w", e.Protocol.Name, number, err)}
		}
	}
	p.train.N = p.drawn[drawing{splitter, 1}].train
	return p, nil
}

func (e *Experiment) ownSplits(ctx context.Context, entry *catalogue.Entry, n int) ([]datasets.Division, error) {
	own, err := read.Splits(ctx, e.Data, entry, n)
	if err == nil {
		err = split.Own(own)
	}
	return own, err
}

// A splitError says why a set cannot be split. Other sets can still be run.
type splitError struct{ err error }

func (e *splitError) Error() string { return e.err.Error() }
func (e *splitError) Unwrap() error { return e.err }

// enoughOfEachClass refuses a set with a class that is too small for any split; labels may be nil.
func (e *Experiment) enoughOfEachClass(entry *catalogue.Entry, counts []int, labels []string) error {
	if entry.Task == registry.Regression {
		return nil
	}
	sem := e.Protocol.Semantics
	for c, n := range counts {
		if sem.Splitter().Serves(n) {
			continue
		}
		name := fmt.Sprint(c)
		if c < len(labels) {
			name = strconv.Quote(labels[c])
		}
		rows := fmt.Sprint(n, " rows")
		if n == 1 {
			rows = "1 row"
		}
		return &splitError{fmt.Errorf("%s: class %s has %s, too few for the %d folds of protocol %s; add rows, or "+
			"leave the class out",
			entry.Name, name, rows, sem.Folds, e.Protocol.Name)}
	}
	return nil
}

// gridHash identifies what a method does with a set. It hashes the grid points, the blocks of features if the
// method uses them, fewer (the method's own number of training rows, 0 for none), and the hash of the set's own
// splits if the protocol uses these. Without the last three it is the hash of the grid points alone.
func gridHash(spec registry.Spec, sh registry.Shape, grid []json.RawMessage, fewer int, splits string) string {
	if !spec.Blocks {
		sh.Blocks = nil
	}
	if sh.Blocks == nil && fewer == 0 && splits == "" {
		return protocol.HashJSON(grid)
	}
	return protocol.HashJSON(struct {
		Settings  []json.RawMessage
		Blocks    []registry.Block
		TrainRows int    `json:",omitempty"`
		Splits    string `json:",omitempty"`
	}{grid, sh.Blocks, fewer, splits})
}

// mostToSee is the most rows of a generated set that AllSets adds, so that its results come soon.
const mostToSee = 1000

// AllSets returns the protocol's data sets. If the data of one of them is missing, AllSets adds the small sets
// that the program can generate, so that a new user has results to look at. It adds none for a protocol that is
// limited to its columns.
func (e *Experiment) AllSets() []string {
	names := slices.Clone(e.Protocol.Datasets)
	missing := slices.ContainsFunc(names, func(n string) bool {
		set, err := e.Catalogue.Lookup(n)
		if err != nil {
			return false // planning reports this error
		}
		state, _ := e.Data.State(set)
		return state == catalogue.Missing
	})
	if missing && !e.Protocol.Only {
		for _, set := range e.Catalogue.All() {
			if set.Generated && set.VariantOf == "" && set.Channels == nil && set.Rows <= mostToSee &&
				!slices.Contains(names, set.Name) {
				names = append(names, set.Name)
			}
		}
	}
	return names
}
