package gbdt

import "slices"

// If many features are indicators, most features of a row are in their most frequent bin. The sums of that bin are
// computed by subtraction, so that adding rows to the bin is useless work. A feature is away in a row if it is in
// another bin. Features share a column if no two of them are away in the same row. A column has one byte for each row,
// which says which feature is away and in which bin. A histogram that is built from columns adds the same rows in the
// same order, so its sums keep their bits. (LightGBM finds its bundles differently, on a sample: see bundle.go.)
type columns struct {
	count int
	bytes []uint8 // [row][column]
	// [column][byte]: the index of the sums in a histogram; an index after the blocks if no feature is away
	cells []int32
}

// newColumns returns nil unless columns are at most half the lanes.
func newColumns(ds *Dataset) *columns {
	groups := exclusive(ds)
	if 2*len(groups) > ds.blocks()*lanes {
		return nil
	}
	c := &columns{count: len(groups), bytes: make([]uint8, len(groups)*ds.rows), cells: make([]int32, 256*len(groups))}
	for g, features := range groups {
		cells := c.cells[256*g:][:256]
		for i := range cells {
			// one cell for each column: a write waits for the last write to its cell
			cells[i] = int32(ds.at[ds.blocks()]) + int32(2*g)
		}
		next := 1
		for _, f := range features {
			var code [256]uint8
			for bin := range ds.mappers[f].bins() {
				if bin != int(ds.mostFreq[f]) {
					code[bin] = uint8(next)
					cells[next] = int32(ds.at[f/lanes]) + int32((bin*lanes+f%lanes)*2)
					next++
				}
			}
			bins := ds.place(f)
			for i := range ds.rows {
				if v := code[bins[i*lanes]]; v != 0 {
					c.bytes[i*c.count+g] = v
				}
			}
		}
	}
	return c
}

// exclusive divides the features of a sample, by their places, into groups, by first fit. No two features of a group
// are away from their most frequent bins in the same row. The bins of a group have at most 255 cells, which a byte
// tells apart.
func exclusive(ds *Dataset) [][]int {
	type open struct {
		group, room int
		taken       []uint64
	}
	var groups [][]int
	var shared []open
	words := (ds.rows + 63) / 64
	for f, m := range ds.mappers {
		away, rows := make([]uint64, words), 0
		bins, most := ds.place(f), ds.mostFreq[f]
		for i := range ds.rows {
			if bins[i*lanes] != most {
				away[i/64] |= 1 << (i % 64)
				rows++
			}
		}
		into := slices.IndexFunc(shared, func(o open) bool {
			if o.room < m.bins()-1 {
				return false
			}
			for w, bits := range away {
				if bits&o.taken[w] != 0 {
					return false
				}
			}
			return true
		})
		if into < 0 {
			groups = append(groups, []int{f})
			if 2*rows < ds.rows {
				shared = append(shared, open{len(groups) - 1, 256 - m.bins(), away})
			}
			continue
		}
		o := &shared[into]
		groups[o.group] = append(groups[o.group], f)
		o.room -= m.bins() - 1
		for w, bits := range away {
			o.taken[w] |= bits
		}
	}
	return groups
}
