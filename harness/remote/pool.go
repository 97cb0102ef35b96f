package remote

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"
)

// mostLost is the number of workers that may be lost while they run a cell, before the cell is stored as failed.
const mostLost = 2

const defaultLost = 30 * time.Second

// Options says how a [Pool] hands cells out.
type Options struct {
	Address string // HOST:PORT of a server in this process; port 0 is any free one
	Token   string // the token that workers must have; needed for an address that other machines reach
	// Certificate is the server's; an address that other machines reach needs one.
	Certificate *tls.Certificate
	// Folder is an empty folder for the files of the server. Its owner removes it.
	Folder string

	Engine string // URL of a server that runs already, used instead of Address; Token is then for this server
	Run    string // identity of the run at that server: letters, digits and dashes

	Data     catalogue.Directory           // the files that workers may get
	Plugin   func(runner.CellSpec) *Plugin // files of the cell's method; nil for no plugin. A nil function: no plugins
	Protocol *protocol.Protocol            // of the cells; it says which results are refused. Nil checks nothing
	Timeout  time.Duration                 // of a cell; 0 for none
	Lost     time.Duration                 // a worker that is silent for so long is lost; 0 means 30 s
	Log      func(format string, a ...any) // hears of workers that come, leave or refuse something; may be nil
}

// A Pool runs cells on the workers that have come to it. It implements [schedule.Remote]. It is safe for
// concurrent use and must be closed.
type Pool struct {
	URL string // for workers, without the token

	opt   Options
	names names
	// of this coordinator, the end of its groups' queue names, so that late acknowledgements to an earlier coordinator
	// miss them
	era     string
	server  *server.Server // nil with an engine
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	ctx     context.Context // ends with the pool
	end     context.CancelFunc
	changed chan struct{}
	wake    chan struct{} // cells are waiting

	mu       sync.Mutex
	members  map[string]*member // by the worker's identity
	calls    map[string]*call   // by the cell's key
	waiting  map[string][]*call // calls that are not handed out yet, by group
	batches  map[string][]byte  // batches that are larger than a message, by name
	lost     map[string]int     // by the cell's key: how many workers were lost with a batch of this cell alone
	alone    map[string]bool    // by the cell's key: it gets a batch of its own, since a worker was lost with its batch
	results  results
	room     *semaphore.Weighted // bytes for objects that are read from workers
	expelled map[string]string   // why no more is taken from a worker, by its identity
	machines map[string]string   // names for people of the workers that sent results, by their identities
	files    map[string]string   // paths of offered files by SHA-256
	offered  map[catalogue.Description]bool
}

// A call is a cell that RunIn waits for.
type call struct {
	id      string
	spec    runner.CellSpec
	files   *Plugin
	group   string
	in      *message     // nil before it is handed out
	claimed time.Time    // when a worker last said that it runs the cell, at first when it was handed out
	ends    chan callEnd // holds one end
}

// A message is a batch that was handed out.
type message struct {
	seq    uint64 // 0 before it is known
	object string
	cells  int
	left   int // cells that have not ended
}

// A callEnd is a run, or the error that explains why there is none.
type callEnd struct {
	run result.Run
	err error
}

// Listen starts a server, or connects to one, and returns a pool without any worker.
func Listen(opt Options) (*Pool, error) {
	if opt.Lost == 0 {
		opt.Lost = defaultLost
	}
	if opt.Run == "" {
		opt.Run = ownRun
	}
	p := &Pool{
		opt: opt, names: names{opt.Run}, era: rand.Text()[:8], changed: make(chan struct{}, 1),
		wake:    make(chan struct{}, 1),
		members: map[string]*member{}, calls: map[string]*call{}, waiting: map[string][]*call{},
		batches: map[string][]byte{}, room: semaphore.NewWeighted(mostRead),
		lost: map[string]int{}, alone: map[string]bool{}, results: newResults(),
		expelled: map[string]string{}, machines: map[string]string{},
		files: map[string]string{}, offered: map[catalogue.Description]bool{},
	}
	p.ctx, p.end = context.WithCancel(context.Background())
	err := p.connect()
	if err == nil {
		err = p.open()
	}
	if err != nil {
		p.Close(false)
		return nil, err
	}
	go p.watch()
	go p.handOut()
	return p, nil
}

