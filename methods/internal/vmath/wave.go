package vmath

import "math"

// WaveSums are inner products, in 8 lanes, of the columns s_i = sin z_i, c_i = cos z_i, a fit f_i and
// labels y_i.
type WaveSums struct{ SF, SS, CF, CS, CC, SY, CY float64 }

// Wave sets s and c to the sines and cosines of z and returns their inner products. One pass.
func Wave(s, c, z, f, y []float64) WaveSums {
	equalLengths("Wave", len(z), s, c, f, y)
	return wave(s, c, z, f, y)
}

// WaveSlope sets slope[i], for coefficients a and t of the columns f, s, c, to
//
//	u_i ((a_s - t_s) c_i - (a_c - t_c) s_i) - v_i (a_s c_i - a_c s_i),
//	u_i = a_f f_i + a_s s_i + a_c c_i - y_i,   v_i = t_f f_i + t_s s_i + t_c c_i,
//
// and returns the sum of u_i^2 in 8 lanes.
func WaveSlope(slope, f, s, c, y []float64, a, t [3]float64) float64 {
	equalLengths("WaveSlope", len(slope), f, s, c, y)
	return waveSlope(slope, f, s, c, y, a, t)
}

func waveRef(s, c, z, f, y []float64) WaveSums {
	var lanes [7][8]float64
	for i, zi := range z {
		si, ci := sinCosRef(zi)
		s[i], c[i] = si, ci
		for k, p := range [7][2]float64{{si, f[i]}, {si, si}, {ci, f[i]}, {ci, si}, {ci, ci}, {si, y[i]}, {ci, y[i]}} {
			lanes[k][i%8] = math.FMA(p[0], p[1], lanes[k][i%8])
		}
	}
	var sums [7]float64
	for k := range lanes {
		for i := len(z); i%8 != 0; i++ { // a padded lane adds +0
			lanes[k][i%8] += 0
		}
		sums[k] = tree8(lanes[k][:])
	}
	return WaveSums{sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]}
}

func waveSlopeRef(slope, f, s, c, y []float64, a, t [3]float64) float64 {
	var total [8]float64
	ds, dc := a[1]-t[1], a[2]-t[2]
	for i := range slope {
		u := math.FMA(a[2], c[i], math.FMA(a[1], s[i], float64(a[0]*f[i]))) - y[i]
		v := math.FMA(t[2], c[i], math.FMA(t[1], s[i], float64(t[0]*f[i])))
		p := float64(u * math.FMA(-dc, s[i], float64(ds*c[i])))
		slope[i] = math.FMA(-v, math.FMA(-a[2], s[i], float64(a[1]*c[i])), p)
		total[i%8] = math.FMA(u, u, total[i%8])
	}
	return tree8(total[:])
}
