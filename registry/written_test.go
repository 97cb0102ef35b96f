package registry

import (
	"encoding/json"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestWritten: the values of an axis per feature are those that were written.
func TestWritten(t *testing.T) {
	grid := Grid{
		{Name: "gamma", Values: Powers(2, -3, -2), Per: PerFeature},
		{Name: "c", Values: Values(1.0, 10)},
	}
	points := must.Get(grid.Written())(t)
	var got []string
	for _, p := range points {
		got = append(got, string(p))
	}
	want := []string{`{"c":1,"gamma_x_d":0.125}`, `{"c":10,"gamma_x_d":0.125}`, `{"c":1,"gamma_x_d":0.25}`,
		`{"c":10,"gamma_x_d":0.25}`}
	must.Be(t, got, want, "points")
	objects := Grid{{Values: []any{map[string]any{"a": 1.0, "b": "x"}}}}
	if points, err := objects.Written(); err != nil || string(points[0]) != `{"a":1,"b":"x"}` {
		t.Errorf("an axis of objects: %s, %v", points, err)
	}
	if points, err := (Grid{}).Written(); err != nil || len(points) != 1 || !json.Valid(points[0]) {
		t.Errorf("an empty grid: %s, %v", points, err)
	}
}
