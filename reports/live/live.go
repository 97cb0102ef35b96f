// Package live shows runs that are under way on a database: which workers they have, which cells are being computed
// and until when by prediction, how fast cells end, how much time is left, the best methods so far, and what
// failed.
//
// All data come from the database: from what runs write there about themselves (store.Progress), and from stored
// results. So the package does not talk to the runs, and watching does not disturb them. The package changes and
// predicts nothing.
package live

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/reports/frame"
)

// A State is all that a watcher shows at one moment.
type State struct {
	Database, Protocol string // of Sets and Failures; "" where nothing is stored
	At                 time.Time

	Runs                   int      // under way
	Planned, Ended, Failed int      // cells of these runs; Ended includes Failed
	Rate                   float64  // cells a minute; 0 where nothing is known
	Left                   float64  // seconds until the runs end, by the forecast
	Unknown                []string // methods whose time is unknown and not part of Left
	Workers                []Worker
	Cells                  []Cell // cells that are being computed, the longest first

	Sets     []Set
	Failures []store.FailureShown
	Warnings []string
}

// A Worker is a process that computes cells.
type Worker struct {
	Name  string // machine and process
	Jobs  int    // cells at a time
	Cells int    // cells that the worker computes now
}

// A Cell is being computed.
type Cell struct {
	Name string
	By   string  // the worker's name; "" until the worker says so
	For  float64 // seconds
	Left float64 // seconds, predicted; negative if unknown
}

// A Set is a data set with its cells of all methods.
type Set struct {
	Name             string
	OK, Failed, Left int      // cells
	Best             []string // the methods with the best mean
	Mean             string   // of the best methods
}

// Options say what a Watcher reads.
type Options struct {
	Protocol string // whose results are shown; "" for the protocol of the run under way, or of the cells that ran last
	// Frame reads the results of a protocol.
	Frame func(ctx context.Context, protocol string) (frame.Frame, error)
	Now   func() time.Time // time.Now
}

// A Watcher looks at a database again and again. It is not safe for concurrent use.
type Watcher struct {
	db  *store.DB
	on  *store.ProgressReader
	opt Options

	under, results pace
	runs           []store.Progress
	ended          []endedAt
	shown          State // the fields that come from results; each look fills in the other fields
}

// An endedAt says how many cells had ended at a moment.
type endedAt struct {
	at    time.Time
	cells int
}

// rateOver is the time over which cells are counted for a rate.
const rateOver = time.Minute

