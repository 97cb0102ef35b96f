package external

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// forked returns a copy of a warm process, nil where the plugin or its libraries cannot fork. The warm
// process has imported all that the method needs and never sees data, so that a copy begins like a new
// process.
func (p *Plugin) forked(ctx context.Context) (*process, error) {
	if !p.canFork() {
		return nil, nil
	}
	if err := p.warmUp(ctx); err != nil {
		return nil, err
	}
	p.forking.Lock()
	defer p.forking.Unlock()
	if p.warm != nil && p.seen != "" && p.seen != p.warm.look() { // a copy changed the warm process
		p.remove(p.warm)
		p.warm, p.seen = nil, ""
		q, err := p.another(ctx)
		if err != nil {
			return nil, err
		}
		p.warm = q
	}
	warm := p.warm
	if warm == nil {
		return nil, nil
	}
	if !warm.alone() {
		copied := p.seen != ""
		p.warm, p.seen = nil, ""
		p.cannotFork.Store(true)
		if copied { // the warm process is stopped, and a copy may have changed it
			p.remove(warm)
			return nil, nil
		}
		return warm, nil // the warm process has seen no data, so it can serve like a new process
	}
	_ = unix.Kill(warm.pid, unix.SIGCONT)
	q, err := p.copyOf(ctx, warm)
	// While a copy sees data the warm process is stopped.
	if err == nil && q != nil {
		err = warm.stop()
		p.seen = warm.look()
	}
	if q != nil && (err != nil || !p.add(q)) {
		q.kill(errOver)
		return nil, cmp.Or(err, p.errClosed())
	}
	return q, err
}

// warmUp makes a process ready to be copied.
func (p *Plugin) warmUp(ctx context.Context) error {
	p.forking.Lock()
	defer p.forking.Unlock()
	p.forkedAt = time.Now()
	if p.warm != nil && p.warm.death() == nil {
		return nil
	}
	q, err := p.unusedProcess(ctx)
	p.warm, p.seen = q, ""
	return err
}

// unusedProcess returns a process that has served nothing: the process that described the plugin, or a new one.
func (p *Plugin) unusedProcess(ctx context.Context) (*process, error) {
	p.mu.Lock()
	for i, q := range p.resting[nil] {
		if !q.served && q.death() == nil {
			p.resting[nil] = slices.Delete(p.resting[nil], i, i+1)
			p.mu.Unlock()
			return q, nil
		}
	}
	p.mu.Unlock()
	return p.another(ctx)
}

// endIdleWarm ends the warm process when no context has needed it for a while: libraries also take memory while
// idle.
func (p *Plugin) endIdleWarm() {
	p.forking.Lock()
	defer p.forking.Unlock()
	p.mu.Lock()
	busy := len(p.resting) > 1
	p.mu.Unlock()
	if p.warm == nil || busy || time.Since(p.forkedAt) < p.options.Idle {
		return
	}
	p.remove(p.warm)
	p.warm = nil
}

// copyOf asks a warm process for a copy of itself. Named pipes in a folder of the copy's own connect the
// copy.
func (p *Plugin) copyOf(ctx context.Context, warm *process) (*process, error) {
	private, err := warm.folder.below()
	if err != nil {
		return nil, err
	}
	r := &Request{Op: "fork", Folder: private.path, Devices: p.policy().Use}
	var ends []*os.File // our ends of the pipes for requests, answers and standard error
	for _, stream := range []struct {
		name *string
		kind string
		mode int
	}{{&r.In, "in", os.O_RDWR}, {&r.Out, "out", os.O_RDONLY}, {&r.Err, "err", os.O_RDONLY}} {
		*stream.name = filepath.Join(private.path, stream.kind)
		if err == nil {
			err = private.pipe(stream.kind)
		}
		if err == nil {
			var f *os.File
			if f, err = private.root.OpenFile(stream.kind, stream.mode|withoutWaiting, 0); err == nil {
				ends = append(ends, f)
			}
		}
	}
	var a *Answer
	before := processes.Now() - 1
	if err == nil {
		a, err = warm.do(ctx, r)
	}
	if err == nil {
		is, there := processes.ChildCalled(warm.pid, a.Process)
		a.Process = is.ID // in the sandbox it has another number
		if !there || is.Group != is.ID || is.Started < before {
			err = warm.bad("fork", "the answer names no process that was forked for it", "")
		}
	}
	if err != nil {
		for _, f := range ends {
			f.Close()
		}
		private.remove()
		var refused *MethodError
		if errors.As(err, &refused) { // the plugin's libraries do not allow a copy
			return nil, nil
		}
		return nil, err
	}
	q := p.newProcess(a.Process, warm.box, ends, private, func() outcome { return endOf(a.Process) })
	q.counted, _ = q.usedByLive()
	maps.DeleteFunc(warm.copies, func(_ int, old *process) bool { return old.over() })
	if warm.copies == nil {
		warm.copies = map[int]*process{}
	}
	warm.copies[a.Process] = q
	return q, nil
}

func (f *folder) pipe(name string) error {
	at, err := f.root.Open(".")
	if err != nil {
		return err
	}
	defer at.Close()
	return unix.Mkfifoat(int(at.Fd()), name, 0o600)
}

// endOf waits for the end of a copy. The copy is a child of the warm process, which waits for it when the
// next copy is asked for. Until then the system knows how the copy ended.
func endOf(pid int) outcome {
	fd, err := unix.PidfdOpen(pid, 0)
	if err == nil {
		defer unix.Close(fd)
		for {
			if _, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1); !errors.Is(err,
				unix.EINTR) {
				break
			}
		}
	}
	p, there := processes.Of(pid)
	if !there || err != nil {
		// The warm process has already waited for the copy. Only this program ends a copy so early, by SIGKILL.
		return outcome{exit: -1, signal: "SIGKILL"}
	}
	return outcome{exit: p.Status.ExitStatus(), signal: signalOf(p.Status)}
}
