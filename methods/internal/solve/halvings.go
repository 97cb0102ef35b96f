package solve

import "iter"

// Halvings yields the lengths that a line search of Newton's method tries, of which there are count: 1, 1/2, 1/4 and so
// on. The methods that take such steps solve different systems, and decide for themselves which length is good.
func Halvings(count int) iter.Seq[float64] {
	return func(yield func(float64) bool) {
		length := 1.0
		for range count {
			if !yield(length) {
				return
			}
			length /= 2
		}
	}
}
