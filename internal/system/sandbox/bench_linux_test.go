package sandbox

import "testing"

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
	b.Run("Rules", func(b *testing.B) {
		for b.Loop() {
			r, err := p.Rules()
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
}
