package vmath

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// A kernelCase is a kernel with its definition in Go, of the same type, and how to draw the arguments, one word each:
// "x:n*d" is an array of n d values, "z:n" one of n zeros, "w:N" are N places below N, "f" is a number, "+f" one that
// is not negative, "how" is a Change, "p" is Pack of an n x d matrix, "p.data" its elements, "p2.data" those of an n x
// 2d matrix. "@0" is the first argument again, "nil" no array. Other words are sizes.
type kernelCase struct {
	name              string
	kernel, reference any
	arguments         string
}

var kernelCases = []kernelCase{
	{"Cos", Cos, cosArrayRef, "z:n x:n"},
	{"Cos in place", Cos, cosArrayRef, "x:n @0"},
	{"Exp", Exp, expArrayRef, "z:n x:n"},
	{"Exp in place", Exp, expArrayRef, "x:n @0"},
	{"Tanh", Tanh, tanhRef, "z:n x:n f"},
	{"Tanh in place", Tanh, tanhRef, "x:n @0 f"},
	{"SinCos", SinCos, sinCosArrayRef, "z:n z:n x:n"},
	{"SinCos in place", SinCos, sinCosArrayRef, "x:n z:n @0"},
	{"Dot", Dot, dotRef, "x:n x:n"},
	{"Sum", Sum, sumRef, "x:n"},
	{"Axpy", Axpy, axpyRef, "f x:n x:n"},
	{"MatVec", MatVec, matVecRef, "z:n x:n*d n d x:d"},
	{"MatTVec", MatTVec, func(dst, a []float64, n, d int, c []float64) { matTVecRef(dst, a, d, n, d, c) },
		"z:d x:n*d n d x:n"},
	{"RowDots", RowDots, rowDotsRef, "z:n x:n*ld ld n d x:d"},
	{"StridedMatTVec", StridedMatTVec, matTVecRef, "z:d x:n*ld ld n d x:n"},
	{"ScaleRows", ScaleRows, scaleRef, "z:n*to to x:n*ld ld n d x:n"},
	{"Transpose", Transpose, transposeRef, "x:d*ln ln x:n*ld ld n d"},
	{"Pack", pack, packRef, "z:packed x:n*d n d"},
	{"Packed.MatVec", (*Packed).MatVec, func(p *Packed, dst, v []float64) { packedMatVecRef(dst, p.data, p.n, p.d, v) },
		"p z:n x:d"},
	{"Packed.MatTVec", (*Packed).MatTVec, func(p *Packed, dst,
		c []float64) {
		packedMatTVecRef(dst, p.data, p.n, p.d, c)
	}, "p z:d x:n"},
	{"Packed.Trig", func(p *Packed, w []float64, m int) []float64 { return p.Trig(nil, w, m).data },
		func(p *Packed, w []float64, m int) []float64 {
			dst := p.target(nil, 2*m)
			packedTrigRef(dst.data, p.data, p.n, p.d, w, m)
			return dst.data
		}, "p x:m*d m"},
	{"Packed.Cosines", (*Packed).Cosines, func(p *Packed, dst, w,
		phase []float64) {
		packedCosinesRef(dst, p.data, p.n, p.d, w, phase)
	},
		"p z:n*m x:m*d x:m"},
	{"ExpCosLoss", expCos, expCosRef, "p.data n d x:d f x:n z:n z:d"},
	{"RowsExpCosLoss", rowsExpCos, rowsExpCosRef, "x:n*d n d x:d f x:n z:n z:d"},
	{"RowsExpCosLoss as packed", rowsExpCos, func(a []float64, n, d int, w []float64, b float64, r, cosines,
		grad []float64) float64 {
		return expCosRef(Pack(a, n, d).data, n, d, w, b, r, cosines, grad)
	}, "x:n*d n d x:d f x:n z:n z:d"},
	{"ExpLinearLoss", expLinear, expLinearRef, "p.data n d x:d x:n z:d"},
	{"PairLosses", expPairs, expPairsRef, "p2.data n d x:d x:d x:n z:d"},
	{"ExpShiftLoss", expShift, expShiftRef, "x:n x:n x:n f f"},
	{"Reweight", Reweight, reweightRef, "x:n z:n z:n x:n x:n f"},
	{"MatMul", MatMul, func(dst, a []float64, m, k int, b []float64, n int) { matMulRef(dst, a, k, m, k, b, n, false) },
		"x:n*q x:n*d n d x:d*q q"},
	{"MatMulT", MatMulT, func(dst, a []float64, m, k int, b []float64,
		n int) {
		matMulRef(dst, a, k, m, k, b, n, true)
	},
		"x:d*q x:d*n d n x:n*q q"}, // chains longer than a block
	{"MatMulTPart", MatMulTPart, func(dst, a []float64, lda, m, k int, b []float64,
		n int) {
		matMulRef(dst, a, lda, m, k, b, n, true)
	},
		"x:n*q x:n*ld ld n d x:d*q q"},
	{"MatMulAdd", MatMulAdd, matMulAddRef, "x:n*to to x:n*ld ld n d x:d*to to d"},
	{"Gram", Gram, gramRef, "x:n*n x:n*d n d"},
	{"GramAdd", func(dst, a []float64, n, k, from, to int) { GramAdd(dst, a, n, k, from, to); Mirror(dst, n) },
		func(dst, a []float64, n, k, from, to int) {
			gramAddRef(dst, n, a, k, n, k, from, to)
			mirrorRef(dst, n)
		},
		"x:n*n x:n*d n d from upto"},
	{"GramAddPart", func(dst []float64, ldc int, a []float64, lda, n, k, from int) {
		GramAddPart(dst, ldc, a, lda, n, k, from, n)
		clearLower(dst, n, ldc)
	}, func(dst []float64, ldc int, a []float64, lda, n, k, from int) {
		gramAddRef(dst, ldc, a, lda, n, k, from, n)
		clearLower(dst, n, ldc)
	}, "x:n*ln ln x:n*ld ld n d from"},
	{"Gaussian", Gaussian, gaussianRef, "z:n x:n x:n f f"},
	{"Laplace", Laplace, laplaceRef, "z:n z:n x:n x:n f +f"},
	{"Laplace in place", Laplace, laplaceRef, "x:n nil @0 x:n f +f"},
	{"AddGaussians", AddGaussians, addGaussiansRef, "x:10*n x:n*d x:n x:d x:10*d f"},
	{"Outer", triangle(Outer), triangle(outerRef), "x:M*M M x:R*LM LM R F how"},
	{"Factor", factored(Factor, Back), factored(factorRef, backRef), "x:M*M x:M*M8 M +f x:M column"},
	{"AddRows", AddRows, addRowsRef, "x:C x:N*C C w:N x:N"},
	{"Columns", Columns, columnsRef, "z:T LN x:N*C C w:N"},
	{"Logistic", logistics(logistic), logistics(logisticRef), "x:n x:n x:n z:n z:n z:n z:32"},
	{"Signed", Signed, signedRef, "x:n x:n f"},
	{"Hinge", hinged((*Hinge).Slope, (*Hinge).Move), hinged(hingeSlopeRef, hingeMoveRef),
		"f +f +f x:n x:n x:n x:n x:n z:n"},
	{"Wave", Wave, waveRef, "z:n z:n x:n x:n x:n"},
	{"WaveSlope", WaveSlope, waveSlopeRef, "z:n x:n x:n x:n x:n x:3 x:3"},
	{"MarginSums", MarginSums, marginsRef, "x:n x:n x:n"},
}

