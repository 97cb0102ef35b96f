package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Raw holds the functions of a method that take parameters as JSON. It is for methods whose parameters are known at run
// time only, such as those of another process. A method in Go has a type for its parameters and uses [Define].
//
// Each function is called with whole settings in canonical form. A nil field is a capability that the method lacks: see
// [Path], [Memory], [Cost] and [PathCost].
type Raw struct {
	// Parameters lists all parameters of the method in canonical order. Each has a default. They complete and check
	// settings, with numbers as [json.Marshal] writes them.
	Parameters []Parameter

	Fit      func(ctx context.Context, env Env, train Data, setting json.RawMessage) (Model, error)
	Path     func(ctx context.Context, env Env, train Data, settings []json.RawMessage, yield func(i int, m Model) error) error
	Memory   func(s Shape, setting json.RawMessage) (int64, error)
	Cost     func(s Shape, setting json.RawMessage) (float64, error)
	PathCost func(s Shape, settings []json.RawMessage) (float64, error)

	// canonical returns the canonical form of a setting: one JSON object with a value for every parameter. Settings with
	// the same meaning have the same bytes, since keys of stored cells hash them. canonical refuses what the method does
	// not know. Define sets canonical. Its functions read settings themselves, complete or not, and refuse what canonical
	// refuses.
	canonical func(setting json.RawMessage) (json.RawMessage, error)
}

// DefineRaw completes s with a method whose parameters are JSON. It panics if the spec is
// incomplete, a parameter has no default or a range that cannot be read, or the grid names an
// unknown parameter.
func DefineRaw(s Spec, grid Grid, raw Raw) Spec {
	if err := raw.complete(s.Name); err != nil {
		panic("registry: " + err.Error())
	}
	s.grid, s.does, s.pkg = grid, raw, callersPackage()
	if err := s.check(); err != nil {
		panic("registry: " + err.Error())
	}
	return s
}

// complete reads the ranges. If r.canonical is nil, it makes one and calls it before every function.
func (r *Raw) complete(method string) error {
	if r.Fit == nil {
		return fmt.Errorf("method %s has no fit", method)
	}
	r.Parameters = slices.Clone(r.Parameters)
	for i, p := range r.Parameters {
		var err error
		if r.Parameters[i], err = p.parsed(); err != nil {
			return fmt.Errorf("method %s: %w", method, err)
		}
		if kind(p.Default) == 0 {
			return fmt.Errorf("method %s: parameter %q has no default", method, p.Name)
		}
	}
	if r.canonical == nil {
		r.canonical = r.canonicalByParameters(method)
		r.checkFirst()
	}
	return nil
}

// checkFirst lets every function take any setting, and gives the method canonical settings.
func (r *Raw) checkFirst() {
	canonical, given := r.canonical, *r
	all := func(settings []json.RawMessage) ([]json.RawMessage, error) {
		out := make([]json.RawMessage, len(settings))
		for i, s := range settings {
			var err error
			if out[i], err = canonical(s); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	r.Fit = func(ctx context.Context, env Env, train Data, setting json.RawMessage) (Model, error) {
		return with(canonical, setting, func(c json.RawMessage) (Model, error) { return given.Fit(ctx, env, train, c) })
	}
	if given.Path != nil {
		r.Path = func(ctx context.Context, env Env, train Data, settings []json.RawMessage, yield func(int, Model) error) error {
			settings, err := all(settings)
			if err != nil {
				return err
			}
			return given.Path(ctx, env, train, settings, yield)
		}
	}
	if given.Memory != nil {
		r.Memory = func(s Shape, setting json.RawMessage) (int64, error) {
			return with(canonical, setting, func(c json.RawMessage) (int64, error) { return given.Memory(s, c) })
		}
	}
	if given.Cost != nil {
		r.Cost = func(s Shape, setting json.RawMessage) (float64, error) {
			return with(canonical, setting, func(c json.RawMessage) (float64, error) { return given.Cost(s, c) })
		}
	}
	if given.PathCost != nil {
		r.PathCost = func(s Shape, settings []json.RawMessage) (float64, error) {
			settings, err := all(settings)
			if err != nil {
				return 0, err
			}
			return given.PathCost(s, settings)
		}
	}
}

// with reads a setting from raw and calls do with it.
func with[P, T any](read func(json.RawMessage) (P, error), raw json.RawMessage, do func(P) (T, error)) (T, error) {
	p, err := read(raw)
	if err != nil {
		var none T
		return none, err
	}
	return do(p)
}

// canonicalByParameters returns the function that completes a setting by r's parameters, checks it and
// writes it in their order.
func (r *Raw) canonicalByParameters(method string) func(json.RawMessage) (json.RawMessage, error) {
	parameters := r.Parameters
	return func(setting json.RawMessage) (json.RawMessage, error) {
		var given map[string]json.RawMessage
		if len(setting) > 0 {
			if err := json.Unmarshal(setting, &given); err != nil {
				return nil, fmt.Errorf("%s parameters %s: %w", method, setting, err)
			}
		}
		out := bytes.NewBufferString("{")
		for i := range parameters {
			p := &parameters[i]
			value, there := given[p.Name]
			delete(given, p.Name)
			if !there || string(value) == "null" && !p.Mixed {
				value = p.Default
			}
			whole, err := p.canonicalValue(value)
			if err != nil {
				return nil, p.refusal(method, value)
			}
			name, err := json.Marshal(p.Name)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(name)
			out.WriteByte(':')
			out.Write(whole)
		}
		for _, unknown := range slices.Sorted(maps.Keys(given)) {
			return nil, fmt.Errorf("%s parameters %s: unknown field %q", method, setting, unknown)
		}
		out.WriteByte('}')
		return out.Bytes(), nil
	}
}

var errNotAllowed = errors.New("not allowed")

// canonicalValue returns the canonical form of a value, if the parameter may have that value.
func (p *Parameter) canonicalValue(value json.RawMessage) (json.RawMessage, error) {
	if k := kind(value); p.Mixed && (k == '[' || k == '{') || !p.Mixed && k != kind(p.Default) {
		return nil, errNotAllowed
	}
	if p.Integer {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
		if err != nil || !p.allows(float64(n)) {
			return nil, errNotAllowed
		}
		return strconv.AppendInt(nil, n, 10), nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, err
	}
	switch v.(type) {
	case float64, string, bool:
		if !p.allows(v) {
			return nil, errNotAllowed
		}
	}
	return json.Marshal(v)
}
