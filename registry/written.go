package registry

import (
	"encoding/json"
	"fmt"
)

// Written returns the grid's points as its author wrote them, in the order of Spec.Settings. Each is a JSON object of the
// axes' values, before any division. A value of an axis per feature is the parameter times the number of features d, so its
// name gets the ending "_x_d".
func (g Grid) Written() ([]json.RawMessage, error) {
	named := make(Grid, len(g))
	for i, a := range g {
		if a.Per == PerFeature {
			a.Name += "_x_d"
		}
		a.Per = ""
		named[i] = a
	}
	points, err := named.points(Shape{})
	if err != nil {
		return nil, err
	}
	out := make([]json.RawMessage, len(points))
	for i, p := range points {
		if out[i], err = json.Marshal(p); err != nil {
			return nil, fmt.Errorf("grid point %d: %w", i, err)
		}
	}
	return out, nil
}
