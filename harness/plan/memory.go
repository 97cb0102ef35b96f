package plan

import (
	"math"
	"slices"
)

// A peak is the largest size of the processes of a cell, for a training part of rows and features.
type peak struct {
	dataset        string
	bytes          int64
	rows, features int
}

// numbers is what a process takes for the numbers of a training part, in bytes: the data set, its standardised copy
// and the two copies that a fit is taken to need (see registry.Spec.MemoryEstimate), of 8 bytes, and a fifth for the
// rows that are not in the training part.
func (p peak) numbers() int64 { return 40 * int64(p.rows) * int64(p.features) }

// RecordPeak notes the peak of a cell that ran in processes of its own.
func (f *Forecast) RecordPeak(c *Cell, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recordPeak(methodOf(c), peak{c.Dataset, bytes, c.Spec.Shape.N, c.Spec.Shape.D})
}

// recordPeak keeps the least peak of a set, since a process that serves several cells keeps the peaks of earlier ones.
func (f *Forecast) recordPeak(m methodName, p peak) {
	i := slices.IndexFunc(f.peaks[m], func(old peak) bool { return old.dataset == p.dataset })
	switch {
	case p.bytes <= 0:
	case i < 0:
		f.peaks[m] = append(f.peaks[m], p)
	case p.bytes < f.peaks[m][i].bytes:
		f.peaks[m][i] = p
	}
}

// Memory predicts what the processes of a cell take at their peak, in bytes, without the data set. For a method that
// declares its memory, this is what it declares. For another one it is the peak of measured cells on the same set. Else
// it is at least what the plan guesses, and at least a part that does not depend on the set, the least of any measured
// set, plus what the set of the nearest size takes beyond that, in proportion to the numbers of both sets.
func (f *Forecast) Memory(c *Cell) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	fixed, far, near := int64(math.MaxInt64), math.Inf(1), peak{}
	own := peak{c.Dataset, 0, c.Spec.Shape.N, c.Spec.Shape.D}
	for _, p := range f.peaks[methodOf(c)] {
		if p.dataset == own.dataset && c.Unsized {
			return max(0, p.bytes-c.SetBytes)
		}
		fixed = min(fixed, p.bytes-p.numbers())
		if d := math.Abs(math.Log(float64(p.numbers()) / float64(own.numbers()))); d < far {
			far, near = d, p
		}
	}
	if !c.Unsized || far > math.MaxFloat64 {
		return c.Memory
	}
	more := float64(near.bytes-fixed) / float64(near.numbers()) * float64(own.numbers())
	return max(c.Memory, fixed+int64(min(more, 1<<60))-c.SetBytes)
}
