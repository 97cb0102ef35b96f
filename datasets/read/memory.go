package read

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/internal/system/machine"
	"github.com/kernelboosting/bench/internal/wording"
)

// MemoryLimit returns the bytes that loading one set may take. allowed is what a Directory says, 0 for the usual bound.
func MemoryLimit(allowed int64) int64 {
	if allowed > 0 {
		return allowed
	}
	if all := machine.MemoryBytes(); all > 0 {
		return all / 4 * 3
	}
	return 8 << 30
}

// A budget counts the memory that loading a set holds, before the memory is taken: a
// small file can need much (one large index in a sparse row). What a file's text
// becomes later is counted in full; a few bytes for each row or column are estimates.
type budget struct{ limit, held int64 }

// fits counts n more bytes and reports whether they are within the limit.
func (b *budget) fits(n int64) bool {
	if n > b.limit-b.held {
		return false
	}
	b.held += n
	return true
}

// refuse is the error for n bytes that do not fit: subject, a plural, needs them,
// and advice is what may be done besides allowing more.
func (b *budget) refuse(n int64, advice, subject string, args ...any) error {
	return fmt.Errorf("%s need %s of memory, and loading may take %s; %s, or raise --memory",
		fmt.Sprintf(subject, args...), wording.Bytes(plus(b.held, n)), wording.Bytes(b.limit), advice)
}

// product multiplies sizes that are not negative. If the product is too large for an
// int64, the result is the largest int64.
func product(factors ...int64) int64 {
	out := int64(1)
	for _, f := range factors {
		if f != 0 && out > math.MaxInt64/f {
			return math.MaxInt64
		}
		out *= f
	}
	return out
}

// plus adds sizes in the same way.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
