package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/registry"
)

// Options say how plugins are run. The zero value is for a program that runs methods itself.
type Options struct {
	// Python runs plugins that end in .py; "" means the variable BENCH_PYTHON, then the file itself
	// if it is executable, then python3.
	Python string
	// Folder is where the private folder of matrices is made. "" means a folder in memory where the system
	// has one with room and TMPDIR is not set. Otherwise it means the system's folder for temporary files.
	Folder string
	// Fork lets a plugin that can copy its process serve each context by a copy that has imported its
	// libraries. The results are the same. The copies get no signal when this program ends, so another
	// process must end them.
	Fork bool
	// Idle is how long a process without work and models is kept; 0 means half a minute.
	Idle time.Duration
	// Trace, if not nil, is called with every request before it is sent. It may be called concurrently.
	Trace func(Request)
	// Data bounds the data segment of each process, in bytes, on Linux; 0 sets no further bound.
	Data int64
	// AllowRead are files and folders that the plugin's processes may read besides the files of its
	// interpreter and its own files. Network lets them use the network if the plugin says that it needs the
	// network.
	AllowRead []string
	Network   bool
	// Files are the files that the plugin will declare, if not nil. A plugin whose files are not known is started
	// twice: the first process sees its whole folder and declares them, and those after it see these alone.
	Files []string
	// Hidden are files and folders that the plugin's processes may never read, even inside an allowed folder: databases
	// and data.
	Hidden []string
}

// describing is the time that a plugin has to start, import its libraries and describe itself.
const describing = 2 * time.Minute

// asking is the time that an interpreter has to print its paths.
const asking = 30 * time.Second

// A Plugin is an executable with its description. It is safe for concurrent use.
type Plugin struct {
	file    string // as the user named it
	full    string // the same as an absolute path without links
	home    string // its folder
	argv    []string
	options Options

	ready   func() error // makes the fields that follow, once
	launch  launcher
	policy  func() sandbox.Policy // made once
	data    string                // the private folder
	release func()                // removes the private folder

	described *Description
	first     []byte // the JSON of the description; every process must give the same
	hash      string
	sums      map[string]string // hashes of the files, see identify
	spec      registry.Spec

	mu     sync.Mutex
	closed bool
	all    map[*process]bool
	// The free processes of each context, by its Done channel. They end with the context, so that a method cannot
	// remember one cell in the next. Those of nil serve any context, and end when they were idle for a while.
	resting map[<-chan struct{}][]*process
	models  int64 // the last number that a model got

	forking    sync.Mutex
	warm       *process // the process that is copied for each context; nil before the first
	seen       string   // the state of warm when it was stopped, see look
	forkedAt   time.Time
	cannotFork atomic.Bool // its copies would share resources
}

// located returns a plugin with its command line and nothing else.
func located(file string, o Options) (*Plugin, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // for a link, the plugin's files are in the folder of the script to which the link leads
	}
	p := &Plugin{file: file, full: path, home: filepath.Dir(path), options: o, all: map[*process]bool{},
		resting: map[<-chan struct{}][]*process{nil: nil}}
	p.options.Idle = cmp.Or(o.Idle, idleFor)
	p.options.Network = false // until the description says that the plugin needs the network
	p.ready = sync.OnceValue(p.prepare)
	p.policy = sync.OnceValue(p.rights)
	if p.argv, err = command(path, o.Python); err != nil {
		return nil, fmt.Errorf("plugin %s: %w", file, err)
	}
	return p, nil
}

// Load starts the plugin of a file, asks it to describe itself and returns it. The error is one line.
func Load(ctx context.Context, file string, o Options) (*Plugin, error) {
	p, err := located(file, o)
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx, o.Network); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// prepare makes the folder and the files that processes need.
func (p *Plugin) prepare() error {
	data, release, err := sandbox.NewFolder(cmp.Or(p.options.Folder, os.Getenv(sandbox.FolderVariable)))
	if err != nil {
		return err
	}
	if err := os.CopyFS(data, pythonFiles); err != nil {
		release()
		return err
	}
	p.data = data
	launch := p.launcherOf(p.ask)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		release()
		return p.errClosed()
	}
	p.launch, p.release = launch, release
	return nil
}

func (p *Plugin) errClosed() error { return errors.New(p.name() + ": the plugin was closed") }

// load asks the plugin for its description, without the network even if the plugin may use the network later.
func (p *Plugin) load(ctx context.Context, network bool) error {
	q, err := p.another(ctx)
	if err != nil {
		return fmt.Errorf("plugin %w", p.inOneLine(err))
	}
	if err := p.define(); err != nil {
		return err
	}
	_, p.spec.Peak = q.usedByLive()
	p.options.Network = network && p.described.Network
	sawMore := p.options.Files == nil && p.hasMore()
	if !sawMore && !p.options.Network {
		p.rest(q)
		return nil
	}
	p.remove(q) // it has no network, or has seen what does not count for its version
	if !sawMore {
		return nil
	}
	if q, err = p.another(ctx); err != nil {
		return fmt.Errorf("plugin %w", p.inOneLine(err))
	}
	p.rest(q)
	return nil
}

func (p *Plugin) another(ctx context.Context) (*process, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	closed := p.closed // its folder is gone then
	p.mu.Unlock()
	if closed {
		return nil, p.errClosed()
	}
	q, err := p.start()
	if err != nil {
		return nil, err
	}
	if !p.add(q) { // it was closed meanwhile
		q.end(leaving)
		return nil, p.errClosed()
	}
	if err := p.describe(ctx, q); err != nil {
		p.remove(q)
		return nil, err
	}
	return q, nil
}

