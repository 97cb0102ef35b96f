package harness

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// forges is a runner whose results are possible and wrong: scores twice as large, which decide the same labels.
type forges struct{ runner.Runner }

func (f forges) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) {
	r, err := f.Runner.Run(ctx, c)
	if err != nil || r.Status != result.OK {
		return r, err
	}
	r.Scores = slices.Clone(r.Scores)
	for i := range r.Scores {
		r.Scores[i] *= 2
	}
	r.ScoresHash = result.HashScores(r.Scores)
	return r, nil
}

// waits is a runner that runs no cell before a channel is closed.
type waits struct {
	runner.Runner
	until <-chan struct{}
}

func (w waits) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) {
	<-w.until
	return w.Runner.Run(ctx, c)
}

// closes is a runner that closes a channel when it runs its first cell.
type closes struct {
	runner.Runner
	first func()
}

func (c closes) Run(ctx context.Context, cell runner.CellSpec) (result.Run, error) {
	c.first()
	return c.Runner.Run(ctx, cell)
}

// TestForgedResultsAreWithdrawn: of two workers one forges. It is named, gets no more cells, and all that it computed
// is withdrawn; the same request then stores what one process stores.
func TestForgedResultsAreWithdrawn(t *testing.T) {
	h, alone, db := newTestHarness(t, centroids()), openTestDB(t), openTestDB(t)
	h.Keep = runner.KeepScores
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2, 3, 4, 5, 6, 7, 8}}
	runAll(t, h, alone, req, schedule.Options{Jobs: 2}, nil)
	known := plan.Request{Datasets: req.Datasets, Splits: req.Splits[:1]} // so that no cell waits for the first one
	runAll(t, h, db, known, schedule.Options{Jobs: 1}, nil)

	p := must.Get(remote.Listen(remote.Options{
		Address: "127.0.0.1:0", Folder: t.TempDir(), Protocol: h.Protocol, Lost: 20 * time.Second,
	}))(t)
	defer p.Close(true)
	began := make(chan struct{}) // the forger has a cell
	ends := map[string]chan error{}
	for name, cells := range map[string]runner.Runner{
		"honest": waits{h.runner(), began},
		"forger": closes{forges{h.runner()}, sync.OnceFunc(func() { close(began) })},
	} {
		end := make(chan error, 1)
		ends[name] = end
		go func() {
			end <- remote.Serve(t.Context(), p.URL, remote.WorkerOptions{
				Machine: name, Jobs: 1, Environment: environment.Current(), Data: h.Data,
				Check: func(runner.CellSpec) error { return nil },
				Cells: func(time.Duration) runner.Runner { return cells },
			})
		}()
	}
	for len(p.Workers()) < 2 {
		<-p.Changed()
	}
	var checks []verify.WorkerCheck
	s := Session{
		Experiment: h.Experiment, DB: db, Remote: p, Share: 1,
		Confirm: func(*plan.Plan, plan.Prediction, schedule.Options) error { return nil },
		Cells:   func(time.Duration, bool) (runner.Runner, func()) { return h.runner(), func() {} },
		Tell: func(e Event) {
			if c, ok := e.(CheckedWorkers); ok {
				checks = append(checks, c...)
			}
		},
	}
	first := must.Get(s.Run(t.Context(), Request{Request: req}))(t)
	forged := slices.IndexFunc(checks, func(c verify.WorkerCheck) bool { return c.Differs != nil })
	if forged < 0 || checks[forged].Worker != "forger" || first.Withdrawn != len(checks[forged].Cells) {
		t.Fatalf("%d withdrawn, %+v", first.Withdrawn, checks)
	}
	must.Hold(t, checks[forged].Why().Error(), "is not the one that is computed here: bits of the test scores: ")
	stay := must.Get(db.Keys(t.Context()))(t)
	for _, c := range checks[forged].Cells {
		if _, there := stay[c.Spec.Key]; there {
			t.Errorf("%s stays", c.Cell)
		}
	}
	second := must.Get(s.Run(t.Context(), Request{Request: req}))(t)
	must.Be(t, second.Withdrawn, 0, second.Outcome)
	must.Be(t, content(t, db), content(t, alone), second.Outcome)
	for _, c := range checks {
		if c.Worker == "honest" && (c.Differs != nil || c.Checked != c.Comparable) {
			t.Errorf("%+v", c)
		}
	}
	must.Be(t, p.Expelled(), []string{"forger"})
	err := <-ends["forger"] // hears that it is expelled when it says next that it lives
	if gone := (*remote.ExpelledError)(nil); !errors.As(err, &gone) {
		t.Errorf("the forger ends with %v", err)
	}
	p.Close(true)
	must.Do(t, <-ends["honest"])
}

// TestWhatAShareFinds counts how often a part of 2,000 results finds that a share of them is forged: at least as often
// as the program says, 99 of 100 times.
func TestWhatAShareFinds(t *testing.T) {
	testenv.OnlyThorough(t)
	const cells, draws = 2000, 4000
	random := rand.New(rand.NewPCG(1, 2))
	for _, checked := range []int{20, 90, 100, 400} {
		share := verify.WorkerCheck{Checked: checked}.Finds()
		forged := int(math.Ceil(share * cells))
		found := 0
		for range draws {
			for _, i := range random.Perm(cells)[:checked] {
				if i < forged {
					found++
					break
				}
			}
		}
		if rate := float64(found) / draws; rate < 0.985 { // three standard errors below 0.99
			t.Errorf("%d checked of %d with %d forged: found in %.3f", checked, cells, forged, rate)
		}
	}
	if five := (verify.WorkerCheck{Checked: 90}).Finds(); five > 0.05 {
		t.Errorf("90 checked results find a share of %.3f", five)
	}
}
