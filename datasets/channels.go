package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// channelBlocks returns the blocks that the key channels declares.
func (e *Entry) channelBlocks() (blocks []registry.Block) {
	next := 0
	for _, c := range e.Channels {
		blocks = append(blocks, registry.Block{Name: c.Name, From: next, To: next + c.Features})
		next += c.Features
	}
	return blocks
}

// checkChannels looks at the key channels.
func (e *Entry) checkChannels() error {
	var names []string
	for _, c := range e.Channels {
		switch {
		case c.Name == "" || slices.Contains(names, c.Name):
			return fmt.Errorf("channels: every channel needs a name of its own, and one is called %q", c.Name)
		case c.Features < 1:
			return fmt.Errorf("channels: %s has features = %d; it needs at least one", c.Name, c.Features)
		}
		names = append(names, c.Name)
	}
	if e.Channels != nil && e.DataFiles()[0].Channel != "" {
		return fmt.Errorf("channels divides the features of files without a channel; give one of them")
	}
	return nil
}

// ascendingPair reports whether r can be the range of a target.
func ascendingPair(r []float64) bool {
	return len(r) == 2 && r[0] < r[1] && !math.IsInf(r[0], 0) && !math.IsInf(r[1], 0)
}

// scaleTarget takes the targets of all rows to target_range, in place, by the line through the smallest and the largest.
func (e *Entry) scaleTarget(y []float64) error {
	if e.TargetRange == nil {
		return nil
	}
	least, most := slices.Min(y), slices.Max(y)
	width := most - least
	if !(width > 0) || math.IsInf(width, 0) {
		return fmt.Errorf("%s: target_range cannot be applied to targets from %v to %v", e.Name, least, most)
	}
	low, high := e.TargetRange[0], e.TargetRange[1]
	for i, v := range y {
		y[i] = low + float64((high-low)*((v-least)/width))
	}
	return nil
}

// channelsSeed belongs to every set of channels, so that a larger one begins with the rows of a smaller one.
const channelsSeed = 1

// channels writes n rows of two features u, v a channel, standard normal, of which the first informative channels decide the class and the
// others are noise, as CSV with header u1,v1,u2,v2,..,y. Channel k = 0, 1, .. adds to a sum
//
//	u v                if k mod 3 = 0
//	sin(2 u) + v / 2   if k mod 3 = 1
//	u u - 1            if k mod 3 = 2
//
// and the class is the sign of that sum plus normal noise of deviation 0.3. With 3 channels, 5 features are relevant. Draws per row: the features
// in order, the noise. Features are rounded to 6 decimals, which hides the last bits, as in toy.
func channels(n, informative, noise int) []byte {
	r := rng.New(channelsSeed)
	var out []byte
	for k := range informative + noise {
		out = fmt.Appendf(out, "u%d,v%d,", k+1, k+1)
	}
	out = append(out, "y\n"...)
	features := make([]float64, 2*(informative+noise))
	for range n {
		r.Norms(features)
		label := "-1\n"
		if channelSum(features[:2*informative])+float64(0.3*r.Norm()) > 0 {
			label = "1\n"
		}
		for _, x := range features {
			out = append(strconv.AppendFloat(out, x, 'f', 6, 64), ',')
		}
		out = append(out, label...)
	}
	return out
}

// channelSum is the sum that the pairs u, v of informative channels make.
func channelSum(features []float64) (sum float64) {
	for k := 0; 2*k < len(features); k++ {
		switch u, v := features[2*k], features[2*k+1]; k % 3 {
		case 0:
			sum += float64(u * v)
		case 1:
			sum += math.Sin(2*u) + float64(v/2)
		case 2:
			sum += float64(u*u) - 1
		}
	}
	return sum
}
