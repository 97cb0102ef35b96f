package generate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kernelboosting/bench/registry/rng"
)

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
