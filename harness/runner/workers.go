package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/scarcity"
	"github.com/kernelboosting/bench/internal/wording"
)

// Workers runs each cell in a worker: a process in a group of its own. A worker runs cells one after another until one
// fails or may leave state behind. So whatever a method does to its process harms only its own cell. Workers must be
// closed.
type Workers struct {
	Args    []string      // arguments with which this program becomes a keeper; the keeper starts the worker
	Timeout time.Duration // per cell; 0 for none
	Memory  int64         // bytes that all processes of one cell may need together; 0 for no limit
	// Grace is the time that a fit has to notice its time limit before its processes are ended; 0 means 1 s.
	Grace time.Duration
	// Ready is the time that a worker has to prepare the method of a cell, such as loading libraries. 0 means 150 s. It
	// is at most Timeout + 10 s.
	Ready time.Duration
	// Adopts says that this process is a subreaper (processes.Adopt): processes whose keeper is gone become its
	// children. Children that no code here waits for are ended.
	Adopts bool

	mu   sync.Mutex
	idle []*worker
}

// readyWithin is longer than the time that a plugin has to describe itself.
const readyWithin = 150 * time.Second

// readyBeyond is how much longer than a cell's time limit the preparation may take.
const readyBeyond = 10 * time.Second

func (r *Workers) readyIn() time.Duration {
	within := cmp.Or(r.Ready, readyWithin)
	if r.Timeout > 0 {
		within = min(within, r.Timeout+readyBeyond)
	}
	return within
}

// workerGrace is the Grace of Workers that set none.
const workerGrace = time.Second

// A fault is an end of a worker that the method did not cause.
type fault struct {
	error
	run *result.Run // stored if the cell fails so twice; nil if a second fault ends the whole run
}

func (f fault) Unwrap() error { return f.error }

// Run implements Runner. If a worker ends for a reason that is not the method's, the cell is run once more, and a
// warning of the run says so.
func (r *Workers) Run(ctx context.Context, c CellSpec) (result.Run, error) {
	run, err := r.once(ctx, c)
	var first, second fault
	switch {
	case err != nil && ctx.Err() != nil:
		return result.Run{}, ctx.Err()
	case !errors.As(err, &first):
		return run, err
	}
	run, err = r.once(ctx, c)
	if errors.As(err, &second) && second.run != nil {
		run, err = *second.run, nil
	}
	run.Warnings = append(run.Warnings, result.Warning{Text: oneLine("run once more, since " + first.Error()),
		Times: 1})
	return run, err
}

func (r *Workers) once(ctx context.Context, c CellSpec) (result.Run, error) {
	if err := ctx.Err(); err != nil {
		return result.Run{}, err
	}
	w := r.take(c)
	if w == nil {
		var err error
		if w, err = startWorker(ctx, r.Args); err != nil {
			err = fmt.Errorf("no worker process could be started for %s: %w", c.Cell, err)
			return result.Run{}, fault{scarcity.Refused(err), nil}
		}
	}
	w.set = c.Set
	start := time.Now()
	a, end := r.call(ctx, w, c)
	took := time.Since(start)
	if end == endWhole && a.Run != nil && a.Run.Status == result.OK && !a.Retire {
		r.mu.Lock()
		r.idle = append(r.idle, w)
		r.mu.Unlock()
	} else {
		w.kill()
	}
	return r.result(ctx, w, c, a, end, took)
}

// take returns an idle worker that holds the cell's data set, else the worker that has been idle longest. It
// returns nil if none is idle.
func (r *Workers) take(c CellSpec) *worker {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.idle) > 0 {
		i := max(0, slices.IndexFunc(r.idle, func(w *worker) bool { return w.set == c.Set }))
		w := r.idle[i]
		r.idle = slices.Delete(r.idle, i, i+1)
		select {
		case <-w.ended: // it ended while it was idle
		default:
			return w
		}
	}
	return nil
}

type callEnd int

const (
	endWhole   callEnd = iota // a reply came
	endGarbled                // something other than a reply came
	endAlone                  // the worker ended
	endLate                   // the worker did not answer in time
	endStopped                // ctx was done
	endUnready                // the worker was not ready for the cell in time
)

func (r *Workers) call(ctx context.Context, w *worker, c CellSpec) (answer, callEnd) {
	// The worker prepares for the cell. This takes none of the cell's time.
	if a, how := w.answer(ctx, request{Prepare: &c}, r.readyIn(), endUnready, func(a reply) bool {
		return a.Ready
	}); how != endWhole {
		return a, how
	}
	w.stderr.Reset()
	w.tell(cellBegins)
	defer w.tell(cellEnds)
	limit := time.Duration(0)
	if r.Timeout > 0 {
		limit = r.Timeout + cmp.Or(r.Grace, workerGrace)
	}
	ours := func(a reply) bool { return a.Key == c.Key }
	return w.answer(ctx, request{Run: true, Timeout: r.Timeout}, limit, endLate, ours)
}

