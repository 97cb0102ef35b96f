package schedule

import (
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

func awayCell(method string, split int, memory int64, seconds float64) *plan.Cell {
	c := &plan.Cell{Cell: runner.Cell{Method: method, Dataset: "a", Split: split}}
	c.Spec = runner.CellSpec{Cell: c.Cell, Memory: memory, Cost: seconds * 1e9}
	c.Work, c.Spec.Shape = c.Spec.Cost, registry.Shape{N: 100, D: 10}
	return c
}

// TestCellsGoWhereTheirMemoryIs: each cell goes to the smallest machine that has room for it. A cell that no machine
// takes is told, once for each change of the machines, and keeps no other cell waiting.
func TestCellsGoWhereTheirMemoryIs(t *testing.T) {
	small, large := Room{Name: "small", Slots: 2, Memory: 1 << 30}, Room{Name: "large", Slots: 1, Memory: 8 << 30}
	var told []string
	cells := []*plan.Cell{awayCell("Huge", 1, 9<<30, 400), awayCell("Big", 1, 4<<30, 300), awayCell("Big", 2, 4<<30,
		300), awayCell("Tiny", 1, 1<<20, 100), awayCell("Tiny", 2, 1<<20, 100)}
	s := newState(Options{Remote: fakeRemote{}}, cells, time.Unix(0, 0))
	step := func(e event) (started []string) {
		for _, a := range s.step(time.Unix(0, 0), e) {
			switch a := a.(type) {
			case start:
				started = append(started, fmt.Sprint(a.cell.Method, " ", a.room))
			case tell:
				if a.Kind == Unplaced {
					told = append(told, fmt.Sprint(a.Cells, " ", a.Cell.Method))
				}
			}
		}
		return started
	}
	expect := func(what string, got, want []string) {
		t.Helper()
		must.Be(t, got, want, what)
	}
	expect("nobody is there", step(nil), nil)
	expect("both come", step(roomsChanged{[]Room{large, small}}), []string{"Big large", "Tiny small", "Tiny small"})
	expect("a small cell ends", step(ended{cell: cells[3], run: result.Run{Status: result.OK}}), nil)
	expect("a big cell ends", step(ended{cell: cells[1], run: result.Run{Status: result.OK}}), []string{"Big large"})
	expect("the small machine goes", step(roomsChanged{[]Room{large}}), nil)
	expect("the other big cell ends", step(ended{cell: cells[2], run: result.Run{Status: result.OK}}), nil)
	expect("it is told", told, []string{"1 Huge", "1 Huge"})
	expect("one without a limit comes", step(roomsChanged{[]Room{large, {Name: "any", Slots: 1}}}),
		[]string{"Huge any"})
}

// TestShortCellsShareAPlace: cells that were measured share a place until it has two seconds of work.
func TestShortCellsShareAPlace(t *testing.T) {
	var cells []*plan.Cell
	for i := range 300 {
		cells = append(cells, awayCell("M", i+1, 1, 0.1))
	}
	s := newState(Options{Remote: fakeRemote{}}, cells, time.Unix(0, 0))
	count := func(e event) (n int) {
		for _, a := range s.step(time.Unix(0, 0), e) {
			if _, is := a.(start); is {
				n++
			}
		}
		return n
	}
	must.Be(t, count(roomsChanged{[]Room{{Name: "all", Slots: 1}}}), 1)
	// a tenth of a second is 7 parts
	must.Be(t, count(ended{cell: cells[0], run: result.Run{Status: result.OK, SearchSeconds: 0.1}}), Whole/7,
		"cells of a tenth of a second at one place")
	if n := count(ended{cell: cells[1], how: givenBack}); n != 1 || s.total != 7*(Whole/7) || s.load["all"] != s.total {
		t.Errorf("%d cells start for one that came back; %d parts are taken", n, s.total)
	}
	for seconds, want := range map[float64]int{0: Whole, -1: Whole, 1e-9: 1, 1: Second, 2: Whole, 100: Whole} {
		must.Be(t, Share(runner.CellSpec{Seconds: seconds}), want, seconds)
	}
}
