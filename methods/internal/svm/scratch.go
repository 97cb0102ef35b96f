package svm

// A scratch lends zeroed arrays and takes all of them back at once, so that a sequence of interior points leaves no
// garbage.
type scratch struct {
	room, used int
	chunks     [][]float64
}

// reset takes all arrays back.
func (s *scratch) reset() {
	if len(s.chunks) > 1 {
		s.chunks = [][]float64{make([]float64, s.room)}
	}
	s.used = 0
}

// take returns n zeros.
func (s *scratch) take(n int) []float64 {
	last := len(s.chunks) - 1
	if last < 0 || s.used+n > len(s.chunks[last]) {
		s.chunks = append(s.chunks, make([]float64, n))
		s.room += n
		s.used = n
		return s.chunks[last+1]
	}
	out := s.chunks[last][s.used : s.used+n : s.used+n]
	s.used += n
	clear(out)
	return out
}
