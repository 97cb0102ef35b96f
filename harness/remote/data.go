package remote

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/atomicfile"
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
