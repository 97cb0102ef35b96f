package remote

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A member is a worker that has said hello to the coordinator.
type member struct {
	hello
	in   string // its group
	seen time.Time
}

// mostJobs is more than any machine runs at a time. The bound keeps a worker from taking a whole plan at once.
const mostJobs = 4096

func (p *Pool) hear(m *nats.Msg) {
	var h hello
	if err := strictjson.UnmarshalOpen(m.Data, &h); err != nil || h.Worker == "" || h.Jobs < 1 || h.Jobs > mostJobs {
		return
	}
	answer := welcome{Consumer: h.group() + p.era, Lost: p.opt.Lost}
	p.mu.Lock()
	was := p.members[h.Worker]
	p.mu.Unlock()
	if !h.Leaves && (was == nil || was.in != answer.Consumer) {
		if err := p.makeGroup(answer.Consumer); err != nil {
			answer.Error = err.Error()
		}
	}
	p.mu.Lock()
	if h.Leaves {
		delete(p.members, h.Worker)
		delete(p.parts, h.Worker)
	} else if answer.Error == "" {
		p.members[h.Worker] = &member{hello: h, in: answer.Consumer, seen: time.Now()}
	}
	if was != nil && (h.Leaves || was.in != answer.Consumer) {
		p.settle()
	}
	p.mu.Unlock()
	p.tell(was, h)
	if data, err := strictjson.Marshal(answer); err == nil {
		p.respond(m, &nats.Msg{Data: data})
	}
	if was == nil || h.Leaves || was.in != answer.Consumer {
		p.change()
	}
}

func (p *Pool) tell(was *member, h hello) {
	known := map[string]string{}
	switch {
	case h.Leaves:
		p.log("worker %s leaves", h.Machine)
	case was == nil:
		p.log("worker %s has come: %d at a time, %s", h.Machine, h.Jobs, wording.Bytes(h.Memory))
	default:
		known = was.Refuses
	}
	for _, what := range slices.Sorted(maps.Keys(h.Refuses)) {
		if _, told := known[what]; !told {
			p.log("worker %s refuses %s: %s", h.Machine, what, h.Refuses[what])
		}
	}
}

func (p *Pool) makeGroup(name string) error {
	_, err := p.stream.CreateOrUpdateConsumer(p.ctx, jetstream.ConsumerConfig{
		Durable: name, FilterSubject: p.names.cells(name), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: p.opt.Lost, MaxDeliver: mostLost, MemoryStorage: true,
	})
	return err
}

// watch treats workers that are silent for too long as lost.
func (p *Pool) watch() {
	look := time.NewTicker(p.opt.Lost / 4)
	defer look.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-look.C:
		}
		p.mu.Lock()
		var gone []*member
		for id, m := range p.members {
			if time.Since(m.seen) > p.opt.Lost {
				delete(p.members, id)
				gone = append(gone, m)
				delete(p.parts, id)
				for _, c := range p.calls {
					switch {
					case !slices.Contains(m.Running, c.id) || c.in == nil:
					case c.in.cells == 1:
						p.lost[c.spec.Key]++
					default:
						p.alone[c.spec.Key] = true
					}
				}
			}
		}
		if gone != nil {
			p.settle()
		}
		p.mu.Unlock()
		for _, m := range gone {
			p.log("worker %s is lost: it was silent for %v; its cells are handed out again", m.Machine, p.opt.Lost)
			p.change()
		}
	}
}

// settle ends the calls that no worker runs and no worker will get: calls of groups without any worker. While a group has
// workers, the server delivers the cells of a lost worker again.
func (p *Pool) settle() {
	kept := map[string]bool{} // groups and tasks
	for _, m := range p.members {
		kept[m.in] = true
		for _, id := range m.Running { // a worker that has changed its group still runs its cells
			kept[id] = true
		}
	}
	for _, c := range p.calls {
		switch {
		case kept[c.group] || kept[c.id]:
		case p.lost[c.spec.Key] >= mostLost:
			p.endLost(c)
		default:
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
	}
}

func (p *Pool) rooms() map[string]schedule.Room {
	out := map[string]schedule.Room{}
	for _, m := range p.members {
		r := out[m.in]
		r.Name = m.in
		r.Slots += m.Jobs
		r.Memory, r.Refuses = rounded(m.Memory), m.Refuses
		out[m.in] = r
	}
	return out
}

// Rooms implements schedule.Remote.
func (p *Pool) Rooms() []schedule.Room {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.rooms()))
}

// Changed implements schedule.Remote.
func (p *Pool) Changed() <-chan struct{} { return p.changed }

func (p *Pool) change() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

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
