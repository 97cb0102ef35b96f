package verify

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// Workers knows which worker's result of a cell counts, and can refuse a worker. A remote.Pool does.
type Workers interface {
	Origin(key string) (id, name string) // "" for a cell that ran here
	Expel(id string, why error)
}

// Shares collects the cells of a run by the worker that computed them. Add is safe for concurrent use.
type Shares struct {
	mu    sync.Mutex
	order []string
	of    map[string]*share // by the worker's identity
}

type share struct {
	name    string
	all     []*plan.Cell
	checked []*plan.Cell // those that can be computed again and must then be equal
}

// Add notes a cell that has ended. Only results that are ok, of methods that are deterministic, can be compared.
func (s *Shares) Add(h *plan.Experiment, c *plan.Cell, run result.Run, w Workers) {
	id, name := w.Origin(c.Spec.Key)
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]*share{}
	}
	if s.of[id] == nil {
		s.of[id] = &share{name: name}
		s.order = append(s.order, id)
	}
	s.of[id].all = append(s.of[id].all, c)
	spec, err := h.Registry.Lookup(c.Method)
	if err == nil && !spec.Nondeterministic && c.Spec.Canary == nil && run.Status == result.OK {
		s.of[id].checked = append(s.of[id].checked, c)
	}
}

// Empty reports whether no worker has computed anything.
func (s *Shares) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.order) == 0
}

// A WorkerCheck is what became of a worker's share of a run.
type WorkerCheck struct {
	ID, Worker string // its identity, and its name for people
	Cells      []*plan.Cell
	Comparable int       // of Cells, those of deterministic methods that ended ok
	Checked    int       // of these, how many were computed again and ended ok
	Differs    *Verified // one that differs; nil for none
}

// Finds returns the share of a worker's results which, if it were forged, the check would have found with probability
// 0.99. A worker does not know which cells are drawn, so that n drawn results are all honest with a probability of at
// most (1-f)^n where the share f of all is forged.
func (c WorkerCheck) Finds() float64 { return 1 - math.Pow(0.01, 1/float64(c.Checked)) }

// Check draws a part of each worker's comparable cells, by numbers that no worker can know, and computes them again. A
// cell that does not end ok this time proves nothing, since other limits hold here.
func (s *Shares) Check(
	ctx context.Context, part float64, run runner.Runner, stop <-chan struct{}, opt schedule.Options, db *store.DB,
) ([]WorkerCheck, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []WorkerCheck
	for _, id := range s.order {
		of := s.of[id]
		check := WorkerCheck{ID: id, Worker: of.name, Cells: of.all, Comparable: len(of.checked)}
		var seed [8]byte
		_, _ = rand.Read(seed[:]) // never fails
		drawn := Sample(of.checked, part, 0, binary.LittleEndian.Uint64(seed[:]))
		_, err := Cells(ctx, run, stop, drawn, opt, db, func(v Verified) {
			if v.Differences != nil && v.Differences[0].What == endDiffers {
				return
			}
			if check.Checked++; v.Differences != nil && check.Differs == nil {
				check.Differs = &v
			}
		})
		if err != nil || ctx.Err() != nil {
			return out, err
		}
		out = append(out, check)
	}
	return out, nil
}

// Why says what differs.
func (c WorkerCheck) Why() error {
	d := c.Differs.Differences[0]
	return fmt.Errorf("its result of %s is not the one that is computed here: %s: %s, here %s",
		c.Differs.Cell, d.What, d.Stored, d.Computed)
}
