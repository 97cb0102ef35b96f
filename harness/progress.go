package harness

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// writeEvery is the least time between two writes of a run's progress to the database.
const writeEvery = time.Second

// A Progress knows what the cells of a run are at. The run writes it to its database, for people who look on. It is
// safe for concurrent use.
type Progress struct {
	opt   schedule.Options
	first store.Progress

	mu            sync.Mutex
	changes       int                       // events so far
	left          map[*plan.Cell]bool       // neither ended nor running
	running       map[*plan.Cell]runningNow // cells that are being computed
	ended, failed int
}

type runningNow struct {
	since time.Time
	away  bool // a worker computes it
}

// NewProgress returns the progress of cells of a plan that begin now with opt, whose forecast is not nil.
func NewProgress(todo *plan.Plan, opt schedule.Options, protocol, join string) *Progress {
	machine, _ := os.Hostname()
	p := &Progress{opt: opt, left: map[*plan.Cell]bool{}, running: map[*plan.Cell]runningNow{}, first: store.Progress{
		Machine: fmt.Sprintf("%s/%d", machine, os.Getpid()), Protocol: protocol, Begun: time.Now().UTC(), Join: join,
		Jobs: opt.Jobs,
	}}
	for _, c := range todo.Cells {
		p.left[c] = true
	}
	p.first.Planned = len(todo.Cells)
	return p
}

// Hear takes an event of the run's cells.
func (p *Progress) Hear(e schedule.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
	switch e.Kind {
	case schedule.Started:
		delete(p.left, e.Cell)
		p.running[e.Cell] = runningNow{time.Now().UTC(), e.Room != ""}
	case schedule.GivenBack:
		delete(p.running, e.Cell)
		p.left[e.Cell] = true
	case schedule.Finished:
		delete(p.left, e.Cell)
		delete(p.running, e.Cell)
		p.ended++
		if e.Run.Status != result.OK {
			p.failed++
		}
	}
}

// Now returns the progress at this moment. The remaining time is the plan's forecast, corrected by cells that have
// ended, and at most the rest of the budget. It leaves out methods whose time is unknown.
func (p *Progress) Now() store.Progress {
	out, by := p.first, map[string]string{}
	if p.opt.Remote != nil {
		out.Workers = p.opt.Remote.Workers()
		for _, w := range out.Workers {
			for _, key := range w.Keys {
				by[key] = w.Name
			}
		}
	}
	places := p.opt.Places()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now().UTC()
	in := func(seconds float64) time.Time {
		return now.Add(time.Duration(min(seconds, 1e9) * float64(time.Second)))
	}
	out.Ended, out.Failed, out.Left = p.ended, p.failed, map[string]int{}
	waits := func(c *plan.Cell) {
		if c.Spec.Canary == nil && c.Attempt == 0 { // an attempt that is stored counts as a result until it is replaced
			out.Left[c.Dataset]++
		}
	}
	var left []*plan.Cell
	for c := range p.left {
		if _, out := p.opt.Forecast.LeaveOut(p.opt.Limits, c); !out {
			left = append(left, c)
		}
		waits(c)
	}
	var running []plan.RunningCell
	since := func(a, b *plan.Cell) int { return p.running[a].since.Compare(p.running[b].since) }
	for _, c := range slices.SortedFunc(maps.Keys(p.running), since) {
		r := plan.RunningCell{Cell: c, For: now.Sub(p.running[c].since)}
		running = append(running, r)
		ends := in(p.opt.Forecast.Wall(nil, []plan.RunningCell{r}, 1))
		shown := store.RunningCell{Name: c.String(), By: by[c.Spec.Key], Since: p.running[c].since, Until: ends}
		if c.Spec.Canary != nil {
			shown.Name = "canary of " + shown.Name
		}
		if !p.running[c].away {
			shown.By = out.Machine
		}
		if p.opt.Forecast.Unknown(c) {
			shown.Until = time.Time{}
		}
		out.Running = append(out.Running, shown)
		waits(c)
	}
	out.Unknown = p.opt.Forecast.UnknownMethods(append(slices.Collect(maps.Keys(p.running)), left...))
	out.Until = in(p.opt.Forecast.Wall(left, running, places))
	if ends := out.Begun.Add(p.opt.Budget); p.opt.Budget > 0 && ends.Before(out.Until) {
		out.Until = ends
	}
	return out
}

// state changes whenever the progress does.
func (p *Progress) state() string {
	var workers []store.Worker
	if p.opt.Remote != nil {
		workers = p.opt.Remote.Workers()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprint(p.changes, workers)
}

// keep keeps the database's copy up to date until end is called.
func (p *Progress) keep(ctx context.Context, to *store.Registration) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var written sync.WaitGroup
	written.Go(func() { p.write(ctx, to) })
	return func() {
		cancel()
		written.Wait()
	}
}

// pause returns the time until the next write. A plan of a hundred thousand cells takes a while to predict, and another
// program may hold the database; yet a run that writes too rarely is taken for dead on other machines.
func pause(took time.Duration) time.Duration { return min(store.BeatEvery, max(writeEvery, 20*took)) }

// write writes to the database until ctx is done. Where that fails, the next time follows.
func (p *Progress) write(ctx context.Context, to *store.Registration) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	last, written := "", time.Time{}
	for {
		if state := p.state(); state != last || time.Since(written) >= store.BeatEvery {
			began := time.Now()
			if to.Write(ctx, p.Now()) == nil {
				last = state
			}
			written = time.Now()
			tick.Reset(pause(written.Sub(began)))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
