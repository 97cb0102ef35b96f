package schedule

import (
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
)

// Outcome counts how the cells of a run ended.
type Outcome struct {
	OK, Failed int // cells that ended with a result, stored or not
	NotStarted int // cells that an interrupt or an error left without a result
	// Excluded is the cells that exceed the limits, as measured times showed, and the cells that did not fit into the
	// budget, canaries among them, those of the cheapest set first.
	Excluded    []result.Exclusion
	Canaries    int // canaries that ended in any way or exceed the limits; they are in no other count but NotStarted
	Interrupted bool
}

// An event says what happened since the last step.
type event any

type (
	// ended says that a cell has ended: a cell that was started, or a cell whose result was given.
	ended struct {
		cell  *plan.Cell
		run   result.Run
		how   ending
		err   error // of the runner, or of put
		given bool
		// around is the seconds that the cell needs outside of its fits: for its process, its data and its split. 0
		// means unknown.
		around float64
	}
	// answered says whether the next cell may start. Each start needs a new answer.
	answered struct{ ready bool }
	// stopped says that no further cells are to start.
	stopped struct{}
	// roomsChanged tells what other machines take from now on.
	roomsChanged struct{ rooms []Room }
	// ticked says that only time has passed.
	ticked struct{}
)

type ending int

const (
	withResult ending = iota // its result was given to put
	withError                // the runner returned an error
	cancelled                // the caller of Run cancelled it
	tooLate                  // it ran long after the budget
	givenBack                // another machine could not run it
)

// An action is a thing that the driver has to do now.
type action any

type (
	// start runs a cell. The event ended follows.
	start struct {
		cell  *plan.Cell
		room  string       // a room of other machines; "" is this machine
		begin []*plan.Cell // the database must know of these before the cell runs, or before one that starts later does
	}
	// ask asks whether cells may start. The event answered follows.
	ask struct{}
	// forget drops the data set of the cell for now.
	forget struct{ cell *plan.Cell }
	// give puts a result that no runner computed. The event ended follows.
	give struct {
		cell *plan.Cell
		run  result.Run
	}
	// tell hands an event to the caller of Run.
	tell struct{ Event }
	// fail ends all running cells.
	fail struct{ err error }
)

// state is all that the decisions depend on.
type state struct {
	opt      Options
	forecast *plan.Forecast
	began    time.Time
	now      time.Time
	memory   *memory
	out      Outcome
	todo     []action // the actions of the current step

	groups  [][]*plan.Cell // with a budget the policy's parts that were not begun, else all cells as one group
	queue   *plan.Queue
	running map[*plan.Cell]time.Time // when each running cell started
	held    *plan.Cell               // the cell that starts as soon as the policy allows it
	waiting bool                     // an answer to ask is still to come
	ready   bool                     // cells may start
	stopped bool
	fatal
	away
	batches
}

func newState(opt Options, cells []*plan.Cell, now time.Time) *state {
	if opt.Remote == nil {
		opt.Jobs = max(1, opt.Jobs)
	}
	s := &state{away: newAway(), opt: opt, forecast: opt.Forecast, began: now, now: now,
		running: map[*plan.Cell]time.Time{}, memory: newMemory(opt.Limits.Memory, cells)}
	if s.forecast == nil {
		s.forecast = plan.NewForecast(nil)
	}
	if s.begun = map[*plan.Cell]bool{}; opt.Batches != nil {
		s.queue, s.later = plan.NewQueue(nil, s.forecast), cells
		return s
	}
	s.take(cells)
	return s
}

func (s *state) take(cells []*plan.Cell) {
	s.suspects, cells = newSuspects(cells)
	s.queue, s.groups = plan.NewQueue(nil, s.forecast), [][]*plan.Cell{cells}
	if s.opt.Budget > 0 {
		s.groups = s.forecast.Policy.Parts(cells)
	}
}

