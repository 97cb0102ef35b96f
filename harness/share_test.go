package harness

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// fakeClaims are a database where another run is at some cells, by key.
type fakeClaims struct {
	mu       sync.Mutex
	theirs   map[string]store.Claim // as it is answered
	asked    map[string]int
	batches  int
	released []string
	later    func(key string, times int) (store.Claim, bool) // what is answered from some time on
}

func (f *fakeClaims) Take(_ context.Context, cells []store.Wanted) ([]store.Claim, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches++
	var out []store.Claim
	for _, w := range cells {
		f.asked[w.Key]++
		claim, others := f.theirs[w.Key]
		if !others {
			claim = store.Claim{Taken: true}
		} else if c, changed := f.later(w.Key, f.asked[w.Key]); changed {
			claim = c
		}
		if claim.Suspect {
			claim.Taken = !w.Spared
		}
		out = append(out, claim)
	}
	return out, nil
}

func (f *fakeClaims) Release(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = append(f.released, key)
}

// TestSharing: what another run is at is left to it, counted when it ended it, and run here, isolated,
// when it did not.
func TestSharing(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	req := plan.Request{Datasets: []string{"balance", "swiss"}, Splits: []int{1, 2, 3}}
	todo, err := h.Plan(context.Background(), req, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	done, bad, dead, was := todo.Cells[0].Spec.Key, todo.Cells[1].Spec.Key, todo.Cells[2].Spec.Key, todo.Cells[3].Spec.Key
	claims := &fakeClaims{asked: map[string]int{}, theirs: map[string]store.Claim{done: {By: "process 7"}, bad: {By: "process 7"}, dead: {By: "process 7"}, was: {Stored: result.OK}}}
	claims.later = func(key string, times int) (store.Claim, bool) {
		switch {
		case key == was || times < 3:
			return store.Claim{}, false
		case key == done:
			return store.Claim{Stored: result.OK}, true
		case key == bad:
			return store.Claim{Stored: result.Failed}, true
		}
		return store.Claim{Taken: true, Suspect: true}, true
	}
	elsewhere, waited := 0, ""
	opt := schedule.Options{Jobs: 2, Claims: claims,
		Elsewhere: func(*plan.Cell, result.Status) { elsewhere++ },
		Waiting:   func(cells int, by string) { waited = fmt.Sprint(cells, " ", by) }}
	w := db.NewWriter(environment.Current(), nil)
	out, err := schedule.Run(context.Background(), h.runner(), nil, todo.Cells, opt, w.Put)
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if out.OK != 5 || out.Failed != 1 || out.Elsewhere != 3 || out.NotStarted != 0 || out.Interrupted || elsewhere != 3 {
		t.Errorf("outcome %+v, told of %d", out, elsewhere)
	}
	if waited != "3 process 7" {
		t.Errorf("waited for %q", waited)
	}
	for _, c := range todo.Cells {
		if c.Spec.Suspect != (c.Spec.Key == dead) {
			t.Errorf("%s: suspect is %v", c.Cell, c.Spec.Suspect)
		}
	}
	if keys, err := db.Keys(context.Background()); err != nil || len(keys) != 3 {
		t.Errorf("%d cells are stored here, want 3, %v", len(keys), err)
	}
	if claims.batches > 20 || len(claims.released) != 0 {
		t.Errorf("%d transactions, %d releases", claims.batches, len(claims.released))
	}
}

// TestWaitingForOthersEnds by an interrupt, by cancelling and by the budget.
func TestWaitingForOthersEnds(t *testing.T) {
	h := newTestHarness(t, centroids())
	for name, end := range map[string]func(opt *schedule.Options, stop chan struct{}, cancel func()){
		"interrupt": func(_ *schedule.Options, stop chan struct{}, _ func()) { close(stop) },
		"cancel":    func(_ *schedule.Options, _ chan struct{}, cancel func()) { cancel() },
		"budget":    func(opt *schedule.Options, _ chan struct{}, _ func()) { opt.Budget = time.Second },
	} {
		todo, err := h.Plan(context.Background(), plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		stop := make(chan struct{})
		claims := &fakeClaims{asked: map[string]int{}, theirs: map[string]store.Claim{todo.Cells[0].Spec.Key: {By: "process 7"}}, later: func(string, int) (store.Claim, bool) { return store.Claim{}, false }}
		opt := schedule.Options{Jobs: 1, Claims: claims}
		if name == "budget" {
			end(&opt, stop, cancel)
		} else {
			opt.Waiting = func(int, string) { end(&opt, stop, cancel) }
		}
		out, err := schedule.Run(ctx, h.runner(), stop, todo.Cells, opt, func(result.Run) error { return nil })
		if err != nil || out.OK != 0 || out.Interrupted != (name != "budget") || len(out.Excluded) != map[bool]int{true: 1}[name == "budget"] {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		cancel()
	}
}