// open makes what the coordinator and the workers share. It deletes what an earlier coordinator of the run left,
// since the cells of that coordinator are planned again.
func (p *Pool) open() (err error) {
	if p.js, err = jetstream.New(p.nc); err != nil {
		return err
	}
	if _, err := p.nc.Request(p.names.here(), nil, hereWithin); err == nil {
		return fmt.Errorf("another run of the same database is at the server; wait for its end, or take another " +
			"database")
	}
	if err := p.js.DeleteStream(p.ctx, p.names.stream()); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	p.stream, err = p.js.CreateStream(p.ctx, jetstream.StreamConfig{
		Name: p.names.stream(), Subjects: []string{p.names.cells("*")}, Retention: jetstream.WorkQueuePolicy,
		Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return err
	}
	for subject, hear := range map[string]nats.MsgHandler{
		p.names.here():  func(m *nats.Msg) { p.names.respond(m, nil, nil) },
		p.names.hello(): p.hear, p.names.done(): p.finish, p.names.object(): p.give,
		"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + p.names.stream() + ".*": p.exhausted,
	} {
		if _, err := p.nc.Subscribe(subject, hear); err != nil {
			return err
		}
	}
	return p.nc.Flush()
}

// Close ends the server, or removes what belongs to the run from a server that was running already. over tells the
// workers that the run has ended, so that they end, too. Otherwise they wait for a coordinator at the same address.
func (p *Pool) Close(over bool) {
	if p.stream != nil {
		if over {
			_ = p.nc.Publish(p.names.over(), nil)
		}
		_ = p.js.DeleteStream(p.ctx, p.names.stream())
		_ = p.nc.Flush()
	}
	if p.nc != nil {
		p.nc.Close()
	}
	p.end()
	if p.server != nil {
		p.server.Shutdown() // Shutdown first sends what clients are still to get
		p.server.WaitForShutdown()
	}
}

// RunIn implements [schedule.Remote]: it runs a cell on the workers of a group. It returns [schedule.ErrGivenBack] if
// no worker of the group takes the cell at present.
func (p *Pool) RunIn(ctx context.Context, room string, c runner.CellSpec) (result.Run, error) {
	p.offer(c)
	out := &call{id: rand.Text(), spec: c, group: room, ends: make(chan callEnd, 1)}
	if p.opt.Plugin != nil {
		out.files = p.opt.Plugin(c)
	}
	p.mu.Lock()
	p.offerPlugin(out.files)
	if d, there := p.results.unasked[c.Key]; there {
		if run := c.FilledWith(*d.Run); p.fits(c, run) == nil {
			p.results.note(c, d)
			p.mu.Unlock()
			return run, nil
		}
	}
	if p.rooms()[room].Slots == 0 || p.calls[c.Key] != nil {
		p.mu.Unlock()
		return result.Run{}, schedule.ErrGivenBack
	}
	p.calls[c.Key] = out
	p.waiting[room] = append(p.waiting[room], out)
	p.mu.Unlock()
	defer p.forget(out)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	select {
	case end := <-out.ends:
		return end.run, end.err
	case <-ctx.Done():
		_ = p.nc.Publish(p.names.stop(), []byte(out.id))
		return result.Run{}, ctx.Err()
	}
}

// handOut makes batches of the waiting cells. While it sends a batch, new cells gather.
func (p *Pool) handOut() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		waiting, rooms := p.waiting, p.rooms()
		p.waiting = map[string][]*call{}
		p.mu.Unlock()
		for group, calls := range waiting {
			for _, some := range p.bundle(calls, rooms[group].Slots) {
				p.publish(group, some)
			}
		}
	}
}

