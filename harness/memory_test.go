package harness

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
)

// keeper is a runner that is told which sets it need not keep.
type keeper struct{ forgotten []string }

func (k *keeper) Run(context.Context, runner.CellSpec) (result.Run, error) { return result.Run{}, nil }

func (k *keeper) Forget(c runner.CellSpec) { k.forgotten = append(k.forgotten, c.Set.TOML) }

func cellOf(set string, memory int64) *PlannedCell {
	return &PlannedCell{Memory: memory, SetBytes: 100, Spec: runner.CellSpec{Set: datasets.Description{TOML: set}}}
}

// TestSetsCountOnceAndLeave: a data set counts once for all its cells, leaves when the last
// of them ends, and makes way for another that is needed now.
func TestSetsCountOnceAndLeave(t *testing.T) {
	a1, a2, b1, b2 := cellOf("a", 10), cellOf("a", 20), cellOf("b", 30), cellOf("b", 40)
	k := &keeper{}
	m := newMemory(200, []*PlannedCell{a1, a2, b1, b2}, k)
	ctx := t.Context()
	if !m.acquire(ctx, a1) || !m.acquire(ctx, a2) || m.used != 130 {
		t.Fatalf("two cells of a set of 100 bytes take %d, want 130", m.used)
	}
	m.release(a1)
	m.release(a2)
	if m.used != 0 || !slices.Equal(k.forgotten, []string{"a"}) {
		t.Errorf("after its last cell a set is kept: %d bytes, forgotten %v", m.used, k.forgotten)
	}

	k.forgotten = nil
	m = newMemory(200, []*PlannedCell{a1, a2, b1, b2}, k)
	m.acquire(ctx, a1)
	m.release(a1) // a is kept for a2
	if !m.acquire(ctx, b1) || m.used != 130 || !slices.Equal(k.forgotten, []string{"a"}) {
		t.Errorf("an idle set does not make way: %d bytes, forgotten %v", m.used, k.forgotten)
	}
	if m.acquire(cancelled(t), a2) {
		t.Error("two sets and their cells fit where they do not")
	}
	m.release(b1)
	if !m.acquire(ctx, a2) || m.used != 120 {
		t.Errorf("a set that made way does not come back: %d bytes", m.used)
	}

	k.forgotten = nil
	m = newMemory(0, []*PlannedCell{a1, b1, b2}, k)
	if !m.acquire(ctx, a1) || !m.acquire(ctx, b1) {
		t.Error("without a limit a cell waits")
	}
	m.release(a1)
	m.drop(b2)
	if !slices.Equal(k.forgotten, []string{"a"}) {
		t.Errorf("a set whose cell is running is forgotten: %v", k.forgotten)
	}
	m.release(b1)
	if !slices.Equal(k.forgotten, []string{"a", "b"}) {
		t.Errorf("forgotten %v, want a and then b", k.forgotten)
	}
}

// TestAWaitingCellStartsWhenThereIsRoom.
func TestAWaitingCellStartsWhenThereIsRoom(t *testing.T) {
	a, b := cellOf("a", 80), cellOf("b", 80)
	m := newMemory(200, []*PlannedCell{a, b}, &keeper{})
	m.acquire(t.Context(), a)
	started := make(chan bool)
	go func() { started <- m.acquire(t.Context(), b) }()
	select {
	case <-started:
		t.Fatal("a cell starts where there is no room")
	case <-time.After(20 * time.Millisecond):
	}
	m.release(a)
	if !<-started {
		t.Error("it never starts")
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
