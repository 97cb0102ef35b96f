package result

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/registry"
)

// A Field is one value of a Score in addition to its number of rows. The database, its views, bundles, workers'
// answers, comparisons and reports loop over the table of Fields. So another stored value is another row of the table.
type Field struct {
	Name  string // of its column in the database, and of the value in JSON and in messages
	Title string // what the value is, as a sentence writes it
	Kind  Kind
	Tasks registry.Task // the tasks whose scores may have the value
	Needs registry.Task // the tasks whose scores always have the value

	// TestOnly marks a value that only the test of a cell has, and only with some methods. Folds, stages, and the
	// tests of grid points and seeds do not have it.
	TestOnly bool

	// Only a Real has these.
	Lower     bool    // smaller values are better
	Low, High float64 // the range of valid values; 0 and 0 for all finite numbers

	// at returns the address of the value in a score: a **int for a Count, a **int64 for a Wide, a **float64 for a
	// Real.
	at func(*Score) any
}

// A Kind says what the values of a field are.
type Kind int

// These are the kinds of fields.
const (
	Count Kind = iota // a number of the score's rows
	Wide              // another integer from 0 on
	Real              // a float64
)

const classes = registry.Binary | registry.Multiclass

// fields is the one list of the values of a score. New rows come last.
var fields = []Field{
	{Name: "n_correct", Title: "rows whose class is right", Tasks: classes, Needs: classes, at: func(s *Score) any {
		return &s.Correct
	}},
	{Name: "tn", Title: "rows of class -1 that are right", Tasks: registry.Binary, Needs: registry.Binary,
		at: func(s *Score) any { return &s.TN }},
	{Name: "fp", Title: "rows of class -1 that are wrong", Tasks: registry.Binary, Needs: registry.Binary,
		at: func(s *Score) any { return &s.FP }},
	{Name: "fn", Title: "rows of class +1 that are wrong", Tasks: registry.Binary, Needs: registry.Binary,
		at: func(s *Score) any { return &s.FN }},
	{Name: "tp", Title: "rows of class +1 that are right", Tasks: registry.Binary, Needs: registry.Binary,
		at: func(s *Score) any { return &s.TP }},
	{Name: "auc2", Title: "twice the pairs of a -1 and a +1 row in order", Kind: Wide, Tasks: registry.Binary,
		at: func(s *Score) any { return &s.AUC2 }},
	{Name: "rmse", Title: "root mean squared error", Kind: Real, Lower: true, High: math.MaxFloat64,
		Tasks: registry.Regression, Needs: registry.Regression, at: func(s *Score) any { return &s.RMSE }},
	{Name: "mae", Title: "mean absolute error", Kind: Real, Lower: true, High: math.MaxFloat64,
		Tasks: registry.Regression, Needs: registry.Regression, at: func(s *Score) any { return &s.MAE }},
	{Name: "r2", Title: "coefficient of determination", Kind: Real, Low: -math.MaxFloat64, High: 1,
		Tasks: registry.Regression, at: func(s *Score) any { return &s.R2 }},
	{Name: "logloss", Title: "log loss", Kind: Real, Lower: true,
		Tasks: registry.Binary, TestOnly: true, High: 37, at: func(s *Score) any { return &s.LogLoss }},
	{Name: "brier", Title: "Brier score", Kind: Real, Lower: true, Tasks: registry.Binary, TestOnly: true, High: 1,
		at: func(s *Score) any { return &s.Brier }},
	// The calibration error is a mean of rounded terms, which may add up to more than 1.
	{Name: "ece", Title: "expected calibration error", Kind: Real, Lower: true, Tasks: registry.Binary, TestOnly: true,
		High: 1.000001, at: func(s *Score) any { return &s.ECE }},
	{Name: "train_groups", Title: "groups of rows that were learned from", Kind: Wide, TestOnly: true,
		Tasks: classes | registry.Regression, at: func(s *Score) any { return &s.TrainGroups }},
	{Name: "test_groups", Title: "groups of rows that were tested", Kind: Wide, TestOnly: true,
		Tasks: classes | registry.Regression, at: func(s *Score) any { return &s.TestGroups }},
}

// Fields returns the fields of scores in the order of the table. The caller must not change them.
func Fields() []Field { return fields }

