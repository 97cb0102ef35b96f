package kernel

// A selector finds elements by their order. It keeps memory between calls.
type selector struct{ sample, below []float64 }

// smallest returns the element of x that would be at index k in ascending order, and may move elements. A sample gives a bound that, almost
// always, more than k elements meet and most do not; then only the elements within the bound are selected from.
func (s *selector) smallest(x []float64, k int) float64 {
	const every = 16
	place := 2*(k/every) + 8
	if len(x) < 4*every*place {
		return smallest(x, k)
	}
	s.sample, s.below = s.sample[:0], s.below[:0]
	for i := 0; i < len(x); i += every {
		s.sample = append(s.sample, x[i])
	}
	bound := smallest(s.sample, place)
	for _, v := range x {
		if v <= bound {
			s.below = append(s.below, v)
		}
	}
	if len(s.below) <= k {
		return smallest(x, k)
	}
	return smallest(s.below, k)
}

// smallest returns the element of x that would be at index k in ascending order, and moves elements (quickselect, Hoare 1961).
func smallest(x []float64, k int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot := x[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}
