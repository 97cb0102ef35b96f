package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/harness"
)

// interrupts delivers the signals that ask the program to end: Ctrl-C, SIGTERM, a
// terminal that is closed (unless nohup says that this is to be ignored), and a pipe
// behind standard error or output that nobody reads any more, and the end of the processor time
// that the program may use, which is as a SIGTERM. The system sends SIGPIPE also
// when the program writes to a network connection that its peer has closed; the program then
// continues.
func interrupts() (<-chan os.Signal, func()) {
	ch, asked := make(chan os.Signal, 8), make(chan os.Signal, 8)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE, timeUp)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(ch, syscall.SIGHUP)
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case sig := <-ch:
				if sig == timeUp {
					sig = syscall.SIGTERM
				}
				if sig != syscall.SIGPIPE || outputGone() {
					select {
					case asked <- sig:
					default: // as many wait to be heard
					}
				}
			case <-over:
				return
			}
		}
	}()
	return asked, sync.OnceFunc(func() {
		signal.Stop(ch)
		close(over)
	})
}

// After a SIGTERM running cells may finish for a while. Then they are stopped, and results that cannot be stored are
// given up, since the sender of SIGTERM soon kills the program.
const (
	termFinish  = 5 * time.Second
	termAbandon = 10 * time.Second
)

// A stopping ends a run in steps, one step for each interrupt.
type stopping struct {
	tell            func(line string) // nil for standard error
	first           string            // what the first interrupt says
	harness.Control                   // whose Waiting may be nil, where nothing waits to be stored
}

// handleSignals takes the steps until ctx is done.
func handleSignals(ctx context.Context, a *app, s stopping) {
	signals, done := a.signals()
	if s.tell == nil {
		s.tell = func(line string) { fmt.Fprintln(a.err, line) }
	}
	go func() {
		defer done()
		s.steps(ctx, signals)
	}()
}

func (s *stopping) steps(ctx context.Context, signals <-chan os.Signal) {
	var hurry <-chan time.Time
	for step := 0; step < 3; step++ {
		select {
		case sig := <-signals:
			if step > 0 && (sig == syscall.SIGPIPE || sig == syscall.SIGHUP) {
				// The system sends SIGPIPE for every line that the program writes to a closed pipe. So a second
				// SIGPIPE is no second interrupt by the user.
				step--
				continue
			}
			if sig == syscall.SIGTERM && hurry == nil {
				hurry = time.After(termFinish)
			}
		case <-hurry:
			hurry = time.After(termAbandon)
		case <-ctx.Done():
			return
		}
		switch step {
		case 0:
			s.tell(s.first)
			s.Stop()
		case 1:
			s.Cancel()
			if s.Waiting == nil {
				continue
			}
			if n := s.Waiting(); n > 0 {
				s.tell("stopping at once; not stored yet: " + plural(n, "finished result") + ", interrupt again to " +
					"give up")
			}
		case 2:
			s.Abandon()
		}
	}
}
