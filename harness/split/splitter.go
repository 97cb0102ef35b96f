package split

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// A Kind is a way of choosing the test rows. Protocols write a Kind as its text.
type Kind string

const (
	// Stratified draws a share of the rows as test rows. For classes, both parts have the shares of the classes and
	// equal scikit-learn's train_test_split(test_size, shuffle=True, stratify=y). For regression they equal the same
	// call without stratify. "" means Stratified, too.
	Stratified Kind = "stratified"
	// KFold tests every row once in each series of Parts splits: split s tests on fold s of scikit-learn's
	// StratifiedKFold(Parts, shuffle=True), or of KFold for regression. The first Parts splits are the first
	// series, with random_state 1, the next Parts splits the second, and so on.
	KFold Kind = "kfold"
	// Given tests on the data set's own test part, whatever the split's number. The number draws only the
	// folds.
	Given Kind = "given"
	// GivenOrStratified is Given for sets with a test part of their own, and Stratified for all other sets.
	GivenOrStratified Kind = "given-or-stratified"
	// OpenML follows the splits that come with the set: split s tests on fold (s-1) % folds of repeat (s-1) / folds.
	OpenML Kind = "openml"
	// All learns from every row and tests on every row: for times and pictures, not for errors on new data.
	All Kind = "all"
)

// mostParts is the largest number of parts and of folds.
const mostParts = 1_000_000

// A Splitter is the way in which a protocol divides rows.
type Splitter struct {
	Kind         Kind
	TestFraction float64 // of Stratified and GivenOrStratified: the share of the test rows, rounded up to whole rows
	Parts        int     // of KFold: how many parts the rows have, each of them tested once
	Folds        int     // of the inner cross-validation; 0 for none, where grids have one point
	TrainRows    int     // the most training rows to learn from, drawn as test rows are; 0 for all
}

// Check returns an error for a splitter that cannot divide rows: one with an unknown kind, a share outside of
// 0 to 1, fewer than 2 parts, one fold, or a share or parts that its kind does not use.
func (s Splitter) Check() error {
	kind := s.kind()
	switch {
	case !slices.Contains([]Kind{Stratified, KFold, Given, GivenOrStratified, OpenML, All}, kind):
		return fmt.Errorf("split = %q; known: %s, %s, %s, %s, %s, %s", s.Kind, Stratified, KFold, Given,
			GivenOrStratified, OpenML, All)
	case kind.draws() && !(s.TestFraction > 0 && s.TestFraction < 1):
		return fmt.Errorf("test_fraction = %g; it must lie between 0 and 1", s.TestFraction)
	case !kind.draws() && s.TestFraction != 0:
		return fmt.Errorf("test_fraction = %g; split = %q does not use it, leave it out", s.TestFraction, kind)
	case kind == KFold && (s.Parts < 2 || s.Parts > mostParts):
		return fmt.Errorf("parts = %d; split = %q needs 2 to %d", s.Parts, kind, mostParts)
	case kind != KFold && s.Parts != 0:
		return fmt.Errorf("parts = %d; split = %q does not use it, leave it out", s.Parts, kind)
	case s.Folds < 0 || s.Folds == 1 || s.Folds > mostParts:
		return fmt.Errorf("folds = %d; it must be 2 to %d, or 0 for methods with one grid point", s.Folds, mostParts)
	case s.TrainRows < 0 || s.TrainRows > math.MaxInt32:
		return fmt.Errorf("train_rows = %d; it must be 1 to %d, or 0 for all", s.TrainRows, math.MaxInt32)
	}
	return nil
}

func (s Splitter) kind() Kind {
	if s.Kind == "" {
		return Stratified
	}
	return s.Kind
}

func (k Kind) draws() bool { return k == Stratified || k == GivenOrStratified }

// kindFor is the kind that divides a set. trainRows is the size of the set's own training part, 0 if the set
// has none.
func (s Splitter) kindFor(trainRows int) Kind {
	switch kind := s.kind(); {
	case kind == GivenOrStratified && trainRows > 0:
		return Given
	case kind == GivenOrStratified:
		return Stratified
	default:
		return kind
	}
}

// Once reports whether every split of a set has the same training and test rows. testPart says whether the
// set has a test part of its own. Splits of such a set differ by their folds and by the random draws of
// methods.
func (s Splitter) Once(testPart bool) bool {
	return s.kind() == Given || s.kind() == All || s.kind() == GivenOrStratified && testPart
}

