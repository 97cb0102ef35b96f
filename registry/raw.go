package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// DefineRaw is [Define] for a method whose parameters are known at run time only, such as those of another process.
// parameters lists them in canonical order, each with a default. The method's functions take whole settings in
// canonical form: an object with a value for every parameter, with numbers as [json.Marshal] writes them.
func DefineRaw(s Spec, parameters []Parameter, grid Grid, fit FitFunc[json.RawMessage],
	opts ...Option[json.RawMessage]) Spec {
	parameters = slices.Clone(parameters)
	for i, p := range parameters {
		var err error
		if parameters[i], err = p.parsed(); err == nil && kind(p.Default) == 0 {
			err = fmt.Errorf("parameter %q has no default", p.Name)
		}
		if err != nil {
			panic(fmt.Sprintf("registry: method %s: %v", s.Name, err))
		}
	}
	return complete(s, parameters, grid, completer(s.Name, parameters), fit, opts)
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

// completer returns the function that completes a setting by parameters, checks it and writes it in their order. Names
// and defaults are written once, since a grid may have 10,000 settings of 1,000 parameters.
func completer(method string, parameters []Parameter) func(json.RawMessage) (json.RawMessage, error) {
	type written struct {
		name, absent []byte // as JSON
		err          error  // of the default
	}
	all := make([]written, len(parameters))
	for i := range parameters {
		w := &all[i]
		if w.name, w.err = json.Marshal(parameters[i].Name); w.err == nil {
			w.absent, w.err = parameters[i].canonicalValue(parameters[i].Default)
		}
	}
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
			whole, err := json.RawMessage(all[i].absent), all[i].err
			value, there := given[p.Name]
			delete(given, p.Name)
			if there {
				whole, err = p.canonicalValue(value)
			} else {
				value = p.Default
			}
			if err != nil {
				return nil, p.refusal(method, value)
			}
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(all[i].name)
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
