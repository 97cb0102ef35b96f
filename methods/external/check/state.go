package check

import (
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// keptState: a process fits other data of the same shape and then fits d. The second fit must equal a fit of
// d in a process that has seen no other data.
func (s *session) keptState() (string, error) {
	if err := s.deterministic(); err != nil {
		return "", err
	}
	before, d := toydata.Easy(s.task, 120, 4, seed+2), toydata.Easy(s.task, 120, 4, seed)
	in := func(data ...registry.Data) (scores []float64, err error) {
		p, err := external.Load(s.ctx, s.file, s.another())
		if err != nil {
			return nil, err
		}
		defer p.Close()
		here := s.spec
		defer func() { s.spec = here }()
		s.spec = p.Spec()
		for _, each := range data {
			if scores, err = s.defaults(each, each); err != nil {
				return nil, err
			}
		}
		return scores, nil
	}
	alone, err := in(d)
	if err != nil {
		return "", err
	}
	after, err := in(before, d)
	if err == nil {
		err = toydata.Equal("a fit after one of other data", after, alone)
	}
	return "a fit after one of other data gives the bits of a fresh process", err
}

// canaryCheck is the name of the check that is left out if there is no canary.
const canaryCheck = "canary"

func (s *session) labelsKnown() (string, error) { return s.canary(s.ctx, s.spec) }