// step takes an event, nil at the start, and returns the actions that follow from it.
func (s *state) step(now time.Time, e event) []action {
	s.now, s.todo = now, nil
	switch e := e.(type) {
	case ended:
		s.end(e)
	case answered:
		s.waiting, s.ready = false, e.ready
		s.stopped = s.stopped || !e.ready
	case stopped:
		s.stopped = true
	case roomsChanged:
		s.rooms, s.sayUnplacedNext = e.rooms, true
	}
	if !s.waiting && s.overBudget() { // this must also happen when no place is free
		s.skipRest()
	}
	for !s.waiting && (s.freeHere() || s.total < slots(s.rooms)*Whole) && s.next() {
	}
	s.sayUnplaced()
	return s.todo
}

// done reports that no cell is running and none will start.
func (s *state) done() bool {
	return len(s.running) == 0 && !s.waiting && (s.stopped || s.held == nil && s.queue.Empty() &&
		len(s.groups)+len(s.suspects)+len(s.later) == 0)
}

func (s *state) do(a ...action) { s.todo = append(s.todo, a...) }

// next takes one decision about the next cell to start. It returns false if no decision is possible now.
func (s *state) next() bool {
	if s.stopped {
		s.letGo()
		return false
	}
	if c := s.held; c != nil && (s.leaveOut(c) || s.start(c)) { // cells that ended since may show that it takes more
		return true
	}
	if s.queue.Empty() {
		return s.held == nil && s.refill()
	}
	if s.opt.Ready != nil && !s.ready {
		s.waiting = true
		s.do(ask{})
		return true
	}
	s.queue.Refresh()
	c := s.queue.Next(s.placeable)
	if c == nil {
		return s.held == nil && s.refill()
	}
	return s.leaveOut(c) || s.tooDeadly(c) || s.start(c)
}

// placeable reports whether a cell may leave the queue: a place is free for the cell, or the cell is left out.
func (s *state) placeable(c *plan.Cell) bool {
	if s.held == nil && s.freeHere() {
		return true
	}
	_, out := s.forecast.LeaveOut(s.opt.Limits, c)
	return out || s.roomFor(c) != ""
}

// refill is called when the queue is empty or no cell of it fits any place. It adds the next part, else a cell that
// must run alone.
func (s *state) refill() bool {
	if len(s.groups) == 0 {
		return s.queueSuspect() || s.nextBatch()
	}
	if s.opt.Budget > 0 && !s.fits(s.groups[0]) {
		s.skipForBudget(slices.Concat(s.groups...))
		s.groups = nil
		return true
	}
	s.queue = plan.NewQueue(append(s.queue.Rest(), s.groups[0]...), s.forecast)
	s.groups = s.groups[1:]
	return true
}

// fits reports whether a part may begin with the time that is left.
func (s *state) fits(part []*plan.Cell) bool {
	need, free := plan.Resources{Seconds: s.wall(part)}, plan.Resources{Seconds: s.budgetLeft().Seconds()}
	return s.forecast.Policy.MayStart(part, need, free)
}

// wall predicts the seconds until cells that begin now, and those that are running, have ended.
func (s *state) wall(cells []*plan.Cell) float64 {
	var running []plan.RunningCell
	for c, since := range s.running {
		running = append(running, plan.RunningCell{Cell: c, For: s.now.Sub(since)})
	}
	return s.forecast.Wall(cells, running, max(1, s.opt.Jobs+slots(s.rooms)))
}

func (s *state) budgetLeft() time.Duration { return s.opt.Budget - s.now.Sub(s.began) }

// start starts a cell. If no machine can start the cell now, start holds it until it may start here.
func (s *state) start(c *plan.Cell) bool {
	here, room := false, ""
	if s.freeHere() && (s.held == nil || s.held == c) {
		var sets []*plan.Cell
		sets, here = s.memory.reserve(c, s.forecast.Memory(c), func(need, free int64) bool {
			jobs := len(s.running) - len(s.remote)
			return jobs == 0 || s.forecast.Policy.MayStart([]*plan.Cell{c}, plan.Resources{Jobs: 1, Bytes: need},
				plan.Resources{Jobs: s.opt.Jobs - jobs, Bytes: free})
		})
		s.forget(sets)
	}
	if !here {
		if room = s.roomFor(c); room == "" {
			s.held = c
			return false
		}
	}
	if s.held == c {
		s.held = nil
	}
	s.ready = false
	s.running[c] = s.now
	if !here {
		s.startRemote(c, room)
	}
	s.tell(Event{Kind: Started, Cell: c, Room: room})
	s.do(start{c, room, s.begin(c, here)})
	return true
}

