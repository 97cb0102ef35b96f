package mfga

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// adult returns the oracle's parts of adult and its width.
func adult(b testing.TB) (train, test registry.Data, width float64) {
	for _, s := range realSets(b) {
		if s.Dataset == "adult" {
			train, test = s.parts(b)
			return train, test, s.Width
		}
	}
	b.Fatal("the oracle has no adult")
	return train, test, math.NaN()
}

// BenchmarkAdult is one path to M = 100 on adult, ten columns a step, without the width.
func BenchmarkAdult(b *testing.B) {
	train, _, width := adult(b)
	for b.Loop() {
		outputOf2(b, train, Params{Features: 100, Lambda: 1e-3, Candidates: mergedLinear, Intercept: true, Width: width})
	}
}

func outputOf2(b *testing.B, d registry.Data, p Params) {
	err := fitPath(b.Context(), registry.Env{}, d, []Params{p}, func(int, registry.Model) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
}
