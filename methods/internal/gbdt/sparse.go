package gbdt

import "math"

// Most features of a row may be in their most frequent bin, whose sums are computed by subtraction, so that adding rows
// to the bin is useless work. A feature is away in a row if it is in another bin. A sparse holds the features that are
// away, row after row. A histogram that is built from it adds the same rows in the same order, so its sums keep their
// bits. (LightGBM stores several such features in one column: see bundle.go.)
type sparse struct {
	start []int32 // [row]: the first four of its cells; the last element is the end
	// For each feature that is away, the place of its pair of sums in a histogram. Each row is filled up to a multiple
	// of four, which compilers unroll, with places after the blocks, which nothing reads.
	cells []uint16
}

const unread = 4 // pairs after the blocks of a histogram

// newSparse returns nil where blocks are less work, or where its numbers do not count what there is.
func newSparse(ds *Dataset) *sparse {
	pairs := int(ds.at[ds.blocks()]) / 2
	if pairs+unread > math.MaxUint16 || ds.rows*len(ds.mappers) > math.MaxInt32 {
		return nil
	}
	s := &sparse{start: make([]int32, ds.rows+1)}
	for f, most := range ds.mostFreq[:len(ds.mappers)] {
		bins := ds.place(f)
		for i := range ds.rows {
			if bins[i*lanes] != most {
				s.start[i+1]++
			}
		}
	}
	for i := range ds.rows {
		s.start[i+1] = s.start[i] + (s.start[i+1]+3)/4
	}
	if 8*int(s.start[ds.rows]) > ds.rows*len(ds.mappers) {
		return nil
	}
	s.cells = make([]uint16, 4*s.start[ds.rows])
	for i := range s.cells {
		s.cells[i] = uint16(pairs + i%unread)
	}
	next := make([]uint8, ds.rows)
	for f, most := range ds.mostFreq[:len(ds.mappers)] {
		bins, first := ds.place(f), int(ds.at[f/lanes])/2+f%lanes
		for i := range ds.rows {
			if bin := bins[i*lanes]; bin != most {
				s.cells[4*int(s.start[i])+int(next[i])] = uint16(first + int(bin)*lanes)
				next[i]++
			}
		}
	}
	return s
}
