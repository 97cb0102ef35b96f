package runner

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/registry"
)

// never is longer than any cell: a worker abandons no fit, since its harness ends the worker.
const never = 1 << 62

// Serve is a worker: it runs the cells that the harness asks for, one after another, until the harness closes the pipe.
// cells has the methods and the data. limit is the limit given to [RunKeeper].
func Serve(cells *InProcess, limit int64) error {
	closeOnExec(fdRequests, fdReplies) // methods start processes
	limitSelf(limit)
	requests := strictjson.NewDecoder(os.NewFile(fdRequests, "requests"))
	replies := strictjson.NewEncoder(os.NewFile(fdReplies, "replies"))
	if err := replies.Encode(reply{Ready: true}); err != nil {
		return err
	}
	cells.Grace, cells.below = never, true
	var next, last CellSpec
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
		case q.Prepare != nil:
			next = *q.Prepare
			cells.prepare(context.Background(), next)
			if err := replies.Encode(reply{Ready: true}); err != nil {
				return err
			}
			continue
		}
		if next.Set != last.Set {
			cells.Forget(last)
		}
		last = next
		if err := replies.Encode(cells.serve(last, q.Timeout)); err != nil {
			return err
		}
	}
}

// LargestData is the limit of the data segment of a process with a memory limit. Programs reserve more memory than they
// use.
func LargestData(limit int64) int64 { return 2*limit + 1<<30 }

// serve runs a cell and checks what the cell leaves behind in this process.
func (r *InProcess) serve(c CellSpec, timeout time.Duration) reply {
	r.Timeout = timeout
	spec, _ := r.Method(c) // Run reports a missing method
	guest := spec.Foreign() && !spec.Served()
	if guest {
		if err := r.bind(c); err != nil {
			return reply{Key: c.Key, Error: err.Error()}
		}
	}
	goroutines, before := runtime.NumGoroutine(), childrenUse()
	debug.SetGCPercent(garbage(spec, c))
	returnIdle()
	processes.ResetPeak()
	run, err := r.Run(context.Background(), c)
	out := reply{Key: c.Key, Run: &run}
	var other *versionError
	var method failure
	switch {
	case errors.As(err, &other): // the program's file was replaced during the run
		run = c.NewRun()
		run.Status, run.Class, run.Error = result.Failed, result.ClassBadOutput, oneLine(err.Error())
	case errors.As(err, &method): // a plugin does not start
		run = c.NewRun()
		run.Status, run.Class, run.Error = result.Failed, method.class, oneLine(err.Error())
	case err != nil:
		out.Run, out.Error = nil, err.Error()
	}
	run.Planned = result.Planned{} // the harness has it
	after := childrenUse()
	if run.CPUSeconds != nil {
		*run.CPUSeconds += max(0, (after.cpu - before.cpu).Seconds())
	}
	if peak := processes.Peak(); peak > 0 && counts(spec) {
		children := max(after.living, after.boxed)
		if after.ended > before.ended {
			children = max(children, after.largest)
		}
		peak += children
		run.PeakRSSBytes = &peak
	}
	switch {
	case guest: // the method might remember this cell
		out.Retire = true
	case spec.Served():
		if r.Settle != nil {
			r.Settle(r.base(c))
		}
		out.Retire = leftBehind()
	default:
		out.Retire = processes.HasChildren() || !returnsTo(goroutines)
	}
	return out
}

// counts reports whether the time and memory of all processes of a method are known here.
func counts(spec registry.Spec) bool { return !spec.Served() || sandbox.Counts() }

// garbage is how much garbage the heap of a worker may hold during a cell, in per cent of what is in use. The heap of a
// plugin's worker holds copies of the rows and nothing of the method. As long as the rows are few, the collector would
// take more processor time than all else that the worker does, and what it saves would be little memory.
func garbage(spec registry.Spec, c CellSpec) int {
	const few = 2 << 20
	if spec.Served() && 8*(c.Train+c.Test)*c.Shape.D <= few {
		return 400
	}
	return 100
}

// bind restricts this process to what a method of another module may do, after it has read the data of the cell. Such a
// method may read the system's files and the files that the user allowed, and may write to the worker's folder.
func (r *InProcess) bind(c CellSpec) error {
	if r.load(context.Background(), c).err != nil {
		return nil // Run reports the error, and no code of the method runs
	}
	folder := os.Getenv(sandbox.FolderVariable)
	variables := sandbox.Environment(os.Environ(), folder)
	os.Clearenv()
	for _, each := range variables {
		name, value, _ := strings.Cut(each, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	policy := r.Guests
	read, use := sandbox.System()
	policy.Read, policy.Use, policy.Write = append(append(read, "/proc/self"), policy.Read...), use, []string{folder}
	policy.Never = sandbox.Never()
	rules, err := policy.Rules()
	if err != nil {
		return err
	}
	defer rules.Close()
	return rules.BindProcess()
}

// A childUse is the time and memory of the processes below this one.
type childUse struct {
	cpu     time.Duration // of all processes
	ended   time.Duration // of processes that have ended
	living  int64         // most resident bytes of living processes
	largest int64         // resident bytes of the largest process that has ended
	boxed   int64         // the same of processes in sandboxes that have ended since the last look
}

// returnsTo reports whether the number of goroutines soon falls back to what it was. A goroutine that a method left
// running may use a core that the next cell needs.
func returnsTo(goroutines int) bool {
	for range 20 {
		if runtime.NumGoroutine() <= goroutines {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
