package external

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
)

// idleFor is the time that an unused process is kept.
const idleFor = 30 * time.Second

// manyModels is how many models of single fits a process may hold before the garbage collector runs. Only the
// collector knows which models are no longer needed.
const manyModels = 64

// take returns a process for a fit, and the function that gives it back.
func (p *Plugin) take(ctx context.Context) (*process, func(), error) {
	q := p.free(ctx)
	if q == nil {
		var err error
		if q, err = p.forked(ctx); err == nil && q == nil {
			q, err = p.another(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	q.mu.Lock()
	q.served = true
	many := q.models > manyModels
	q.mu.Unlock()
	if many {
		runtime.GC()
	}
	return q, func() { p.giveBack(ctx, q) }, nil
}

// free returns a live process that is free, or nil. It prefers a process of the context.
func (p *Plugin) free(ctx context.Context) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expireOver()
	done := ctx.Done()
	if _, known := p.resting[done]; !known {
		p.resting[done] = nil
		context.AfterFunc(ctx, p.Settle)
	}
	for _, of := range []<-chan struct{}{done, nil} {
		for last := len(p.resting[of]) - 1; last >= 0; last-- {
			q := p.resting[of][last]
			p.resting[of] = p.resting[of][:last]
			if q.death() == nil {
				return q
			}
			delete(p.all, q)
		}
		if p.canFork() { // an idle process may be needed as the warm process
			break
		}
	}
	return nil
}

// Settle ends the processes of contexts that are over, and returns when these processes have ended. Without Settle they
// end a moment later.
func (p *Plugin) Settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expireOver()
}

// expireOver ends the processes of contexts that are over, before AfterFunc does. p.mu is held.
func (p *Plugin) expireOver() {
	for done := range p.resting {
		select {
		case <-done: // never for nil
		default:
			continue
		}
		if !p.closed {
			for _, q := range p.resting[done] {
				delete(p.all, q)
				q.kill(errOver)
				q.awaitEnd() // the request may already have ended it
			}
			if p.canFork() {
				time.AfterFunc(p.options.Idle, p.endIdleWarm)
			}
		}
		delete(p.resting, done)
	}
}

var errOver = errors.New("its process has ended with the cell that it served")

func (p *Plugin) giveBack(ctx context.Context, q *process) {
	if q.death() != nil {
		p.remove(q)
		return
	}
	if ctx.Done() == nil {
		p.rest(q)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch others, serves := p.resting[ctx.Done()]; {
	case p.closed:
	case serves:
		p.resting[ctx.Done()] = append(others, q)
	default: // the context is over
		delete(p.all, q)
		q.kill(errOver)
	}
}

// rest makes a process idle. If it holds no model and is not needed for a while, it is ended, since
// libraries also take memory while idle.
func (p *Plugin) rest(q *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		q.since = time.Now()
		p.resting[nil] = append(p.resting[nil], q)
		time.AfterFunc(p.options.Idle, p.retire)
	}
}

// retire ends the processes that have been idle for long.
func (p *Plugin) retire() {
	p.mu.Lock()
	var old []*process
	p.resting[nil] = slices.DeleteFunc(p.resting[nil], func(q *process) bool {
		q.mu.Lock()
		needed := q.models > 0
		q.mu.Unlock()
		if needed || time.Since(q.since) < p.options.Idle {
			return false
		}
		old = append(old, q)
		delete(p.all, q)
		return true
	})
	p.mu.Unlock()
	for _, q := range old {
		q.end(leaving)
	}
}

func (p *Plugin) add(q *process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.all[q] = true
	}
	return !p.closed
}

func (p *Plugin) remove(q *process) {
	q.kill(errors.New(p.name() + ": its process has ended"))
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, q)
}

// orphans are the processes of a sandbox that have lost their parents, which the first process of the sandbox adopts.
func (q *process) orphans() []int {
	return slices.DeleteFunc(processes.Adopted(q.box.Process.Pid), func(id int) bool { return id == q.box.ID })
}

// usedByLive returns the processor time in seconds of a live process, of the processes that it started, and of those in
// its sandbox that have lost their parents. peak is the sum of their largest resident sizes and of their unnamed files
// in memory, in bytes. Processes that have ended count with their parents, the first process of the sandbox among them.
// Some systems tell the use of a process only after its end.
func (q *process) usedByLive() (seconds float64, peak int64) {
	var all []processes.Process
	for _, id := range append(q.orphans(), q.pid) {
		all = append(all, processes.Tree(id)...)
	}
	for _, p := range all {
		peak += processes.PeakOf(p.ID)
	}
	if first := q.box.Process.Pid; first != q.pid {
		is, _ := processes.Of(first)
		seconds = is.CPU.Seconds()
	}
	return seconds + processes.Sum(all).CPU.Seconds(), peak + processes.HeldInMemory(all) + q.box.Largest()
}
