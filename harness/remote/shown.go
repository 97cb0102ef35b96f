package remote

import (
	"crypto/tls"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/schedule"
)

// Workers returns the workers that have come and were not lost, by name, each with the cells that it was at when it said hello last.
func (p *Pool) Workers() []schedule.Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []schedule.Worker
	for _, m := range p.members {
		w := schedule.Worker{Name: m.Machine, Jobs: m.Jobs, Memory: m.Memory}
		for _, id := range m.Running {
			if c := p.calls[id]; c != nil {
				w.Keys = append(w.Keys, c.spec.Key)
			}
		}
		slices.Sort(w.Keys)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b schedule.Worker) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Certificate makes a certificate for a server of this process, and returns the fingerprint by which people know it.
func Certificate() (c tls.Certificate, fingerprintOf string, err error) {
	if c, err = newCertificate(); err == nil {
		fingerprintOf = fingerprint(c.Certificate[0])
	}
	return c, fingerprintOf, err
}
