package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestReadingStopsWhenCancelled, in the middle of a file.
func TestReadingStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "f")
	must.Do(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o644))
	written := 0
	sink := writerFunc(func(p []byte) (int, error) {
		cancel()
		written += len(p)
		return len(p), nil
	})
	err := files.Copy(ctx, path, func(int64) (io.Writer, error) { return sink, nil })
	if !errors.Is(err, context.Canceled) || written == 0 || written >= 1<<20 {
		t.Errorf("%d bytes, error %v", written, err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
