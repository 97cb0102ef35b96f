package external

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// define makes a method of the plugin's description.
func (p *Plugin) define() (err error) {
	// The registry panics at a faulty method. For a plugin this is an error of its user.
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("plugin %s: %s", p.file, strings.TrimPrefix(fmt.Sprint(said), "registry: "))
		}
	}()
	d := p.described
	tasks, err := d.tasks()
	if err != nil {
		return fmt.Errorf("plugin %s: %w", p.file, err)
	}
	canon, err := d.canon()
	if err != nil {
		return fmt.Errorf("plugin %s: %w", p.file, err)
	}
	raw := registry.Raw{Canon: canon, Fit: p.fit, Path: p.path}
	for _, each := range d.Parameters {
		raw.Parameters = append(raw.Parameters, each.Parameter)
	}
	summary := d.Summary
	random := d.Deterministic != nil && !*d.Deterministic
	if random {
		summary = strings.TrimSpace(summary + " (says that it is not deterministic)")
	}
	var load func(io.Reader) (registry.Model, error)
	if d.can("save") {
		load = p.loadModel
	}
	p.spec = registry.DefineRaw(registry.Spec{
		Name: d.Name, Version: d.Version + "+" + p.hash, Tasks: tasks,
		Source: cmp.Or(d.Source, "plugin "+filepath.Base(p.file)), Summary: summary, Nondeterministic: random,
		Load: load, Gaps: d.Gaps, Probability: probabilities[d.Probabilities],
	}, d.Grid, raw)
	return nil
}

// canon returns the function that completes and checks a setting. The registry does this for parameters of
// one kind. A mixed parameter, which the registry does not know, may be any scalar.
func (d *Description) canon() (func(json.RawMessage) (json.RawMessage, error), error) {
	var plain []registry.Parameter
	mixed := map[string]bool{}
	for _, p := range d.Parameters {
		if p.Mixed {
			mixed[p.Name] = true
			if err := scalar(p.Default); err != nil {
				return nil, fmt.Errorf("the default of parameter %s: %w", p.Name, err)
			}
			continue
		}
		plain = append(plain, p.Parameter)
	}
	typed := registry.DefineRaw(registry.Spec{Name: d.Name, Version: d.Version, Tasks: registry.Binary, Source: "its parameters"}, nil,
		registry.Raw{Parameters: plain, Fit: (*Plugin)(nil).fit})
	return func(setting json.RawMessage) (json.RawMessage, error) {
		given := map[string]json.RawMessage{}
		if len(setting) > 0 {
			if err := json.Unmarshal(setting, &given); err != nil {
				return nil, err
			}
		}
		free := map[string]json.RawMessage{}
		for name := range mixed {
			if value, there := given[name]; there {
				free[name] = value
				delete(given, name)
			}
		}
		rest, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		whole, err := typed.Settings(registry.Shape{Task: registry.Binary, N: 1, D: 1, Classes: 2}, nil, rest)
		if err != nil {
			return nil, err
		}
		values := map[string]json.RawMessage{}
		if err := json.Unmarshal(whole[0], &values); err != nil {
			return nil, err
		}
		return d.written(values, free)
	}, nil
}

// written writes a complete setting in the order of the parameters.
func (d *Description) written(typed, free map[string]json.RawMessage) (json.RawMessage, error) {
	out := bytes.NewBufferString("{")
	for i, p := range d.Parameters {
		value := typed[p.Name]
		if p.Mixed {
			value = p.Default
			if v, given := free[p.Name]; given {
				value = v
			}
			if err := scalar(value); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
			}
			var v any
			if err := json.Unmarshal(value, &v); err != nil {
				return nil, err
			}
			var err error
			if value, err = json.Marshal(v); err != nil {
				return nil, err
			}
		}
		name, err := json.Marshal(p.Name)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(slices.Concat(name, []byte(":"), value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// scalar refuses lists and objects.
func scalar(value json.RawMessage) error {
	if text := strings.TrimSpace(string(value)); text == "" || text[0] == '[' || text[0] == '{' {
		return fmt.Errorf("%s is not a number, a string, true, false or null", value)
	}
	return nil
}
