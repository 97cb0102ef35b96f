package files

import (
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// TestFingerprintsAreStable pins two fingerprints: results in databases refer to
// them, so they change only together with readingVersion, on purpose.
func TestFingerprintsAreStable(t *testing.T) {
	want := map[string]string{
		"wine":      "f583cd871374712666471d44faf0dfdaff6f9696b907bb0c6d584a1965a72d2a",
		"adult-a9a": "9450715e9f3af4a324db95b85a8ca95ce2aedd84aa1266fec10566a88aaa2446",
	}
	seen := map[string]string{}
	for _, e := range catalogue.Builtin().All() {
		got, err := Directory{Root: t.TempDir()}.Fingerprint(e)
		if err != nil {
			t.Fatal(err)
		}
		if other := seen[got]; other != "" {
			t.Errorf("%s and %s have one fingerprint", e.Name, other)
		}
		seen[got] = e.Name
		if w, ok := want[e.Name]; ok && w != got {
			t.Errorf("%s: fingerprint %s, want %s", e.Name, got, w)
		}
	}
}
