package cart

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

func TestEqualsGolearnOnRealSets(t *testing.T) {
	rows := 120
	if testenv.Thorough(t) {
		rows = 300
	}
	for _, tb := range fits.Tables {
		t.Run(tb.Name, func(t *testing.T) {
			criteria := []string{"gini", "entropy"}
			if tb.Task == registry.Regression {
				criteria = []string{"mse"}
			}
			for _, c := range criteria {
				equalsGolearn(t, tb.Read(t, rows, 1), c, []int{1, 2, 5, 10})
			}
		})
	}
}