// Value returns the field's value of a score: an int64, a float64, or nil if the score has none.
func (f *Field) Value(s *Score) any {
	switch p := f.at(s).(type) {
	case **int:
		if *p != nil {
			return int64(**p)
		}
	case **int64:
		if *p != nil {
			return **p
		}
	case **float64:
		if *p != nil {
			return **p
		}
	}
	return nil
}

// Set sets the field's value of a score to v: an int64, a float64 or nil, as Value returns it. Other types are errors.
func (f *Field) Set(s *Score, v any) error {
	integer, isInteger := v.(int64)
	number, isReal := v.(float64)
	if v != nil && isReal != (f.Kind == Real) || v != nil && !isInteger && !isReal {
		return fmt.Errorf("%s of a score is %v, a %T", f.Name, v, v)
	}
	switch p := f.at(s).(type) {
	case **int:
		*p = pointer(v, int(integer))
	case **int64:
		*p = pointer(v, integer)
	case **float64:
		*p = pointer(v, number)
	}
	return nil
}

// Clear removes the field's value from a score.
func (f *Field) Clear(s *Score) { _ = f.Set(s, nil) } // nil is of every kind

// ClearTestOnly removes the values that only the test of a cell has.
func (s *Score) ClearTestOnly() {
	for _, f := range fields {
		if f.TestOnly {
			f.Clear(s)
		}
	}
}

func pointer[T any](v any, as T) *T {
	if v == nil {
		return nil
	}
	return &as
}

// mostRows is the largest number of rows of a score. It makes products of two counts exact.
const mostRows = math.MaxInt32

// A mean of errors is at most the root of the mean of their squares. There are two exceptions: by rounding of the two
// sums it may be larger by a small factor, and squares of tiny errors are 0 in floating point.
const (
	roundingError = 1e-6
	tinyError     = 1e-150
)

// Check refuses a score that has other values than scores of its task have, values out of their range, or values that
// contradict each other.
func (s Score) Check(task string) error {
	t, err := registry.ParseTask(task)
	if err != nil {
		return err
	}
	if s.N < 0 || s.N > mostRows {
		return fmt.Errorf("a score of %d rows", s.N)
	}
	for _, f := range fields {
		switch v := f.Value(&s); {
		case v == nil && f.Needs&t != 0:
			return fmt.Errorf("a score of task %q has no %s", task, f.Name)
		case v != nil && (f.Tasks&t == 0 || !f.inRange(v, s.N)):
			return fmt.Errorf("a score of task %q with %d rows cannot have %s = %v", task, s.N, f.Name, v)
		}
	}
	if s.N < 1 || t == registry.Binary && !s.agrees() || t == registry.Regression &&
		*s.MAE > *s.RMSE*(1+roundingError)+tinyError {
		return fmt.Errorf("the values of a score of task %q with %d rows contradict each other", task, s.N)
	}
	return nil
}

func (f *Field) inRange(v any, rows int) bool {
	switch v := v.(type) {
	case int64:
		if f.Kind == Count {
			return 0 <= v && v <= int64(rows)
		}
		return v >= 0
	case float64:
		low, high := f.Low, f.High
		if low == 0 && high == 0 {
			low, high = -math.MaxFloat64, math.MaxFloat64
		}
		return low <= v && v <= high
	}
	return false
}

// agrees reports whether the counts of two classes add up, whether AUC2 fits them, and whether the values of
// probabilities are all set or all nil. AUC2 has bounds: a pair of two rows that are both right is in order, and a pair
// of two rows that are both wrong is not.
func (s Score) agrees() bool {
	tn, fp, fn, tp := int64(*s.TN), int64(*s.FP), int64(*s.FN), int64(*s.TP)
	return tn+fp+fn+tp == int64(s.N) && tn+tp == int64(*s.Correct) &&
		(s.AUC2 == nil || 2*tn*tp <= *s.AUC2 && *s.AUC2 <= 2*((tn+fp)*(fn+tp)-fp*fn)) &&
		(s.LogLoss == nil) == (s.Brier == nil) && (s.LogLoss == nil) == (s.ECE == nil)
}

// unset reports whether a score has no values. A cell that failed may have ended before the prediction.
func (s Score) unset() bool {
	return !slices.ContainsFunc(fields, func(f Field) bool { return f.Value(&s) != nil })
}
