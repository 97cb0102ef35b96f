package protocol

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// MethodSettings replaces a method's parameters and grid within a protocol. With Of it declares a variant:
// the method Of with these settings, under a name and in a column of its own. A variant takes every setting
// that it does not replace from the protocol's settings for the method Of.
type MethodSettings struct {
	Of string `toml:"of"`
	// the tasks that a variant is run on; nil for all tasks of the method
	Tasks  []string                  `toml:"tasks"`
	Params map[string]any            `toml:"params"`
	On     map[string]map[string]any `toml:"on"` // parameters that replace Params on one data set
	Grid   registry.Grid             `toml:"grid"`

	TrainRows int `toml:"-"` // set by a Sweep; 0 for the protocol's number
}

// Grid returns a method's grid under the protocol.
func (p *Protocol) Grid(spec registry.Spec) registry.Grid {
	m := p.Methods[spec.Name]
	if m.Grid != nil {
		return m.Grid
	}
	if base := p.Methods[m.Of]; m.Of != "" && base.Grid != nil {
		return base.Grid
	}
	return spec.DefaultGrid()
}

// GridPoints returns the grid points of a method under the protocol on a data set. sh is the shape of the
// training part.
func (p *Protocol) GridPoints(spec registry.Spec, dataset string, sh registry.Shape) ([]json.RawMessage, error) {
	var fixed json.RawMessage
	if params := p.params(spec.Name, dataset); params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			return nil, fmt.Errorf("protocol %s: %w", p.Name, err)
		}
		fixed = raw
	}
	points, err := spec.Settings(sh, p.Grid(spec), fixed)
	if err != nil {
		return nil, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	return points, nil
}

// params returns the parameters that the protocol gives a method on a set, nil if it gives none. A variant's settings
// override those of its method. In both, settings for the set override settings for all sets.
func (p *Protocol) params(method, dataset string) map[string]any {
	m := p.Methods[method]
	out := map[string]any{}
	if m.Of != "" {
		maps.Copy(out, p.params(m.Of, dataset))
	}
	maps.Copy(out, m.Params)
	maps.Copy(out, m.On[dataset])
	if len(out) == 0 && m.Params == nil {
		return nil
	}
	return out
}

// Builtin reports whether the protocol is one of the program's own.
func (p *Protocol) Builtin() bool { return slices.Contains(Names(), p.Name) }

// Base returns the method that name is a variant of under the protocol, or name if it is no variant.
func (p *Protocol) Base(name string) string { return cmp.Or(p.Methods[name].Of, name) }

// Resolve replaces the method names in [methods.NAME] by their spelling in the registry, and returns the registry with
// the protocol's variants added. In a user's own file an unknown name is an error. A built-in protocol may name methods
// that a smaller registry lacks.
func (p *Protocol) Resolve(reg registry.Registry) (registry.Registry, error) {
	resolved := map[string]MethodSettings{}
	var variants []registry.Spec
	for _, name := range slices.Sorted(maps.Keys(p.Methods)) {
		settings := p.Methods[name]
		spec, err := reg.Lookup(cmp.Or(settings.Of, name))
		switch {
		case err != nil && p.Builtin():
			continue
		case err != nil:
			return reg, fmt.Errorf("protocol %s: [methods.%s]: %w", p.Name, name, err)
		}
		if settings.Of == "" {
			if settings.Tasks != nil {
				return reg, fmt.Errorf("protocol %s: [methods.%s]: tasks needs the key of, which makes a variant",
					p.Name, name)
			}
			if _, twice := resolved[spec.Name]; twice {
				return reg, fmt.Errorf("protocol %s: [methods.%s]: %s has another section; make it one", p.Name, name,
					spec.Name)
			}
			resolved[spec.Name] = settings
			continue
		}
		settings.Of = spec.Name
		if spec, err = variant(reg, spec, name, settings.Tasks); err != nil {
			return reg, fmt.Errorf("protocol %s: [methods.%s]: %w", p.Name, name, err)
		}
		if slices.ContainsFunc(variants, func(other registry.Spec) bool {
			return strings.EqualFold(other.Name, name)
		}) {
			return reg, fmt.Errorf("protocol %s: [methods.%s]: two variants have names that differ only by case; "+
				"rename one", p.Name, name)
		}
		variants = append(variants, spec)
		resolved[name] = settings
	}
	p.Methods = resolved
	if variants != nil {
		reg = reg.With(variants...)
	}
	return reg, nil
}

// variant returns a method under another name, limited to some of its tasks. It is an error if the name is taken.
func variant(reg registry.Registry, spec registry.Spec, name string, tasks []string) (registry.Spec, error) {
	switch _, taken := reg.Taken(name); {
	case taken != "" && strings.EqualFold(taken, name):
		return spec, fmt.Errorf("of = %q, but %s is a method itself; give the variant a name of its own",
			spec.Name, taken)
	case taken != "":
		return spec, fmt.Errorf("of = %q, but the name %+q looks like %s; give the variant a name of its own",
			spec.Name, name, taken)
	}
	if err := wording.CheckName(name); err != nil {
		return spec, fmt.Errorf("the name of the variant: %w", err)
	}
	if tasks != nil {
		var only registry.Task
		for _, t := range tasks {
			task, err := registry.ParseTask(t)
			if err != nil {
				return spec, fmt.Errorf("tasks: %w", err)
			}
			only |= task
		}
		if spec.Tasks&only == 0 {
			return spec, fmt.Errorf("tasks = %q; %s solves none of them", tasks, spec.Name)
		}
		spec.Tasks &= only
	}
	spec.Name = name
	return spec, nil
}
