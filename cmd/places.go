package cmd

import (
	"context"
	"errors"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/frame"
)

// methodPlaces says which places the methods of a run take among the methods of the database: once a method has a
// result on each set of the run, each time that it has twice as many results, and at the end.
type methodPlaces struct {
	table    *frame.Table // as it was when the run began
	without  []string     // sets that the table leaves out, since the run lacks them
	progress *harness.Progress
	methods  map[string]*placed
}

// placed is what is known of a method of the run.
type placed struct {
	waits  map[string]bool             // sets of the run on which no cell of the method has ended
	values map[string]map[int]*big.Rat // by set and split
	left   int                         // cells that have not ended
	ended  int                         // cells that have
	next   int                         // how many of them have ended when the place is said again
	said   string
}

// newPlaces reads what is stored when a run begins. It is nil where nothing is.
func newPlaces(ctx context.Context, a *app, protocol string, e harness.Begins) (*methodPlaces, error) {
	if len(e.Plan.Cells) == 0 {
		return nil, nil
	}
	p := &methodPlaces{progress: e.Progress, methods: map[string]*placed{}}
	for _, c := range e.Plan.Cells {
		if c.Spec.Canary != nil {
			continue
		}
		if p.methods[c.Method] == nil {
			p.methods[c.Method] = &placed{waits: map[string]bool{}, values: map[string]map[int]*big.Rat{}}
		}
		p.methods[c.Method].left++
		p.methods[c.Method].waits[c.Dataset] = true
	}
	for { // to leave sets out can make others count
		read, err := a.frame(ctx, reportFlags{selection: selection{protocol: protocol, exclude: p.without}})
		if err != nil {
			return nil, err
		}
		table, err := read.Table("")
		if err != nil {
			return nil, err
		}
		p.table = &table
		before := len(p.without)
		for _, name := range table.Counted {
			if e.Plan.Data[name] == "" {
				p.without = append(p.without, name)
			}
		}
		if len(p.without) == before {
			return p, nil
		}
	}
}

// handle takes what happened to a cell. It returns a line for the user, or "".
func (p *methodPlaces) handle(e schedule.Event) string {
	if p == nil || e.Kind != schedule.Finished || e.Cell.Spec.Canary != nil {
		return ""
	}
	name, set := e.Cell.Method, e.Cell.Dataset
	m := p.methods[name]
	delete(m.waits, set)
	if v := p.table.ValueOf(e.Run.Score); e.Run.Status == result.OK && v != nil {
		if m.values[set] == nil {
			m.values[set] = map[int]*big.Rat{}
		}
		m.values[set][e.Cell.Split] = v
	}
	m.left, m.ended = m.left-1, m.ended+1
	if len(m.waits) > 0 || m.ended < m.next || m.left == 0 { // after the last cell the end is near
		return ""
	}
	m.next = 2 * m.ended
	return p.place(name)
}

// place says the place of a method; "" where there is none.
func (p *methodPlaces) place(name string) string {
	place, ok := compare.PlaceOf(p.table, name, p.methods[name].values)
	if !ok {
		return ""
	}
	p.methods[name].said = place.String()
	var all []string
	for _, other := range slices.Sorted(maps.Keys(p.methods)) {
		if said := p.methods[other].said; said != "" {
			all = append(all, said)
		}
	}
	p.progress.Note(all)
	return place.String()
}

// end says the places at the end of the run, and which report shows more.
func (p *methodPlaces) end(say func(format string, args ...any)) {
	if p == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.methods)) {
		if len(p.methods[name].waits) > 0 {
			continue
		}
		if line := p.place(name); line != "" {
			report := []string{"report", "leaderboard", "--focus", name}
			if p.without != nil {
				report = append(report, "--exclude", strings.Join(p.without, ","))
			}
			say("%s; `%s` shows how sure that is", line, p.table.Frame.Run.Other(report...))
		}
	}
}

// noteNoPlaces says that stored results cannot be read for places. Without any result there is nothing to say.
func (m *messages) noteNoPlaces(err error) {
	if !errors.Is(err, frame.ErrNoResults) {
		m.say("places among the stored methods are not shown: %s", wording.Spelled(err.Error()))
	}
}
