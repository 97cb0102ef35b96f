package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// A Polite makes one request at a time, pauses between requests, and waits as long as the server says (Retry-After)
// before it repeats a request. It makes a request at most four times, and gives up a server that gives no answer. It is
// for one goroutine.
type Polite struct {
	Options               // From and Log are not used; Backoff 0 means 2 seconds
	Pause   time.Duration // between the end of a request and the next
	// the longest time that a server may ask to wait; 0 means 2 minutes
	Longest time.Duration
	Waiting func(address string, wait time.Duration, why error) // called before a request is repeated; may be nil

	f        *fetcher
	finished time.Time // when the last request ended
}

// mostAttempts is how often a Polite makes the same request at most.
const mostAttempts = 4

// Bytes returns what an address has. The error is a *Refusal where the server answers that it has nothing.
func (p *Polite) Bytes(ctx context.Context, address string) ([]byte, error) {
	var out bytes.Buffer
	err := p.ask(ctx, address, func() error {
		out.Reset()
		return p.f.get(ctx, address, -1, maxWhole, &out)
	})
	return out.Bytes(), err
}

// File brings what an address has to a file, and returns its size and its SHA-256. The file gets its name when it is
// whole and has the MD5 sum, in hexadecimal digits; "" accepts any.
func (p *Polite) File(ctx context.Context, address, path, md5sum string) (catalogue.File, error) {
	var out catalogue.File
	err := p.ask(ctx, address, func() (err error) {
		out, err = WriteFile(path, md5sum, func(w io.Writer) error {
			return p.f.get(ctx, address, -1, math.MaxInt64-1, w)
		})
		return err
	})
	return out, err
}

// WriteFile writes a file with fill, and returns its size and its SHA-256. The file gets its name when it is whole and
// has the MD5 sum, in hexadecimal digits; "" accepts any.
func WriteFile(path, md5sum string, fill func(w io.Writer) error) (catalogue.File, error) {
	var file catalogue.File
	theirs := md5.New() // OpenML tells this sum and no other
	err := writeChecked(path, func(size int64, sum string) error {
		file.Bytes, file.SHA256 = size, sum
		if got := hex.EncodeToString(theirs.Sum(nil)); md5sum != "" && got != md5sum {
			return fmt.Errorf("expected MD5 %s, got %s", md5sum, got)
		}
		return nil
	}, func(w *countingWriter) error {
		w.w = io.MultiWriter(w.w, theirs)
		return fill(w)
	})
	var local localError
	if errors.As(err, &local) {
		err = localError{filepath.Dir(path), "--data", local.cause}
	}
	return file, err
}

// ask makes a request, and repeats it if that can help.
func (p *Polite) ask(ctx context.Context, address string, request func() error) error {
	if p.f == nil {
		f, err := newFetcher(catalogue.Directory{}, p.Options)
		if err != nil {
			return err
		}
		p.f = f
	}
	backoff := cmp.Or(p.Backoff, 2*time.Second)
	for attempt := 1; ; attempt++ {
		if !p.finished.IsZero() {
			if err := sleep(ctx, p.Pause-time.Since(p.finished)); err != nil {
				return err
			}
		}
		err := request()
		p.finished = time.Now()
		var again retryable
		if err == nil || ctx.Err() != nil || attempt == mostAttempts || !errors.As(err, &again) {
			return err
		}
		wait := cmp.Or(again.after, backoff)
		if wait > cmp.Or(p.Longest, 2*time.Minute) {
			return fmt.Errorf("%w, and asks to wait %v; try again then", err, wait.Round(time.Second))
		}
		if p.Waiting != nil {
			p.Waiting(address, wait, err)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		backoff *= 2
	}
}

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// IsUnreachable reports whether an error says that a server was given up because it gives no answer.
func IsUnreachable(err error) bool { return errors.As(err, new(unreachable)) }