// Sizes returns how many of n rows are training rows and how many are test rows. trainRows is the size of the
// set's own training part, 0 if the set has none. Splits of KFold differ by a row where Parts does not divide
// n; the sizes are those of the first split. It is an error if the rows are too few, if the kind is Given
// and the set has no test part, or if the kind is OpenML: only the file of a set's own splits tells their sizes.
func (s Splitter) Sizes(n, trainRows int) (train, test int, err error) {
	kind := s.kindFor(trainRows)
	switch kind {
	case KFold:
		test = (n + s.Parts - 1) / s.Parts
	case OpenML:
		return 0, 0, errors.New("the sizes are those of the set's own splits")
	case Given:
		if trainRows <= 0 || trainRows >= n {
			return 0, 0, errors.New("the set has no test part of its own")
		}
		test = n - trainRows
	case All:
		test = n
	default:
		test = int(math.Ceil(s.TestFraction * float64(n)))
	}
	train = n - test
	if kind == All {
		train = n
	}
	if s.TrainRows > 0 {
		train = min(train, s.TrainRows)
	}
	if train >= max(1, s.Folds) && test >= 1 && (kind != KFold || n >= s.Parts) {
		return train, test, nil
	}
	switch {
	case s.TrainRows > 0 && s.TrainRows < s.Folds:
		err = fmt.Errorf("train_rows = %d are too few for %d folds", s.TrainRows, s.Folds)
	case kind == KFold:
		err = fmt.Errorf("%d rows are too few for %d parts and %d folds", n, s.Parts, s.Folds)
	case kind == Given:
		err = fmt.Errorf("%d training rows are too few for %d folds", train, s.Folds)
	case kind == All:
		err = fmt.Errorf("%d rows are too few for %d folds", train, s.Folds)
	default:
		err = fmt.Errorf("%d rows are too few for a test fraction of %g and %d folds", n, s.TestFraction, s.Folds)
	}
	return 0, 0, err
}

// SizesOf returns the sizes of one split, where Sizes returns those of the first. seed is its number, and own the
// set's own splits, which kind OpenML follows.
func (s Splitter) SizesOf(n, trainRows int, own []datasets.Division, seed int) (train, test int, err error) {
	if s.Kind == OpenML {
		if seed < 1 || seed > len(own) {
			return 0, 0, fmt.Errorf("there is no split %d; the set's own splits are 1 to %d", seed, len(own))
		}
		train, test = len(own[seed-1].Train), len(own[seed-1].Test)
	} else if train, test, err = s.Sizes(n, trainRows); err == nil && s.Kind == KFold {
		test = FoldSize(n, s.Parts, (seed-1)%s.Parts)
		train = n - test
	}
	if s.TrainRows > 0 {
		train = min(train, s.TrainRows)
	}
	return train, test, err
}

// FoldSize returns the size of a fold of n rows, counted from 0: the first n % folds of them have a row more.
func FoldSize(n, folds, fold int) int {
	if fold < n%folds {
		return n/folds + 1
	}
	return n / folds
}

// Possible reports whether a set may be divided into parts of these sizes. Some rows may be in neither, since some
// methods learn from fewer rows. grouped says that the set has groups: parts of whole groups may have any size.
func (s Splitter) Possible(train, test int, grouped bool) bool {
	switch kind := s.kind(); {
	case kind == All:
		return test >= train
	case kind == Stratified && !grouped:
		return test >= int(math.Ceil(s.TestFraction*float64(train+test)))
	case kind == KFold && !grouped:
		return test >= (train+test)/s.Parts
	}
	return true
}

// Serves reports whether a class of n rows can be large enough: every fold needs a row of the class, and for KFold
// every part, too. If Serves refuses a class, Split fails for every number.
func (s Splitter) Serves(n int) bool {
	switch s.kind() {
	case KFold:
		return n >= s.Parts && n-n/s.Parts >= s.Folds
	case Given, GivenOrStratified, OpenML, All:
		return n >= s.Folds
	}
	return n-int(math.Floor(s.TestFraction*float64(n))) >= s.Folds
}

