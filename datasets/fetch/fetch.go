// Package fetch brings the files of sets into the data directory ([Files]): from a mirror, which is
// asked first, or from their public addresses, entries of zip archives included. A file gets its name
// only when it is whole and has the right SHA-256.
//
// A request is tried up to three times if another attempt can help. A host that gives no answer, and a
// directory that cannot be written, are given up for all files at once, and reported in one line.
//
// An [Adder] brings sets of OpenML into a folder, and describes them. A [Polite] asks one server for one thing at a
// time, with pauses.
//
// Only cmd imports the package, since the package asks servers. Of the files of a set it reads the checksum alone, and
// it keeps nothing outside the data directory and the folder of an Adder.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// DefaultMirror returns BENCH_MIRROR, the directory or URL that fetching looks in
// first; "" if there is none.
func DefaultMirror() string { return os.Getenv("BENCH_MIRROR") }

// Options says where files come from. The zero value uses the public addresses.
type Options struct {
	From   string       // a mirror laid out like the data directory: a directory or an http(s) URL; it is asked first
	Client *http.Client // nil means one with default transport and a short connection timeout
	Agent  string       // the User-Agent of requests; "" means bench
	Log    func(Event)  // called by one goroutine at a time; may be nil
	// of one request; 0 means 15 minutes, or longer for a large file: its bytes at 256 KiB a second
	Timeout time.Duration
	Stall   time.Duration // without a byte before a request is given up; 0 means 30 seconds
	Backoff time.Duration // before the second of three attempts, doubled before the third; 0 means 1 second
}

// atOnce is how many files are fetched at a time.
const atOnce = 4

// A Status is what happened to a file.
type Status string

// The statuses of an Event. Each file ends with one event of any but
// Progress and Retry.
const (
	Present   Status = "present"   // the file was there and right
	Progress  Status = "progress"  // Done of Total bytes have arrived
	Retry     Status = "retry"     // Err ended an attempt; another follows
	Done      Status = "fetched"   // the file is there now, from From
	Included  Status = "included"  // the program brings the file; nothing to fetch
	Generated Status = "generated" // the program makes the file; nothing to fetch
	Skipped   Status = "skipped"   // documentation that could not be had, for the reason Err
	Failed    Status = "failed"    // the file could not be had, for the reason Err
)

// An Event reports on one file.
type Event struct {
	Set    string // the first entry that has the file
	File   string // path in the data directory
	Status Status
	From   string // directory or URL
	Done   int64  // bytes so far
	Total  int64
	Err    error
}

// Files brings the files of the entries into the data directory: from the mirror
// if one is given, else from their public addresses. Right files that are there are left
// alone, and wrong files are replaced. A file appears only whole and with the right
// SHA-256; nothing partial is left behind. It is no error if documentation cannot be had.
// The error has one line for each missing file, or one line for all files of a host that
// gives no answer or of a directory that cannot be written. Failures do not keep other
// files from being fetched. Cancelling ctx ends all transfers soon.
func Files(ctx context.Context, d catalogue.Directory, entries []*catalogue.Entry, o Options) error {
	f, err := newFetcher(d, o)
	if err != nil {
		return err
	}
	defer f.archives.close()
	jobs := jobsOf(d, entries)
	failures := make([]error, len(jobs))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, job := range jobs {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			failures[i] = f.run(ctx, job)
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("fetching was interrupted; the files that are complete are kept, run it again for the "+
			"others: %w", context.Cause(ctx))
	}
	return joinFailures(failures)
}

type job struct {
	entry *catalogue.Entry
	file  catalogue.File
	path  string
}

// jobsOf lists every file once; several entries may read the same file.
func jobsOf(d catalogue.Directory, entries []*catalogue.Entry) []job {
	var jobs []job
	seen := map[string]bool{}
	for _, e := range entries {
		for _, f := range e.Files {
			if path := d.Path(e, f); !seen[path] {
				seen[path] = true
				jobs = append(jobs, job{entry: e, file: f, path: path})
			}
		}
	}
	return jobs
}

