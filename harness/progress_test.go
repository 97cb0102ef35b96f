package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// A lab is another machine. It says that it computes cell "away".
type lab struct{ schedule.Remote }

func (lab) Rooms() []schedule.Room { return []schedule.Room{{Slots: 3}} }
func (lab) Workers() []store.Worker {
	return []store.Worker{{Name: "lab", Jobs: 3, Keys: []string{"away"}}}
}

// TestProgress: a run says which cells are being computed and by whom, what is left and until when, by its own
// forecast.
func TestProgress(t *testing.T) {
	cell := func(key string, seconds float64) *plan.Cell {
		c := &plan.Cell{Cell: runner.Cell{Method: key, Dataset: "d", Split: 1}}
		c.Spec = runner.CellSpec{Key: key, Cell: c.Cell, Cost: seconds * 1e9}
		return c
	}
	here, away, back, canary, again := cell("here", 100), cell("away", 50), cell("back", 300), cell("canary", 1),
		cell("again", 1)
	canary.Spec.Canary, again.Attempt = &runner.Canary{}, 7
	opt := schedule.Options{Jobs: 1, Remote: lab{}, Forecast: plan.NewForecast(nil)}
	p := NewProgress(&plan.Plan{Cells: []*plan.Cell{here, away, back, canary, again}}, opt, "p", "`bench worker`")
	before := p.state()
	p.Hear(schedule.Event{Kind: schedule.Started, Cell: here})
	p.Hear(schedule.Event{Kind: schedule.Started, Cell: away, Room: "r"})
	p.Hear(schedule.Event{Kind: schedule.Started, Cell: back, Room: "r"})
	p.Hear(schedule.Event{Kind: schedule.Started, Cell: canary, Room: "r"})
	if p.state() == before {
		t.Error("there is nothing new to say")
	}
	says := func(want string) {
		t.Helper()
		now := time.Now()
		s := p.Now()
		seconds := func(at time.Time) float64 { return at.Sub(now).Round(time.Second).Seconds() }
		text := fmt.Sprint(s.Protocol, " ", s.Join, " ", s.Planned, s.Ended, s.Failed, s.Left, seconds(s.Until))
		var running []string
		for _, c := range s.Running {
			running = append(running, fmt.Sprint("; ", c.Name, " ", strings.Replace(c.By, s.Machine, "HERE", 1), " ",
				seconds(c.Until)))
		}
		slices.Sort(running)
		if text += strings.Join(running, ""); text != want {
			t.Errorf("it says %s\nwant %s", text, want)
		}
	}
	says("p `bench worker` 5 0 0 map[d:3] 300; away on d, split 1 lab 50; back on d, split 1  300; canary of canary " +
		"on d, split 1  1; here on d, split 1 HERE 100")
	p.Hear(schedule.Event{Kind: schedule.GivenBack, Cell: back})
	p.Hear(schedule.Event{Kind: schedule.Finished, Cell: here, Run: result.Run{Status: result.OK}})
	p.Hear(schedule.Event{Kind: schedule.Finished, Cell: canary, Run: result.Run{Status: result.Failed}})
	says("p `bench worker` 5 2 1 map[d:2] 300; away on d, split 1 lab 50")
	p.opt.Budget = time.Minute
	says("p `bench worker` 5 2 1 map[d:2] 60; away on d, split 1 lab 50")
}

func session(t *testing.T, db *store.DB, hear func(Event), methods ...registry.Spec) *Session {
	h := newTestHarness(t, methods...)
	return &Session{Experiment: h.Experiment, DB: db, Tell: hear,
		Cells:   func(time.Duration, bool) (runner.Runner, func()) { return h.runner(), func() {} },
		Confirm: func(*plan.Plan, plan.Prediction, schedule.Options) error { return nil }}
}

// TestWritesOfProgress: however long a write takes, because a plan is large or another program holds the database, a
// run shows often enough that it lives.
func TestWritesOfProgress(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: writeEvery, time.Second / 10: 2 * time.Second,
		3 * time.Second: store.BeatEvery} {
		must.Be(t, pause(took), want, fmt.Sprint("time until the write after one of ", took))
	}
}

// TestYardstickOfStoredCells: a run that has nothing to compute stores the yardstick of the machine, which then is that
// of the cells that an earlier program computed there.
func TestYardstickOfStoredCells(t *testing.T) {
	db := openTestDB(t)
	s := session(t, db, func(Event) {}, centroids())
	h := &testHarness{Experiment: s.Experiment}
	req := plan.Request{Splits: []int{1}}
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	known := func() bool {
		cells := must.Get(db.Rows(t.Context(), "test", false))(t)
		return len(cells) > 0 && cells[0].Environment.Yardstick.Known()
	}
	must.Be(t, known(), false, "an environment without a yardstick")
	before := content(t, db)
	must.Be(t, len(must.Get(s.Run(t.Context(), Request{Request: req, Jobs: 1}))(t).Plan.Cells), 0)
	must.Be(t, known(), true)
	must.Be(t, content(t, db), before)
}

