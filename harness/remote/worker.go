package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkerOptions says what a worker takes and how it runs cells.
type WorkerOptions struct {
	Machine     string // a name for people
	Jobs        int    // cells at a time; at least 1
	Memory      int64  // bytes that all running cells may need together
	Token       string // for the coordinator; "" means the token in the URL
	Environment result.Environment
	Data        catalogue.Directory
	// Check returns a *runner.Refusal for a cell that this program would run in another way than the coordinator's
	// program.
	Check func(runner.CellSpec) error
	// Cells returns a runner that runs cells within a time limit; 0 is any time. Cells is called once for each limit.
	Cells func(timeout time.Duration) runner.Runner
	// Fetch gets the files of a set into Data. If Fetch fails or is nil, the files come from the coordinator.
	Fetch func(context.Context, *catalogue.Entry) error
	// Install makes a plugin's method known to Check and to runners that Cells returns later. The plugin's files come
	// from the coordinator and lie below the folder Plugins. If Install is nil, the worker takes no plugins.
	Install func(ctx context.Context, file string) error
	Plugins string
	Log     func(format string, a ...any) // may be nil
}

// A worker pulls cells from one coordinator.
type worker struct {
	opt    WorkerOptions
	id     string
	names  names
	nc     *nats.Conn
	js     jetstream.JetStream
	over   chan struct{} // closed when the coordinator says that the run has ended
	once   sync.Once
	places chan struct{}      // one token for each running batch
	queue  jetstream.Consumer // of the group, once the worker has pulled from it

	mu         sync.Mutex
	changed    *sync.Cond // memory or a place is free
	used       int64      // predicted bytes of running cells
	installing sync.Mutex
	installed  map[string]bool // plugins, by the hash of their files
	refuses    map[string]string
	running    map[string]context.CancelFunc // by the task's ID
	runners    map[time.Duration]runner.Runner
	gotten     map[catalogue.Description]*getting
	welcome    welcome
	expelled   string            // why the coordinator takes no more results of this worker
	objects    map[string][]byte // results that the coordinator reads, by name
}

// An ExpelledError says why the coordinator takes no more results of this worker.
type ExpelledError struct{ Why string }

func (e *ExpelledError) Error() string {
	return "the coordinator takes no more results of this worker: " + e.Why
}

// A getting is a set whose files are fetched once.
type getting struct {
	once sync.Once
	err  error
}

// pullWithin is how long one pull waits for a cell. A pull is never given up early, since a cell that arrives then
// would count as lost.
const pullWithin = time.Second

// retryAfter is the pause before a worker repeats what has failed.
const retryAfter = time.Second

// askWithin is how long the coordinator may take to answer.
const askWithin = 10 * time.Second

// Serve runs cells of the coordinator at a URL, nats://[TOKEN@]HOST:PORT[?fingerprint=HEX][&run=ID], or tls://. It
// returns nil when the coordinator says that its run has ended. It also returns nil when ctx is done; then it has given
// its cells back. While no coordinator answers, it waits.
func Serve(ctx context.Context, at string, opt WorkerOptions) error {
	address, dial, run, err := dialOptions(at, opt.Token)
	if err != nil {
		return err
	}
	w := &worker{
		opt: opt, names: names{run}, id: rand.Text(), over: make(chan struct{}), places: make(chan struct{}, opt.Jobs),
		refuses: map[string]string{}, installed: map[string]bool{},
		running: map[string]context.CancelFunc{}, runners: map[time.Duration]runner.Runner{},
		gotten:  map[catalogue.Description]*getting{},
		objects: map[string][]byte{},
	}
	w.changed = sync.NewCond(&w.mu)
	dial = append(dial, nats.CustomInboxPrefix(w.names.inbox("worker."+w.id)), nats.MaxReconnects(-1),
		nats.ReconnectWait(retryAfter), nats.Name(w.id), nats.DisconnectErrHandler(func(_ *nats.Conn,
			err error) {
			if err != nil {
				w.log("the coordinator is gone (%v); waiting for it", err)
			}
		}))
	w.nc, err = nats.Connect(address, dial...)
	switch {
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("the coordinator at %s refuses the token; take the address or the token file of its run: %w",
			address, err)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("the coordinator at %s has a certificate that this machine does not trust; take the whole "+
			"address that its run prints, with ?fingerprint=: %w", address, err)
	case errors.Is(err, errFingerprint):
		return fmt.Errorf("%s: %w", address, err)
	case err != nil:
		return fmt.Errorf("no coordinator answers at %s: %w", address, err)
	}
	defer w.nc.Close()
	if w.js, err = jetstream.New(w.nc); err != nil {
		return err
	}
	for subject, hear := range map[string]nats.MsgHandler{
		w.names.over():          func(*nats.Msg) { w.once.Do(func() { close(w.over) }) },
		w.names.stop():          func(m *nats.Msg) { w.stop(string(m.Data)) },
		w.names.objectsOf(w.id): w.give,
	} {
		if _, err := w.nc.Subscribe(subject, hear); err != nil {
			return err
		}
	}
	if err := w.work(ctx); err != nil {
		return err
	}
	if why := w.whyExpelled(); why != "" {
		return &ExpelledError{why}
	}
	return nil
}

