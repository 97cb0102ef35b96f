package runner

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
)

// A failure is an error of a method whose class is known. Errors of methods in another process have
// the same method FailureClass.
type failure struct {
	error
	class store.Class
}

func (f failure) Unwrap() error { return f.error }

// FailureClass returns the class as it is stored.
func (f failure) FailureClass() string { return string(f.class) }

func crash(err error) error { return failure{err, store.ClassCrash} }

func badOutput(format string, args ...any) error {
	return failure{fmt.Errorf(format, args...), store.ClassBadOutput}
}

// classOf returns the class that an error of a method names, if it names one.
func classOf(err error) store.Class {
	var known interface{ FailureClass() string }
	if errors.As(err, &known) {
		class := store.Class(known.FailureClass())
		if slices.Contains([]store.Class{store.ClassTimeout, store.ClassOOM, store.ClassCrash, store.ClassBadOutput}, class) {
			return class
		}
	}
	return store.ClassError
}

var errChangedData = badOutput("the method changed the data that it was given; copy what is to be changed")

// fingerprint hashes the values of a part: methods may not change them, since the fits of a whole
// grid see the same rows.
func fingerprint(p split.Part) uint64 {
	sum := uint64(0)
	for _, values := range [][]float64{p.Learn.X.RawMatrix().Data, p.Learn.Y, p.Score.X.RawMatrix().Data, p.Score.Y} {
		for _, v := range values {
			sum = bits.RotateLeft64(sum, 5) ^ math.Float64bits(v)
			sum *= 0x9e3779b97f4a7c15 // odd, so that no value is lost
		}
	}
	return sum
}
