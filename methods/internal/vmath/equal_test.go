package vmath

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A kernelCase runs one kernel, or its reference, on inputs taken from src, and
// returns everything that the kernel wrote.
type kernelCase struct {
	name string
	run  func(src *source, n, d int, ref bool) []float64
}

// pick is run's usual body: call the kernel or the reference.
func pick(ref bool, kernel, reference func()) {
	if ref {
		reference()
	} else {
		kernel()
	}
}

// array tests a function of one array, in place and not.
func array(kernel, ref func(dst, x []float64)) func(*source, int, int, bool) []float64 {
	return func(src *source, n, _ int, isRef bool) []float64 {
		x, dst := src.floats(n), src.room(n)
		pick(isRef, func() { kernel(dst, x) }, func() { ref(dst, x) })
		pick(isRef, func() { kernel(x, x) }, func() { ref(x, x) })
		return slices.Concat(dst, x)
	}
}

var kernelCases = []kernelCase{
	{"Cos", array(Cos, cosArrayRef)},
	{"Exp", array(Exp, expArrayRef)},
	{"Tanh", func(src *source, n, _ int, ref bool) []float64 {
		x, b, dst := src.floats(n), src.float(), src.room(n)
		pick(ref, func() { Tanh(dst, x, b) }, func() { tanhRef(dst, x, b) })
		pick(ref, func() { Tanh(x, x, -b) }, func() { tanhRef(x, x, -b) })
		return slices.Concat(dst, x)
	}},
	{"SinCos", func(src *source, n, _ int, ref bool) []float64 {
		x := src.floats(n)
		s, c, again := src.room(n), src.room(n), src.room(n)
		pick(ref, func() { SinCos(s, c, x) }, func() { sinCosArrayRef(s, c, x) })
		pick(ref, func() { SinCos(x, again, x) }, func() { sinCosArrayRef(x, again, x) })
		return slices.Concat(s, c, x, again)
	}},
	{"Dot", func(src *source, n, _ int, ref bool) (out []float64) {
		x, y := src.floats(n), src.floats(n)
		out = []float64{0}
		pick(ref, func() { out[0] = Dot(x, y) }, func() { out[0] = dotRef(x, y) })
		return out
	}},
	{"Sum", func(src *source, n, _ int, ref bool) (out []float64) {
		x := src.floats(n)
		out = []float64{0}
		pick(ref, func() { out[0] = Sum(x) }, func() { out[0] = sumRef(x) })
		return out
	}},
	{"Axpy", func(src *source, n, _ int, ref bool) []float64 {
		a, x, y := src.float(), src.floats(n), src.floats(n)
		pick(ref, func() { Axpy(a, x, y) }, func() { axpyRef(a, x, y) })
		return y
	}},
	{"MatVec", func(src *source, n, d int, ref bool) []float64 {
		a, v, dst := src.floats(n*d), src.floats(d), src.room(n)
		pick(ref, func() { MatVec(dst, a, n, d, v) }, func() { matVecRef(dst, a, n, d, v) })
		return dst
	}},
	{"MatTVec", func(src *source, n, d int, ref bool) []float64 {
		a, c, dst := src.floats(n*d), src.floats(n), src.room(d)
		pick(ref, func() { MatTVec(dst, a, n, d, c) }, func() { matTVecRef(dst, a, d, n, d, c) })
		return dst
	}},
	{"RowDots", func(src *source, n, d int, ref bool) []float64 {
		ld := d + int(src.byte())%9
		a, v, dst := src.floats(n*ld), src.floats(d), src.room(n)
		pick(ref, func() { RowDots(dst, a, ld, n, d, v) }, func() { rowDotsRef(dst, a, ld, n, d, v) })
		return dst
	}},
	{"StridedMatTVec", func(src *source, n, d int, ref bool) []float64 {
		ld := d + int(src.byte())%9
		a, c, dst := src.floats(n*ld), src.floats(n), src.room(d)
		pick(ref, func() { StridedMatTVec(dst, a, ld, n, d, c) }, func() { matTVecRef(dst, a, ld, n, d, c) })
		return dst
	}},
	{"ScaleRows", func(src *source, n, d int, ref bool) []float64 {
		ld, to := d+int(src.byte())%9, d+int(src.byte())%9
		a, s, dst := src.floats(n*ld), src.floats(n), src.room(n*to)
		pick(ref, func() { ScaleRows(dst, to, a, ld, n, d, s) }, func() { scaleRef(dst, to, a, ld, n, d, s) })
		return dst
	}},
	{"Pack", func(src *source, n, d int, ref bool) []float64 {
		a, dst := src.floats(n*d), src.room(PackedBytes(n, d)/8)
		pick(ref, func() { pack(dst, a, n, d) }, func() { packRef(dst, a, n, d) })
		return dst
	}},
	{"Packed.MatVec", func(src *source, n, d int, ref bool) []float64 {
		p, v, dst := Pack(src.floats(n*d), n, d), src.floats(d), src.room(n)
		pick(ref, func() { p.MatVec(dst, v) }, func() { packedMatVecRef(dst, p.data, n, d, v) })
		return dst
	}},
	{"Packed.MatTVec", func(src *source, n, d int, ref bool) []float64 {
		p, c, dst := Pack(src.floats(n*d), n, d), src.floats(n), src.room(d)
		pick(ref, func() { p.MatTVec(dst, c) }, func() { packedMatTVecRef(dst, p.data, n, d, c) })
		return dst
	}},
	{"Packed.Trig", func(src *source, n, d int, ref bool) []float64 {
		m := 1 + int(src.byte())%9
		p, w := Pack(src.floats(n*d), n, d), src.floats(m*d)
		dst := p.target(nil, 2*m)
		pick(ref, func() { p.Trig(dst, w, m) }, func() { packedTrigRef(dst.data, p.data, n, d, w, m) })
		return dst.data
	}},
	{"Packed.Cosines", func(src *source, n, d int, ref bool) []float64 {
		m := 1 + int(src.byte())%9
		p, w, phase, dst := Pack(src.floats(n*d), n, d), src.floats(m*d), src.floats(m), src.room(n*m)
		pick(ref, func() { p.Cosines(dst, w, phase) }, func() { packedCosinesRef(dst, p.data, n, d, w, phase) })
		return dst
	}},
	{"ExpCosLoss", func(src *source, n, d int, ref bool) []float64 {
		p, w, b, r := Pack(src.floats(n*d), n, d), src.floats(d), src.float(), src.floats(n)
		cosines, grad, again, f := src.room(n), src.room(d), src.room(d), src.room(2)
		pick(ref, func() { f[0] = expCos(p.data, n, d, w, b, r, cosines, grad) },
			func() { f[0] = expCosRef(p.data, n, d, w, b, r, cosines, grad) })
		pick(ref, func() { f[1] = expCos(p.data, n, d, w, b, r, nil, again) },
			func() { f[1] = expCosRef(p.data, n, d, w, b, r, nil, again) })
		return slices.Concat(cosines, grad, again, f)
	}},
	{"RowsExpCosLoss", func(src *source, n, d int, ref bool) []float64 {
		a, w, b, r := src.floats(n*d), src.floats(d), src.float(), src.floats(n)
		cosines, grad, again, f := src.room(n), src.room(d), src.room(d), src.room(2)
		pick(ref, func() { f[0] = rowsExpCos(a, n, d, w, b, r, cosines, grad) },
			func() { f[0] = rowsExpCosRef(a, n, d, w, b, r, cosines, grad) })
		pick(ref, func() { f[1] = rowsExpCos(a, n, d, w, b, r, nil, again) },
			func() { f[1] = rowsExpCosRef(a, n, d, w, b, r, nil, again) })
		return slices.Concat(cosines, grad, again, f)
	}},
	{"ExpLinearLoss", func(src *source, n, d int, ref bool) []float64 {
		p, v, r := Pack(src.floats(n*d), n, d), src.floats(d), src.floats(n)
		scores, grad, f := src.room(n), src.room(d), src.room(1)
		pick(ref, func() { f[0] = expLinear(p.data, n, d, v, r, scores, grad) },
			func() { f[0] = expLinearRef(p.data, n, d, v, r, scores, grad) })
		return slices.Concat(scores, grad, f)
	}},
	{"PairLosses", func(src *source, n, d int, ref bool) []float64 {
		p, cu, su, r := Pack(src.floats(n*2*d), n, 2*d), src.floats(d), src.floats(d), src.floats(n)
		out := src.room(d)
		pick(ref, func() { expPairs(p.data, n, d, cu, su, r, out) },
			func() { expPairsRef(p.data, n, d, cu, su, r, out) })
		return out
	}},
	{"ExpShiftLoss", func(src *source, n, _ int, ref bool) []float64 {
		r, c, s, cb, sb := src.floats(n), src.floats(n), src.floats(n), src.float(), src.float()
		out := []float64{0}
		pick(ref, func() { out[0] = expShift(r, c, s, cb, sb) }, func() { out[0] = expShiftRef(r, c, s, cb, sb) })
		return out
	}},
	{"Reweight", func(src *source, n, _ int, ref bool) []float64 {
		score, y, h, alpha := src.floats(n), src.floats(n), src.floats(n), src.float()
		w, r, sum := src.room(n), src.room(n), src.room(1)
		pick(ref, func() { sum[0] = Reweight(score, w, r, y, h, alpha) },
			func() { sum[0] = reweightRef(score, w, r, y, h, alpha) })
		return slices.Concat(score, w, r, sum)
	}},
	{"MatMul", func(src *source, m, k int, ref bool) []float64 {
		n := int(src.byte()) % 60
		a, b, dst := src.floats(m*k), src.floats(k*n), src.floats(m*n)
		pick(ref, func() { MatMul(dst, a, m, k, b, n) }, func() { matMulRef(dst, a, k, m, k, b, n, false) })
		return dst
	}},
	{"MatMulT", func(src *source, m, k int, ref bool) []float64 {
		m, k = k, m // chains longer than a block
		n := int(src.byte()) % 60
		a, b, dst := src.floats(m*k), src.floats(k*n), src.floats(m*n)
		pick(ref, func() { MatMulT(dst, a, m, k, b, n) }, func() { matMulRef(dst, a, k, m, k, b, n, true) })
		return dst
	}},
	{"MatMulTPart", func(src *source, m, k int, ref bool) []float64 {
		n, lda := int(src.byte())%60, k+int(src.byte())%9
		a, b, dst := src.floats(m*lda), src.floats(k*n), src.floats(m*n)
		pick(ref, func() { MatMulTPart(dst, a, lda, m, k, b, n) }, func() { matMulRef(dst, a, lda, m, k, b, n, true) })
		return dst
	}},
	{"MatMulAdd", func(src *source, m, k int, ref bool) []float64 {
		n := 1 + int(src.byte())%40
		lda, ldb, ldc := k+int(src.byte())%9, n+int(src.byte())%9, n+int(src.byte())%9
		a, b, dst := src.floats(m*lda), src.floats(k*ldb), src.floats(m*ldc)
		pick(ref, func() { MatMulAdd(dst, ldc, a, lda, m, k, b, ldb, n) }, func() { matMulAddRef(dst, ldc, a, lda, m, k, b, ldb, n) })
		return dst
	}},
	{"Gram", func(src *source, n, k int, ref bool) []float64 {
		a, dst := src.floats(n*k), src.floats(n*n)
		pick(ref, func() { Gram(dst, a, n, k) }, func() { gramRef(dst, a, n, k) })
		return dst
	}},
	{"GramAdd", func(src *source, n, k int, ref bool) []float64 {
		a, dst := src.floats(n*k), src.floats(n*n)
		from := int(src.byte()) % (n + 1)
		to := from + int(src.byte())%(n-from+1)
		pick(ref, func() { GramAdd(dst, a, n, k, from, to) }, func() { gramAddRef(dst, n, a, k, n, k, from, to) })
		pick(ref, func() { Mirror(dst, n) }, func() { mirrorRef(dst, n) })
		return dst
	}},
	{"GramAddPart", func(src *source, n, k int, ref bool) []float64 {
		lda := k + int(src.byte())%9
		ldc := n + int(src.byte())%9
		a, dst := src.floats(n*lda), src.floats(n*ldc)
		from := int(src.byte()) % (n + 1)
		pick(ref, func() { GramAddPart(dst, ldc, a, lda, n, k, from, n) }, func() { gramAddRef(dst, ldc, a, lda, n, k, from, n) })
		for i := range n { // elements left of the diagonal have no meaning
			clear(dst[i*ldc : i*ldc+i])
		}
		return dst
	}},
	{"Gaussian", func(src *source, n, _ int, ref bool) []float64 {
		dots, squares, s, g, dst := src.floats(n), src.floats(n), src.float(), src.float(), src.room(n)
		pick(ref, func() { Gaussian(dst, dots, squares, s, g) }, func() { gaussianRef(dst, dots, squares, s, g) })
		return dst
	}},
	{"Laplace", func(src *source, n, _ int, ref bool) []float64 {
		dots, squares, s, b, dst, slopes := src.floats(n), src.floats(n), src.float(), math.Abs(src.float()), src.room(n), src.room(n)
		pick(ref, func() { Laplace(dst, slopes, dots, squares, s, b) }, func() { laplaceRef(dst, slopes, dots, squares, s, b) })
		pick(ref, func() { Laplace(dots, nil, dots, squares, s, b) }, func() { laplaceRef(dots, nil, dots, squares, s, b) })
		return slices.Concat(dst, slopes, dots)
	}},
	{"AddGaussians", func(src *source, n, m int, ref bool) []float64 {
		dots, rows, points, coefs, g := src.floats(n*m), src.floats(n), src.floats(m), src.floats(Doublings*m), src.float()
		dst := src.floats(Doublings * n)
		pick(ref, func() { AddGaussians(dst, dots, rows, points, coefs, g) }, func() { addGaussiansRef(dst, dots, rows, points, coefs, g) })
		return dst
	}},
	{"Outer", func(src *source, n, d int, ref bool) []float64 {
		m, rows := 8*(n%15), n/3
		from, extra, how := 8*(int(src.byte())%(m/8+1)), int(src.byte())%9, Change(int(src.byte())%3-1)
		c, a := src.floats(m*m), src.floats(rows*(m+extra))
		pick(ref, func() { Outer(c, m, a, m+extra, rows, from, how) }, func() { outerRef(c, m, a, m+extra, rows, from, how) })
		return upper(c, m, m)
	}},
	{"Factor", func(src *source, n, d int, ref bool) []float64 {
		m := 8 * (n % 23)
		c, u, shift, x := src.floats(m*m), src.floats(m*(m+8)), src.floats(m), src.room(m)
		scale, ok, column := math.Abs(src.float()), false, int(src.byte())%8
		for i := range shift { // mostly definite
			shift[i] = math.Abs(shift[i]) + 3*math.Sqrt(float64(m))*scale*src.scale
		}
		pick(ref, func() { ok = Factor(u, c, m, scale, shift) }, func() { ok = factorRef(u, c, m, scale, shift) })
		if !ok {
			return nil
		}
		pick(ref, func() { Back(x, u, m, column) }, func() { backRef(x, u, m, column) })
		return append(upper(u, m, m+8), x...)
	}},
	{"AddRows", func(src *source, n, d int, ref bool) []float64 {
		n, cols := 1+n%50, 4*d+int(src.byte())%5
		a, which, dst := src.floats(n*cols), make([]int, n), src.floats(cols)
		for i := range which {
			which[i] = int(src.byte()) % n
		}
		c := src.floats(n)
		pick(ref, func() { AddRows(dst, a, cols, which, c) }, func() { addRowsRef(dst, a, cols, which, c) })
		return dst
	}},
	{"Columns", func(src *source, n, d int, ref bool) []float64 {
		n, cols := 1+n%50, 1+4*d+int(src.byte())%5
		a, which := src.floats(n*cols), make([]int, n)
		for i := range which {
			which[i] = int(src.byte()) % n
		}
		ld := n + int(src.byte())%9
		dst := src.room((cols-1)*ld + n)
		pick(ref, func() { Columns(dst, ld, a, cols, which) }, func() { columnsRef(dst, ld, a, cols, which) })
		return dst
	}},
	{"Logistic", func(src *source, n, _ int, ref bool) []float64 {
		f, moved, y := src.floats(n), src.floats(n), src.floats(n)
		residual, root, slope, sums := src.room(n), src.room(n), src.room(n), [32]float64{}
		pick(ref, func() { logistic(f, moved, y, residual, root, slope, &sums) }, func() { logisticRef(f, moved, y, residual, root, slope, &sums) })
		return slices.Concat(f, residual, root, slope, sums[:])
	}},
	{"Signed", func(src *source, n, _ int, ref bool) []float64 {
		x, y, b := src.floats(n), src.floats(n), src.float()
		pick(ref, func() { Signed(x, y, b) }, func() { signedRef(x, y, b) })
		return x
	}},
	{"Hinge", func(src *source, n, _ int, ref bool) []float64 {
		h := &Hinge{
			Y: src.floats(n), Slack: src.floats(n), Change: src.floats(n), Alpha: src.floats(n), Next: src.floats(n),
			Turned: src.room(n), Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8),
		}
		step, sigma, c := src.float(), math.Abs(src.float()), math.Abs(src.float())
		out := []float64{0, 0}
		pick(ref, func() { out[0], out[1] = h.Slope(step, sigma, c) }, func() { out[0], out[1] = hingeSlopeRef(h, step, sigma, c) })
		for range 2 { // the second time with multipliers of the first
			var s HingeSums
			pick(ref, func() { s = h.Move(step, sigma, c) }, func() { s = hingeMoveRef(h, step, sigma, c) })
			out = append(out, s.Distance, s.Balance, s.Loss, s.Product)
			for k := range h.Free {
				out = append(out, float64(h.Free[k]), float64(h.Moved[k]))
			}
			out = slices.Concat(out, h.Slack, h.Next, h.Turned)
		}
		return out
	}},
	{"Wave", func(src *source, n, _ int, ref bool) []float64 {
		z, f, y, s, c := src.floats(n), src.floats(n), src.floats(n), src.room(n), src.room(n)
		var k WaveSums
		pick(ref, func() { k = Wave(s, c, z, f, y) }, func() { k = waveRef(s, c, z, f, y) })
		return append(slices.Concat(s, c), k.SF, k.SS, k.CF, k.CS, k.CC, k.SY, k.CY)
	}},
	{"WaveSlope", func(src *source, n, _ int, ref bool) (out []float64) {
		slope, f, s, c, y := src.room(n), src.floats(n), src.floats(n), src.floats(n), src.floats(n)
		a, t := [3]float64(src.floats(3)), [3]float64(src.floats(3))
		out = []float64{0}
		pick(ref, func() { out[0] = WaveSlope(slope, f, s, c, y, a, t) }, func() { out[0] = waveSlopeRef(slope, f, s, c, y, a, t) })
		return append(out, slope...)
	}},
	{"MarginSums", func(src *source, n, _ int, ref bool) []float64 {
		y, h, w, out := src.floats(n), src.floats(n), src.floats(n), src.room(2)
		pick(ref, func() { out[0], out[1] = MarginSums(y, h, w) }, func() { out[0], out[1] = marginsRef(y, h, w) })
		return out
	}},
}

