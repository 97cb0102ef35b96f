package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/atomicfile"
	"github.com/nats-io/nats.go"
)

// offer notes the files of a cell's set, which workers may ask for by their SHA-256.
func (p *Pool) offer(c runner.CellSpec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.offered[c.Set] || c.Set.Path != "" { // a worker takes no files of a set of one's own
		return
	}
	p.offered[c.Set] = true
	if e, err := c.Set.Entry(); err == nil {
		for _, f := range e.Files {
			p.files[f.SHA256] = p.opt.Data.Path(e, f)
		}
	}
}

// give answers a wish with a part of the object, or with the reason why there is none.
func (p *Pool) give(m *nats.Msg) {
	answer := nats.NewMsg("")
	var w wish
	err := json.Unmarshal(m.Data, &w)
	if err == nil {
		answer.Data, err = p.read(w)
	}
	if err != nil {
		answer.Header.Set(headerError, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	p.respond(m, answer)
}

// read reads a part of an object; no bytes are its end.
func (p *Pool) read(w wish) ([]byte, error) {
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

// object reads an object of the coordinator.
func (w *worker) object(ctx context.Context, name string) io.Reader {
	return &object{to: w.names.object(), wish: wish{Name: name}, ask: func(subject string, data []byte) (*nats.Msg, error) {
		within, end := context.WithTimeout(ctx, askWithin)
		defer end()
		return w.nc.RequestWithContext(within, subject, data)
	}}
}

// get brings the files of a set that are not in the data directory: from the worker's own source, else from
// the coordinator.
func (w *worker) get(ctx context.Context, e *catalogue.Entry) error {
	state, err := w.opt.Data.State(e)
	if state != files.Missing || e.Local() {
		return err
	}
	if w.opt.Fetch != nil && w.opt.Fetch(ctx, e) == nil {
		return nil
	}
	for _, f := range e.DataFiles() {
		if _, err := w.opt.Data.Check(ctx, e, f); err == nil {
			continue
		}
		if err := w.getFile(ctx, e, f); err != nil {
			return fmt.Errorf("%s from the coordinator: %w", f.Path, err)
		}
	}
	return nil
}

func (w *worker) getFile(ctx context.Context, e *catalogue.Entry, f catalogue.File) error {
	path := w.opt.Data.Path(e, f)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err := atomicfile.Write(path, func(to io.Writer) error {
		n, err := io.Copy(to, w.object(ctx, f.SHA256))
		if err != nil {
			return err
		}
		return f.CheckSize(n)
	})
	if err == nil {
		if _, err = w.opt.Data.Check(ctx, e, f); err != nil {
			_ = os.Remove(path)
		}
	}
	return err
}
