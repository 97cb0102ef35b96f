package format

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/internal/wording"
)

// A Budget counts the memory that loading a set holds, before the memory is taken: a
// small file can need much (one large index in a sparse row). What a file's text
// becomes later is counted in full; a few bytes for each row or column are estimates.
type Budget struct {
	Limit int64 // bytes
	Held  int64
}

// Fits counts n more bytes and reports whether they are within the limit.
func (b *Budget) Fits(n int64) bool {
	if n > b.Limit-b.Held {
		return false
	}
	b.Held += n
	return true
}

// Refuse is the error for n bytes that do not fit: subject, a plural, needs them,
// and advice is what may be done besides allowing more.
func (b *Budget) Refuse(n int64, advice, subject string, args ...any) error {
	return fmt.Errorf("%s need %s of memory, and loading may take %s; %s, or raise --memory",
		fmt.Sprintf(subject, args...), wording.Bytes(Sum(b.Held, n)), wording.Bytes(b.Limit), advice)
}

// Product multiplies sizes that are not negative. If the product is too large for an
// int64, the result is the largest int64.
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

// Sum adds sizes in the same way.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
