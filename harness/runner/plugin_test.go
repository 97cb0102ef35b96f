package runner

import (
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// TestAPluginThatDoesNotStart: a method whose process a worker cannot start is a failure of the cell, not of the run.
func TestAPluginThatDoesNotStart(t *testing.T) {
	cells := &InProcess{Plugin: func(string) (registry.Spec, error) { return registry.Spec{}, named("crash") }}
	c := CellSpec{Cell: Cell{Protocol: "p", Method: "Teller"}}
	c.Protocol.TOML = "splits = 1\ndatasets = [\"swiss\"]\n[semantics]\ntest_fraction = 0.3\nfolds = 2\n"
	got := cells.serve(c, 0)
	if got.Run == nil {
		t.Fatal(got.Error)
	}
	must.Be(t, [3]string{string(got.Run.Status), string(got.Run.Class), got.Run.Error},
		[3]string{string(result.Failed), string(result.ClassCrash), "why"})
}
