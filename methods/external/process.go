package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
)

// These are the times that a process has to end, also on a busy machine: after it closed its output in the
// middle of a request, and when the program ends. lastWords is the time to read the rest of its standard error.
const (
	closing   = 10 * time.Second
	leaving   = 2 * time.Second
	lastWords = 5 * time.Second
)

// tailSize is the most bytes of a process's standard error that are kept.
const tailSize = 4096

// A process is one running process of a plugin. This program started it, or another process forked it. It
// answers one request at a time.
type process struct {
	plugin  *Plugin
	pid     int
	box     *sandbox.Process // its sandbox, which is also that of its copies
	copied  bool             // another process forked it
	started int64            // start time in the system's units; it distinguishes a later process with the same number
	in      *os.File
	out     *os.File
	errors  *os.File         // its standard error
	copies  map[int]*process // processes that it forked and that are not known to have ended
	lines   *bufio.Reader
	stderr  processes.Tail // the end of its standard error
	folder  *folder
	outcome               // valid once exited is closed
	exited  chan struct{} // closed when the process has ended and was waited for
	silent  chan struct{} // closed when its standard error was read to the end
	turn    chan struct{} // holds a token while no request is being answered

	since   time.Time // when it became idle; guarded by the plugin's lock
	last    int64     // number of the last request
	counted float64   // processor time of the sandbox that was already reported, or that others used before

	mu      sync.Mutex
	dead    error   // why it answers no more requests
	dropped []int64 // models that are no longer needed; the plugin does not know this yet
	models  int     // number of models that the process holds
	served  bool    // it has answered more than describe
	peak    int64   // its largest known resident size
}

// An outcome says how a process ended, and the time that its sandbox used, if it ended with it.
type outcome struct {
	exit    int // -1 where a signal ended it
	signal  string
	seconds float64
}

// newProcess returns a process that pipes connect. wait returns when the process has ended.
func (p *Plugin) newProcess(pid int, box *sandbox.Process, pipes []*os.File, private *folder,
	wait func() outcome) *process {
	in, out, stderr := pipes[0], pipes[1], pipes[2]
	q := &process{
		plugin: p, pid: pid, box: box, copied: pid != box.ID, in: in, out: out, errors: stderr, folder: private,
		lines: bufio.NewReaderSize(out, 1<<16), exited: make(chan struct{}), silent: make(chan struct{}),
		turn:   make(chan struct{}, 1),
		stderr: processes.Tail{Most: tailSize},
	}
	is, _ := processes.Of(pid)
	q.started = is.Started
	q.turn <- struct{}{}
	go func() {
		defer close(q.silent)
		_, _ = io.Copy(&q.stderr, stderr) // to its end, or to the deadline below
		stderr.Close()
	}()
	go func() {
		q.outcome = wait()
		stderr.SetReadDeadline(time.Now().Add(lastWords)) // a child process may still hold standard error open
		close(q.exited)
	}()
	return q
}

func (p *Plugin) start() (*process, error) {
	folder, err := newFolder(p.data)
	if err != nil {
		return nil, err
	}
	c := exec.Command(p.launch.argv[0], p.launch.argv[1:]...)
	c.Dir, c.Env = p.home, p.environment(folder.path)
	apart(c)
	ours, theirs, err := pipes(c)
	if err != nil {
		folder.remove()
		return nil, err
	}
	rights := p.policy()
	rights.Write, rights.Network, rights.Data = []string{folder.path}, p.options.Network, p.options.Data
	box, err := sandbox.Start(c, rights)
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		folder.remove()
		if errors.Is(err, fs.ErrNotExist) && len(p.argv) == 1 {
			err = fmt.Errorf("%w: its first line names a program that is not here, or ends in a carriage return", err)
		}
		return nil, fmt.Errorf("%s cannot be started: %w", p.file, err)
	}
	processes.Keep(c.Process.Pid)
	return p.newProcess(box.ID, box, ours, folder, func() outcome {
		status := box.Wait()
		processes.Release(c.Process.Pid)
		state := c.ProcessState
		return outcome{status.ExitStatus(), signalOf(status), (state.UserTime() + state.SystemTime()).Seconds()}
	}), nil
}

// pipes connects the standard streams of c. ours are the stream to write to and the two streams to read.
func pipes(c *exec.Cmd) (ours, theirs []*os.File, err error) {
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range append(ours, theirs...) {
				f.Close()
			}
			return nil, nil, err
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	ours[0], theirs[0] = theirs[0], ours[0]
	c.Stdin, c.Stdout, c.Stderr = theirs[0], theirs[1], theirs[2]
	return ours, theirs, nil
}

// do sends a request and returns its answer. If ctx ends first the process is ended with it.
func (q *process) do(ctx context.Context, r *Request) (*Answer, error) {
	select {
	case <-q.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { q.turn <- struct{}{} }()
	if err := q.death(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		q.kill(fmt.Errorf("%s: its process was ended with a request whose time was over", q.plugin.name()))
	})
	defer stop()
	a, err := q.exchange(r)
	if ctx.Err() != nil && (err != nil || q.death() != nil) {
		<-q.exited
		return nil, ctx.Err()
	}
	return a, err
}

