package schedule

import (
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
)

// A Room is what machines of one kind take of a run's cells.
type Room struct {
	Slots   int               // cells at a time
	Memory  int64             // the most that one cell may need, in bytes; 0 for any
	Refuses map[string]string // protocols, methods and sets by name, with the reason
}

// Takes reports whether a cell may run in the room, now or later.
func (r Room) Takes(c runner.CellSpec) bool {
	if r.Slots < 1 || r.Memory > 0 && c.Memory > r.Memory {
		return false
	}
	for _, name := range []string{c.Cell.Protocol, c.Cell.Method, c.Cell.Dataset} {
		if _, refused := r.Refuses[name]; refused {
			return false
		}
	}
	return true
}

// Places is the number of cells that may run at the same time, here and elsewhere; at least 1.
func (o Options) Places() int {
	if o.Remote == nil {
		return max(1, o.Jobs)
	}
	return max(1, o.Jobs+slots(o.Remote.Rooms()))
}

func slots(rooms []Room) (n int) {
	for _, r := range rooms {
		n += r.Slots
	}
	return n
}

// away is the part of the state that concerns cells on other machines.
type away struct {
	rooms []Room
	gone  map[*plan.Cell]bool // the running cells that run on other machines
	aside []*plan.Cell        // cells that no free place takes at present
}

func newAway() away { return away{gone: map[*plan.Cell]bool{}} }

// freeHere reports whether this machine has a place for a cell.
func (s *state) freeHere() bool { return len(s.running)-len(s.gone) < s.opt.Jobs }

// freeAway reports whether the other machines have a place for a cell.
func (s *state) freeAway() bool { return len(s.gone) < slots(s.rooms) }

// takenAway reports whether another machine may run the cell, now or when it has a place.
func (s *state) takenAway(c *plan.Cell) bool {
	for _, r := range s.rooms {
		if r.Takes(c.Spec) {
			return true
		}
	}
	return false
}

// reconsider puts the cells that were set aside back into the queue, since another place may take them now.
func (s *state) reconsider() {
	for i := len(s.aside) - 1; i >= 0; i-- {
		s.queue.PutBack(s.aside[i])
	}
	s.aside = nil
}

// comeBack puts a cell that another machine could not run back into the queue.
func (s *state) comeBack(c *plan.Cell) {
	delete(s.gone, c)
	s.do(release{c})
	s.queue.PutBack(c)
}