// end notes the end of a cell that was running. A cell without a result will be planned again.
func (s *state) end(e ended) {
	delete(s.running, e.cell)
	away := s.endRemote(e.cell)
	switch {
	case e.how == givenBack:
		s.queue.PutBack(e.cell)
		s.tell(Event{Kind: GivenBack, Cell: e.cell})
		return
	case e.given || away:
		s.forget(s.memory.drop(e.cell))
	default:
		s.forget(s.memory.release(e.cell))
	}
	switch e.how {
	case withResult: // a cell whose result put could not store has ended, too, and does not start again
		if s.count(e.cell, e.run.Status); s.opt.Batches != nil {
			s.opt.Batches.Ended(e.cell, e.run)
		}
		if e.run.Status == result.OK {
			processor := 0.0
			if e.run.CPUSeconds != nil {
				processor = *e.run.CPUSeconds
			}
			s.forecast.Record(e.cell, e.run.Seconds(), processor)
			if e.run.Isolated && e.run.PeakRSSBytes != nil {
				s.forecast.RecordPeak(e.cell, *e.run.PeakRSSBytes)
			}
			if !away { // the time of another machine also contains the transfer and earlier cells of the batch
				s.forecast.RecordAround(e.cell, e.around)
			}
		}
		if e.err != nil {
			s.stop(e.err)
			return
		}
		s.tell(Event{Kind: Finished, Cell: e.cell, Run: e.run})
	case withError:
		s.stop(e.err)
	case cancelled:
		s.stop(nil)
	case tooLate:
		s.skipForBudget([]*plan.Cell{e.cell})
	}
}

// stop starts no more cells. If there is an error it also ends the running cells.
func (s *state) stop(err error) {
	s.stopped = true
	if err != nil {
		s.do(fail{err})
	}
}

func (s *state) tell(e Event) { s.do(tell{e}) }

func (s *state) forget(sets []*plan.Cell) {
	for _, c := range sets {
		s.do(forget{c})
	}
}

func (s *state) count(c *plan.Cell, status result.Status) {
	switch {
	case c.Spec.Canary != nil:
		s.out.Canaries++
	case status == result.OK:
		s.out.OK++
	default:
		s.out.Failed++
	}
}

// leaveOut asks the policy whether a cell is left out. No result of it is stored then, so that a run with other limits
// can run the cell.
func (s *state) leaveOut(c *plan.Cell) bool {
	why, out := s.forecast.LeaveOut(s.opt.Limits, c)
	if !out {
		return false
	}
	if s.held == c {
		s.held = nil
	}
	if c.Spec.Canary != nil {
		s.out.Canaries++
	} else {
		s.out.Excluded = append(s.out.Excluded, why)
	}
	s.forget(s.memory.drop(c))
	return true
}

func (s *state) overBudget() bool { return s.opt.Budget > 0 && s.now.Sub(s.began) > s.opt.Budget }

func (s *state) skipRest() {
	s.skipForBudget(slices.Concat(s.letGo(), s.queue.Rest(), slices.Concat(s.groups...), s.suspects))
	s.queue, s.groups, s.suspects = plan.NewQueue(nil, s.forecast), nil, nil
}

func (s *state) skipForBudget(cells []*plan.Cell) {
	s.out.Excluded = append(s.out.Excluded, plan.OverBudget(cells, s.opt.Budget)...)
}

func (s *state) letGo() (held []*plan.Cell) {
	if s.held != nil {
		held = []*plan.Cell{s.held}
		s.held = nil
	}
	return held
}