// Start makes a process ready for the next fit, so that the fit's time does not include the loading of
// libraries.
func (p *Plugin) Start(ctx context.Context) error {
	if p.canFork() {
		return p.warmUp(ctx)
	}
	p.mu.Lock()
	ready := slices.ContainsFunc(p.resting[nil], func(q *process) bool { return q.death() == nil })
	p.mu.Unlock()
	if ready {
		return nil
	}
	q, err := p.another(ctx)
	if err == nil {
		p.rest(q)
	}
	return err
}

// canFork reports whether copies of one process serve the contexts.
func (p *Plugin) canFork() bool {
	return p.options.Fork && p.described.can("fork") && !p.cannotFork.Load()
}

// inOneLine keeps only the last line of what the process wrote before it ended, such as a trace.
func (p *Plugin) inOneLine(err error) error {
	var crash *Crash
	var bad *BadOutput
	if errors.As(err, &crash) {
		crash.Stderr = p.lastLine(crash.Stderr)
	} else if errors.As(err, &bad) {
		bad.Stderr = p.lastLine(bad.Stderr)
	}
	return err
}

func (p *Plugin) lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	if _, name, found := strings.Cut(last, "No module named '"); found && strings.HasSuffix(name, "'") {
		file := strings.TrimSuffix(name, "'") + ".py"
		if _, err := os.Stat(file); err == nil { // the file exists in the current folder
			return last + fmt.Sprintf("; %[1]s is in this folder, and a plugin reads its own: copy %[1]s beside the "+
				"plugin, or let `bench methods new NAME --from %[1]s:CLASS` write the plugin beside %[1]s", file)
		}
		if len(p.argv) == 1 {
			return last + "; install it for the Python of the plugin's first line"
		}
		last += fmt.Sprintf("; install it for the Python that runs plugins (%s) or name another by BENCH_PYTHON",
			p.argv[0])
	}
	return last
}

// ErrNoPlugin is in the error chain of a file that is no plugin: it ended without an error and answered
// nothing.
var ErrNoPlugin = errors.New("it ended without an answer, so it is no plugin")

// describe asks a new process for its description. All processes of a plugin must give the same.
func (p *Plugin) describe(ctx context.Context, q *process) error {
	limited, cancel := context.WithTimeout(ctx, describing)
	defer cancel()
	a, err := q.do(limited, &Request{Op: "describe", Protocol: &[2]int{oldestProtocol, newestProtocol}})
	var ended *Crash
	switch {
	case err != nil && ctx.Err() == nil && limited.Err() != nil:
		return fmt.Errorf("%s: it did not describe itself within %v", p.file, describing)
	case errors.As(err, &ended) && ended.Exit == 0 && p.described == nil:
		return fmt.Errorf("%s: %w", p.file, ErrNoPlugin)
	case err != nil:
		return err
	}
	if err := a.Description.check(); err != nil {
		return q.bad("describe", err.Error(), "")
	}
	text, err := json.Marshal(a.Description)
	if err != nil {
		return err
	}
	hash, sums, err := p.identify(a.Description)
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	switch {
	case p.described == nil:
		p.policy = sync.OnceValue(p.rights) // now with the declared files
		p.described, p.first, p.hash, p.sums = a.Description, text, hash, sums
	case !bytes.Equal(text, p.first):
		return q.bad("describe", "a second process of the plugin describes itself differently than the first", "")
	case hash != p.hash:
		return q.bad("describe", "the plugin's files changed while it was in use; stored results stay, run again", "")
	}
	q.used() // so that the time of the start does not count for the first fit
	return nil
}

func (p *Plugin) name() string {
	if p.described == nil {
		return p.file
	}
	return p.described.Name
}

// Describes returns the plugin's description.
func (p *Plugin) Describes() Description { return *p.described }

// Spec returns the method. It works until Close.
func (p *Plugin) Spec() registry.Spec { return p.spec }

// Processes returns the process ids of the plugin's live processes, in ascending order.
func (p *Plugin) Processes() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []int
	for q := range p.all {
		if q.death() == nil {
			out = append(out, q.pid)
		}
	}
	slices.Sort(out)
	return out
}

// Ask sends a request that consists of an operation alone, and returns the error of its answer.
func (p *Plugin) Ask(ctx context.Context, op string) error {
	q, giveBack, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	_, err = q.do(ctx, &Request{Op: op})
	return err
}

// Close ends the plugin's processes and removes its private folder. Busy processes are ended at once.
func (p *Plugin) Close() { p.CloseGently(leaving) }

// CloseGently is Close with another patience. It returns how many processes did not end by themselves in this
// time.
func (p *Plugin) CloseGently(patience time.Duration) (forced int) {
	p.mu.Lock()
	p.closed = true
	all := p.all
	p.all, p.resting[nil] = map[*process]bool{}, nil
	p.mu.Unlock()
	p.forking.Lock()
	if p.warm != nil {
		p.warm.kill(errOver) // a stopped process cannot end by itself
	}
	p.forking.Unlock()
	var wait sync.WaitGroup
	var count atomic.Int64
	for q := range all {
		wait.Go(func() {
			if !q.end(patience) {
				count.Add(1)
			}
		})
	}
	wait.Wait()
	p.mu.Lock()
	release := p.release
	p.release = nil
	p.mu.Unlock()
	if release != nil {
		release()
	}
	return int(count.Load())
}