// upper returns the elements on and right of the diagonal of a matrix of m rows.
func upper(a []float64, m, cols int) (out []float64) {
	for i := range m {
		out = append(out, a[i*cols+i:(i+1)*cols]...)
	}
	return out
}

// source yields values: first those of a fuzzer's bytes, then normal deviates of
// the given scale with, where odd is set, special values among them.
type source struct {
	bytes   []byte
	rng     *rand.Rand
	scale   float64
	odd     bool
	guarded [][2][]float64
}

func (s *source) byte() byte {
	if len(s.bytes) == 0 {
		return byte(s.rng.Uint32())
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return b
}

var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -1e-310, 1e-200,
	-1e-200, 710, -745.2, 1e17, -math.MaxFloat64, 1 << 30, math.Pi / 2, 1}

func (s *source) float() float64 {
	if len(s.bytes) >= 8 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(s.bytes))
		s.bytes = s.bytes[8:]
		return v
	}
	if s.odd && s.rng.IntN(20) == 0 {
		return specials[s.rng.IntN(len(specials))]
	}
	return s.rng.NormFloat64() * s.scale
}

const guard = 0x1.badp77

// room returns n zeros at an arbitrary alignment between guards that check verifies.
func (s *source) room(n int) []float64 {
	off := 8 + s.rng.IntN(8)
	x := make([]float64, off+n+8)
	for i := range x {
		if i < off || i >= off+n {
			x[i] = guard
		}
	}
	s.guarded = append(s.guarded, [2][]float64{x[:off], x[off+n:]})
	return x[off : off+n : off+n]
}