// clearLower clears the elements left of the diagonal of a matrix of n rows, which have no meaning after some kernels.
func clearLower(a []float64, n, ld int) {
	for i := range n {
		clear(a[i*ld : i*ld+min(i, ld)])
	}
}

func triangle(f func([]float64, int, []float64, int, int, int, Change)) any {
	return func(c []float64, m int, a []float64, ld, rows, from int, how Change) {
		f(c, m, a, ld, rows, from, how)
		clearLower(c, m, m)
	}
}

// factored factors a matrix that mostly is definite, and solves with it.
func factored(factor func(u, c []float64, m int, scale float64, shift []float64) bool,
	back func(x, u []float64, m, column int)) any {
	return func(c, u []float64, m int, scale float64, shift []float64, column int) []float64 {
		for i := range shift {
			shift[i] = math.Abs(shift[i]) + 3*math.Sqrt(float64(m))*scale*math.Abs(c[0])
		}
		if !factor(u, c, m, scale, shift) {
			clear(u)
			return nil
		}
		x := make([]float64, m)
		back(x, u, m, column)
		clearLower(u, m, m+8)
		return x
	}
}

func logistics(f func(f, moved, y, residual, root, slope []float64, sums *[32]float64)) any {
	return func(s, moved, y, residual, root, slope, sums []float64) {
		f(s, moved, y, residual, root, slope, (*[32]float64)(sums))
	}
}

