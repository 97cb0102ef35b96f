package fetch

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
)

// maxWhole is the largest size, in bytes, of a server's answer that is kept whole, in memory or as a zip archive, where
// the catalogue does not state the size of the answer.
const maxWhole = 256 << 20

// retryable marks an error that another attempt may not meet.
type retryable struct {
	error
	after time.Duration // how long the server asks to wait; 0 where it does not say
}

func (r retryable) Unwrap() error { return r.error }

// A Refusal is the error for a server that answers with an HTTP status other than success, such as 404 Not Found.
type Refusal struct {
	Status string // "412 Precondition Failed"
	Body   []byte // the beginning of the server's explanation
}

func (r *Refusal) Error() string { return "the server answers " + r.Status }

type source struct {
	address string
	copy    func(ctx context.Context, w *countingWriter) error
}

// sources lists where a file may be had, in order.
func (f *fetcher) sources(file catalogue.File) []source {
	var out []source
	if f.From != "" {
		out = append(out, f.mirror(file))
	}
	if file.Repository == "" {
		return out
	}
	address := rawAddress(file)
	if file.ZipEntry == "" {
		return append(out, f.web(address, file.Bytes))
	}
	return append(out, source{address: address, copy: func(ctx context.Context, w *countingWriter) error {
		return f.fromArchive(ctx, address, file, w)
	}})
}

// rawAddress returns the address of a file's bytes at its commit.
func rawAddress(file catalogue.File) string {
	name := strings.TrimPrefix(file.Repository, "github.com/")
	return "https://raw.githubusercontent.com/" + name + "/" + file.Commit + "/" + escapePath(file.Source)
}

func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

func (f *fetcher) mirror(file catalogue.File) source {
	if isURL(f.From) {
		return f.web(strings.TrimRight(f.From, "/")+"/"+escapePath(file.Path), file.Bytes)
	}
	name := filepath.Join(f.From, filepath.FromSlash(file.Path))
	return source{address: name, copy: func(ctx context.Context, w *countingWriter) error {
		err := files.Copy(ctx, name, func(size int64) (io.Writer, error) { return w, file.CheckSize(size) })
		if opening, ok := err.(*os.PathError); ok { // the address already names the file
			return opening.Err
		}
		return err
	}}
}

func (f *fetcher) web(address string, want int64) source {
	return source{address: address, copy: func(ctx context.Context, w *countingWriter) error {
		return f.get(ctx, address, want, want, w)
	}}
}

// slowest is the bytes a second that a large file must come with on average.
const slowest = 256 << 10

// get copies the body at an address to w. want is the length it must have, or -1, and most is the largest length that
// it may have. The request is given up after f.Timeout (see Options), or when no byte came for f.Stall.
func (f *fetcher) get(ctx context.Context, address string, want, most int64, w io.Writer) error {
	limit := cmp.Or(f.Timeout, max(15*time.Minute, time.Duration(most/slowest)*time.Second))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the answer is not complete after %v", limit))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	timer := time.AfterFunc(f.Stall, func() { giveUp(fmt.Errorf("no byte came for %v", f.Stall)) })
	defer timer.Stop()
	explain := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		var inURL *url.Error
		if errors.As(err, &inURL) { // the address is in our message already
			err = inURL.Err
		}
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", cmp.Or(f.Agent, "bench"))
	host := request.URL.Host
	if err := f.hosts.check(host); err != nil {
		return err
	}
	response, err := f.Client.Do(request)
	if err != nil {
		return f.hosts.silence(host, explain(err))
	}
	defer response.Body.Close()
	f.hosts.answer(host)
	if err := checkAnswer(response, want); err != nil {
		return err
	}
	arrived := arrival(func() { timer.Reset(f.Stall) })
	n, err := io.Copy(w, io.TeeReader(io.LimitReader(response.Body, most+1), arrived))
	switch {
	case err != nil:
		if errors.As(err, new(localError)) {
			return err
		}
		return retryable{error: explain(fmt.Errorf("the answer broke off after %d bytes: %w", n, err))}
	case want >= 0 && n < want:
		return retryable{error: fmt.Errorf("expected %d bytes, got %d", want, n)}
	case want >= 0 && n > want:
		return fmt.Errorf("expected %d bytes, got more", want)
	case n > most:
		return fmt.Errorf("the answer is larger than %s", wording.Bytes(most))
	}
	return nil
}

// checkAnswer looks at the status and the announced length.
func checkAnswer(r *http.Response, want int64) error {
	switch {
	case r.StatusCode == http.StatusOK && want >= 0 && r.ContentLength >= 0 && r.ContentLength != want:
		return fmt.Errorf("expected %d bytes, the server announces %d", want, r.ContentLength)
	case r.StatusCode == http.StatusOK:
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16)) // the server's explanation may break off
	refusal := &Refusal{r.Status, body}
	if r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout {
		return retryable{refusal, retryAfter(r.Header.Get("Retry-After"))}
	}
	return refusal
}

// retryAfter reads how long a server asks to wait: seconds, or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 && seconds < 1<<30 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// An arrival is called when bytes arrive.
type arrival func()

func (a arrival) Write(p []byte) (int, error) {
	a()
	return len(p), nil
}

// archives keeps downloaded zip archives until the fetch is over, so that an archive
// with several files is downloaded once.
type archives struct {
	mu    sync.Mutex
	paths map[string]string // by address
}

func (a *archives) close() {
	for _, p := range a.paths {
		os.Remove(p)
	}
}

// fromArchive copies an entry of the zip archive at an address.
func (f *fetcher) fromArchive(ctx context.Context, address string, file catalogue.File, w io.Writer) error {
	name, err := f.archive(ctx, address)
	if err != nil {
		return err
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return fmt.Errorf("not a zip archive: %w", err)
	}
	defer z.Close()
	for _, entry := range z.File {
		if entry.Name != file.ZipEntry && path.Base(entry.Name) != file.ZipEntry {
			continue
		}
		in, err := entry.Open()
		if err != nil {
			return fmt.Errorf("zip entry %s: %w", file.ZipEntry, err)
		}
		defer in.Close()
		if _, err := io.Copy(w, io.LimitReader(in, file.Bytes+1)); err != nil {
			return fmt.Errorf("zip entry %s: %w", file.ZipEntry, err)
		}
		return nil
	}
	return fmt.Errorf("the archive has no entry %s", file.ZipEntry)
}

// archive downloads an archive once and returns where it is.
func (f *fetcher) archive(ctx context.Context, address string) (string, error) {
	a := &f.archives
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.paths[address]; p != "" {
		return p, nil
	}
	out, err := os.CreateTemp("", "bench-archive-*.zip")
	if err != nil {
		return "", inTempDir(err)
	}
	err = f.get(ctx, address, -1, maxWhole, &countingWriter{w: out, sum: sha256.New()})
	var local localError
	if errors.As(err, &local) {
		err = inTempDir(local.cause)
	}
	if e := out.Close(); err == nil && e != nil {
		err = inTempDir(e)
	}
	if err != nil {
		os.Remove(out.Name())
		return "", err
	}
	if a.paths == nil {
		a.paths = map[string]string{}
	}
	a.paths[address] = out.Name()
	return out.Name(), nil
}