// floats returns n values.
func (s *source) floats(n int) []float64 {
	x := s.room(n)
	for i := range x {
		x[i] = s.float()
	}
	return x
}

// overrun reports a write outside the slices of room.
func (s *source) overrun() error {
	for _, g := range s.guarded {
		for side, x := range g {
			for i, v := range x {
				if v != guard {
					return fmt.Errorf("wrote %v %s a slice, at %d of its guard", v, []string{"before", "behind"}[side], i)
				}
			}
		}
	}
	return nil
}

// sameBits reports the first difference, all NaN being equal.
func sameBits(a, b []float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("lengths %d and %d", len(a), len(b))
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return fmt.Errorf("element %d of %d: kernel %x (%v), reference %x (%v)", i, len(a), a[i], a[i], b[i], b[i])
		}
	}
	return nil
}

// check runs case c both ways on equal inputs.
func check(c kernelCase, bytes []byte, seed uint64, n, d int, scale float64, odd bool) error {
	var outside error
	run := func(ref bool) []float64 {
		src := &source{bytes: bytes, rng: rand.New(rand.NewPCG(seed, 7)), scale: scale, odd: odd}
		out := c.run(src, n, d, ref)
		if err := src.overrun(); err != nil {
			outside = err
		}
		return out
	}
	err := sameBits(run(false), run(true))
	if outside != nil {
		err = outside
	}
	if err != nil {
		return fmt.Errorf("%s n=%d d=%d scale=%v odd=%v seed=%d: %w", c.name, n, d, scale, odd, seed, err)
	}
	return nil
}