// Shares returns how many rows of one of two classes a split without groups can have: the least and the most in the
// test part, and the least and the most in both parts together. The class has n of the set's rows; train and test are
// what SizesOf returns.
func (s Splitter) Shares(rows, trainRows, n, train, test int) [4]int {
	kind, whole := s.kindFor(trainRows), rows-test
	least, most := max(0, n-whole), min(n, test)
	switch kind {
	case KFold:
		least, most = n/s.Parts, (n+s.Parts-1)/s.Parts
	case Stratified:
		low, high := nearest(n, whole, rows)
		least, most = n-high, n-low
	}
	low, high := n-most, n-least // in the training part
	both := n
	if kind == All {
		whole, least, low, high, both = rows, n, n, n, 2*n
	}
	switch {
	case train == whole:
		return [4]int{least, most, both, both}
	case kind == OpenML: // some rows may be in neither part
		return [4]int{least, most, least, min(n, most+train)}
	}
	low, _ = nearest(low, train, whole)
	_, high = nearest(high, train, whole)
	return [4]int{least, most, least + low, most + high}
}

// nearest returns the whole numbers that are nearest to n * part / whole: one, or two where both are as near.
func nearest(n, part, whole int) (low, high int) {
	twice := 2 * n * part
	return (twice + whole - 1) / (2 * whole), (twice + whole) / (2 * whole)
}

// A Split is one division of a data set's rows. Train and Test hold row numbers. Folds holds the validation
// rows of each fold of the inner cross-validation, as ascending positions within Train. The JSON form is that
// of `bench data splits`.
type Split struct {
	Train []int   `json:"train"`
	Test  []int   `json:"test"`
	Folds [][]int `json:"folds"`
}

// Fold returns the rows of Train outside of fold f, counted from 0, and those in it, both in the order of
// Train.
func (s Split) Fold(f int) (train, validation []int) {
	held := s.Folds[f]
	train = make([]int, 0, len(s.Train)-len(held))
	validation = make([]int, 0, len(held))
	for at, row := range s.Train {
		if len(validation) < len(held) && held[len(validation)] == at {
			validation = append(validation, row)
		} else {
			train = append(train, row)
		}
	}
	return train, validation
}

// The lists of the rows of a larger set are worth a collection of garbage.
const manyRows = 100_000

// Split draws a split of a set; seed is the number of the split, from 1.
//
// Stratified draws the train/test split and then the folds from one NumPy stream seeded with seed. Every other kind
// seeds a stream with seed for the folds alone. If TrainRows is less than the number of training rows, TrainRows of
// these are drawn before the folds, as train_test_split(train, train_size=TrainRows, stratify=y) draws them. The
// folds equal scikit-learn's StratifiedKFold(Folds, shuffle=True) on the training rows, or KFold's for regression.
//
// If rows of the set belong together (Set.Groups), whole groups are drawn instead, see deal: sizes and the shares of
// classes are then as near to the above as the draw comes. TrainRows is still the most rows that are learned from. It
// is an error if Given or OpenML part a group. All learns from what it tests.
//
// It is an error if the set or a class has too few rows: each fold, a drawn test part and each part of KFold need one
// row.
func (s Splitter) Split(set *datasets.Set, seed uint32) (Split, error) {
	out, err := s.split(set, seed)
	if err != nil {
		return Split{}, fmt.Errorf("%s: %w", set.Name, err)
	}
	if len(set.Y) > manyRows {
		debug.FreeOSMemory() // of the lists of rows by class, before the rows are copied
	}
	return out, nil
}

func (s Splitter) split(set *datasets.Set, seed uint32) (out Split, err error) {
	test := 0
	if s.Kind != OpenML {
		if _, test, err = s.Sizes(len(set.Y), set.TrainRows); err != nil {
			return out, err
		}
	}
	rng := rng.New(seed)
	switch s.kindFor(set.TrainRows) {
	case KFold:
		out.Train, out.Test, err = s.part(set, seed)
	case OpenML:
		out.Train, out.Test, err = s.own(set, seed)
	case Given:
		out.Train, out.Test = upto(0, set.TrainRows), upto(set.TrainRows, len(set.Y))
		err = apart(set, out.Train, out.Test, "the set's own division")
	case All:
		out.Train, out.Test = upto(0, len(set.Y)), upto(0, len(set.Y))
	default:
		out.Train, out.Test, err = s.drawn(rng, set, upto(0, len(set.Y)), test, 0)
	}
	if err == nil && s.TrainRows > 0 && s.TrainRows < len(out.Train) {
		out.Train, err = s.some(rng, set, out.Train)
	}
	if err != nil || s.Folds == 0 {
		return out, err
	}
	out.Folds, err = folds(rng, set, out.Train, s.Folds, 0, "training rows")
	return out, err
}