// TestUnknownTime: a run says which methods its predictions leave out, until the first cell of each has ended.
func TestUnknownTime(t *testing.T) {
	db := openTestDB(t)
	var progress *Progress
	var unknown []string
	s := session(t, db, func(e Event) {
		switch e := e.(type) {
		case Begins:
			progress = e.Progress
			unknown = progress.Now().Unknown
		}
	}, centroids())
	var asked []plan.Prediction
	s.Confirm = func(_ *plan.Plan, p plan.Prediction, _ schedule.Options) error {
		asked = append(asked, p)
		return nil
	}
	for run, want := range [][]string{{"centroids"}, nil} {
		req := Request{Request: plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2, 3}[:run+1]}, Jobs: 1}
		must.Be(t, must.Get(s.Run(t.Context(), req))(t).Outcome.OK, 1, "cells")
		must.Be(t, unknown, want, "methods of unknown time at the start of run", run)
		must.Be(t, asked[run].Unknown, want, "methods of unknown time in the prediction of run", run)
		must.Be(t, len(progress.Now().Unknown), 0, "methods of unknown time in the end")
	}
	if asked[0].Seconds != 0 || asked[1].Seconds <= 0 {
		t.Errorf("predicted are %v and %v s", asked[0].Seconds, asked[1].Seconds)
	}
}

// TestStoredMeanwhile: what another run stored between planning and registering is not computed again.
func TestStoredMeanwhile(t *testing.T) {
	db := openTestDB(t)
	s := session(t, db, func(Event) {}, nothing(1))
	req := Request{Request: plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2}}, Jobs: 1}
	early := must.Get(Plan(t.Context(), s.Experiment, req.Request, db))(t)
	must.Be(t, len(early.Cells), 2)
	other := req
	other.Splits = req.Splits[:1]
	must.Get(s.Run(t.Context(), other))(t)
	r := must.Get(s.register(t.Context(), early, schedule.Options{Jobs: 1, Forecast: early.Forecast}))(t)
	defer r.Close()
	if len(early.Cells) != 1 || early.Cells[0].Split != 2 || early.Stored != 1 {
		t.Errorf("%d cells are left and %d are stored", len(early.Cells), early.Stored)
	}
}

// TestRunsThatOverlap: a run whose cells another run computes is refused before anything starts. One without a common
// cell runs beside it, and leaves a canary of both to it.
func TestRunsThatOverlap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	open := func() *store.DB {
		db := must.Get(store.Open(t.Context(), path))(t)
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	started, release := make(chan struct{}), make(chan struct{})
	method := func(wait <-chan struct{}) registry.Spec {
		return defineTest("M", func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) {
			<-wait
			return constantModel(1), nil
		})
	}
	over := make(chan struct{})
	close(over)
	request := func(splits ...int) Request {
		return Request{Request: plan.Request{Datasets: []string{"balance"}, Splits: splits}, Jobs: 1}
	}
	first, firstDB := make(chan error, 1), open()
	var out Report
	once := false
	go func() {
		s := session(t, firstDB, func(e Event) {
			if e, is := e.(schedule.Event); is && e.Kind == schedule.Started && !once {
				once = true
				close(started)
			}
		}, method(release))
		s.Join = "`bench worker here`"
		var err error
		out, err = s.Run(context.Background(), request(1, 2))
		first <- err
	}()
	select {
	case <-started:
	case err := <-first:
		t.Fatalf("the first run is over: %v", err)
	}
	db := open()
	var overlap *store.OverlapError
	_, err := session(t, db, func(e Event) { t.Errorf("it says %T", e) }, method(over)).Run(t.Context(), request(2, 3))
	if !errors.As(err, &overlap) || overlap.Cells != 1 || overlap.Run.Join != "`bench worker here`" ||
		overlap.Run.Planned != 3 {
		t.Errorf("one common cell: %v, %+v", err, overlap)
	}
	beside, err := session(t, db, func(Event) {}, method(over)).Run(t.Context(), request(3))
	must.Do(t, err)
	must.Be(t, beside.Outcome.OK, 1, beside.Outcome)
	select {
	case err := <-first:
		t.Fatalf("the first run is over: %v", err)
	default:
	}
	close(release)
	if err := <-first; err != nil || out.Outcome.OK != 2 || out.Outcome.Canaries+beside.Outcome.Canaries != 1 {
		t.Errorf("the first run: %+v, %v, the other one %+v", out.Outcome, err, beside.Outcome)
	}
	if again, err := session(t, db, func(Event) {}, method(over)).Run(t.Context(), request(1, 2, 3)); err != nil ||
		again.Plan.Stored != 3 || len(again.Plan.Cells) != 0 {
		t.Errorf("after both: %+v, %v", again.Plan, err)
	}
}
