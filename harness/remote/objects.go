package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
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
	headerFrom  = "Bench-From"  // identity of the worker that sends results
	headerError = "Bench-Error" // why there is no answer
)

// These bound what workers can make the coordinator keep, in bytes: one result, and all results that are objects and
// are being read. 512 MiB are some 25 million scores, or a model of 384 MiB.
const (
	mostResult = 512 << 20
	mostRead   = 1 << 30
)

// A partRequest is a request for a part of an object: a batch or a result by its name, or a file by its SHA-256.
type partRequest struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
}

// copyObject copies an object with at most most bytes from the machine that listens to a subject, part by part.
func copyObject(ctx context.Context, to io.Writer, nc *nats.Conn, subject, name string, most int64) error {
	for at := int64(0); ; {
		request, err := strictjson.Marshal(partRequest{name, at})
		if err != nil {
			return err
		}
		data, err := ask(ctx, nc, &nats.Msg{Subject: subject, Data: request}, askWithin)
		if err != nil || len(data) == 0 {
			return err
		}
		if at += int64(len(data)); at > most {
			return fmt.Errorf("it has more than %d bytes", most)
		}
		if _, err := to.Write(data); err != nil {
			return err
		}
	}
}

// ask sends a request and returns what the answer holds: data or an error.
func ask(ctx context.Context, nc *nats.Conn, m *nats.Msg, within time.Duration) ([]byte, error) {
	ctx, end := context.WithTimeout(ctx, within)
	defer end()
	answer, err := nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, err
	}
	if why := answer.Header.Get(headerError); why != "" {
		return nil, errors.New(why)
	}
	return answer.Data, nil
}

// respond answers a request with data or an error. It publishes only to subjects of answers, so that a request cannot
// make the coordinator publish a cell.
func (n names) respond(to *nats.Msg, data []byte, err error) {
	answer := nats.NewMsg("")
	answer.Data = data
	if err != nil {
		answer.Header.Set(headerError, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if strings.HasPrefix(to.Reply, n.inbox("")) {
		_ = to.RespondMsg(answer)
	}
}

// partOf is the part that a request asks for, of the object that open returns. No bytes mean that the object ends.
func partOf(nc *nats.Conn, m *nats.Msg, open func(name string) (io.ReaderAt, error)) ([]byte, error) {
	var w partRequest
	if err := strictjson.UnmarshalOpen(m.Data, &w); err != nil {
		return nil, err
	}
	from, err := open(w.Name)
	if err != nil {
		return nil, err
	}
	if f, isFile := from.(*os.File); isFile {
		defer f.Close()
	}
	return io.ReadAll(io.NewSectionReader(from, w.Offset, int64(part(nc))))
}

// give answers a worker's request for a part of a batch or of a file.
func (p *Pool) give(m *nats.Msg) {
	data, err := partOf(p.nc, m, func(name string) (io.ReaderAt, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if batch, there := p.batches[name]; there {
			return bytes.NewReader(batch), nil
		}
		path, offered := p.files[name]
		if !offered {
			return nil, fmt.Errorf("no planned cell needs a file with the checksum %.16s", name)
		}
		return os.Open(path)
	})
	p.names.respond(m, data, err)
}

// fetch reads a result that is an object of a worker.
func (p *Pool) fetch(d *done) ([]byte, error) {
	within, end := context.WithTimeout(p.ctx, readWithin(p.nc, d.Bytes))
	defer end()
	var out bytes.Buffer
	err := copyObject(within, &out, p.nc, p.names.objectsOf(d.from), d.Object, int64(d.Bytes))
	return out.Bytes(), err
}

// readWithin is how long the coordinator may take to read objects with so many bytes.
func readWithin(nc *nats.Conn, size int) time.Duration {
	return time.Duration(2+size/part(nc)) * askWithin
}

// give answers the coordinator's request for a part of a result.
func (w *worker) give(m *nats.Msg) {
	data, err := partOf(w.nc, m, func(name string) (io.ReaderAt, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if data, there := w.objects[name]; there {
			return bytes.NewReader(data), nil
		}
		return nil, errors.New("the worker has no such result")
	})
	w.names.respond(m, data, err)
}

// pack makes a message of ends of cells. If they are too large for one, then their runs become objects, which the
// coordinator reads before it answers. A cell whose run is too large for an object has failed. size is the bytes of all
// objects.
func (w *worker) pack(some []done) (data []byte, size int, err error) {
	if data, err = strictjson.Marshal(some); err != nil || len(data) <= part(w.nc) {
		return data, 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range some {
		d := &some[i]
		if data, err = strictjson.Marshal(d.Run); err != nil {
			return nil, 0, err
		}
		if d.Run != nil && len(data) > mostResult {
			d.Run = &result.Run{Status: result.Failed, Class: result.ClassBadOutput, Environment: d.Run.Environment,
				StartedAt: d.Run.StartedAt, TrainRows: d.Run.TrainRows, SearchSeconds: d.Run.SearchSeconds,
				Error: fmt.Sprintf("its result takes %d bytes, of at most %d; keep no model", len(data), mostResult)}
		} else if d.Run != nil {
			d.Run, d.Object, d.Bytes = nil, rand.Text(), len(data)
			w.objects[d.Object] = data
			size += len(data)
		}
	}
	data, err = strictjson.Marshal(some)
	return data, size, err
}

// send sends ends of cells to the coordinator. It tries until the coordinator has them or the run is over. If no
// coordinator answers, it also stops when ctx is done. An expelled worker tries once: the coordinator takes none of its
// results, and gives the cells to other workers.
func (w *worker) send(ctx context.Context, some []done) {
	m := nats.NewMsg(w.names.done())
	m.Header.Set(headerFrom, w.id)
	data, size, err := w.pack(some)
	if err != nil {
		w.log("a result cannot be sent: %v", err)
		return
	}
	m.Data = data
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, d := range some {
			delete(w.objects, d.Object)
		}
	}()
	for {
		over := false
		select {
		case <-w.over:
			over = true
		default:
		}
		expelled := w.whyExpelled() != "" // an expelled worker knows this before it is over
		if over && !expelled {
			return
		}
		if w.nc.IsConnected() {
			_, err := ask(context.WithoutCancel(ctx), w.nc, m, readWithin(w.nc, size))
			if err == nil || expelled {
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
