package externaltrees

import (
	"bytes"
	"fmt"

	"github.com/kernelboosting/bench/internal/wording"
)

// These are the bytes that a part of a file takes while it is read: its text in several forms, a number in a
// list, an object or a tree. They are upper bounds of figures measured on files that hold little else.
const (
	perByte   = 6
	perNumber = 64
	perObject = 1024
)

// admit returns an error if reading a text may need more than memory bytes; 0 is no limit. number is the text
// that ends a number, object the text that begins an object.
func admit(text []byte, number, object string, memory int64) error {
	needs := perByte*int64(len(text)) + perNumber*int64(bytes.Count(text, []byte(number))) + perObject*int64(bytes.Count(text, []byte(object)))
	if memory > 0 && needs > memory {
		return fmt.Errorf("reading it may need %s of memory, and it may take %s; raise --memory", wording.Bytes(needs), wording.Bytes(memory))
	}
	return nil
}

// eachOnce returns an error unless a walk from node 0 reaches each of n nodes once. children returns the two
// children of a node, and false for a leaf.
func eachOnce(n int, children func(node int) ([2]int, bool)) error {
	seen := make([]bool, n)
	seen[0] = true
	reached, left := 1, []int{0}
	for len(left) > 0 {
		node := left[len(left)-1]
		left = left[:len(left)-1]
		pair, inner := children(node)
		if !inner {
			continue
		}
		for _, child := range pair {
			switch {
			case child < 0 || child >= n:
				return fmt.Errorf("node %d has a child that is not there", node)
			case seen[child]:
				return fmt.Errorf("a child of node %d is the root or has two parents", node)
			}
			seen[child] = true
			reached++
			left = append(left, child)
		}
	}
	if reached < n {
		return fmt.Errorf("%d of its %d nodes are reached from its root", reached, n)
	}
	return nil
}
