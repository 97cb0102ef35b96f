package datasets

import (
	"testing"

	"github.com/kernelboosting/bench/registry"
)

func TestCountsOfRegressionAreNil(t *testing.T) {
	if c := (&Set{Task: registry.Regression}).Counts(); c != nil {
		t.Errorf("%v", c)
	}
}
