package external

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kernelboosting/bench/internal/sandbox"
	"github.com/kernelboosting/bench/registry"
)

// Options say how plugins are run. The zero value is for a program that runs methods itself.
type Options struct {
	// Python runs plugins that end in .py; "" means the variable BENCH_PYTHON, then the file itself
	// if it is executable, then python3.
	Python string
	// Folder is where the private folder of matrices is made; "" means memory where the system shows it
	// as a folder with room and TMPDIR is not set, else the system's folder for temporary files.
	Folder string
	// Fork lets a plugin that can copy its process serve each context by a copy of one that has imported its libraries;
	// the results are the same. Somebody must end this program's descendants with it: no signal reaches copies then.
	Fork bool
	// Idle is how long a process without work and models is kept; 0 means half a minute.
	Idle time.Duration
	// Trace, if not nil, is called with every request before it is sent. It may be called concurrently.
	Trace func(Request)
	// AllowRead are files and folders that the plugin's processes may read beside what its interpreter and its
	// own files are, and Network lets them use the network.
	AllowRead []string
	Network   bool
	// Hidden are files and folders that its processes may not read wherever they lie: databases, data.
	Hidden []string
}

// describing is how long a plugin may take to start, import its libraries and describe itself.
const describing = 2 * time.Minute

// A Plugin is an executable that described itself. It is safe for concurrent use.
type Plugin struct {
	file string // as the user named it
	home string // its folder, absolute
	data string // private folder
	interpreter
	release func() // removes it
	options Options

	described *Description
	first     []byte // the description's JSON: every process must give the same
	hash      string
	spec      registry.Spec

	mu     sync.Mutex
	closed bool
	idle   []*process
	all    map[*process]bool
	leases map[<-chan struct{}]*lease

	forking  sync.Mutex
	warm     *process // that is copied for each context; nil before the first
	forkedAt time.Time
	models   int64 // numbers given so far
}

// Load starts the plugin of a file, asks it to describe itself and returns it. The error is one line.
func Load(ctx context.Context, file string, o Options) (*Plugin, error) {
	p := &Plugin{file: file, options: o, all: map[*process]bool{}, leases: map[<-chan struct{}]*lease{}}
	if err := p.load(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Plugin) load(ctx context.Context) error {
	path, err := filepath.Abs(p.file)
	if err != nil {
		return err
	}
	p.home = filepath.Dir(path)
	if p.interpreter.argv, err = command(path, p.options.Python); err != nil {
		return fmt.Errorf("plugin %s: %w", p.file, err)
	}
	if p.interpreter, err = interpreterOf(p.interpreter.argv); err != nil {
		return fmt.Errorf("plugin %s: %w", p.file, err)
	}
	if p.data, p.release, err = sandbox.NewFolder(cmp.Or(p.options.Folder, os.Getenv(sandbox.FolderVariable))); err != nil {
		return err
	}
	support := filepath.Join(p.data, "python")
	if err := writePython(support); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, describing)
	defer cancel()
	q, err := p.start()
	if err != nil {
		return fmt.Errorf("plugin %w", err)
	}
	p.all[q] = true
	if err := p.describe(ctx, q); err != nil {
		return fmt.Errorf("plugin %w", inOneLine(err))
	}
	if err := p.define(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest(q)
	return nil
}

// inOneLine leaves of what the process said before it ended, such as a trace, the last line.
func inOneLine(err error) error {
	var crash *Crash
	var bad *BadOutput
	switch {
	case errors.As(err, &crash):
		short := *crash
		short.Stderr = lastLine(short.Stderr)
		return &short
	case errors.As(err, &bad):
		short := *bad
		short.Stderr = lastLine(short.Stderr)
		return &short
	}
	return err
}

func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	if strings.Contains(last, "No module named") {
		last += "; install it for the Python that runs plugins, or name another by BENCH_PYTHON"
	}
	return last
}

// describe asks a new process what it is. All processes of a plugin must say the same.
func (p *Plugin) describe(ctx context.Context, q *process) error {
	a, err := q.do(ctx, &Request{Op: "describe", Protocol: &[2]int{oldestProtocol, newestProtocol}})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s: it did not describe itself within %v", p.file, describing)
	}
	if err != nil {
		return err
	}
	if err := a.Description.check(); err != nil {
		return q.bad("describe", err.Error(), "")
	}
	text, err := json.Marshal(a.Description)
	if err != nil {
		return err
	}
	hash, err := p.hashOf(a.Description)
	if err != nil {
		return fmt.Errorf("%s: %w", p.file, err)
	}
	switch {
	case p.described == nil:
		p.described, p.first, p.hash = a.Description, text, hash
	case !bytes.Equal(text, p.first):
		return q.bad("describe", "a second process of the plugin describes itself differently than the first", "")
	case hash != p.hash:
		return q.bad("describe", "the plugin's files changed while it was in use; what is stored stands, run again", "")
	}
	q.used() // what it took to start is no fit's
	return nil
}

// hashOf identifies the plugin: its own file, the files and the versions of libraries that it declares.
func (p *Plugin) hashOf(d *Description) (string, error) {
	sum := sha256.New()
	add := func(name string, r io.Reader) error {
		fmt.Fprintf(sum, "%s\x00", name)
		n, err := io.Copy(sum, r)
		fmt.Fprintf(sum, "\x00%d\x00", n)
		return err
	}
	files := append([]string{filepath.Base(p.file)}, slices.Sorted(slices.Values(d.Files))...)
	for _, name := range files {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.home, name)
		}
		f, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("a file that it declares cannot be read: %w", err)
		}
		err = add(name, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Libraries)) {
		if err := add(name, bytes.NewReader([]byte(d.Libraries[name]))); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

// name is what errors call the plugin.
func (p *Plugin) name() string {
	if p.described == nil {
		return p.file
	}
	return p.described.Name
}

// File returns the plugin's file as it was named.
func (p *Plugin) File() string { return p.file }

// Describes returns what the plugin said of itself.
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

// Ask sends a request that has nothing but its operation and returns the error that is answered.
func (p *Plugin) Ask(ctx context.Context, op string) error {
	q, giveBack, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	_, err = q.do(ctx, &Request{Op: op})
	return err
}

// Close ends the plugin's processes, at once those that are busy, and removes its private folder.
func (p *Plugin) Close() { p.CloseGently(leaving) }

// CloseGently is Close; it returns how many processes did not end by themselves within the given time.
func (p *Plugin) CloseGently(patience time.Duration) (forced int) {
	p.mu.Lock()
	p.closed = true
	all := p.all
	p.all, p.idle = map[*process]bool{}, nil
	p.mu.Unlock()
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
	if p.release != nil {
		p.release()
	}
	return int(count.Load())
}
