package harness

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// A lab is another machine that gives cells of method "back" back.
type lab struct{}

func (lab) Rooms() []schedule.Room     { return []schedule.Room{{Slots: 3}} }
func (lab) Changed() <-chan struct{}   { return nil }
func (lab) Workers() []schedule.Worker { return []schedule.Worker{{Name: "lab", Jobs: 3}} }
func (lab) RunIn(_ context.Context, _ string, c runner.CellSpec) (result.Run, error) {
	if c.Cell.Method == "back" {
		return result.Run{}, schedule.ErrGivenBack
	}
	return result.Run{}, nil
}

// TestToldOfRuns: the database knows the cells that are being computed and where, the workers and the places. A cell that was given
// back is not being computed.
func TestToldOfRuns(t *testing.T) {
	db := openTestDB(t)
	claims, err := db.NewClaims()
	if err != nil {
		t.Fatal(err)
	}
	defer claims.Close()
	cell := func(method string) *plan.Cell {
		c := plan.OfShown(store.PlannedCell{Key: method, Protocol: "p", Dataset: "d", Method: method, Split: 1, CostUnits: 5, Guessed: true, TrainRows: 7})
		c.Spec.Cell = c.Cell
		return c
	}
	here, away, back := cell("here"), cell("away"), cell("back")
	nothing := schedule.Options{Jobs: 2, Limits: plan.Limits{MaxCell: time.Minute}, Budget: time.Hour, Remote: lab{}, Started: func(*plan.Cell) {}, Finished: func(*plan.Cell, result.Run) {}}
	opt := show(claims, &plan.Plan{Cells: []*plan.Cell{here, away, back}}, nothing)
	for _, c := range []*plan.Cell{here, away, back} {
		opt.Started(c)
	}
	for _, c := range []*plan.Cell{away, back} {
		_, _ = opt.Remote.RunIn(t.Context(), "", c.Spec)
	}
	reader, err := store.OpenReader(t.Context(), db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	on, err := reader.Onlook(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	awaits := func(want string) {
		t.Helper()
		for got := ""; got != want; {
			runs, cells, err := on.Look(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got = fmt.Sprint(len(cells)); len(runs) == 1 {
				r := runs[0]
				got += fmt.Sprint(" ", r.Jobs, r.Places, r.MaxCell, r.Ends.Sub(r.Begun), r.Workers)
				for _, c := range r.Running {
					got += fmt.Sprint(" ", c.Key, c.Away)
				}
			}
			select {
			case <-t.Context().Done():
				t.Fatalf("%s, want %s", got, want)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	awaits("3 2 5 1m0s 1h0m0s [{lab 3 0 []}] herefalse awaytrue")
	opt.Finished(here, result.Run{})
	awaits("3 2 5 1m0s 1h0m0s [{lab 3 0 []}] awaytrue")
	if want := here.Shown(); fmt.Sprint(plan.OfShown(want).Shown()) != fmt.Sprint(want) || want.CostUnits != 5 || !want.Guessed || want.TrainRows != 7 {
		t.Errorf("a cell is shown as %+v", want)
	}
}
