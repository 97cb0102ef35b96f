package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// A Writer commits finished cells from one goroutine. Cells that finish during a commit share the next one,
// so that a thousand short cells cost a few dozen flushes to disk.
//
// A failure that may pass (another program holds the database, the disk is full) loses nothing. The cells
// wait in memory and the Writer tries again, with growing pauses, until the commit succeeds or
// [Writer.Abandon] is called. Only a damaged file and a row that the schema refuses are given up at once. A
// Writer must be closed.
type Writer struct {
	// Trouble, if not nil, is called when commits begin to fail, now and then while they fail, and once when
	// they succeed again. The writer's goroutine calls it. It is set before the first Put.
	Trouble func(Trouble)

	db        *DB
	env       result.Environment
	committed func([]result.Run)
	known     ids
	fields    []result.Field // of scores in other tables than runs
	abandon   chan struct{}  // closed by Abandon
	stop      sync.Once
	reported  time.Time     // when Trouble last heard that Ready blocks
	done      chan struct{} // closed when the goroutine ends

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []result.Run
	closed bool
	since  time.Time // when commits began to fail; zero while they succeed
	waited int       // cells stored since then
	lost   []lostRun
	err    error // why no more cells are stored
}

// Trouble describes commits that fail.
type Trouble struct {
	Err     error // nil when they succeed again
	Waiting int   // finished cells that are not stored
	Since   time.Time
	Holds   bool // Ready blocks
}

type lostRun struct {
	run   result.Run
	cause error
}

// These are the time that commits may fail before Ready blocks, the time between two calls of Trouble while
// Ready blocks, and the longest pause between two attempts. Tests shorten them.
var (
	holdAfter    = 10 * time.Second
	tellEvery    = 30 * time.Second
	longestPause = 5 * time.Second
)

// A LostError names finished cells that could not be stored.
type LostError struct {
	Path  string
	Cells []string // at most ten names, then how many more there are
	Count int
	OK    int // the number of these cells with status ok
	Cause error
}

func (e *LostError) Error() string {
	what := "1 finished result is lost"
	if e.Count > 1 {
		what = fmt.Sprintf("%d finished results are lost", e.Count)
	}
	return fmt.Sprintf("database %s: %v; %s: %s; run again to compute them", e.Path, e.Cause, what,
		strings.Join(e.Cells, "; "))
}

func (e *LostError) Unwrap() error { return e.Cause }

// NewWriter starts a writer for cells that ran in env. committed, if not nil, is called from the writer's
// goroutine with each group of cells once the group is durable.
func (db *DB) NewWriter(env result.Environment, committed func([]result.Run)) *Writer {
	w := &Writer{db: db, env: env, committed: committed, fields: scoreFields(false), abandon: make(chan struct{}),
		done: make(chan struct{})}
	w.wake = sync.NewCond(&w.mu)
	go w.loop()
	return w
}

// Put hands over a finished cell and does not wait for its commit. An error says that no more cells will be
// stored. Close then counts r as lost.
func (w *Writer) Put(r result.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("store: the writer is closed")
	}
	w.queue = append(w.queue, r)
	w.wake.Broadcast()
	return w.err
}

// Ready returns true at once while commits succeed. While they have been failing for long, it blocks until
// they succeed, the writer gives up or stop is closed, so that no cell starts whose result might be lost. It
// returns false if commits will never succeed or stop is closed.
func (w *Writer) Ready(stop <-chan struct{}) bool {
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-stop:
			w.mu.Lock()
			w.wake.Broadcast()
			w.mu.Unlock()
		case <-ended:
		}
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && w.holds() {
		select {
		case <-stop:
			return false
		default:
		}
		w.wake.Wait()
	}
	return w.err == nil
}

// holds reports that commits have been failing for long; w.mu is held.
func (w *Writer) holds() bool { return !w.since.IsZero() && time.Since(w.since) >= holdAfter }

// Abandon gives up the cells that cannot be stored now. Close then returns soon and says which cells are
// lost.
func (w *Writer) Abandon() { w.stop.Do(func() { close(w.abandon) }) }

// Close stores all cells that were put. It returns a LostError if a cell could not be stored. While commits
// fail Close waits, for ever if nobody calls Abandon.
func (w *Writer) Close() error {
	w.mu.Lock()
	w.closed = true
	w.wake.Broadcast()
	w.mu.Unlock()
	<-w.done
	for _, r := range w.queue {
		w.lost = append(w.lost, lostRun{r, w.err})
	}
	w.queue = nil
	// the next run computes the canary again
	w.lost = slices.DeleteFunc(w.lost, func(l lostRun) bool { return l.run.Canary != nil })
	if len(w.lost) == 0 {
		return w.err
	}
	e := &LostError{Path: w.db.path, Count: len(w.lost), Cause: w.lost[0].cause}
	for i, l := range w.lost {
		if i < 10 {
			e.Cells = append(e.Cells, l.run.Name())
		}
		if l.run.Status == result.OK {
			e.OK++
		}
	}
	if more := e.Count - len(e.Cells); more > 0 {
		e.Cells = append(e.Cells, fmt.Sprintf("%d more", more))
	}
	return e
}