// NewWatcher begins to look at a database that is open for reading. A watcher must be closed.
func NewWatcher(ctx context.Context, db *store.DB, opt Options) (*Watcher, error) {
	on, err := db.ProgressReader(ctx)
	if err != nil {
		return nil, err
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Watcher{db: db, on: on, opt: opt}, nil
}

// Close ends watching. The database stays open.
func (w *Watcher) Close() error { return w.on.Close() }

// A pace limits reading to a twentieth of a processor's time.
type pace struct {
	stale bool
	next  time.Time
}

var share = 20.0 // tests set 0

func (p *pace) due(now time.Time) bool { return p.stale && !now.Before(p.next) }

// read reads stale data. It measures the processor time of this process, so other programs do not slow the pace.
func (p *pace) read(now time.Time, read func() error) error {
	began := processes.CPUTime()
	err := read()
	p.stale, p.next = false, now.Add(time.Duration(share*(processes.CPUTime()-began)*float64(time.Second)))
	return err
}

// lookEvery is how often Look checks runs even if nothing was written: a process may have ended.
const lookEvery = 5 * time.Second

// Look returns what is to be seen now.
func (w *Watcher) Look(ctx context.Context) (State, error) {
	changed, err := w.on.Changed(ctx)
	if err != nil {
		return State{}, err
	}
	now := w.opt.Now()
	if changed {
		w.under.stale, w.results.stale = true, true
	}
	if w.runs != nil && now.Sub(w.under.next) > lookEvery {
		w.under.stale = true
	}
	if w.under.due(now) {
		were := len(w.runs)
		err := w.under.read(now, func() (err error) {
			w.runs, err = w.on.Read(ctx)
			return err
		})
		if err != nil {
			return State{}, err
		}
		if len(w.runs) != were { // the last results of a run are seen at once
			w.results = pace{stale: true}
		}
	}
	if w.results.due(now) {
		if err := w.results.read(now, func() error { return w.readResults(ctx) }); err != nil {
			return State{}, err
		}
	}
	s := w.shown
	s.Database, s.At = w.db.Path(), now
	w.addRuns(&s)
	return s, nil
}

func (w *Watcher) addRuns(s *State) {
	s.Runs = len(w.runs)
	if s.Runs == 0 {
		w.ended = nil
		return
	}
	begun := w.runs[0].Begun
	until := func(t time.Time) float64 { return max(0, t.Sub(s.At).Seconds()) }
	cells := map[string]int{} // by worker
	for _, r := range w.runs {
		s.Planned, s.Ended, s.Failed = s.Planned+r.Planned, s.Ended+r.Ended, s.Failed+r.Failed
		s.Left = max(s.Left, until(r.Until))
		s.Unknown = slices.Compact(slices.Sorted(slices.Values(append(s.Unknown, r.Unknown...))))
		if r.Begun.Before(begun) {
			begun = r.Begun
		}
		for _, c := range r.Running {
			cells[c.By]++
			name := c.Name
			if r.Protocol != s.Protocol {
				name += " (" + r.Protocol + ")"
			}
			left := -1.0
			if !c.Until.IsZero() {
				left = until(c.Until)
			}
			s.Cells = append(s.Cells, Cell{name, c.By, max(0, s.At.Sub(c.Since).Seconds()), left})
		}
	}
	for _, r := range w.runs {
		s.Workers = append(s.Workers, Worker{r.Machine + " (run)", r.Jobs, cells[r.Machine]})
		for _, other := range r.Workers {
			s.Workers = append(s.Workers, Worker{other.Name, other.Jobs, cells[other.Name]})
		}
	}
	slices.SortStableFunc(s.Cells, func(a, b Cell) int { return -cmp.Compare(a.For, b.For) })
	s.Rate = w.rate(begun, s.At, s.Ended)
}

// rate is the number of cells that ended per minute, over about the last minute. If the watcher has watched for a
// shorter time, it counts from the beginning of the runs.
func (w *Watcher) rate(begun, now time.Time, ended int) float64 {
	if w.ended == nil || ended < w.ended[len(w.ended)-1].cells { // other runs are under way
		w.ended = []endedAt{{begun, 0}}
	}
	w.ended = append(w.ended, endedAt{now, ended})
	for len(w.ended) > 2 && now.Sub(w.ended[1].at) >= rateOver {
		w.ended = w.ended[1:]
	}
	since := now.Sub(w.ended[0].at).Minutes()
	if since <= 0 {
		return 0
	}
	return float64(ended-w.ended[0].cells) / since
}

// addLeft counts the cells that the runs under way have not ended, for each set of the protocol.
func (s *State) addLeft(runs []store.Progress) {
	for _, r := range runs {
		if r.Protocol != s.Protocol {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(r.Left)) {
			i := slices.IndexFunc(s.Sets, func(d Set) bool { return d.Name == name })
			if i < 0 {
				i = len(s.Sets)
				s.Sets = append(s.Sets, Set{Name: name})
			}
			s.Sets[i].Left += r.Left[name]
		}
	}
	s.Sets = slices.DeleteFunc(s.Sets, func(d Set) bool { return d.OK+d.Failed+d.Left == 0 })
}

// mostFailures bounds the different failures that are shown.
const mostFailures = 10

func (w *Watcher) readResults(ctx context.Context) (err error) {
	s := State{Protocol: w.opt.Protocol}
	if s.Protocol == "" && len(w.runs) > 0 {
		s.Protocol = w.runs[0].Protocol
	}
	if s.Protocol == "" {
		if s.Protocol, err = w.db.LastProtocol(ctx); err != nil {
			return err
		}
	}
	if s.Failures, err = w.db.LastFailures(ctx, s.Protocol, mostFailures); err != nil {
		return err
	}
	if err := s.addSets(ctx, w.opt); err != nil && !errors.Is(err, frame.ErrNoResults) {
		s.Warnings = []string{err.Error()}
	}
	s.addLeft(w.runs)
	w.shown = s
	return ctx.Err()
}

// addSets adds the sets of the stored results with their best methods, and counts their cells.
func (s *State) addSets(ctx context.Context, opt Options) error {
	if s.Protocol == "" {
		return nil
	}
	f, err := opt.Frame(ctx, s.Protocol)
	if err != nil {
		return err
	}
	t, err := f.Table("")
	if err != nil {
		return err
	}
	s.Warnings = t.Warnings
	for _, set := range t.Sets {
		line := Set{Name: set.Name}
		line.Best, line.Mean = bestOf(&t, set)
		for _, e := range set.Entries {
			for _, r := range t.Cells(set.Name, e.Method) {
				if r.Status == result.OK {
					line.OK++
				} else {
					line.Failed++
				}
			}
		}
		s.Sets = append(s.Sets, line)
	}
	return nil
}

func bestOf(t *frame.Table, set frame.Set) (names []string, mean string) {
	for i, best := range t.Best(set) {
		if best {
			names = append(names, set.Entries[i].Method)
			mean = frame.Text(set.Entries[i].Mean, t.Decimals()-1)
		}
	}
	return names, mean
}
