package scaling

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// declared returns the bytes that a cell is planned with: the set, the copies of its rows, and the grid point that needs most, as
// package plan counts them. It is nil if the program does not know the method or the set, or has another version of the method.
func (f family) declared(method string, x float64, set string) (*float64, error) {
	spec, err := f.frame.Registry.Lookup(method)
	if err != nil || spec.Version != f.Version(method, x, set) {
		return nil, nil
	}
	e, err := f.frame.Sets.Entry(set)
	if err != nil || e.Rows == 0 || e.Task == registry.Multiclass && e.Counts == nil {
		return nil, nil
	}
	var broken error
	bytes := f.Splits(method, x, set, func(r store.Row) (float64, bool) {
		shape := registry.Shape{Task: e.Task, N: r.TrainRows, D: r.Features, Classes: len(e.Counts)}
		shape.Blocks, _ = e.Blocks()
		fit, err := f.hungriest(spec, shape, r)
		broken = errors.Join(broken, err)
		return fit + 2*8*float64(e.Rows)*float64(r.Features+1), r.Features > 0
	})
	if broken != nil {
		return nil, fmt.Errorf("the memory that %s declares on %s: %w", method, set, broken)
	}
	return largest(bytes), nil
}

// hungriest returns what a method declares for the grid point that needs most.
func (f family) hungriest(spec registry.Spec, shape registry.Shape, r store.Row) (most float64, err error) {
	for _, point := range append([]json.RawMessage{nil}, f.frame.Grids[r.GridHash]...) {
		setting, err := merged(r.Point, point)
		if err != nil {
			return 0, err
		}
		bytes, err := spec.MemoryEstimate(shape, setting)
		if err != nil {
			return 0, err
		}
		most = max(most, float64(bytes))
	}
	return most, nil
}

// merged returns the chosen parameters with those of another grid point in their place. A value that its author wrote per feature
// is left out: its unit is another one.
func merged(chosen, other json.RawMessage) (json.RawMessage, error) {
	setting, point := map[string]any{}, map[string]any{}
	for into, raw := range map[*map[string]any]json.RawMessage{&setting: chosen, &point: other} {
		if raw != nil {
			if err := json.Unmarshal(raw, into); err != nil {
				return nil, err
			}
		}
	}
	maps.DeleteFunc(point, func(name string, _ any) bool { return strings.HasSuffix(name, "_x_d") })
	maps.Copy(setting, point)
	return json.Marshal(setting)
}
