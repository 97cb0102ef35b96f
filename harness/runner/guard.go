package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/result"
)

const defaultGrace = 5 * time.Second

// execute runs a cell to its end: ok, failed or timed out. It returns an error only if ctx was cancelled. In
// this case the cell has no result.
func (j *job) execute(ctx context.Context, timeout, grace time.Duration) (result.Run, error) {
	cellCtx, cancel := systemClock.limited(ctx, timeout)
	defer cancel()

	run := j.NewRun()
	if timeout > 0 {
		run.TimeoutSeconds = new(timeout.Seconds())
	}
	work := run // the goroutine's own copy, so that an abandoned goroutine changes no result
	done := make(chan error, 1)
	go func() {
		ended := errGoexit // this value stays if the method ends the goroutine
		defer func() { done <- ended }()
		ended = j.guarded(cellCtx, &work)
	}()

	var err error
	select {
	case err = <-done:
		run = work
	case <-cellCtx.Done():
		waited := make(chan struct{})
		select {
		case err = <-done:
			run = work
		case <-systemClock.passed(waited, grace):
			err = errAbandoned
		}
		close(waited)
	}
	run.Warnings = j.said.all()
	switch {
	case err == nil:
		run.Status = result.OK
	case ctx.Err() != nil:
		return run, ctx.Err()
	case cellCtx.Err() != nil:
		run.Status, run.Class = result.Timeout, result.ClassTimeout
		run.Error = fmt.Sprintf("no result within %v (--timeout)", timeout)
		if errors.Is(err, errAbandoned) {
			run.Error += fmt.Sprintf("; the fit did not stop when asked and was abandoned after %v", grace)
		}
	default:
		run.Status, run.Class = result.Failed, classOf(err)
		run.Error = inLines(err.Error())
	}
	return run, nil
}

var (
	errAbandoned = errors.New("abandoned")
	errGoexit    = crash(errors.New("the method ended its goroutine (runtime.Goexit) instead of returning"))
)

// guarded turns a panic of the method into an error that names the place of the panic.
func (j *job) guarded(ctx context.Context, run *result.Run) (err error) {
	clock := &cpuClock{}
	defer func() {
		if p := recover(); p != nil {
			err = crash(fmt.Errorf("panic: %v%s", p, panicSite(debug.Stack())))
		}
		if counts(j.method) {
			run.CPUSeconds = clock.seconds()
		}
	}()
	clock.measure(func() { err = j.cell(ctx, j.env(clock), run) })
	return err
}

// panicSite returns " at FILE:LINE" of the first frame below the panic.
func panicSite(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+3 < len(lines) {
			site := strings.TrimSpace(lines[i+3])
			if space := strings.LastIndex(site, " +0x"); space > 0 {
				site = site[:space]
			}
			parts := strings.Split(site, "/")
			return " at " + strings.Join(parts[max(0, len(parts)-2):], "/")
		}
	}
	return ""
}
