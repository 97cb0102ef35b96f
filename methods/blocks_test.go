package methods_test

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// TestThoseThatUseBlocks: results on sets with channels depend on this list, and nothing else in a key
// does: a method that comes to use blocks raises its version.
func TestThoseThatUseBlocks(t *testing.T) {
	var users []string
	for _, spec := range methods.All().All() {
		if spec.Blocks {
			users = append(users, spec.Name)
		}
	}
	if want := []string{"GMKL", "KRR-GD", "RFF-MKL", "RFF-MKL-JOINT", "RFF-SKL", "RFF-SQL-MKL", "RFF-SQL-MKL-JOINT",
		"RFF-SQL-SKL", "RFF-SQL-SQR-MKL"}; !slices.Equal(users, want) {
		t.Errorf("%v use blocks, want %v", users, want)
	}
	// The settings of these two are part of the keys of results that were stored when they had a
	// parameter for groups of features, whose absence was not written.
	sh := registry.Shape{Task: registry.Binary, Classes: 2, N: 100, D: 10}
	for name, want := range map[string]string{"GMKL": `{"c":0.01,"epsilon":0.1}`,
		"KRR-GD": `{"lambda":0.00001,"max_iter":20}`} {
		spec := lookup(t, name)
		settings := must.Get(spec.Settings(sh, spec.DefaultGrid(), nil))(t)
		if got := string(settings[0]); got != want {
			t.Errorf("the first setting of %s is %s, want %s", name, got, want)
		}
	}
}