func (w *worker) whyExpelled() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.expelled
}

func (w *worker) work(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-w.over:
			end()
		case <-ctx.Done():
		}
	}()
	var cells sync.WaitGroup
	go w.beat(ctx)
	for ctx.Err() == nil {
		select {
		case w.places <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		m := w.pull(ctx)
		if m == nil {
			<-w.places
			continue
		}
		cells.Go(func() {
			defer func() { <-w.places }()
			w.do(ctx, m)
		})
	}
	cells.Wait()
	select {
	case <-w.over:
	default:
		w.sayHello(context.WithoutCancel(ctx), true)
	}
	return nil
}

// pull waits a while for a cell. It returns nil if none came.
func (w *worker) pull(ctx context.Context) jetstream.Msg {
	pause := func() jetstream.Msg {
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
		}
		return nil
	}
	w.mu.Lock()
	name := w.welcome.Consumer
	w.mu.Unlock()
	if name == "" {
		if !w.sayHello(ctx, false) {
			return pause()
		}
		return nil
	}
	var err error
	if w.queue == nil || w.queue.CachedInfo().Name != name {
		w.queue, err = w.js.Consumer(ctx, w.names.stream(), name)
	}
	if err == nil {
		var batch jetstream.MessageBatch
		if batch, err = w.queue.Fetch(1, jetstream.FetchMaxWait(pullWithin)); err == nil {
			if m := <-batch.Messages(); m != nil {
				return m
			}
			err = batch.Error()
		}
	}
	if err != nil && ctx.Err() == nil { // the coordinator may have been started again, and this queue is gone
		w.queue = nil
		w.mu.Lock()
		w.welcome.Consumer = ""
		w.mu.Unlock()
		return pause()
	}
	return nil
}

// sayHello tells the coordinator what this worker takes, and learns its group. It returns false if the
// coordinator does not answer.
func (w *worker) sayHello(ctx context.Context, leaves bool) bool {
	w.mu.Lock()
	h := hello{
		Worker: w.id, Machine: w.opt.Machine, Jobs: w.opt.Jobs, Memory: w.opt.Memory,
		Refuses: maps.Clone(w.refuses), Running: slices.Collect(maps.Keys(w.running)), Leaves: leaves,
	}
	w.mu.Unlock()
	data, err := strictjson.Marshal(h)
	if err != nil || !w.nc.IsConnected() {
		return false
	}
	within, end := context.WithTimeout(ctx, askWithin)
	defer end()
	m, err := w.nc.RequestWithContext(within, w.names.hello(), data)
	if err != nil {
		return false
	}
	var answer welcome
	err = strictjson.UnmarshalOpen(m.Data, &answer)
	if err == nil && answer.Expelled != "" {
		w.mu.Lock()
		w.expelled = answer.Expelled
		w.mu.Unlock()
		w.once.Do(func() { close(w.over) })
	}
	if err != nil || answer.Error != "" || answer.Lost <= 0 {
		return false
	}
	w.mu.Lock()
	w.welcome = answer
	w.mu.Unlock()
	return true
}

func (w *worker) every() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.welcome.Lost == 0 {
		return retryAfter
	}
	return w.welcome.Lost / 4
}

func (w *worker) beat(ctx context.Context) {
	for {
		select {
		case <-time.After(w.every()):
			w.sayHello(ctx, false)
		case <-ctx.Done():
			return
		}
	}
}