// hinged asks for the slope and moves twice, the second time with multipliers of the first.
func hinged(slope func(*Hinge, float64, float64,
	float64) (float64, float64), move func(*Hinge, float64, float64, float64) HingeSums) any {
	return func(step, sigma, c float64, y, slack, change, alpha, next, turned []float64) []float64 {
		n := len(y)
		h := &Hinge{Y: y, Slack: slack, Change: change, Alpha: alpha, Next: next, Turned: turned,
			Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8)}
		product, square := slope(h, step, sigma, c)
		out := []float64{product, square}
		for range 2 {
			s := move(h, step, sigma, c)
			out = append(out, s.Distance, s.Balance, s.Loss, s.Product)
			for k := range h.Free {
				out = append(out, float64(h.Free[k]), float64(h.Moved[k]))
			}
			out = slices.Concat(out, slack, next, turned)
		}
		return out
	}
}

// sizes draws the sizes of a case.
func (s *source) sizes(n, d int) map[string]int {
	less := func(k int) int { return int(s.byte()) % k }
	z := map[string]int{"n": n, "d": d, "m": 1 + less(9), "q": less(60), "ld": d + less(9), "to": d + less(9),
		"ln":   n + less(9),
		"from": less(n + 1), "M": 8 * (n % 19), "R": n / 3, "column": less(8), "N": 1 + n%50, "C": 1 + 4*d + less(5),
		"packed": PackedBytes(n, d) / 8}
	z["upto"] = z["from"] + less(n-z["from"]+1)
	z["F"], z["LM"], z["M8"], z["LN"] = 8*less(z["M"]/8+1), z["M"]+less(9), z["M"]+8, z["N"]+less(9)
	z["T"] = (z["C"]-1)*z["LN"] + z["N"]
	return z
}

// run calls one of a case's functions on inputs taken from src, and returns all arrays after the call, and its results.
func (c kernelCase) run(f any, src *source, size map[string]int) (out []float64) {
	words := strings.Fields(c.arguments)
	args, of := make([]reflect.Value, len(words)), reflect.ValueOf(f)
	for i, word := range words {
		kind, product, _ := strings.Cut(word, ":")
		length := 1
		for _, factor := range strings.Split(product, "*") {
			if k, err := strconv.Atoi(factor); err == nil {
				length *= k
			} else {
				length *= size[factor]
			}
		}
		args[i] = src.argument(kind, length, size, args)
		if to := of.Type().In(i); to.Kind() == reflect.Array || to.Kind() == reflect.Int {
			args[i] = args[i].Convert(to)
		}
	}
	results := of.Call(args)
	for _, v := range args {
		if x, ok := v.Interface().([]float64); ok {
			out = append(out, x...)
		}
	}
	for _, v := range results {
		switch {
		case v.Kind() == reflect.Float64:
			out = append(out, v.Float())
		case v.Kind() == reflect.Slice:
			out = append(out, v.Interface().([]float64)...)
		default:
			for k := range v.NumField() {
				out = append(out, v.Field(k).Float())
			}
		}
	}
	return out
}

