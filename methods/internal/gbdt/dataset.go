package gbdt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/methods/internal/fitting"
)

// lanes features make a block: the kernels work on the features of a block at once.
const lanes = 8

// A Dataset is a sample in bins, which any number of fits share. It is immutable.
//
// bins holds, block after block, lanes bytes a row. A histogram holds, block after
// block, for each bin and each lane the pair (sum of gradients, sum of hessians).
type Dataset struct {
	rows, features int // of the sample
	mappers        []*mapper
	real           []int   // used feature -> column of the sample
	bins           []uint8 // [block][row][lane]
	top            []int32 // bins of the widest feature of each block
	at             []int64 // where each block's histogram starts, in doubles; the last is the length
	mostFreq       []uint8 // [block][lane]
	slow           []uint8 // [block]: lanes with missing values, which need two scans
	padding        []uint8 // [block]: lanes without a feature
	sparse         *sparse // nil where blocks are less work
	infos          []string
}

// NewDataset puts n rows of d values, row-major in x, into bins as LightGBM does
// with max_bin 255 and min_data_in_bin 3. minData is min_child_samples: features
// that cannot be split so that both sides have minData rows are left out. Values are finite;
// NaN is a missing value.
func NewDataset(ctx context.Context, x []float64, n, d, minData int) (*Dataset, error) {
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("gbdt: %d rows; at most %d fit", n, math.MaxInt32)
	}
	ds := &Dataset{rows: n, features: d, infos: make([]string, d)}
	r := lcg(1)
	sample := r.sample(n, min(n, sampleCount))
	least := int(float64(minData*len(sample)) / float64(n))
	var away [][]int32
	values, nonZero, places := make([]float64, 0, len(sample)), make([]int, 0, d), make([]int32, 0, len(sample))
	// Several columns are copied at once, since neighbours share cache lines.
	at, width := 0, min(d, max(lanes, 1<<21/max(1, len(sample))))
	copied := make([]float64, width*len(sample))
	for j := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at = j % width; at == 0 {
			takeColumns(copied, x, sample, d, j, min(width, d-j))
		}
		places, values = places[:0], values[:0]
		for i, v := range copied[at*len(sample):][:len(sample)] {
			if !(math.Abs(v) <= zeroBand) {
				values, places = append(values, v), append(places, int32(i))
			}
		}
		m := newMapper(values, len(sample), least)
		if m == nil {
			ds.infos[j] = "none"
			continue
		}
		ds.infos[j] = "[" + number(m.low) + ":" + number(m.high) + "]"
		ds.mappers, ds.real = append(ds.mappers, m), append(ds.real, j)
		nonZero, away = append(nonZero, len(places)), append(away, awayRows(m, places, values, len(sample)))
	}
	bundles := chooseBundles(away, nonZero, len(sample), n)
	place := ds.arrange()
	ds.layout()
	ds.fill(x)
	for _, b := range bundles {
		for i, f := range b {
			b[i] = place[f]
		}
		ds.overwrite(b)
	}
	ds.sparse = newSparse(ds)
	return ds, nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func (ds *Dataset) blocks() int { return len(ds.top) }

// cells is the length of a histogram.
func (ds *Dataset) cells() int { return int(ds.at[ds.blocks()]) + 2*unread }

// arrange sorts features by their number of bins, the largest first, so that the features of a block have about as many
// bins. It returns the place of each feature.
func (ds *Dataset) arrange() []int {
	order := fitting.Upto(len(ds.mappers))
	slices.SortStableFunc(order, func(a, b int) int { return ds.mappers[b].bins() - ds.mappers[a].bins() })
	place, mappers, real := make([]int, len(order)), ds.mappers, ds.real
	ds.mappers, ds.real = make([]*mapper, len(order)), make([]int, len(order))
	for at, f := range order {
		place[f], ds.mappers[at], ds.real[at] = at, mappers[f], real[f]
	}
	return place
}

func (ds *Dataset) layout() {
	used := len(ds.mappers)
	blocks := (used + lanes - 1) / lanes
	ds.top, ds.at = make([]int32, blocks), make([]int64, blocks+1)
	ds.mostFreq = make([]uint8, blocks*lanes)
	ds.slow, ds.padding = make([]uint8, blocks), make([]uint8, blocks)
	for b := range blocks {
		for lane := range lanes {
			f := b*lanes + lane
			if f >= used {
				ds.padding[b] |= 1 << lane
				continue
			}
			m := ds.mappers[f]
			ds.top[b] = max(ds.top[b], int32(m.bins()))
			ds.mostFreq[f] = uint8(m.mostFreq)
			if m.nan && m.bins() > 2 {
				ds.slow[b] |= 1 << lane
			}
		}
		ds.at[b+1] = ds.at[b] + int64(ds.top[b])*lanes*2
	}
}

// takeColumns copies `width` columns from j on of some rows, one column after the other.
func takeColumns(into, x []float64, rows []int, d, j, width int) {
	for i, r := range rows {
		for k, v := range x[r*d+j:][:width] {
			into[k*len(rows)+i] = v
		}
	}
}

// fill puts the bins of each feature in its place, for as many rows at a time as the cache holds.
func (ds *Dataset) fill(x []float64) {
	const chunk = 264 // no power of two, so that columns do not share places of the cache
	ds.bins = make([]uint8, ds.blocks()*ds.rows*lanes)
	copied, rows := make([]float64, chunk*ds.features), make([]int, chunk)
	for from := 0; from < ds.rows; from += chunk {
		rows = rows[:min(chunk, ds.rows-from)]
		for i := range rows {
			rows[i] = from + i
		}
		takeColumns(copied, x, rows, ds.features, 0, ds.features)
		for f, m := range ds.mappers {
			out := ds.place(f)[from*lanes:]
			for i, v := range copied[ds.real[f]*len(rows):][:len(rows)] {
				out[i*lanes] = uint8(m.bin(v))
			}
		}
	}
}

// place returns the bytes of feature f; row i is at i*lanes.
func (ds *Dataset) place(f int) []uint8 {
	return ds.bins[f/lanes*ds.rows*lanes+f%lanes:]
}
