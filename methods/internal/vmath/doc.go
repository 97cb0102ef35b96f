// Package vmath holds the inner loops over examples that the methods share:
// elementary functions, sums, matrix products, and the fused loss-and-gradient
// passes of the random-feature families.
//
// The Go functions whose names end in Ref define every result. They use math.FMA and a fixed order of summation. Where
// cgo is available on amd64, C kernels run the same formulas on AVX-512 or AVX2 registers and give equal bits. So a
// result depends neither on the machine nor on the build. The Go functions run in a build with the tag nokernels, on a
// processor without FMA, and for inputs too short to pay for a C call. NaN results are NaN everywhere, with an
// unspecified payload.
//
// The orders of summation, which are part of the contract:
//   - over features (MatVec, MatMul, Gram, GramAdd, Packed.MatVec, Packed.Trig, Packed.Cosines): one
//     chain of fused multiply-adds per result, in the order of the features, so the
//     projection of an example has the same bits by whichever function it was made;
//   - over features where they go to lanes (RowDots): feature k goes to lane k mod 8, lanes added as below;
//   - over rows that are listed or of a small matrix (AddRows, Outer, Factor): one chain
//     per result, in the order of the rows;
//   - over examples (MatTVec, Packed.MatTVec, the losses, Hinge and Wave): example i goes to lane
//     i mod 8, and the lanes are added as ((0+1)+(2+3)) + ((4+5)+(6+7));
//   - Dot and Sum, made for long arrays: element i goes to lane i mod 32, lanes
//     l, l+8, l+16, l+24 are added as (0+1)+(2+3), then as above.
//
// The parts: elementary.go (Cos, SinCos, Exp, Softmax), scalar.go and quantile.go (of one number), reduce.go (Dot, Sum,
// Axpy), rowmajor.go (products with row-major matrices), gemm.go (MatMul, MatMulT, Gram, GramAdd), packed.go (a layout
// in which lanes are examples, for matrices used many times), fused.go (losses), symmetric.go and hinge.go (Newton
// systems and passes of the linear machine), logistic.go (Newton passes of the logistic loss), wave.go (GFC's greedy
// step). Each file also has the references of its functions. Files that end in _c.go choose between C and Go;
// kernels_go.go replaces them in a build without C. Lengths that do not fit are a programming error and panic.
//
// The package does not start goroutines and keeps no state but a pool of scratch memory. It is no general BLAS: it has
// only the functions that the methods call.
package vmath
