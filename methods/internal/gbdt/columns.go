package gbdt

import "slices"

// Where features are indicators, most of them are in their most frequent bin in a row,
// whose sums come by subtraction: adding the row to all of them is work for nothing.
// Features that are never away from that bin in the same row share a column, one byte a
// row, which says which of them is away and in which bin, and a histogram is built from
// columns. Its cells get the same rows in the same order, so the sums keep their bits.
// (LightGBM's bundles are found on a sample, and differently: see bundle.go.)
type columns struct {
	count int
	bytes []uint8 // [row][column]
	cells []int32 // [column][byte]: where the sums stand in a histogram, in doubles; behind its blocks for no feature
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
			cells[i] = int32(ds.at[ds.blocks()]) + int32(2*g) // its own: the next write waits for the last
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

// exclusive divides the places of a sample into groups, no two of which are away from
// their most frequent bins in the same row, first fit; a byte tells 255 cells apart.
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
