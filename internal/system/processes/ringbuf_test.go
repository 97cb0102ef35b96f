package processes

import (
	"testing"

	"pgregory.net/rapid"
)

// The end of all that was written is kept, in whatever pieces it came, and memory is bounded.
func TestTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, all := Tail{Most: rapid.IntRange(1, 20).Draw(t, "most")}, ""
		for _, piece := range rapid.SliceOf(rapid.StringMatching(`[a-z]{0,50}`)).Draw(t, "pieces") {
			if n, err := k.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
			all += piece
			if want := all[max(0, len(all)-k.Most):]; k.String() != want {
				t.Fatalf("%q, want %q", k.String(), want)
			}
			if len(k.text) > 2*k.Most {
				t.Fatalf("%d bytes are held for %d", len(k.text), k.Most)
			}
		}
		if k.Reset(); k.String() != "" {
			t.Fatal("something is left")
		}
	})
}
