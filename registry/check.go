package registry

import (
	"errors"
	"fmt"
	"math"
)

// Check reports why d is not a training set of its task: no rows or no features; not one target for each row; a feature
// that is not finite; a label other than -1 and +1 (Binary) or 0 to Classes-1 (Multiclass); a target that is not finite
// (Regression); blocks that overlap or lie outside of the features. It reads the data once. Every fit of a [Spec] calls
// it, so that no method checks again. There features may be NaN if the method declares [Spec.Gaps].
//
// A set with one row, or with one class only, is a training set.
func (d Data) Check() error { return d.check(false) }

// check is Check, where features may be NaN if gaps is set.
func (d Data) check(gaps bool) error {
	if d.X == nil || d.X.IsEmpty() {
		return errors.New("the training set is empty: it needs rows and features")
	}
	n, p := d.X.Dims()
	if len(d.Y) != n {
		return fmt.Errorf("the training set has %d targets for %d rows: it needs one for each", len(d.Y), n)
	}
	if err := d.checkTargets(); err != nil {
		return err
	}
	if err := checkBlocks(d.Blocks, p); err != nil {
		return err
	}
	for i := range n {
		for j, v := range d.X.RawRowView(i) {
			if !finite(v) && !(gaps && math.IsNaN(v)) {
				return fmt.Errorf("feature %d of row %d is %v: features must be finite", j, i, v)
			}
		}
	}
	return nil
}

func (d Data) checkTargets() error {
	var fits func(y float64) bool
	var rule string
	switch d.Task {
	case Binary:
		fits = func(y float64) bool { return y == 1 || y == -1 }
		rule = "labels of two classes must be -1 or +1"
	case Multiclass:
		if d.Classes < 2 {
			return fmt.Errorf("a multiclass problem cannot have %d classes: it needs two", d.Classes)
		}
		fits = func(y float64) bool { return y >= 0 && y < float64(d.Classes) && y == math.Trunc(y) }
		rule = fmt.Sprintf("classes must be whole numbers from 0 to %d", d.Classes-1)
	case Regression:
		fits, rule = finite, "targets must be finite"
	default:
		return fmt.Errorf("the task of the training set is %q: it must be one of binary, multiclass and regression",
			d.Task)
	}
	for i, y := range d.Y {
		if !fits(y) {
			return fmt.Errorf("the target of row %d is %v: %s", i, y, rule)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
