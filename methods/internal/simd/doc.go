// Package simd tells which vector instructions this processor and its system have, for the packages that choose between
// kernels in C. In a build without such kernels the package is empty.
package simd