// TestKernelsEqualReferences: equal bits for every instruction set of this machine.
func TestKernelsEqualReferences(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		for _, c := range kernelCases {
			t.Run(c.name, func(t *testing.T) {
				for n := range 70 {
					if err := check(c, nil, uint64(n), n, n%19, 3, n%2 == 1); err != nil {
						t.Fatal(err)
					}
				}
				rapid.Check(t, func(rt *rapid.T) {
					n, d := rapid.IntRange(0, 600).Draw(rt, "n"), rapid.IntRange(0, 40).Draw(rt, "d")
					scale := rapid.SampledFrom([]float64{1e-170, 1e-5, 1, 30, 1e4, 1e9}).Draw(rt, "scale")
					odd, seed := rapid.Bool().Draw(rt, "odd"), rapid.Uint64().Draw(rt, "seed")
					if err := check(c, nil, seed, n, d, scale, odd); err != nil {
						rt.Fatal(err)
					}
				})
			})
		}
	})
}

func FuzzKernels(f *testing.F) {
	for i := range kernelCases {
		f.Add([]byte{}, uint64(i), uint8(i), uint16(20+i), uint8(i%7))
		f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), uint64(i), uint8(i), uint16(9*i), uint8(3))
	}
	f.Fuzz(func(t *testing.T, bytes []byte, seed uint64, which uint8, n uint16, d uint8) {
		onEveryLevel(t, func(t *testing.T) {
			c := kernelCases[int(which)%len(kernelCases)]
			if err := check(c, bytes, seed, int(n%400), int(d%40), 2, seed%2 == 0); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// At returns the element of row i and column k.
func (p *Packed) At(i, k int) float64 {
	return p.data[i/block*block*p.d+i%block+k*height(p.n, i/block*block)]
}
