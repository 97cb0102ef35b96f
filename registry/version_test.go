package registry

import (
	"maps"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestLibrariesOfVersions: a version names its libraries, and what two versions differ in is said by name.
func TestLibrariesOfVersions(t *testing.T) {
	with := map[string]string{"sklearn": "1.9.1", "numpy": "2.4.6"}
	version := WithLibraries("1+3fa9c1d2", with)
	must.Be(t, version, "1+3fa9c1d2 numpy=2.4.6 sklearn=1.9.1")
	for _, v := range []struct {
		version, own string
		libraries    map[string]string
	}{{version, "1+3fa9c1d2", with}, {"7", "7", map[string]string{}}} {
		if own, got := Libraries(v.version); own != v.own || !maps.Equal(got, v.libraries) {
			t.Errorf("%s: %s %v", v.version, own, got)
		}
	}
	want := []string{"numpy was 2.4.6, is not named here", "scipy was not named, is 1.17 here",
		"sklearn was 1.9.1, is 1.9.2 here"}
	must.Be(t, OtherLibraries(version, "1+aaaaaaaa scipy=1.17 sklearn=1.9.2"), want)
	if got := OtherLibraries(version, "2 sklearn=1.9.1 numpy=2.4.6"); got != nil {
		t.Errorf("%q", got)
	}
}