// drawn draws test rows of some rows of a set, and returns both parts as positions among them. With groups about so
// many are drawn, and at most `most` are left, if most is positive.
func (s Splitter) drawn(
	rng *rng.RandomState, set *datasets.Set, rows []int, nTest, most int,
) (train, test []int, err error) {
	n := len(rows)
	switch {
	case set.Groups != nil:
		d := newDeal(set, rows)
		share := float64(nTest) / float64(n)
		hand, err := d.hands(rng, []float64{1 - share, share}, 1, s.Folds, most)
		if err != nil {
			return nil, nil, err
		}
		parts := d.hold(hand, 2)
		permute(rng, parts[0])
		permute(rng, parts[1])
		return parts[0], parts[1], nil
	case set.Task != registry.Regression:
		return stratifiedSplit(rng, at(set.Y, rows), n-nTest, nTest)
	}
	p := rng.Permutation(n)
	return p[nTest:], p[:nTest], nil
}

// own returns a split that comes with the set; seed is its number.
func (s Splitter) own(set *datasets.Set, seed uint32) (train, test []int, err error) {
	if err := Own(set.Splits); err != nil {
		return nil, nil, err
	}
	if seed < 1 || int(seed) > len(set.Splits) {
		return nil, nil, fmt.Errorf("there is no split %d; the set's own splits are 1 to %d", seed, len(set.Splits))
	}
	d := set.Splits[seed-1]
	if err := apart(set, d.Train, d.Test, fmt.Sprintf("the set's own split %d", seed)); err != nil {
		return nil, nil, err
	}
	if len(d.Train) < s.Folds {
		return nil, nil, fmt.Errorf("%d training rows are too few for %d folds", len(d.Train), s.Folds)
	}
	return slices.Clone(d.Train), slices.Clone(d.Test), nil
}

// Own returns an error if a set has no splits of its own, which kind OpenML needs.
func Own(splits []datasets.Division) error {
	if len(splits) == 0 {
		return fmt.Errorf("split = %q follows splits that come with the set, and the set has none", OpenML)
	}
	return nil
}

func (s Splitter) some(rng *rng.RandomState, set *datasets.Set, train []int) ([]int, error) {
	drawn, _, err := s.drawn(rng, set, train, len(train)-s.TrainRows, s.TrainRows)
	for i, position := range drawn {
		drawn[i] = train[position]
	}
	return drawn, err
}

// part tests on one of the parts of KFold; seed is the number of the split.
func (s Splitter) part(set *datasets.Set, seed uint32) (train, test []int, err error) {
	if seed == 0 {
		return nil, nil, errors.New("splits are counted from 1")
	}
	round, part := (seed-1)/uint32(s.Parts), int((seed-1)%uint32(s.Parts))
	all := upto(0, len(set.Y))
	parts, err := folds(rng.New(round+1), set, all, s.Parts, s.Folds, "rows")
	if err != nil {
		return nil, nil, fmt.Errorf("the parts of %s: %w", KFold, err)
	}
	train, test = Split{Train: all, Folds: parts}.Fold(part)
	return train, test, nil
}

// folds draws the k folds of some rows, as ascending positions. inner is how many folds each k-1 of them are to be
// divided into. what names the rows in an error.
func folds(rng *rng.RandomState, set *datasets.Set, rows []int, k, inner int, what string) ([][]int, error) {
	switch {
	case set.Groups != nil:
		d := newDeal(set, rows)
		hand, err := d.hands(rng, slices.Repeat([]float64{1 / float64(k)}, k), 0, inner, 0)
		if err != nil {
			return nil, err
		}
		return d.hold(hand, k), nil
	case set.Task == registry.Regression:
		return plainFolds(rng, len(rows), k), nil
	}
	return stratifiedFolds(rng, at(set.Y, rows), k, what)
}

func upto(from, to int) []int {
	rows := make([]int, to-from)
	for i := range rows {
		rows[i] = from + i
	}
	return rows
}

func at(y []float64, rows []int) []float64 {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = y[row]
	}
	return out
}
