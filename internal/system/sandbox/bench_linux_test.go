package sandbox

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// BenchmarkRules is what a process costs before it is started.
func BenchmarkRules(b *testing.B) {
	read, use := System()
	p := Policy{Read: read, Use: use, Write: []string{b.TempDir()}, Never: Never()}
	b.Run("System", func(b *testing.B) {
		for b.Loop() {
			System()
		}
	})
	b.Run("granted", func(b *testing.B) {
		for b.Loop() {
			p.granted()
		}
	})
	b.Run("LookedUp", func(b *testing.B) {
		known := p.LookedUp()
		for b.Loop() {
			r := must.Get(known.Rules())(b)
			r.Close()
		}
	})
	b.Run("Rules", func(b *testing.B) {
		for b.Loop() {
			r := must.Get(p.Rules())(b)
			r.Close()
		}
	})
}
