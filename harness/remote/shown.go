package remote

import (
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/schedule"
)

// Workers returns the present workers by name, each with the cells that it was running when it last said hello.
func (p *Pool) Workers() []schedule.Worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := map[string]string{} // the keys of cells by their tasks
	for key, c := range p.calls {
		at[c.id] = key
	}
	var out []schedule.Worker
	for _, m := range p.members {
		w := schedule.Worker{Name: m.Machine, Jobs: m.Jobs, Memory: m.Memory}
		for _, id := range m.Running {
			if key, there := at[id]; there {
				w.Keys = append(w.Keys, key)
			}
		}
		slices.Sort(w.Keys)
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b schedule.Worker) int { return strings.Compare(a.Name, b.Name) })
	return out
}