func (s *source) argument(kind string, length int, size map[string]int, before []reflect.Value) reflect.Value {
	n, d := size["n"], size["d"]
	switch kind {
	case "x":
		return reflect.ValueOf(s.floats(length))
	case "z":
		return reflect.ValueOf(s.room(length))
	case "nil":
		return reflect.ValueOf([]float64(nil))
	case "w":
		which := make([]int, length)
		for i := range which {
			which[i] = int(s.byte()) % length
		}
		return reflect.ValueOf(which)
	case "f":
		return reflect.ValueOf(s.float())
	case "+f":
		return reflect.ValueOf(math.Abs(s.float()))
	case "how":
		return reflect.ValueOf(int(s.byte())%3 - 1)
	case "p":
		return reflect.ValueOf(Pack(s.floats(n*d), n, d))
	case "p.data":
		return reflect.ValueOf(Pack(s.floats(n*d), n, d).data)
	case "p2.data":
		return reflect.ValueOf(Pack(s.floats(n*2*d), n, 2*d).data)
	}
	if at, there := strings.CutPrefix(kind, "@"); there {
		k, _ := strconv.Atoi(at)
		return before[k]
	}
	v, there := size[kind]
	if !there {
		panic("no size " + kind)
	}
	return reflect.ValueOf(v)
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
					return fmt.Errorf("wrote %v %s a slice, at %d of its guard", v, []string{"before", "behind"}[side],
						i)
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
	var outs [2][]float64
	for i, f := range []any{c.kernel, c.reference} {
		src := &source{bytes: bytes, rng: rand.New(rand.NewPCG(seed, 7)), scale: scale, odd: odd}
		outs[i] = c.run(f, src, src.sizes(n, d))
		if err := src.overrun(); err != nil {
			return fmt.Errorf("%s n=%d d=%d seed=%d: %w", c.name, n, d, seed, err)
		}
	}
	if err := sameBits(outs[0], outs[1]); err != nil {
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
					must.Do(t, check(c, nil, uint64(n), n, n%19, 3, n%2 == 1))
				}
				rapid.Check(t, func(rt *rapid.T) {
					n, d := rapid.IntRange(0, 600).Draw(rt, "n"), rapid.IntRange(0, 40).Draw(rt, "d")
					scale := rapid.SampledFrom([]float64{1e-170, 1e-5, 1, 30, 1e4, 1e9}).Draw(rt, "scale")
					odd, seed := rapid.Bool().Draw(rt, "odd"), rapid.Uint64().Draw(rt, "seed")
					must.Do(rt, check(c, nil, seed, n, d, scale, odd))
				})
			})
		}
	})
}

// TestDeepProducts: products have the bits of the references where the kernels pack b in several parts.
func TestDeepProducts(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		for _, s := range [][3]int{{3, 7000, 5}, {1, 6000, 30}, {9, 400, 700}, {2, 193, 2000}, {1, 500, 100},
			{40, 3000, 33}, {2, 0, 3}} {
			for _, c := range kernelCases {
				size := map[string]int{"n": s[0], "d": s[1], "q": s[2], "to": s[2]}
				switch c.name {
				case "MatMulT":
					size["n"], size["d"] = s[1], s[0]
				case "MatMulAdd":
					c.arguments = "x:n*q q x:n*d d n d x:d*q q q"
				case "MatMul":
				default:
					continue
				}
				src := func() *source { return &source{rng: rand.New(rand.NewPCG(1, 2)), scale: 1} }
				if err := sameBits(c.run(c.kernel, src(), size), c.run(c.reference, src(), size)); err != nil {
					t.Errorf("%s of %v: %v", c.name, s, err)
				}
			}
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
			must.Do(t, check(c, bytes, seed, int(n%400), int(d%40), 2, seed%2 == 0))
		})
	})
}

// At returns the element of row i and column k.
func (p *Packed) At(i, k int) float64 {
	return p.data[i/block*block*p.d+i%block+k*height(p.n, i/block*block)]
}
