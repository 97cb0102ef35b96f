package harness

import (
	"context"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
)

// sleeps is a runner whose cells take their time and nothing else.
type sleeps time.Duration

func (s sleeps) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) {
	time.Sleep(time.Duration(s))
	run := c.NewRun()
	run.Status, run.SearchSeconds = result.OK, time.Duration(s).Seconds()
	n, quarter := 100, 25
	right := 2 * quarter
	run.Score = result.Score{N: n, Correct: &right, TN: &quarter, FP: &quarter, FN: &quarter, TP: &quarter}
	only := 0
	run.Selected, run.TestRows = &only, n
	return run, nil
}

// BenchmarkWorkers runs cells that only sleep on workers of this process, from the plan into the file. busy is the part
// of the workers' time that they slept.
func BenchmarkWorkers(b *testing.B) {
	for _, each := range []struct {
		name    string
		workers int
		takes   time.Duration
	}{{"8 workers, cells of 1 ms", 8, time.Millisecond}, {"2 workers, cells of 1 s", 2, time.Second}} {
		b.Run(each.name, func(b *testing.B) { benchmarkWorkers(b, each.workers, each.takes) })
	}
}

func benchmarkWorkers(b *testing.B, workers int, takes time.Duration) {
	h, db := newTestHarness(b, nothing(1)), openTestDB(b)
	req := plan.Request{Datasets: []string{"two-moons"}}
	for i := range b.N {
		req.Splits = append(req.Splits, i+1)
	}
	todo := must.Get(h.Plan(b.Context(), req, nil, plan.NewForecast(nil)))(b)
	p := must.Get(remote.Listen(remote.Options{Address: "127.0.0.1:0", Folder: b.TempDir()}))(b)
	defer p.Close(true)
	for range workers {
		go func() {
			err := remote.Serve(b.Context(), p.URL, remote.WorkerOptions{
				Machine: "test", Jobs: 1, Environment: environment.Current(), Check: func(runner.CellSpec) error {
					return nil
				},
				Cells: func(time.Duration) runner.Runner { return sleeps(takes) },
				Data:  h.Data,
			})
			if err != nil && b.Context().Err() == nil {
				b.Error(err)
			}
		}()
	}
	for places := 0; places < workers; {
		<-p.Changed()
		places = 0
		for _, r := range p.Rooms() {
			places += r.Slots
		}
	}
	w := db.NewWriter(environment.Current(), nil)
	registered := register(b, db, todo.Cells)
	b.ResetTimer()
	began := time.Now()
	opt := schedule.Options{Forecast: todo.Forecast, Remote: p, Begin: registered.Begin, Ready: w.Ready}
	out, err := schedule.Run(b.Context(), nil, nil, todo.Cells, opt, w.Put)
	if err == nil {
		err = w.Close()
	}
	if err != nil || out.OK != b.N {
		b.Fatalf("%+v, %v", out, err)
	}
	took := time.Since(began)
	b.ReportMetric(float64(b.N)/took.Seconds(), "stored/s")
	b.ReportMetric(100*float64(b.N)*takes.Seconds()/(float64(workers)*took.Seconds()), "%busy")
}