// exchange writes a line and reads one.
func (q *process) exchange(r *Request) (*Answer, error) {
	if r.rows != nil { // only in our turn, since this removes the file of the previous rows
		var err error
		if r.X, err = q.folder.rows(r.rows); err != nil {
			return nil, q.internalError(err)
		}
	}
	q.last++
	r.ID = q.last
	if r.Drop = q.takeDropped(); q.plugin.options.Trace != nil {
		q.plugin.options.Trace(*r)
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false) // a shell plugin reads names of files unescaped
	if err := encoder.Encode(r); err != nil {
		return nil, err
	}
	if _, err := q.in.Write(line.Bytes()); err != nil {
		return nil, q.ended(r.Op)
	}
	answer, err := readLine(q.lines, maxLine)
	switch {
	case errors.Is(err, errTooLong):
		return nil, q.bad(r.Op, fmt.Sprintf("a line of more than %d MiB", maxLine>>20), string(answer))
	case err != nil:
		return nil, q.ended(r.Op)
	}
	a, err := parseAnswer(answer, r.ID)
	if err != nil {
		return nil, q.bad(r.Op, err.Error(), string(answer))
	}
	if a.Error != nil {
		said := q.plain(q.plugin.hinted(*a.Error))
		return a, &MethodError{Plugin: q.plugin.name(), During: r.Op, Message: short(said, 2000),
			Trace: ending(q.plain(a.Trace), 2000)}
	}
	return a, nil
}

var errTooLong = errors.New("the line is too long")

// readLine reads to the end of a line. It returns the beginning of a line that is longer than most bytes.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > most:
			return line[:min(len(line), 1000)], errTooLong
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// ended returns the error of a process that closed its streams during a request. Half a line before the end
// counts as no answer.
func (q *process) ended(op string) error {
	if dead := q.death(); dead != nil {
		return dead
	}
	select {
	case <-q.exited:
	case <-time.After(closing):
		return q.bad(op, "the plugin closed its standard output or input and went on running", "")
	}
	<-q.silent
	crash := &Crash{Plugin: q.plugin.name(), During: op, Exit: q.outcome.exit, Signal: q.outcome.signal,
		Stderr: q.stderrEnd()}
	q.kill(crash)
	return crash
}

// stderrEnd is the end of the standard error of the process, beginning with a whole character.
func (q *process) stderrEnd() string {
	return q.plain(q.plugin.hinted(ending(q.stderr.String(), tailSize-1)))
}

// bad ends a process whose answers can no longer be trusted.
func (q *process) bad(op, what, line string) error {
	err := &BadOutput{Plugin: q.plugin.name(), During: op, What: what, Line: short(q.plain(short(line, 1000)), 200)}
	q.kill(err)
	<-q.exited
	<-q.silent
	err.Stderr = q.stderrEnd()
	return err
}

// kill ends the process and all processes that it started, and notes the reason. It returns when the process
// has ended, unless the system cannot end it.
func (q *process) kill(why error) {
	q.mu.Lock()
	first := q.dead == nil
	if first {
		q.dead = why
	}
	q.mu.Unlock()
	if !first {
		return
	}
	root := q.box.Process.Pid
	if q.copied {
		root = q.pid
	}
	// otherwise the number belongs to another process by now
	if is, there := processes.Of(q.pid); !there || is.Started == q.started {
		if q.over() {
			killGroup(root)
		} else {
			killTree(root)
		}
	}
	if q.copied {
		for left := q.orphans(); len(left) > 0; left = q.orphans() {
			for _, id := range left {
				killTree(id)
			}
		}
	}
	q.in.Close()
	q.out.Close()
	q.awaitEnd()
	q.folder.remove()
}

func (q *process) over() bool {
	select {
	case <-q.exited:
		return true
	default:
		return false
	}
}

// awaitEnd waits for the end of a process that was killed, for a limited time.
func (q *process) awaitEnd() {
	select {
	case <-q.exited:
	case <-time.After(closing):
	}
}

func (q *process) death() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dead
}

// end lets the process end by itself, which it does at the end of its input, and kills it if this takes
// longer than patience. It reports whether the process ended by itself, or had ended before.
func (q *process) end(patience time.Duration) (byItself bool) {
	byItself = q.death() != nil
	select { // do not wait for a busy process
	case <-q.turn:
		q.in.Close()
		select {
		case <-q.exited:
			byItself = true
		case <-time.After(patience):
		}
	default:
	}
	q.kill(fmt.Errorf("%s: its process has ended", q.plugin.name()))
	<-q.exited
	return byItself
}

// used returns the processor time in seconds since the last call, and the largest resident size in bytes.
func (q *process) used() (seconds float64, most int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	total, peak := q.usedByLive()
	peak += processes.WrittenBelow(q.folder.path)
	if q.over() && !q.copied {
		total = q.outcome.seconds
	}
	q.peak = max(q.peak, peak)
	seconds = max(0, total-q.counted)
	q.counted += seconds
	return seconds, q.peak
}

// drop notes that a model is no longer needed. The next request tells the plugin.
func (q *process) drop(model int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped = append(q.dropped, model)
	q.models--
}

func (q *process) takeDropped() []int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.dropped
	q.dropped = nil
	return out
}

// read opens a file that the plugin wrote. It refuses links and everything else that may be in its place: the
// plugin does not choose what this program reads.
func (q *process) read(op, name string, use func(r io.Reader) error) error {
	f, err := q.folder.open(name)
	if err != nil {
		return &BadOutput{Plugin: q.plugin.name(), During: op,
			What: fmt.Sprintf("the file that it was asked to write is not there (%s)", q.plain(err.Error()))}
	}
	defer f.Close()
	if err := use(bufio.NewReaderSize(f, 1<<16)); err != nil {
		return &BadOutput{Plugin: q.plugin.name(), During: op, What: q.plain(err.Error()), Stderr: ""}
	}
	return nil
}
