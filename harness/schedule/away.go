package schedule

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// Remote runs cells on other machines.
type Remote interface {
	// RunIn runs a cell in the room with this name. It may return ErrGivenBack.
	RunIn(ctx context.Context, room string, c runner.CellSpec) (result.Run, error)
	Rooms() []Room            // what the other machines take at present
	Changed() <-chan struct{} // receives when Rooms has changed
	Workers() []Worker        // the processes that run cells, for people to see
}

// A Worker is a process that runs cells.
type Worker = store.Worker

// A Room describes the cells that a group of similar machines takes.
type Room struct {
	Name    string
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

// A place on another machine takes two seconds of work: while one second of work runs, the next second already
// waits there. Shares are fractions of a place.
const (
	Whole  = 128       // the share of a cell that takes a whole place
	Second = Whole / 2 // the share of a cell that takes a second
)

// Share is the part of a place that a cell takes. A cell takes a whole place unless it is known to be short, since
// other cells of its method on its set were measured.
func Share(c runner.CellSpec) int {
	if c.Seconds <= 0 {
		return Whole
	}
	return min(Whole, max(1, int(math.Ceil(c.Seconds*Second))))
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
	rooms           []Room
	remote          map[*plan.Cell]place // the running cells that run on other machines
	load            map[string]int       // the sum of the shares of these cells, by room
	total           int                  // the sum of all these shares, also of rooms that have disappeared
	sayUnplacedNext bool                 // cells that no place takes are still to be reported
}

// A place says where a cell runs on other machines, and its share there.
type place struct {
	room  string
	share int
}

func newAway() away { return away{remote: map[*plan.Cell]place{}, load: map[string]int{}} }

// startRemote notes that a cell goes to the machines of a room.
func (s *state) startRemote(c *plan.Cell, room string) {
	p := place{room, Share(c.Spec)}
	s.remote[c] = p
	s.load[room] += p.share
	s.total += p.share
}

// endRemote notes that a cell has ended. It reports whether the cell ran on another machine.
func (s *state) endRemote(c *plan.Cell) bool {
	p, away := s.remote[c]
	delete(s.remote, c)
	s.total -= p.share
	if s.load[p.room] -= p.share; s.load[p.room] == 0 {
		delete(s.load, p.room)
	}
	return away
}

// sayUnplaced reports once how many waiting cells fit no place at all, neither now nor later.
func (s *state) sayUnplaced() {
	if !s.sayUnplacedNext || s.stopped || s.opt.Jobs > 0 || len(s.rooms) == 0 || s.queue.Empty() {
		return
	}
	s.sayUnplacedNext = false
	var largest *plan.Cell
	n := 0
	for _, c := range s.queue.Rest() {
		if !slices.ContainsFunc(s.rooms, func(r Room) bool { return r.Takes(c.Spec) }) {
			if n++; largest == nil || c.Spec.Memory > largest.Spec.Memory {
				largest = c
			}
		}
	}
	if n > 0 {
		s.tell(Event{Kind: Unplaced, Cell: largest, Cells: n})
	}
}

func (s *state) freeHere() bool { return len(s.running)-len(s.remote) < s.opt.Jobs }

// roomFor returns the room that runs a cell now, "" if no room with a free place takes the cell. It prefers the
// room with the least memory, so that larger machines stay free for larger cells. Among equal rooms it prefers the
// smallest load for each place.
func (s *state) roomFor(c *plan.Cell) string {
	c.Spec.Seconds = s.forecast.Measured(c)
	if c.Unsized {
		c.Spec.Memory = s.forecast.Memory(c) + c.SetBytes
	}
	share := Share(c.Spec)
	if s.total+share > slots(s.rooms)*Whole {
		return ""
	}
	var best *Room
	for i := range s.rooms {
		r := &s.rooms[i]
		switch {
		case s.load[r.Name]+share > r.Slots*Whole || !r.Takes(c.Spec):
		case best == nil || r.less(best) || r.Memory == best.Memory &&
			s.load[r.Name]*best.Slots < s.load[best.Name]*r.Slots:
			best = r
		}
	}
	if best == nil {
		return ""
	}
	return best.Name
}

// less reports whether a room has less memory than another; 0 is any memory.
func (r *Room) less(other *Room) bool {
	return r.Memory != other.Memory && r.Memory > 0 && (other.Memory == 0 || r.Memory < other.Memory)
}
