package remote

import (
	"cmp"
	"fmt"
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

// mostMembers bounds the workers that are there at a time, since each takes memory here.
const mostMembers = 10_000

// Expel takes no more results of a worker, hands it no more cells, and forgets its results. id is its identity, as
// Origin returns it, and the worker hears why.
func (p *Pool) Expel(id string, why error) { _ = p.expel(id, why, "") }

// expel is Expel, and gives back a call and what the worker was running. It returns a message for people, "" if the
// worker was expelled before.
func (p *Pool) expel(id string, why error, call string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[id]
	for _, c := range p.calls {
		if c.id == call || m != nil && slices.Contains(m.Running, c.id) {
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
	}
	delete(p.members, id)
	if _, before := p.expelled[id]; before {
		return ""
	}
	p.expelled[id] = strings.ReplaceAll(why.Error(), "\n", " ")
	p.results.expel(id)
	p.settle()
	p.change()
	return fmt.Sprintf("worker %s gets no more cells, and none of its results is taken any more: %s",
		p.name(id), p.expelled[id])
}

// logExpelled logs what expel returned; p.mu is not held, since the log may ask who is there.
func (p *Pool) logExpelled(what string) {
	if what != "" {
		p.log("%s", what)
	}
}

// name returns the name of a worker for people; p.mu is held.
func (p *Pool) name(id string) string {
	if m := p.members[id]; m != nil {
		return m.Machine
	}
	return cmp.Or(p.machines[id], id)
}

// Origin returns the identity of the worker whose result of a cell counts, and its name for people. They are empty for
// a cell that ran elsewhere.
func (p *Pool) Origin(key string) (id, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id = p.results.of[key]; id == "" {
		return "", ""
	}
	return id, p.name(id)
}

// Expelled returns the names of the workers that were expelled.
func (p *Pool) Expelled() (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id := range p.expelled {
		names = append(names, p.name(id))
	}
	slices.Sort(names)
	return names
}

// mostJobs is more than any machine runs at a time. The bound keeps a worker from taking a whole plan at once.
const mostJobs = 4096

func (p *Pool) hear(m *nats.Msg) {
	var h hello
	if err := strictjson.UnmarshalOpen(m.Data, &h); err != nil || !isID(h.Worker) || h.Jobs < 1 || h.Jobs > mostJobs {
		return
	}
	h.Machine = short(h.Machine)
	answer := welcome{Consumer: h.group() + p.era, Lost: p.opt.Lost}
	p.mu.Lock()
	was := p.members[h.Worker]
	why, expelled := p.expelled[h.Worker]
	full := was == nil && len(p.members) >= mostMembers
	p.mu.Unlock()
	if expelled || full {
		if data, err := strictjson.Marshal(welcome{Expelled: why, Error: "there are too many workers"}); err == nil {
			p.names.respond(m, data, nil)
		}
		return
	}
	if !h.Leaves && (was == nil || was.in != answer.Consumer) {
		if err := p.makeGroup(answer.Consumer); err != nil {
			answer.Error = err.Error()
		}
	}
	p.mu.Lock()
	if h.Leaves {
		delete(p.members, h.Worker)
	} else if answer.Error == "" {
		p.machines[h.Worker] = h.Machine
		p.members[h.Worker] = &member{hello: h, in: answer.Consumer, seen: time.Now()}
	}
	if was != nil && (h.Leaves || was.in != answer.Consumer) {
		p.settle()
	}
	p.mu.Unlock()
	p.tell(was, h)
	if data, err := strictjson.Marshal(answer); err == nil {
		p.names.respond(m, data, nil)
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
		if _, before := known[what]; !before {
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
		p.giveBackUnclaimed(time.Now())
		p.mu.Unlock()
		for _, m := range gone {
			p.log("worker %s is lost: it was silent for %v; its cells are handed out again", m.Machine, p.opt.Lost)
			p.change()
		}
	}
}

// giveBackUnclaimed ends the calls that were handed out and that no worker has said for long that it runs: an expelled
// worker may have taken them. p.mu is held.
func (p *Pool) giveBackUnclaimed(now time.Time) {
	running := map[string]bool{}
	for _, m := range p.members {
		for _, id := range m.Running {
			running[id] = true
		}
	}
	for _, c := range p.calls {
		switch {
		case c.in == nil:
		case c.claimed.IsZero() || running[c.id]:
			c.claimed = now
		case now.Sub(c.claimed) > 2*p.opt.Lost:
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
	}
}

// settle ends the calls that no worker runs and no worker will get: calls of groups without any worker. While a group
// has workers, the server delivers the cells of a lost worker again.
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
