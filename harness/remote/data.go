package remote

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/atomicfile"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// fileWithin is the time that the coordinator has to put a file into the object store.
const fileWithin = 10 * time.Minute

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

// give puts a file into the object store, once, and answers with the reason where it cannot.
func (p *Pool) give(m *nats.Msg) {
	sum := string(m.Data)
	p.mu.Lock()
	path, offered := p.files[sum]
	p.mu.Unlock()
	answer := func(err error) {
		text := ""
		if err != nil {
			text = err.Error()
		}
		_ = m.Respond([]byte(text))
	}
	if !offered {
		answer(fmt.Errorf("no planned cell needs a file with the checksum %.16s", sum))
		return
	}
	if _, err := p.objects.GetInfo(p.ctx, sum); err == nil {
		answer(nil)
		return
	}
	f, err := os.Open(path)
	if err != nil {
		answer(err)
		return
	}
	defer f.Close()
	_, err = p.objects.Put(p.ctx, jetstream.ObjectMeta{Name: sum}, f)
	answer(err)
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
	within, end := context.WithTimeout(ctx, fileWithin)
	defer end()
	m, err := w.nc.RequestWithContext(within, subjectFile, []byte(f.SHA256))
	if err == nil && len(m.Data) > 0 {
		err = fmt.Errorf("%s", m.Data)
	}
	if err != nil {
		return err
	}
	from, err := w.objects.Get(ctx, f.SHA256)
	if err != nil {
		return err
	}
	defer from.Close()
	path := w.opt.Data.Path(e, f)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err = atomicfile.Write(path, func(to io.Writer) error {
		n, err := io.Copy(to, from)
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
