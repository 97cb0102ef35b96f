package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// A Writer commits finished cells from one goroutine. Cells that finish while a
// commit is under way share the next one, so that a thousand short cells cost a
// few dozen flushes to disk.
//
// What keeps a commit from succeeding and may pass (another program holds the
// database, the disk is full) loses nothing: cells wait in memory and the commit is
// tried again, with growing pauses, until it succeeds or [Writer.Abandon] is called.
// Only a file that is damaged, or a row that the schema refuses, is given up at once.
// A Writer must be closed.
type Writer struct {
	// Trouble, if not nil, is told when commits begin to fail, now and then while they
	// do, and once when they succeed again, from the writer's goroutine. It is set
	// before the first Put.
	Trouble func(Trouble)

	db        *DB
	env       result.Environment
	committed func([]result.Run)
	known     ids
	abandon   chan struct{} // closed by Abandon
	stop      sync.Once
	told      time.Time     // when Trouble was last told that Ready blocks
	done      chan struct{} // closed when the goroutine ends

	mu     sync.Mutex
	wake   *sync.Cond
	queue  []result.Run
	closed bool
	since  time.Time // of the first failure of the commits that fail now; zero if none does
	waited int       // stored since then
	lost   []lostRun
	err    error // why nothing more is stored
}

// Trouble is the state of commits that fail.
type Trouble struct {
	Err     error // nil once they succeed again
	Waiting int   // finished cells that are not stored
	Since   time.Time
	Holds   bool // Ready blocks
}

type lostRun struct {
	run   result.Run
	cause error
}

// How long commits may fail before Ready blocks, how often Trouble is told of it, and the
// longest pause between two attempts; tests shorten them.
var (
	holdAfter    = 10 * time.Second
	tellEvery    = 30 * time.Second
	longestPause = 5 * time.Second
)

// A LostError names finished cells that could not be stored.
type LostError struct {
	Path  string
	Cells []string // at most ten, and how many more
	Count int
	OK    int // of those, with status ok
	Cause error
}

func (e *LostError) Error() string {
	what := "1 finished result is lost"
	if e.Count > 1 {
		what = fmt.Sprintf("%d finished results are lost", e.Count)
	}
	return fmt.Sprintf("database %s: %v; %s: %s; run again to compute them", e.Path, e.Cause, what, strings.Join(e.Cells, "; "))
}

func (e *LostError) Unwrap() error { return e.Cause }

// NewWriter starts a writer whose cells ran in env. committed, if not nil, is
// called from the writer's goroutine with each group once it is durable.
func (db *DB) NewWriter(env result.Environment, committed func([]result.Run)) *Writer {
	w := &Writer{db: db, env: env, committed: committed, abandon: make(chan struct{}), done: make(chan struct{})}
	w.wake = sync.NewCond(&w.mu)
	go w.loop()
	return w
}

// Put hands over a finished cell and does not wait for it to be stored. Its error says
// that nothing more will be stored; r is then among what Close calls lost.
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

// Ready returns true at once while commits succeed, and blocks while they have been
// failing for long, until they succeed, the writer gives up or stop is closed: no cell is
// to be started whose result may find no place. It returns false if none ever is.
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

// Abandon gives up what cannot be stored now: Close returns soon and says what is lost.
func (w *Writer) Abandon() { w.stop.Do(func() { close(w.abandon) }) }

// Close stores what was put and returns a LostError if something could not be. While
// commits fail it waits, for ever if nobody calls Abandon.
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
	w.lost = slices.DeleteFunc(w.lost, func(l lostRun) bool { return l.run.Canary != nil }) // the next run computes it again
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

// Waiting returns the number of finished cells that are not stored yet.
func (w *Writer) Waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queue)
}

// mostAtOnce bounds the cells of one commit.
const mostAtOnce = 256

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

// next waits for cells; nil means that there will be none.
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

// store commits a group. A row that the schema refuses must not take the others with
// it: they are then stored one by one, and it is lost.
func (w *Writer) store(group []result.Run) error {
	if err := w.unmoved(); err != nil {
		return err
	}
	err := w.commit(group)
	if !refused(err) {
		return err
	}
	for _, r := range group {
		err := w.commit([]result.Run{r})
		if err != nil && !refused(err) {
			return err // the group is tried again, and finds those before r stored
		}
		if err != nil && !w.isLost(r) {
			w.lost = append(w.lost, lostRun{r, err})
		}
	}
	return nil
}

// errMoved is a file that was moved or deleted while it is open: SQLite would go on
// writing to what no name leads to.
var errMoved = errors.New("the file was moved, deleted or replaced while the run is under way; put it back")

func (w *Writer) unmoved() error {
	now, err := os.Stat(w.db.path)
	if err != nil || !os.SameFile(now, w.db.file) {
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
		w.queue = nil // lets go of what was stored
	}
	if !since.IsZero() {
		w.waited += n
		over = w.queue == nil
	}
	waited := w.waited
	if over {
		w.since, w.waited = time.Time{}, 0
		w.wake.Broadcast()
	}
	w.mu.Unlock()
	if over && w.Trouble != nil {
		w.Trouble(Trouble{Waiting: waited, Since: since})
	}
	if w.committed != nil {
		w.committed(slices.DeleteFunc(slices.Clone(group), w.isLost))
	}
}

// isLost reports a cell that the schema refused.
func (w *Writer) isLost(r result.Run) bool {
	return slices.ContainsFunc(w.lost, func(l lostRun) bool { return l.run.Key == r.Key })
}

// trouble notes that a commit failed and tells of it, not every time.
func (w *Writer) trouble(err error) {
	w.mu.Lock()
	first := w.since.IsZero()
	if first {
		w.since = time.Now()
	}
	t := Trouble{Err: err, Waiting: len(w.queue), Since: w.since, Holds: w.holds()}
	w.mu.Unlock()
	if w.Trouble != nil && (first || t.Holds && time.Since(w.told) >= tellEvery) {
		if t.Holds {
			w.told = time.Now()
		}
		w.Trouble(t)
	}
}

// fail ends the writer: what is queued is lost.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	w.err = err
	w.wake.Broadcast()
	w.mu.Unlock()
}

// Patiently repeats work while another program holds the database, until ctx is done.
// wait, if not nil, is told so at first and every half minute.
func Patiently(ctx context.Context, wait func(error), work func() error) error {
	var told time.Time
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, longestPause) {
		err := work()
		if !IsBusy(err) {
			return err
		}
		if wait != nil && time.Since(told) > tellEvery {
			told = time.Now()
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

// refused reports a row that the schema does not take, however often it is tried.
func refused(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrConstraint || e.Code == sqlite3.ErrMismatch || e.Code == sqlite3.ErrTooBig)
}

// passes reports an error that may pass: a lock, a full or unreachable disk.
func passes(err error) bool {
	if errors.Is(err, errMoved) {
		return true
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrFull, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly,
		sqlite3.ErrNomem, sqlite3.ErrProtocol, sqlite3.ErrPerm:
		return true
	}
	return false
}