func (f *fetcher) run(ctx context.Context, job job) error {
	event := Event{Set: job.entry.Name, File: job.file.Path, Total: job.file.Bytes}
	report := func(status Status, from string, err error) {
		event.Status, event.From, event.Err = status, from, err
		f.Log(event)
	}
	_, err := f.store.Check(ctx, job.entry, job.file)
	switch {
	case err == nil:
		report(Present, "", nil)
		return nil
	case ctx.Err() != nil:
		return nil
	case job.entry.Local():
		report(Failed, "", err)
		return err
	case errors.Is(err, fs.ErrNotExist) && job.entry.Embedded(job.file):
		report(Included, "", nil)
		return nil
	case errors.Is(err, fs.ErrNotExist) && job.entry.Generated && job.file.Role == "" && job.file.Repository == "":
		report(Generated, "", nil)
		return nil
	}
	from, err := f.obtain(ctx, job)
	switch {
	case ctx.Err() != nil:
		return nil
	case err == nil:
		report(Done, from, nil)
		return nil
	case job.file.Role == catalogue.RoleDocumentation:
		report(Skipped, "", err)
		return nil
	case job.entry.Generated:
		return f.writeGenerated(job, report)
	}
	report(Failed, "", err)
	return err
}

// writeGenerated makes a file that no source has.
func (f *fetcher) writeGenerated(job job, report func(Status, string, error)) error {
	data, err := catalogue.Make(job.entry, job.file)
	if err == nil {
		err = writeChecked(job.path, job.file.Check, func(w *countingWriter) error {
			_, err := w.Write(data)
			return err
		})
	}
	var local localError
	if errors.As(err, &local) {
		err = f.unwritten(job, local)
	}
	if err != nil {
		report(Failed, "", err)
		return err
	}
	report(Generated, "", nil)
	return nil
}

// obtain tries the sources of a file in turn and returns the one that had it.
func (f *fetcher) obtain(ctx context.Context, job job) (string, error) {
	var reasons []string
	missing := unfetched{set: job.entry.Name}
	for _, source := range f.sources(job.file) {
		err := f.attempts(ctx, job, source)
		if err == nil {
			return source.address, nil
		}
		if ctx.Err() != nil {
			return "", err
		}
		var local localError
		if errors.As(err, &local) { // no other source helps
			return "", f.unwritten(job, local)
		}
		var silent unreachable
		if errors.As(err, &silent) {
			missing.reason, missing.key = silent, silent.host
			missing.advice = "run `bench data fetch` again with a network, or `bench data fetch --from DIR` with a " +
				"mirror"
		}
		reasons = append(reasons, fmt.Sprintf("from %s: %v", source.address, err))
	}
	if job.file.Repository == "" {
		reasons = append(reasons, "has no public address ("+job.file.Note+"); take it from a mirror that has it: "+
			"`bench data fetch --from DIR "+job.entry.Name+"`, DIR being a directory or URL")
	} else {
		reasons = append(reasons, "run `bench data fetch "+job.entry.Name+"` again, or take the file from a mirror "+
			"with --from")
	}
	missing.message = fmt.Sprintf("%s: %s: %s", job.entry.Name, job.file.Path, strings.Join(reasons, "; "))
	return "", missing
}

// attempts fetches from one source, up to three times where that can help.
func (f *fetcher) attempts(ctx context.Context, job job, source source) error {
	event := Event{Set: job.entry.Name, File: job.file.Path, From: source.address, Total: job.file.Bytes}
	wait := f.Backoff
	for attempt := 1; ; attempt++ {
		err := writeChecked(job.path, job.file.Check, func(w *countingWriter) error {
			w.progress = func(done int64) {
				event.Status, event.Done = Progress, done
				f.Log(event)
			}
			return source.copy(ctx, w)
		})
		if err == nil || ctx.Err() != nil || attempt == 3 || !errors.As(err, new(retryable)) {
			return err
		}
		event.Status, event.Done, event.Err = Retry, 0, err
		f.Log(event)
		event.Err = nil
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		wait *= 2
	}
}

// A fetcher is one call of Files.
type fetcher struct {
	Options
	store    catalogue.Directory
	archives archives
	hosts    hosts
}

func newFetcher(s catalogue.Directory, o Options) (*fetcher, error) {
	f := &fetcher{Options: o, store: s}
	if o.Client == nil {
		f.Client = defaultClient()
	}
	f.Stall = cmp.Or(o.Stall, 30*time.Second)
	f.Backoff = cmp.Or(o.Backoff, time.Second)
	var mu sync.Mutex
	f.Log = func(e Event) {
		if o.Log != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Log(e)
		}
	}
	if f.From != "" && !isURL(f.From) {
		if info, err := os.Stat(f.From); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%w %q is not a directory, nor a URL beginning with http:// or https://", ErrMirror,
				f.From)
		}
	}
	return f, nil
}

// ErrMirror begins the error of a mirror that cannot be one.
var ErrMirror = errors.New("mirror")

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}
