package methods_test

import (
	"testing"

	"github.com/kernelboosting/bench/methods"
)

// TestParametersAreDescribed: people who list a method read what each parameter means and which values it may have.
func TestParametersAreDescribed(t *testing.T) {
	for _, spec := range methods.All().All() {
		for _, p := range spec.Parameters() {
			if p.Means == "" || p.Allowed() == "" {
				t.Errorf("%s: parameter %s may be %q and means %q", spec.Name, p.Name, p.Allowed(), p.Means)
			}
		}
	}
}
