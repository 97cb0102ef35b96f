package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// mostLost is the number of workers that may be lost with a cell before the cell is stored as failed.
const mostLost = 2

// defaultLost is the time after which a silent worker is lost.
const defaultLost = 30 * time.Second

// Options says how a [Pool] hands cells out.
type Options struct {
	Address string // HOST:PORT; port 0 is any free one
	Token   string // which workers must have; needed for an address that other machines reach
	// Folder is an empty folder for the files of the server, such as data on their way. Its owner removes it.
	Folder  string
	Data    files.Directory               // whose files workers may get
	Code    func(runner.CellSpec) string  // hash of the code of a cell's method; "" is not compared
	Timeout time.Duration                 // of a cell; 0 for none
	Lost    time.Duration                 // a worker that is silent for so long is lost; 0 means 30 s
	Log     func(format string, a ...any) // hears of workers that come, go or refuse something; may be nil
}

// A Pool runs cells on the workers that have come to it. It implements [schedule.Remote]. It is safe for
// concurrent use and must be closed.
type Pool struct {
	URL string // for workers, without the token

	opt     Options
	server  *server.Server
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream
	objects jetstream.ObjectStore
	ctx     context.Context // ends with the pool
	end     context.CancelFunc
	changed chan struct{}

	mu      sync.Mutex
	members map[string]*member // by the worker's identity
	calls   map[string]*call   // by the task's ID
	lost    map[string]int     // by the cell's key: workers that were lost with the cell, of groups that are gone
	files   map[string]string  // paths of offered files by SHA-256
	offered map[catalogue.Description]bool
}

// A call is a cell that was handed out.
type call struct {
	spec  runner.CellSpec
	group string
	seq   uint64       // of the cell's message; 0 before it is known
	ends  chan callEnd // one end
}

// A callEnd is a run, or the error for which there is none.
type callEnd struct {
	run result.Run
	err error
}

// Listen starts a server and returns a pool without any worker.
func Listen(opt Options) (*Pool, error) {
	if opt.Lost == 0 {
		opt.Lost = defaultLost
	}
	p := &Pool{
		opt: opt, changed: make(chan struct{}, 1), members: map[string]*member{}, calls: map[string]*call{},
		lost: map[string]int{}, files: map[string]string{}, offered: map[catalogue.Description]bool{},
	}
	host, _, err := net.SplitHostPort(opt.Address)
	if err == nil && !Loopback(host) && opt.Token == "" {
		return nil, fmt.Errorf("%s: an address that other machines reach needs a token", opt.Address)
	}
	p.ctx, p.end = context.WithCancel(context.Background())
	if p.server, p.URL, err = startServer(opt.Address, opt.Token, opt.Folder); err != nil {
		return nil, err
	}
	if err := p.open(); err != nil {
		p.Close(false)
		return nil, err
	}
	go p.watch()
	return p, nil
}