// answer asks a worker and waits for an answer that is right, within a limit of time; 0 is any time.
func (w *worker) answer(ctx context.Context, q request, limit time.Duration, late callEnd,
	right func(reply) bool) (answer, callEnd) {
	go func() { _ = w.ask.Encode(q) }() // an error ends the answers, too
	over := make(chan struct{})
	defer close(over)
	select {
	case a := <-w.replies:
		switch {
		case a.err == nil && right(a.reply):
			return a, endWhole
		case a.err != nil && isEnd(a.err):
			return a, endAlone
		}
		return a, endGarbled
	case <-w.ended: // a process below the worker may still hold the pipe
		return answer{}, endAlone
	case <-systemClock.passed(over, limit):
		return answer{}, late
	case <-ctx.Done():
		return answer{}, endStopped
	}
}

// result turns an answer into the stored run of the cell. Unless the answer is ok, the worker has ended.
func (r *Workers) result(ctx context.Context, w *worker, c CellSpec, a answer, how callEnd,
	took time.Duration) (result.Run, error) {
	if how == endWhole && a.Run == nil {
		return result.Run{}, errors.New(a.Error)
	}
	if ctx.Err() != nil && (how != endWhole || a.Run.Status != result.OK) {
		return result.Run{}, ctx.Err()
	}
	run := c.NewRun()
	if how == endWhole {
		run = c.FilledWith(*a.Run)
	} else {
		run.SearchSeconds = took.Seconds()
		if w.lost == nil {
			run.CPUSeconds, run.PeakRSSBytes = &w.ending.CPUSeconds, &w.ending.PeakBytes
		}
	}
	run.Isolated = true
	if r.Timeout > 0 {
		run.TimeoutSeconds = new(r.Timeout.Seconds())
	}
	if run.Status == result.OK {
		return run, nil
	}
	text := printable(w.stderr.String())
	run.Stderr = kept(text)
	if how == endWhole {
		return run, nil
	}
	run.Status = result.Failed
	switch {
	case how == endLate:
		run.Status, run.Class = result.Timeout, result.ClassTimeout
		run.Error = fmt.Sprintf("no result within %v (--timeout); the fit did not stop when asked and its processes "+
			"were ended", r.Timeout)
	case how == endUnready:
		run.Class, run.Error = result.ClassCrash, fmt.Sprintf("its process was not ready to begin within %v",
			r.readyIn())
	case how == endGarbled:
		run.Class, run.Error = result.ClassBadOutput,
			oneLine(fmt.Sprintf("the answer of the cell's process cannot be read: %v", cmp.Or(a.err, errOtherCell)))
	default:
		return r.died(w, run, text, a.err)
	}
	return run, nil
}

var errOtherCell = errors.New("it is the result of another cell")

// died says how a worker ended in the middle of a cell.
func (r *Workers) died(w *worker, run result.Run, text string, reading error) (result.Run, error) {
	said, _ := reason(text)
	e := w.ending
	run.Class = result.ClassCrash
	switch {
	case w.lost != nil:
		r.endStrays()
		run.Error = oneLine(w.lost.Error())
		return run, fault{w.lost, &run}
	case e.Why == whyMemory:
		run.Class = result.ClassOOM
		run.Error = fmt.Sprintf("its processes needed more than %s (--memory): %s", wording.Bytes(r.Memory),
			wording.Bytes(e.PeakBytes))
	case e.Signal == int(syscall.SIGKILL):
		run.Error = "its process was killed from outside"
		if e.SystemOOM {
			run.Class, run.Error = result.ClassOOM, "the system ended its process, since no memory was left"
		}
		return run, fault{errors.New(run.Error), &run}
	case strings.Contains(text, "runtime: out of memory") || strings.Contains(text, "cannot allocate memory"):
		run.Class, run.Error = result.ClassOOM, oneLine(said)
	case e.Why == whyAsked:
		run.Class, run.Error = result.ClassBadOutput, "its process closed the pipe of its answers"
	case errors.Is(reading, io.ErrUnexpectedEOF) && said == "":
		run.Class, run.Error = result.ClassBadOutput, "its process ended in the middle of its answer, "+endOfProcess(e)
	case said != "":
		run.Error = oneLine(said)
	default:
		run.Error = "its process ended by itself, " + endOfProcess(e)
	}
	if e.Left > 0 {
		run.Error += fmt.Sprintf("; %d of its processes could not be ended", e.Left)
	}
	return run, nil
}

func endOfProcess(e ending) string {
	if e.Signal != 0 {
		return fmt.Sprintf("by signal %d (%v)", e.Signal, syscall.Signal(e.Signal))
	}
	return fmt.Sprintf("with exit code %d", e.Code)
}

// Forget lets idle workers release the data set of a cell.
func (r *Workers) Forget(c CellSpec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.idle {
		if w.set == c.Set {
			_ = w.ask.Encode(request{Forget: &c.Set})
		}
	}
}

// Close ends the idle workers and returns when they and all processes that they started are gone. More
// workers may be started after Close.
func (r *Workers) Close() {
	r.mu.Lock()
	idle := r.idle
	r.idle = nil
	r.mu.Unlock()
	var all sync.WaitGroup
	for _, w := range idle {
		all.Go(w.close)
	}
	all.Wait()
	r.endStrays()
}

func (r *Workers) endStrays() {
	if r.Adopts {
		processes.EndStrays()
	}
}
