package remote

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/nats-io/nats.go"
)

// A Conflict is a cell for which two workers gave different results. The first result counts.
type Conflict struct {
	Cell    runner.Cell
	Values  [2]string // short forms of the results, the first result first
	Workers [2]string // names of the workers, in the same order
}

// results remembers the first result of each cell in a short form, to compare a later result of the cell with it.
type results struct {
	first     map[string]outcome // by the cell's key
	unasked   map[string]*done   // by the cell's key: results that came without a call
	bytes     int                // of unasked
	of        map[string]string  // by the cell's key: the identity of the worker whose result counts
	conflicts []Conflict
}

// An outcome is the short form of a result.
type outcome struct {
	cell   runner.Cell
	sum    [sha256.Size]byte // hash of all that must be the same on every machine
	value  string
	worker string
	counts bool // no limit of a machine ended the cell, so the result follows from the cell alone
}

// These bound the results that are kept for cells that were not handed out yet: their number, the bytes of one of
// them as JSON, and of all. They also bound how many cells with other results are named.
const (
	mostUnasked   = 4096
	mostBytes     = 1 << 20
	mostAllBytes  = 16 << 20
	mostConflicts = 1000
)

func newResults() results {
	return results{first: map[string]outcome{}, unasked: map[string]*done{}, of: map[string]string{}}
}

func (r *results) note(c runner.CellSpec, d *done) {
	r.drop(c.Key)
	d.outcome.cell = c.Cell
	r.first[c.Key], r.of[c.Key] = d.outcome, d.from
}

// drop forgets a result that came without a call.
func (r *results) drop(key string) {
	if d := r.unasked[key]; d != nil {
		r.bytes -= d.Bytes
		delete(r.unasked, key)
	}
}

// expel forgets all results of a worker, so that another result of their cells contradicts none.
func (r *results) expel(id string) {
	for key, d := range r.unasked {
		if d.from == id {
			r.drop(key)
			delete(r.first, key)
		}
	}
	for key, from := range r.of {
		if from == id {
			delete(r.first, key)
		}
	}
}

func (r *results) another(d *done) {
	first, known := r.first[d.Key]
	switch now := d.outcome; {
	case !known && len(r.unasked) < mostUnasked && r.bytes+d.Bytes <= mostAllBytes:
		r.unasked[d.Key], r.first[d.Key] = d, now
		r.bytes += d.Bytes
	case known && first.counts && now.counts && first.sum != now.sum && len(r.conflicts) < mostConflicts:
		c := Conflict{first.cell, [2]string{first.value, now.value}, [2]string{first.worker, now.worker}}
		if !slices.Contains(r.conflicts, c) {
			r.conflicts = append(r.conflicts, c)
		}
	}
}

// outcomeOf makes the short form of a result. It leaves out what differs between machines (times, memory and
// warnings), and what the coordinator fills in itself: it differs between databases whose protocols have one hash and
// two paths.
func outcomeOf(d *done) outcome {
	run := *d.Run
	run.SearchSeconds, run.FitSeconds, run.PredictSeconds, run.CPUSeconds, run.PeakRSSBytes, run.StartedAt = 0, nil,
		nil, nil, nil, ""
	run.Environment, run.Stderr, run.Isolated, run.Warnings, run.TimeoutSeconds = nil, "", false, nil, nil
	run.Folds = slices.Clone(run.Folds)
	for i := range run.Folds {
		run.Folds[i].FitSeconds = 0
	}
	out := outcome{
		cell:   runner.CellOf(run),
		worker: short(d.Machine), value: string(run.Status),
		counts: run.Status == result.OK || run.Failure() == result.ClassError || run.Failure() == result.ClassBadOutput,
	}
	run.Planned = result.Planned{}
	if text, err := strictjson.Marshal(run); err == nil {
		out.sum = sha256.Sum256(text)
	}
	switch {
	case run.Status != result.OK:
		out.value += ": " + short(cmp.Or(run.Error, string(run.Failure())))
	case run.Score.Correct != nil:
		out.value += fmt.Sprintf(", %d of %d test rows correct", *run.Score.Correct, run.Score.N)
	case run.Score.RMSE != nil:
		out.value += fmt.Sprintf(", root of the mean squared error %v", *run.Score.RMSE)
	}
	if run.ScoresHash != "" {
		out.value += fmt.Sprintf(", hash of the test scores %.12s", run.ScoresHash)
	}
	return out
}

// Conflicts returns the cells for which two workers have given different results so far.
func (p *Pool) Conflicts() []Conflict {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.results.conflicts)
}