// open connects to the server and makes what the coordinator and the workers share.
func (p *Pool) open() (err error) {
	if p.nc, err = nats.Connect("", nats.InProcessServer(p.server), nats.Token(p.opt.Token)); err != nil {
		return err
	}
	if p.js, err = jetstream.New(p.nc); err != nil {
		return err
	}
	p.stream, err = p.js.CreateStream(p.ctx, jetstream.StreamConfig{
		Name: streamName, Subjects: []string{subjectCells + "*"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return err
	}
	if p.objects, err = p.js.CreateObjectStore(p.ctx, jetstream.ObjectStoreConfig{Bucket: bucketName}); err != nil {
		return err
	}
	for subject, hear := range map[string]nats.MsgHandler{
		subjectHello: p.hear, subjectDone: p.finish, subjectFile: p.give,
		"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + streamName + ".*": p.exhausted,
	} {
		if _, err := p.nc.Subscribe(subject, hear); err != nil {
			return err
		}
	}
	return p.nc.Flush()
}

// Close ends the server. over tells the workers that the run has ended, so that they end, too. Otherwise they
// wait until a coordinator is at the address again.
func (p *Pool) Close(over bool) {
	if p.nc != nil {
		if over {
			_ = p.nc.Publish(subjectOver, nil)
			_ = p.nc.Flush()
		}
		p.nc.Close()
	}
	p.end()
	p.server.Shutdown() // which writes what clients are still to get
	p.server.WaitForShutdown()
}

// Run implements runner.Runner. It returns [schedule.ErrGivenBack] if no worker takes the cell at present.
func (p *Pool) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) {
	p.offer(c)
	id := rand.Text()
	out := &call{spec: c, ends: make(chan callEnd, 1)}
	p.mu.Lock()
	if out.group = p.choose(c); out.group == "" {
		p.mu.Unlock()
		return result.Run{}, schedule.ErrGivenBack
	}
	p.calls[id] = out
	p.mu.Unlock()
	defer p.forget(id, out)
	code := ""
	if p.opt.Code != nil {
		code = p.opt.Code(c)
	}
	data, err := pack(ctx, p.nc, p.objects, id, task{ID: id, Spec: c, Code: code, Timeout: p.opt.Timeout})
	if err != nil {
		return result.Run{}, err
	}
	ack, err := p.js.Publish(ctx, subjectCells+out.group, data)
	if err != nil {
		return result.Run{}, fmt.Errorf("%s could not be handed out: %w", c.Cell, err)
	}
	p.mu.Lock()
	out.seq = ack.Sequence
	p.mu.Unlock()
	select {
	case end := <-out.ends:
		return end.run, end.err
	case <-ctx.Done():
		_ = p.nc.Publish(subjectStop, []byte(id))
		return result.Run{}, ctx.Err()
	}
}

// forget removes what is left of a call: the message, where no worker acknowledged it, and large messages.
func (p *Pool) forget(id string, c *call) {
	p.mu.Lock()
	delete(p.calls, id)
	seq := c.seq
	p.mu.Unlock()
	if seq != 0 {
		_ = p.stream.DeleteMsg(p.ctx, seq) // an error: it is gone
	}
	for _, name := range []string{id, id + resultOf} {
		if _, err := p.objects.GetInfo(p.ctx, name); err == nil {
			_ = p.objects.Delete(p.ctx, name)
		}
	}
}

// resultOf ends the name of the object that holds a large result.
const resultOf = ".result"

// finish takes the end of a task from a worker. Of several ends of one task the first counts.
func (p *Pool) finish(m *nats.Msg) {
	var d done
	if err := unpack(p.ctx, p.objects, m.Data, &d); err != nil {
		p.log("a worker sent a result that cannot be read: %v", err)
		return
	}
	p.mu.Lock()
	c := p.calls[d.ID]
	delete(p.calls, d.ID)
	p.mu.Unlock()
	if c != nil {
		if d.Run == nil {
			c.ends <- callEnd{err: schedule.ErrGivenBack}
		} else {
			c.ends <- callEnd{run: c.spec.FilledWith(*d.Run)}
		}
	}
	_ = m.Respond(nil)
}

// exhausted hears from the server that a cell was delivered as often as it may be, and that none of its workers answered.
func (p *Pool) exhausted(m *nats.Msg) {
	var advisory struct {
		Sequence uint64 `json:"stream_seq"`
	}
	if json.Unmarshal(m.Data, &advisory) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, c := range p.calls {
		if c.seq == advisory.Sequence {
			p.endLost(id, c)
		}
	}
}

// endLost ends a call with the row of a cell that several workers were lost with.
func (p *Pool) endLost(id string, c *call) {
	run := c.spec.NewRun()
	run.Status, run.Class = result.Failed, result.ClassCrash
	run.Error = fmt.Sprintf("%d workers were lost while they had this cell; run it again with --retry", mostLost)
	delete(p.calls, id)
	c.ends <- callEnd{run: run}
}

func (p *Pool) log(format string, a ...any) {
	if p.opt.Log != nil && !errors.Is(p.ctx.Err(), context.Canceled) {
		p.opt.Log(format, a...)
	}
}
