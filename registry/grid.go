package registry

import (
	"encoding/json"
	"fmt"
	"maps"
)

// A Grid is a list of axes; its points are their product, the first axis
// varying slowest. An empty grid has one point, the defaults.
type Grid []Axis

// An Axis holds the candidate values of one parameter, or of several that move
// together. It is data, so that listings can show it and a protocol can replace it.
type Axis struct {
	Name   string `json:"name" toml:"name"`     // the parameter's JSON name; empty if Values holds objects
	Values []any  `json:"values" toml:"values"` // numbers, strings, booleans, or objects of several parameters
	Per    string `json:"per,omitempty" toml:"per"`
}

// PerFeature, as Axis.Per, divides the values by the number of features d.
const PerFeature = "feature"

// Powers returns base^from .. base^to, in ascending order of the exponent.
func Powers(base float64, from, to int) []any {
	var out []any
	for e := from; e <= to; e++ {
		out = append(out, power(base, e))
	}
	return out
}

// power multiplies squares of base, and inverts the product if e < 0. It avoids math.Pow, whose last bit may depend on
// the machine, since these values are part of every key.
func power(base float64, e int) float64 {
	product := 1.0
	for n, square := max(e, -e), base; n > 0; n, square = n/2, square*square {
		if n%2 == 1 {
			product *= square
		}
	}
	if e < 0 {
		return 1 / product
	}
	return product
}

// Values returns its arguments as an axis's values.
func Values[T any](vs ...T) []any {
	out := make([]any, len(vs))
	for i, v := range vs {
		out[i] = v
	}
	return out
}

// Settings returns the grid's points for a problem of shape sh as complete
// parameter sets in canonical JSON, in grid order. fixed, if not nil, is a JSON
// object of parameters that replace the defaults and that no axis varies.
func (s Spec) Settings(sh Shape, g Grid, fixed json.RawMessage) ([]json.RawMessage, error) {
	points, err := g.points(sh)
	if err != nil {
		return nil, fmt.Errorf("grid of %s: %w", s.Name, err)
	}
	base := map[string]any{}
	if len(fixed) > 0 {
		if err := json.Unmarshal(fixed, &base); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", s.Name, err)
		}
	}
	out := make([]json.RawMessage, len(points))
	for i, p := range points {
		for k, v := range base {
			if _, both := p[k]; both {
				return nil, fmt.Errorf("grid of %s: parameter %q is both fixed and an axis", s.Name, k)
			}
			p[k] = v
		}
		raw, err := json.Marshal(p)
		if err != nil {
			return nil, fmt.Errorf("grid of %s: %w", s.Name, err)
		}
		if out[i], err = s.does.canonical(raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g Grid) points(sh Shape) ([]map[string]any, error) {
	points := []map[string]any{{}}
	for _, a := range g {
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("axis %q has no values", a.Name)
		}
		var next []map[string]any
		for _, p := range points {
			for _, v := range a.Values {
				q, err := a.set(p, v, sh)
				if err != nil {
					return nil, err
				}
				next = append(next, q)
			}
		}
		points = next
	}
	return points, nil
}

// set returns p with the axis at value v.
func (a Axis) set(p map[string]any, v any, sh Shape) (map[string]any, error) {
	q := maps.Clone(p)
	if a.Name == "" {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("an axis without a name needs objects as values, not %v", v)
		}
		maps.Copy(q, object)
		return q, nil
	}
	switch a.Per {
	case "":
		q[a.Name] = v
	case PerFeature:
		f, err := number(v)
		if err != nil {
			return nil, fmt.Errorf("axis %q: %w", a.Name, err)
		}
		q[a.Name] = f / float64(sh.D)
	default:
		return nil, fmt.Errorf("axis %q is per %q; known: %q", a.Name, a.Per, PerFeature)
	}
	return q, nil
}

func number(v any) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case int64:
		return float64(x), nil
	case int:
		return float64(x), nil
	}
	return 0, fmt.Errorf("value %v is not a number", v)
}

// Written returns the grid's points as its author wrote them, in the order of Spec.Settings. Each is a JSON object of
// the axes' values, before any division. A value of an axis per feature is the parameter times the number of features
// d, so its name gets the ending "_x_d".
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
