package read

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/internal/wording"
)

// A Budget counts the memory that loading a data set holds. Memory is counted before it is allocated, since a small
// file can need much of it: one large index in a sparse row makes the set wide. The contents of files and the numbers
// that are made from them are counted exactly. What each row or column takes in addition is an estimate.
type Budget struct {
	Limit int64 // bytes
	Held  int64 // bytes that were counted so far
}

// Fits counts n more bytes and reports whether they are within the limit.
func (b *Budget) Fits(n int64) bool {
	if n > b.Limit-b.Held {
		return false
	}
	b.Held += n
	return true
}

// Refuse returns the error for n bytes that do not fit. The subject of its sentence is what needs the bytes, in the
// plural. The advice says what to do other than to raise the limit.
func (b *Budget) Refuse(n int64, advice, subject string, args ...any) error {
	return fmt.Errorf("%s need %s of memory, and loading may take %s; %s, or raise --memory",
		fmt.Sprintf(subject, args...), wording.Bytes(Sum(b.Held, n)), wording.Bytes(b.Limit), advice)
}

// Product multiplies sizes that are not negative. If the product is too large for an int64, the result is the largest
// int64.
func Product(factors ...int64) int64 {
	out := int64(1)
	for _, f := range factors {
		if f != 0 && out > math.MaxInt64/f {
			return math.MaxInt64
		}
		out *= f
	}
	return out
}

// Sum adds two sizes that are not negative. If the sum is too large for an int64, the result is the largest int64.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
