package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/processes"
)

// never is longer than any cell: a worker waits for its fits, and its harness does not.
const never = 1 << 62

// Serve is a worker: it runs the cells that the harness asks for, one after another, until it asks
// no more. cells has the methods and the data; limit is as for [RunKeeper].
func Serve(cells *InProcess, limit int64) error {
	closeOnExec(fdRequests, fdReplies) // methods start processes
	limitSelf(limit)
	requests := json.NewDecoder(os.NewFile(fdRequests, "requests"))
	replies := sender(os.NewFile(fdReplies, "replies"))
	if err := replies.Encode(reply{Ready: true, ID: os.Getpid()}); err != nil {
		return err
	}
	cells.Grace, cells.below = never, true
	var last CellSpec
	for {
		var q request
		switch err := requests.Decode(&q); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case q.Forget != nil:
			cells.Forget(CellSpec{Set: *q.Forget})
			continue
		}
		if q.Cell.Set != last.Set {
			cells.Forget(last)
		}
		last = *q.Cell
		if err := replies.Encode(cells.serve(last, q.Timeout)); err != nil {
			return err
		}
	}
}

// serve runs a cell and looks at what it leaves behind.
func (r *InProcess) serve(c CellSpec, timeout time.Duration) reply {
	r.Timeout = timeout
	spec, _ := r.Method(c) // Run says if there is none
	goroutines, before := runtime.NumGoroutine(), childrenUse()
	processes.ResetPeak()
	run, err := r.Run(context.Background(), c)
	out := reply{Key: c.Key, Run: &run}
	var other *versionError
	switch {
	case errors.As(err, &other): // a program that was changed while the run is under way
		run = c.NewRun()
		run.Status, run.Class, run.Error = store.Failed, store.ClassBadOutput, oneLine(err.Error())
	case err != nil:
		out.Run, out.Error = nil, err.Error()
	}
	after := childrenUse()
	if run.CPUSeconds != nil {
		*run.CPUSeconds += max(0, (after.cpu - before.cpu).Seconds())
	}
	if peak := processes.Peak(); peak > 0 {
		children := after.living
		if after.ended > before.ended {
			children = max(children, after.largest)
		}
		peak += children
		run.PeakRSSBytes = &peak
	}
	if !keepsProcess(spec) {
		out.Retire = processes.HasChildren() || !returnsTo(goroutines)
	}
	return out
}

// A childUse is what the processes below this one use and have used.
type childUse struct {
	cpu     time.Duration // of all
	ended   time.Duration // of those that have ended
	living  int64         // resident bytes of those that are there
	largest int64         // resident bytes of the largest that has ended
}

// returnsTo reports whether no more goroutines than before are left soon: one that a method forgot
// may go on to use a core that the next cell needs.
func returnsTo(goroutines int) bool {
	for range 20 {
		if runtime.NumGoroutine() <= goroutines {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
