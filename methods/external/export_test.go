package external

import (
	"context"

	"github.com/kernelboosting/bench/registry"
)

// Take is take, for tests.
func (p *Plugin) Take(ctx context.Context) (any, func(), error) { return p.take(ctx) }

// ParseAnswer is parseAnswer, for tests.
var ParseAnswer = parseAnswer

// DefineFrom makes a method of a description alone.
func DefineFrom(d *Description) (registry.Spec, error) {
	if err := d.check(); err != nil {
		return registry.Spec{}, err
	}
	p := &Plugin{file: "fuzzed", described: d}
	err := p.define()
	return p.spec, err
}

// Network reports whether processes that are started now have the network.
func (p *Plugin) Network() bool { return p.options.Network }
