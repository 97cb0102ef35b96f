package plan

import (
	"maps"
	"slices"
)

// A peak is the largest size of the processes of a cell, for a training part of rows and features.
type peak struct {
	bytes          int64
	rows, features int
}

// perNumber is what a process takes for each number of the training part, in bytes: the data set, its standardised copy
// and the two copies that a fit is taken to need (see registry.Spec.MemoryEstimate), of 8 bytes, and a fifth for the
// rows that are not in the training part.
const perNumber = 40

// littleMore is a difference of peaks that says nothing about how the memory of a method grows.
const littleMore = 32 << 20

func (p peak) numbers() int64 { return perNumber * int64(p.rows) * int64(p.features) }

// RecordPeak notes the peak of a cell that ran in processes of its own.
func (f *Forecast) RecordPeak(c *Cell, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordPeak(methodOf(c), c.Dataset, peak{bytes, c.Spec.Shape.N, c.Spec.Shape.D})
}

// recordPeak keeps the least peak of a set, since a process that serves several cells keeps the peaks of earlier ones.
func (f *Forecast) recordPeak(m methodName, dataset string, p peak) {
	if p.bytes <= 0 {
		return
	}
	if f.peaks[m] == nil {
		f.peaks[m] = map[string]peak{}
	}
	if old, known := f.peaks[m][dataset]; !known || p.bytes < old.bytes {
		f.peaks[m][dataset] = p
	}
}

// Memory predicts what the processes of a cell take at their peak, in bytes, without the data set. For a method that
// declares its memory, this is what it declares. For another one it is
//
//   - the peak of cells of the method on the same set, if any were measured;
//   - else, if cells of the method on other sets were measured: a part that does not depend on the set, perNumber bytes
//     for each number of the training part, and what the method takes beyond that. The first part is the least that any
//     set shows. The last part is by the law (see law) of the sets that show more than littleMore of it;
//   - and at least what the plan guesses, which is all there is if no cell was measured.
func (f *Forecast) Memory(c *Cell) int64 {
	if !c.Unsized {
		return c.Memory
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	sets := f.peaks[methodOf(c)]
	if own, known := sets[c.Dataset]; known {
		return max(0, own.bytes-c.SetBytes)
	}
	if len(sets) == 0 {
		return c.Memory
	}
	names := slices.Sorted(maps.Keys(sets)) // in a fixed order, so that sums have the same bits
	fixed := sets[names[0]].bytes - sets[names[0]].numbers()
	for _, name := range names {
		fixed = min(fixed, sets[name].bytes-sets[name].numbers())
	}
	grows := map[string]timing{}
	for _, name := range names {
		p := sets[name]
		if more := p.bytes - p.numbers() - fixed; more > littleMore {
			grows[name] = timing{float64(more), float64(p.rows) * float64(p.features), 1, p.rows, p.features}
		}
	}
	own := peak{0, c.Spec.Shape.N, c.Spec.Shape.D}
	total := fixed + own.numbers()
	if l, known := lawOf(grows); known {
		total += int64(min(l.seconds(float64(own.rows)*float64(own.features), own.rows, own.features), 1<<60))
	}
	return max(c.Memory, total-c.SetBytes)
}
