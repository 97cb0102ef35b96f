package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/nats-io/nats.go"
)

// roomBeside is the bytes that a message needs besides its data.
const roomBeside = 4096

// part is the most bytes of data that a message carries.
func part(nc *nats.Conn) int { return max(1, int(nc.MaxPayload())-roomBeside) }

// These are headers of messages.
const (
	headerOf    = "Bench-Of"    // what the message is a part of
	headerLeft  = "Bench-Left"  // how many parts follow
	headerError = "Bench-Error" // why there is no answer
)

// split returns the messages that carry data, in order. from identifies the sender.
func split(nc *nats.Conn, subject, from string, data []byte) []*nats.Msg {
	parts := slices.Collect(slices.Chunk(data, part(nc)))
	of := from + "." + rand.Text()
	var out []*nats.Msg
	for i, p := range parts {
		m := nats.NewMsg(subject)
		m.Data = p
		m.Header.Set(headerOf, of)
		m.Header.Set(headerLeft, strconv.Itoa(len(parts)-1-i))
		out = append(out, m)
	}
	return out
}

// These bound what senders can make the receiver keep, in bytes: the data of one sending, and of all sendings that are
// unfinished or still read. 512 MiB are some 25 million scores, or a model of 384 MiB.
const (
	mostResult     = 512 << 20
	mostUnfinished = 1 << 30
	mostSenders    = 4096
	atOnce         = 4 // how many results are read at the same time
)

// parts joins the messages that split made, separately for each sender. A sender that starts new data has given up its
// earlier data.
type parts struct {
	of        map[string]*partial // by sender
	unread    int                 // bytes of all partials
	reading   int                 // bytes that were handed over and are still read
	most, all int                 // bytes of one sending and of all
}

type partial struct {
	of   string
	data []byte
	left int
	seen time.Time
}

func newParts() parts { return parts{of: map[string]*partial{}, most: mostResult, all: mostUnfinished} }

// sender returns the identity of the sender of a message.
func sender(m *nats.Msg) string {
	from, _, _ := strings.Cut(m.Header.Get(headerOf), ".")
	return from
}

// drop forgets what a sender has begun.
func (p *parts) drop(from string) {
	if was := p.of[from]; was != nil {
		p.unread -= len(was.data)
		delete(p.of, from)
	}
}

// forget drops what was begun and not continued for so long.
func (p *parts) forget(after time.Duration) {
	for from, was := range p.of {
		if time.Since(was.seen) > after {
			p.drop(from)
		}
	}
}

// add takes a message. It returns the whole data with the last message, and nil before. The reader of the data takes
// their length off p.reading when it has read them. An error says that there is no room for the data.
func (p *parts) add(m *nats.Msg) ([]byte, error) {
	of, from := m.Header.Get(headerOf), sender(m)
	left, err := strconv.Atoi(m.Header.Get(headerLeft))
	if err != nil || left < 0 {
		return nil, nil
	}
	was := p.of[from]
	if was == nil || was.of != of {
		if p.drop(from); len(p.of) >= mostSenders {
			return nil, errors.New("too many others are sending; try again")
		}
		was = &partial{of: of, left: left + 1}
		p.of[from] = was
	}
	if was.left--; was.left != left {
		p.drop(from)
		return nil, nil
	}
	switch size := len(was.data) + len(m.Data); {
	case size > p.most:
		p.drop(from)
		return nil, fmt.Errorf("a result has at most %d bytes", p.most)
	case p.unread+p.reading+len(m.Data) > p.all:
		p.drop(from)
		return nil, errors.New("there is no room for a result at present; try again")
	}
	was.data, was.seen = append(was.data, m.Data...), time.Now()
	p.unread += len(m.Data)
	if left > 0 {
		return nil, nil
	}
	p.drop(from)
	p.reading += len(was.data)
	return was.data, nil
}

// sendAll sends the ends of a batch's cells to the coordinator. Ends that arrive during one sending go together in the
// next.
func (w *worker) sendAll(ctx context.Context, ends <-chan done) {
	for d := range ends {
		some := []done{d}
		for more := true; more; {
			select {
			case d, more = <-ends:
				if more {
					some = append(some, d)
				}
			default:
				more = false
			}
		}
		w.send(ctx, some)
	}
}

