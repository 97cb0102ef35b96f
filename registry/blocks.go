package registry

import (
	"fmt"
)

// A Block is a named group of neighbouring features, a channel, that measure one thing in their own way: the columns From
// .. To-1 of X.
type Block struct {
	Name     string
	From, To int
}

// checkBlocks returns an error for a block that is empty, lies outside of d features, or overlaps or precedes the previous
// block.
func checkBlocks(blocks []Block, d int) error {
	end := 0
	for _, b := range blocks {
		switch {
		case b.From < 0 || b.To > d:
			return fmt.Errorf("block %q holds features %d to %d of the %d from 0: it must lie within them", b.Name, b.From, b.To-1, d)
		case b.From >= b.To:
			return fmt.Errorf("block %q from feature %d to %d is empty: a block has at least one feature", b.Name, b.From, b.To-1)
		case b.From < end:
			return fmt.Errorf("block %q begins with feature %d, before the end of the block in front of it: blocks must ascend and not overlap", b.Name, b.From)
		}
		end = b.To
	}
	return nil
}

// Groups returns the sizes of the groups that the features fall into, in their order: the blocks,
// and every feature outside of blocks by itself.
func (s Shape) Groups() []int {
	sizes := make([]int, 0, s.D)
	next := 0
	for _, b := range s.Blocks {
		for ; next < b.From; next++ {
			sizes = append(sizes, 1)
		}
		sizes = append(sizes, b.To-b.From)
		next = b.To
	}
	for ; next < s.D; next++ {
		sizes = append(sizes, 1)
	}
	return sizes
}

// shown is the shape that the method is given.
func (s Spec) shown(sh Shape) Shape {
	if !s.Blocks {
		sh.Blocks = nil
	}
	return sh
}