// finish takes ends of cells from a worker, and answers when it has them.
func (p *Pool) finish(m *nats.Msg) {
	from := m.Header.Get(headerFrom)
	if !isID(from) {
		return
	}
	var ends []received
	if err := strictjson.UnmarshalOpen(m.Data, &ends); err != nil {
		p.logExpelled(p.expel(from, fmt.Errorf("it sent results that cannot be read: %w", err), ""))
	}
	take := func() { p.names.respond(m, nil, p.takeAll(from, ends, len(m.Data))) }
	if slices.ContainsFunc(ends, func(d received) bool { return d.Object != "" }) { // which a worker sends slowly
		go take()
	} else {
		take()
	}
}

// A received is a done whose run was not read yet.
type received struct {
	done
	Run json.RawMessage `json:"run,omitempty"`
}

// takeAll takes the ends of a worker's message with so many bytes. An error tells the worker to send them again.
func (p *Pool) takeAll(from string, ends []received, message int) error {
	for i := range ends {
		d := &ends[i].done
		d.from = from
		if err := p.decode(d, ends[i].Run, message); err != nil {
			return err
		}
		if d.Run != nil {
			d.outcome = outcomeOf(d)
		}
		p.mu.Lock()
		wrong := p.take(d)
		p.mu.Unlock()
		if wrong != nil {
			p.logExpelled(p.expel(from, wrong, d.ID))
		}
	}
	return nil
}

// decode reads the run of a result that is not longer than its cell can make it: an item of a list may take some
// hundred bytes of memory and two of JSON. An error says that the worker is to send it again.
func (p *Pool) decode(d *done, raw []byte, message int) (err error) {
	most := mostBytes
	p.mu.Lock()
	c := p.calls[d.Key]
	p.mu.Unlock()
	switch {
	case p.opt.Protocol == nil || c != nil && c.spec.Keep == runner.KeepModels:
		most = mostResult
	case c != nil:
		most = c.spec.MostBytes(p.opt.Protocol)
	}
	if d.Object == "" {
		d.Bytes = len(raw)
	}
	switch {
	case d.Bytes == 0 && d.Object == "":
		return nil
	case d.Bytes > most && c == nil: // of a cell that no one waits for: there is no run, as if it were given back
		return nil
	case d.Bytes > most:
		d.wrong = fmt.Errorf("it sent a result of %s with %d bytes; at most %d are possible", c.spec.Cell, d.Bytes,
			most)
		return nil
	case d.Object != "" && d.Bytes > 0:
		room := int64(d.Bytes + message)
		if !p.room.TryAcquire(room) {
			return errors.New("there is no room for a result at present; try again")
		}
		defer p.room.Release(room)
		if raw, err = p.fetch(d); err != nil {
			return err
		}
	}
	var run result.Run
	if err := strictjson.UnmarshalOpen(raw, &run); err != nil {
		d.wrong = fmt.Errorf("it sent results that cannot be read: %w", err)
		return nil
	}
	d.Run = &run
	return nil
}

// fits says why a cell cannot have ended with a run.
func (p *Pool) fits(c runner.CellSpec, run result.Run) error {
	if p.opt.Protocol == nil {
		return nil
	}
	return c.Fits(p.opt.Protocol, run)
}

// take handles the end of a cell; p.mu is held. The first result of a cell counts, and a later one is compared with
// it. A result without a call is kept: an earlier coordinator, or an earlier call, asked for it. A cell that an
// expelled worker ends goes back. An error says what no honest worker sends.
func (p *Pool) take(d *done) error {
	c := p.calls[d.Key]
	if _, gone := p.expelled[d.from]; gone {
		if c != nil && c.id == d.ID { // which the worker had taken before it was expelled
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
		return nil
	}
	if p.machines[d.from] == "" {
		p.machines[d.from] = short(d.Machine)
	}
	switch {
	case d.wrong != nil:
	case d.Run == nil:
		if c != nil && c.id == d.ID {
			if d.Alone {
				p.alone[d.Key] = true
			}
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
		return nil
	case c == nil:
		p.results.another(d)
		return nil
	default:
		run := c.spec.FilledWith(*d.Run)
		if why := p.fits(c.spec, run); why != nil {
			d.wrong = fmt.Errorf("its result of %s cannot be: %w", c.spec.Cell, why)
			break
		}
		p.results.note(c.spec, d)
		p.finishCall(c, callEnd{run: run})
		return nil
	}
	return d.wrong
}

// mostName is the longest name of a worker that is shown, in bytes.
const mostName = 200

func short(name string) string { return strings.ToValidUTF8(name[:min(len(name), mostName)], "") }
