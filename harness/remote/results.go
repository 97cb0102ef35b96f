package remote

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

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

// mostUnasked bounds the results that are kept for cells that were not handed out yet.
const mostUnasked = 4096

func newResults() results { return results{first: map[string]outcome{}, unasked: map[string]*done{}} }

func (r *results) note(c runner.CellSpec, d *done) {
	delete(r.unasked, c.Key)
	d.outcome.cell = c.Cell
	r.first[c.Key] = d.outcome
}

func (r *results) another(d *done) {
	first, known := r.first[d.Key]
	switch now := d.outcome; {
	case !known && len(r.unasked) < mostUnasked:
		r.unasked[d.Key], r.first[d.Key] = d, now
	case known && first.counts && now.counts && first.sum != now.sum:
		c := Conflict{first.cell, [2]string{first.value, now.value}, [2]string{first.worker, now.worker}}
		if !slices.Contains(r.conflicts, c) {
			r.conflicts = append(r.conflicts, c)
		}
	}
}

// early returns a result that came before its cell was handed out. A result of other code is dropped.
func (r *results) early(key, code string) (*done, bool) {
	d := r.unasked[key]
	if d != nil && d.Code != code {
		delete(r.unasked, key)
		delete(r.first, key)
		d = nil
	}
	return d, d != nil
}

// outcomeOf makes the short form of a result. It leaves out what differs between machines (times, memory and warnings), and
// what the coordinator fills in itself: it differs between databases whose protocols have one hash and two paths.
func outcomeOf(d *done) outcome {
	run := *d.Run
	run.SearchSeconds, run.FitSeconds, run.PredictSeconds, run.CPUSeconds, run.PeakRSSBytes, run.StartedAt = 0, nil, nil, nil, nil, ""
	run.Environment, run.Stderr, run.Isolated, run.Warnings, run.TimeoutSeconds = nil, "", false, nil, nil
	run.Folds = slices.Clone(run.Folds)
	for i := range run.Folds {
		run.Folds[i].FitSeconds = 0
	}
	out := outcome{
		cell:   runner.Cell{Protocol: run.Protocol, Dataset: run.Dataset, Method: run.Method, Split: run.Split},
		worker: d.Machine, value: string(run.Status),
		counts: run.Status == result.OK || run.Failure() == result.ClassError || run.Failure() == result.ClassBadOutput,
	}
	run.Planned = result.Planned{}
	if text, err := strictjson.Marshal(run); err == nil {
		out.sum = sha256.Sum256(text)
	}
	switch {
	case run.Status != result.OK:
		out.value += ": " + cmp.Or(run.Error, string(run.Failure()))
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

// finish takes ends of cells from a worker. It answers before it reads them, since large results take long.
func (p *Pool) finish(m *nats.Msg) {
	p.mu.Lock()
	data := p.parts.add(m)
	p.mu.Unlock()
	p.respond(m, nats.NewMsg(""))
	if data != nil {
		go p.takeAll(data)
	}
}

func (p *Pool) takeAll(data []byte) {
	var ends []done
	err := strictjson.UnmarshalOpen(data, &ends)
	if err != nil {
		p.log("a worker sent results that cannot be read: %v", err)
	}
	for i := range ends {
		d := &ends[i]
		if err != nil { // what was read of a result is no result
			d.Run = nil
		}
		if d.Run != nil {
			d.outcome = outcomeOf(d)
		}
		p.mu.Lock()
		p.take(d)
		p.mu.Unlock()
	}
}

// take handles the end of a cell; p.mu is held. The first result of a cell counts, and a later one is compared with it. A
// result without a call is kept: an earlier coordinator, or an earlier call, asked for it.
func (p *Pool) take(d *done) {
	c := p.calls[d.Key]
	switch {
	case d.Run == nil:
		if c != nil && c.id == d.ID {
			if d.Alone {
				p.alone[d.Key] = true
			}
			p.finishCall(c, callEnd{err: schedule.ErrGivenBack})
		}
	case c == nil:
		p.results.another(d)
	case c.code != d.Code: // an earlier coordinator, with other code, asked for it
	default:
		p.results.note(c.spec, d)
		p.finishCall(c, callEnd{run: c.spec.FilledWith(*d.Run)})
	}
}