// do runs the cells of a message, one after the other, and sends their results.
func (w *worker) do(ctx context.Context, m jetstream.Msg) {
	over := make(chan struct{})
	defer close(over)
	go func() { // heartbeats of this batch, also while its results are sent
		for {
			select {
			case <-time.After(w.every()):
				_ = m.InProgress()
			case <-over:
				return
			}
		}
	}()
	b, err := w.read(ctx, m)
	if err != nil {
		w.log("a cell cannot be read: %v", err)
		_ = m.Nak()
		return
	}
	contexts := make([]context.Context, len(b.Tasks))
	w.mu.Lock()
	for i, t := range b.Tasks {
		var end context.CancelFunc
		contexts[i], end = context.WithCancel(ctx)
		defer end()
		w.running[t.ID] = end
	}
	w.mu.Unlock()
	w.sayHello(ctx, false)
	var ends []done // that are to be sent: at least once a second
	sent := time.Now()
	redelivered := len(b.Tasks) > 1 && delivered(m) > 1
	for i, t := range b.Tasks {
		out := done{ID: t.ID, Key: t.Spec.Key, Machine: w.opt.Machine}
		if redelivered { // run alone, the cells show which one ended the other worker
			out.Alone = true
		} else {
			w.one(contexts[i], t, &out)
		}
		w.mu.Lock()
		delete(w.running, t.ID)
		w.mu.Unlock()
		if ends = append(ends, out); i == len(b.Tasks)-1 || time.Since(sent) > time.Second {
			w.send(ctx, ends)
			ends, sent = nil, time.Now()
		}
	}
	_ = m.Ack()
}

func (w *worker) read(ctx context.Context, m jetstream.Msg) (b batch, err error) {
	if err := strictjson.UnmarshalOpen(m.Data(), &b); err != nil || b.Object == "" {
		return b, err
	}
	var data bytes.Buffer
	if err := copyObject(ctx, &data, w.nc, w.names.object(), b.Object, mostResult); err != nil {
		return b, err
	}
	return b, strictjson.UnmarshalOpen(data.Bytes(), &b)
}

func delivered(m jetstream.Msg) uint64 {
	if about, err := m.Metadata(); err == nil {
		return about.NumDelivered
	}
	return 1
}

func (w *worker) one(ctx context.Context, t task, out *done) {
	run, err := w.run(ctx, t)
	var refused *runner.Refusal
	switch {
	case err == nil:
		run.Environment = &w.opt.Environment
		out.Run = &run
	case ctx.Err() != nil: // the worker stops
	case errors.As(err, &refused):
		w.refuse(ctx, refused.What, strings.TrimPrefix(err.Error(), refused.What+": "))
	default:
		w.refuse(ctx, t.Spec.Cell.Method, err.Error())
	}
}

// run checks a cell, gets its data, waits until memory is free for the cell, and runs it.
func (w *worker) run(ctx context.Context, t task) (result.Run, error) {
	if ctx.Err() != nil {
		return result.Run{}, ctx.Err()
	}
	if err := w.check(ctx, t); err != nil {
		return result.Run{}, err
	}
	if err := w.data(ctx, t.Spec); err != nil {
		return result.Run{}, &runner.Refusal{What: t.Spec.Cell.Dataset, Why: err.Error()}
	}
	w.mu.Lock()
	defer context.AfterFunc(ctx, w.changed.Broadcast)()
	for w.used > 0 && w.opt.Memory > 0 && w.used+t.Spec.Memory > w.opt.Memory && ctx.Err() == nil {
		w.changed.Wait()
	}
	w.used += t.Spec.Memory
	cells := w.runners[t.Timeout]
	if cells == nil {
		cells = w.opt.Cells(t.Timeout)
		w.runners[t.Timeout] = cells
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.used -= t.Spec.Memory
		w.mu.Unlock()
		w.changed.Broadcast()
	}()
	return cells.Run(ctx, t.Spec)
}

// data gets the files of a cell's set, once for all cells of the set.
func (w *worker) data(ctx context.Context, c runner.CellSpec) error {
	w.mu.Lock()
	g := w.gotten[c.Set]
	if g == nil {
		g = &getting{}
		w.gotten[c.Set] = g
	}
	w.mu.Unlock()
	g.once.Do(func() {
		e, err := c.Set.Entry()
		if err == nil {
			err = w.get(ctx, e)
		}
		g.err = err
	})
	return g.err
}

// refuse tells the coordinator that this worker takes no more cells of a method or set.
func (w *worker) refuse(ctx context.Context, what, why string) {
	w.mu.Lock()
	_, known := w.refuses[what]
	w.refuses[what] = why
	w.mu.Unlock()
	if !known {
		w.log("refuses %s: %s", what, why)
	}
	w.sayHello(ctx, false) // before the cell goes back, so that it does not come here again
}

func (w *worker) stop(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if end := w.running[id]; end != nil {
		end()
	}
}

func (w *worker) log(format string, a ...any) {
	if w.opt.Log != nil {
		w.opt.Log(format, a...)
	}
}
