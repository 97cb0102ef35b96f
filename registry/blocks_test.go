package registry

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// TestGroups: the groups are the blocks and the features between them, and add up to all features.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		d      int
		blocks []Block
		want   []int
	}{
		{3, nil, []int{1, 1, 1}},
		{5, []Block{{"a", 0, 2}, {"b", 2, 5}}, []int{2, 3}},
		{7, []Block{{"a", 1, 3}, {"b", 5, 6}}, []int{1, 2, 1, 1, 1, 1}},
	} {
		must.Be(t, (Shape{D: c.d, Blocks: c.blocks}).Groups(), c.want, c.d, "features with", c.blocks, "groups")
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 20).Draw(t, "d")
		var blocks []Block
		for at := 0; at < d; {
			from := rapid.IntRange(at, d-1).Draw(t, "from")
			to := rapid.IntRange(from+1, d).Draw(t, "to")
			blocks, at = append(blocks, Block{"b", from, to}), to
		}
		must.Do(t, checkBlocks(blocks, d))
		sum, starts := 0, []int{}
		for _, size := range (Shape{D: d, Blocks: blocks}).Groups() {
			starts = append(starts, sum)
			sum += size
		}
		must.Be(t, sum, d, "the groups")
		for _, b := range blocks {
			if k := slices.Index(starts, b.From); k < 0 || k+1 < len(starts) && starts[k+1] != b.To {
				t.Fatalf("groups start at %v: none is %v", starts, b)
			}
		}
	})
}

// TestBlocksAreShownToThoseThatUseThem: in fits and in estimates, alone and along a path.
func TestBlocksAreShownToThoseThatUseThem(t *testing.T) {
	d := sound()
	d.Blocks = []Block{{"a", 0, 2}}
	spec := Spec{Name: "m", Version: "1", Tasks: Binary, Source: "this test"}
	for _, uses := range []bool{false, true} {
		var seen [][]Block
		see := func(blocks []Block) { seen = append(seen, blocks) }
		options := []Option[params]{
			Path(func(_ context.Context, _ Env, train Data, _ []params, yield func(int, Model) error) error {
				see(train.Blocks)
				return yield(0, nil)
			}),
			Memory(func(s Shape, _ params) int64 { see(s.Blocks); return 1 }),
		}
		spec.Blocks = uses
		s := Define(spec, params{T: 1}, nil, func(_ context.Context, _ Env, train Data, _ params) (Model, error) {
			see(train.Blocks)
			return nil, nil
		}, options...)
		_, fit := s.Fit(t.Context(), Env{}, d, nil)
		_, memory := s.MemoryEstimate(d.Shape(), nil)
		all := s.FitAll(t.Context(), Env{}, d, []json.RawMessage{nil}, func(int, Model) error { return nil })
		for _, err := range []error{fit, all, memory} {
			must.Do(t, err)
		}
		if s.Blocks != uses || len(seen) != 3 {
			t.Fatalf("Blocks is %v, want %v; asked %d times of 3", s.Blocks, uses, len(seen))
		}
		for i, blocks := range seen {
			must.Be(t, blocks != nil, uses, "function", i, "sees", blocks)
		}
	}
}
