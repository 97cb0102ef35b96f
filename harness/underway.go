package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// An underway knows the progress of a run, for onlookers (`bench status --watch`, `bench serve`).
type underway struct {
	opt  schedule.Options
	told store.Told

	mu      sync.Mutex
	running map[string]store.CellUnder // by key
}

// show begins to write the progress of a run to the database. It returns options whose functions also note that progress.
func show(claims *store.Claims, todo *plan.Plan, opt schedule.Options) schedule.Options {
	if len(todo.Cells) == 0 {
		return opt
	}
	machine, _ := os.Hostname()
	u := &underway{opt: opt, running: map[string]store.CellUnder{}, told: store.Told{
		Machine: fmt.Sprintf("%s/%d", machine, os.Getpid()), Begun: time.Now().UTC(), Jobs: opt.Jobs, MaxCell: opt.Limits.MaxCell,
	}}
	if opt.Budget > 0 {
		u.told.Ends = u.told.Begun.Add(opt.Budget)
	}
	var cells []store.PlannedCell
	for _, c := range todo.Cells {
		cells = append(cells, c.Shown())
	}
	claims.Show(cells, u.now)
	started, finished := opt.Started, opt.Finished
	opt.Started = func(c *plan.Cell) {
		u.begins(c.Spec.Key, false)
		started(c)
	}
	opt.Finished = func(c *plan.Cell, r result.Run) {
		u.ends(c.Spec.Key)
		finished(c, r)
	}
	if opt.Remote != nil {
		opt.Remote = remoteShown{opt.Remote, u}
	}
	return opt
}

func (u *underway) begins(key string, away bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running[key] = store.CellUnder{Key: key, Since: time.Now().UTC(), Away: away}
}

func (u *underway) ends(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.running, key)
}

// now returns the run's progress. The cells that have been running longest come first.
func (u *underway) now() store.Told {
	out := u.told
	out.Places = u.opt.Places()
	if known, ok := u.opt.Remote.(interface{ Workers() []schedule.Worker }); ok {
		for _, w := range known.Workers() {
			out.Workers = append(out.Workers, store.Worker(w))
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, c := range u.running {
		out.Running = append(out.Running, c)
	}
	slices.SortFunc(out.Running, func(a, b store.CellUnder) int { return a.Since.Compare(b.Since) })
	return out
}

// remoteShown is a Remote that also notes which cells other machines run, and which they give back.
type remoteShown struct {
	schedule.Remote
	u *underway
}

func (r remoteShown) RunIn(ctx context.Context, room string, c runner.CellSpec) (result.Run, error) {
	r.u.begins(c.Key, true)
	run, err := r.Remote.RunIn(ctx, room, c)
	if errors.Is(err, schedule.ErrGivenBack) {
		r.u.ends(c.Key)
	}
	return run, err
}
