//go:build !linux

package external

import "context"

// forked returns nothing: this system does not say how a copy ended.
func (p *Plugin) forked(context.Context) (*process, error) { return nil, nil }

func (p *Plugin) endIdleWarm() {}

func (p *Plugin) warmUp(context.Context) error { return nil }
