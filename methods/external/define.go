package external

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
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
		Name: d.Name, Version: registry.WithLibraries(d.Version+"+"+p.hash, d.Libraries), Tasks: tasks,
		Source: cmp.Or(d.Source, "plugin "+filepath.Base(p.file)), Summary: summary, Nondeterministic: random,
		Load: load, Gaps: d.Gaps, Probability: probabilities[d.Probabilities],
	}, d.Parameters, d.Grid, p.fit, registry.Path(p.path))
	return nil
}