// bundle divides calls into batches of about a second of work each, but makes enough batches for all places.
func (p *Pool) bundle(calls []*call, places int) (out [][]*call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	share := func(c *call) int {
		if p.alone[c.spec.Key] {
			return schedule.Whole
		}
		return schedule.Share(c.spec)
	}
	sum := 0
	for _, c := range calls {
		sum += share(c)
	}
	most := min(schedule.Second, (sum+places-1)/max(1, places))
	full := most
	for _, c := range calls {
		if full+share(c) > most {
			out, full = append(out, nil), 0
		}
		full += share(c)
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

func (p *Pool) publish(group string, calls []*call) {
	var b batch
	m := &message{}
	p.mu.Lock()
	for _, c := range calls {
		if p.calls[c.spec.Key] == c { // RunIn still waits for it
			c.in = m
			b.Tasks = append(b.Tasks, task{ID: c.id, Spec: c.spec, Timeout: p.opt.Timeout,
				Plugin: c.files})
		}
	}
	m.cells, m.left = len(b.Tasks), len(b.Tasks)
	p.mu.Unlock()
	if m.cells == 0 {
		return
	}
	data, err := strictjson.Marshal(b)
	if err == nil && len(data) > part(p.nc) {
		m.object = rand.Text()
		p.mu.Lock()
		p.batches[m.object] = data
		p.mu.Unlock()
		data, err = strictjson.Marshal(batch{Object: m.object})
	}
	var ack *jetstream.PubAck
	if err == nil {
		ack, err = p.js.Publish(p.ctx, p.names.cells(group), data)
	}
	p.mu.Lock()
	if err != nil {
		for _, c := range calls {
			p.finishCall(c, callEnd{err: fmt.Errorf("%s could not be handed out: %w", c.spec.Cell, err)})
		}
	} else {
		m.seq = ack.Sequence
	}
	p.mu.Unlock()
	p.remove(m)
}

// finishCall ends a call that has not ended; p.mu is held.
func (p *Pool) finishCall(c *call, end callEnd) {
	if p.calls[c.spec.Key] == c {
		delete(p.calls, c.spec.Key)
		c.ends <- end
	}
}

// forget removes a call, and after the last cell of a batch also the batch.
func (p *Pool) forget(c *call) {
	p.mu.Lock()
	if p.calls[c.spec.Key] == c {
		delete(p.calls, c.spec.Key)
	}
	in := c.in
	if in != nil {
		in.left--
	}
	p.mu.Unlock()
	if in != nil {
		p.remove(in)
	}
}

// remove removes a batch that was handed out and whose cells have all ended.
func (p *Pool) remove(m *message) {
	p.mu.Lock()
	seq := m.seq
	if m.left > 0 {
		seq = 0
	} else {
		delete(p.batches, m.object)
	}
	p.mu.Unlock()
	if seq != 0 {
		_ = p.stream.DeleteMsg(p.ctx, seq) // an error means that a worker has acknowledged the message
	}
}

// exhausted handles the server's notice that a batch was delivered as often as allowed, and no worker acknowledged it.
func (p *Pool) exhausted(m *nats.Msg) {
	var advisory struct {
		Sequence uint64 `json:"stream_seq"`
	}
	if strictjson.UnmarshalOpen(m.Data, &advisory) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.in == nil || c.in.seq != advisory.Sequence {
			continue
		}
		if c.in.cells == 1 {
			p.endLost(c)
			continue
		}
		p.alone[c.spec.Key] = true // one of these cells may be to blame
		p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
	}
}

// endLost ends a call: several workers were lost with its cell, so the cell is stored as failed.
func (p *Pool) endLost(c *call) {
	run := c.spec.NewRun()
	run.Status, run.Class = result.Failed, result.ClassCrash
	run.Error = fmt.Sprintf("%d workers were lost while they had this cell; run it again with --retry", mostLost)
	p.finishCall(c, callEnd{run: run})
}

func (p *Pool) log(format string, a ...any) {
	if p.opt.Log != nil && !errors.Is(p.ctx.Err(), context.Canceled) {
		p.opt.Log(format, a...)
	}
}