// send sends ends of cells to the coordinator. It tries until the coordinator has them or the run is over. If no
// coordinator answers, it also stops when ctx is done.
func (w *worker) send(ctx context.Context, some []done) {
	data, err := strictjson.Marshal(some)
	if err != nil {
		w.log("a result cannot be sent: %v", err)
		return
	}
	if len(data) > w.most {
		w.sendApart(ctx, some, len(data))
		return
	}
	for {
		select {
		case <-w.over:
			return
		default:
		}
		if w.nc.IsConnected() {
			err := w.sendParts(context.WithoutCancel(ctx), data)
			if err == nil {
				return
			}
			w.log("a result could not be sent: %v; trying again", err)
		} else if ctx.Err() != nil {
			return
		}
		select {
		case <-w.over:
		case <-time.After(retryAfter):
		}
	}
}

// sendApart sends ends that are too long to go together one by one. A cell whose result is too long has failed.
func (w *worker) sendApart(ctx context.Context, some []done, size int) {
	for _, d := range some {
		if len(some) == 1 {
			run := *d.Run
			run = result.Run{Status: result.Failed, Class: result.ClassBadOutput, Environment: run.Environment,
				StartedAt: run.StartedAt, TrainRows: run.TrainRows, SearchSeconds: run.SearchSeconds}
			run.Error = fmt.Sprintf("its result takes %d bytes, of at most %d; keep no model", size, w.most)
			d.Run = &run
		}
		w.send(ctx, []done{d})
	}
}

func (w *worker) sendParts(ctx context.Context, data []byte) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	for _, m := range split(w.nc, w.names.done(), w.id, data) {
		within, end := context.WithTimeout(ctx, askWithin)
		answer, err := w.nc.RequestMsgWithContext(within, m)
		end()
		if err == nil && answer.Header.Get(headerError) != "" {
			err = fmt.Errorf("the coordinator says: %s", answer.Header.Get(headerError))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A partRequest is a request for a part of an object: a batch by its name, or a file by its SHA-256.
type partRequest struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
}

// An objectReader reads an object of the coordinator part by part.
type objectReader struct {
	ask  func(subject string, data []byte) (*nats.Msg, error)
	to   string      // subject
	next partRequest // the next part
	have []byte
	end  bool
	most int64 // bytes of the object
}

func (o *objectReader) Read(to []byte) (int, error) {
	if len(o.have) == 0 && !o.end {
		data, err := strictjson.Marshal(o.next)
		if err != nil {
			return 0, err
		}
		m, err := o.ask(o.to, data)
		if err != nil {
			return 0, err
		}
		if why := m.Header.Get(headerError); why != "" {
			return 0, errors.New(why)
		}
		o.have, o.end = m.Data, len(m.Data) == 0
		if o.next.Offset += int64(len(m.Data)); o.next.Offset > o.most {
			return 0, fmt.Errorf("the coordinator sends more than %d bytes", o.most)
		}
	}
	if o.end {
		return 0, io.EOF
	}
	n := copy(to, o.have)
	o.have = o.have[n:]
	return n, nil
}

// give answers a request with a part of the object, or with the reason why there is none.
func (p *Pool) give(m *nats.Msg) {
	answer := nats.NewMsg("")
	var w partRequest
	err := strictjson.UnmarshalOpen(m.Data, &w)
	if err == nil {
		answer.Data, err = p.read(w)
	}
	if err != nil {
		answer.Header.Set(headerError, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	p.respond(m, answer)
}

// read returns a part of an object. No bytes mean that the object ends there.
func (p *Pool) read(w partRequest) ([]byte, error) {
	p.mu.Lock()
	path, offered := p.files[w.Name]
	whole, isBatch := p.batches[w.Name]
	p.mu.Unlock()
	most := int64(part(p.nc))
	switch {
	case w.Offset < 0:
		return nil, fmt.Errorf("there is nothing before the beginning")
	case isBatch:
		at := min(w.Offset, int64(len(whole)))
		return whole[at:min(at+most, int64(len(whole)))], nil
	case !offered:
		return nil, fmt.Errorf("no planned cell needs a file with the checksum %.16s", w.Name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.NewSectionReader(f, w.Offset, most))
}

// object returns a reader of an object of the coordinator with at most most bytes.
func (w *worker) object(ctx context.Context, name string, most int64) io.Reader {
	ask := func(subject string, data []byte) (*nats.Msg, error) {
		within, end := context.WithTimeout(ctx, askWithin)
		defer end()
		return w.nc.RequestWithContext(within, subject, data)
	}
	return &objectReader{to: w.names.object(), most: most, next: partRequest{Name: name}, ask: ask}
}
