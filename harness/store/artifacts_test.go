package store

import (
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestPlanes are turned back to the same bits.
func TestPlanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float64()).Draw(t, "values")
		packed := must.Get(inflate(deflate(planes(values))))(t)
		got, err := fromPlanes(packed)
		if err != nil || result.HashScores(got) != result.HashScores(values) ||
			result.HashScores(fromDoubles(result.Doubles(values))) != result.HashScores(values) {
			t.Fatalf("%v come back as %v, %v", values, got, err)
		}
	})
}
