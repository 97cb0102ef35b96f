package remote

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/files"
)

// offer makes the files of a cell's set available to workers, who ask for a file by its SHA-256.
func (p *Pool) offer(c runner.CellSpec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.offered[c.Set] || c.Set.Path != "" { // workers take no files of a set that the user described
		return
	}
	p.offered[c.Set] = true
	if e, err := c.Set.Entry(); err == nil {
		for _, f := range e.Files {
			p.files[f.SHA256] = p.opt.Data.Path(e, f)
		}
	}
}

// get fetches the files of a set that are missing in the data directory: from the worker's own source, or else from the
// coordinator.
func (w *worker) get(ctx context.Context, e *catalogue.Entry) error {
	state, err := w.opt.Data.State(e)
	if state != catalogue.Missing || e.Local() {
		return err
	}
	if w.opt.Fetch != nil && w.opt.Fetch(ctx, e) == nil {
		return nil
	}
	for _, f := range e.DataFiles() {
		if _, err := w.opt.Data.Check(ctx, e, f); err == nil {
			continue
		}
		if err := w.download(ctx, w.opt.Data.Path(e, f), f.SHA256, cmp.Or(f.Bytes, mostFile)); err != nil {
			return fmt.Errorf("%s from the coordinator: %w", f.Path, err)
		}
	}
	return nil
}

// download gets a file with a SHA-256 and at most most bytes from the coordinator. The file is there whole or not at
// all.
func (w *worker) download(ctx context.Context, path, want string, most int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return files.Write(path, func(to io.Writer) error {
		sum := sha256.New()
		if err := copyObject(ctx, io.MultiWriter(to, sum), w.nc, w.names.object(), want, most); err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != want {
			return fmt.Errorf("it has the SHA-256 %.16s, not %.16s", got, want)
		}
		return nil
	})
}