// Room waits until few cells wait to be stored, or the writer gives up. Without it, a caller that puts cells faster
// than they are stored fills the memory.
func (w *Writer) Room() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.err == nil && len(w.queue) > mostAtOnce {
		w.wake.Wait()
	}
}

// Waiting returns the number of finished cells that are not stored yet.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}

const mostAtOnce = 2048

func (w *Writer) loop() {
	defer close(w.done)
	pause := time.Duration(0)
	for {
		group := w.next()
		if group == nil {
			return
		}
		err := w.store(group)
		switch {
		case err == nil:
			pause = 0
			w.stored(group)
			continue
		case !passes(err):
			w.fail(explain(err))
			return
		}
		w.trouble(explain(err))
		pause = min(max(2*pause, 100*time.Millisecond), longestPause)
		select {
		case <-time.After(pause):
		case <-w.abandon:
			w.fail(explain(err))
			return
		}
	}
}

// next waits for cells; nil means that no more will come.
func (w *Writer) next() []result.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 {
		if w.closed {
			return nil
		}
		w.wake.Wait()
	}
	return w.queue[:min(len(w.queue), mostAtOnce)]
}

// store commits a group. If the schema refuses a row, the cells are stored one by one and only the refused
// cell is lost.
func (w *Writer) store(group []result.Run) error {
	if err := w.db.unmoved(); err != nil {
		return err
	}
	err := w.commit(group)
	if !refused(err) {
		return err
	}
	for _, r := range group {
		err := w.commit([]result.Run{r})
		if err != nil && !refused(err) {
			return err // the group is tried again, and the cells before r are found stored
		}
		if err != nil && !w.isLost(r) {
			w.lost = append(w.lost, lostRun{r, err})
		}
	}
	return nil
}

// errMoved says that the file was moved or deleted while it is open. SQLite would go on writing to a file
// that has no name any more.
var errMoved = errors.New("the file was moved, deleted or replaced while the run is under way; put it back")

func (db *DB) unmoved() error {
	now, err := os.Stat(db.path)
	if err != nil || !os.SameFile(now, db.file) {
		return errMoved
	}
	return nil
}

func (w *Writer) stored(group []result.Run) {
	w.mu.Lock()
	n := len(group)
	since, over := w.since, false
	w.queue = w.queue[n:]
	if len(w.queue) == 0 {
		w.queue = nil // releases the memory of stored cells
	}
	if !since.IsZero() {
		w.waited += n
		over = w.queue == nil
	}
	waited := w.waited
	if over {
		w.since, w.waited = time.Time{}, 0
	}
	w.wake.Broadcast()
	w.mu.Unlock()
	if over && w.Trouble != nil {
		w.Trouble(Trouble{Waiting: waited, Since: since})
	}
	if w.committed != nil {
		w.committed(slices.DeleteFunc(slices.Clone(group), w.isLost))
	}
}

func (w *Writer) isLost(r result.Run) bool {
	return slices.ContainsFunc(w.lost, func(l lostRun) bool { return l.run.Key == r.Key })
}

// trouble notes that a commit failed, and calls Trouble now and then.
func (w *Writer) trouble(err error) {
	w.mu.Lock()
	first := w.since.IsZero()
	if first {
		w.since = time.Now()
	}
	t := Trouble{Err: err, Waiting: len(w.queue), Since: w.since, Holds: w.holds()}
	w.mu.Unlock()
	if w.Trouble != nil && (first || t.Holds && time.Since(w.reported) >= tellEvery) {
		if t.Holds {
			w.reported = time.Now()
		}
		w.Trouble(t)
	}
}

// fail ends the writer: queued cells are lost.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	w.err = err
	w.wake.Broadcast()
	w.mu.Unlock()
}

// RetryWhileBusy repeats work while another program holds the database, until ctx is done. wait, if not nil, is
// called at first and then every half minute.
func RetryWhileBusy(ctx context.Context, wait func(error), work func() error) error {
	var waited time.Time
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		err := work()
		if !IsBusy(err) {
			return err
		}
		if wait != nil && time.Since(waited) > tellEvery {
			waited = time.Now()
			wait(err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// IsBusy reports that another program holds the database.
func IsBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// refused reports that the schema refuses a row, so that trying again is useless.
func refused(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch ||
		e.Code == sqlite3.ErrTooBig)
}

// passes reports an error that may pass: a lock, a full or unreachable disk.
func passes(err error) bool {
	if errors.Is(err, errMoved) {
		return true
	}
	var e sqlite3.Error
	if !errors.As(err, &e) || e.SystemErrno == syscall.EFBIG { // the limit of this process (ulimit -f) stays
		return false
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen,
		sqlite3.ErrReadonly,
		sqlite3.ErrNomem, sqlite3.ErrProtocol, sqlite3.ErrPerm:
		return true
	}
	return false
}
