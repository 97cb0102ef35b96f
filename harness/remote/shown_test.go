package remote

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestWorkersAreNamed: who looks on learns which worker is at which cell, and that a worker has left.
func TestWorkersAreNamed(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 4 * time.Second}) // a worker says hello each second
	must.Be(t, len(p.Workers()), 0, "before one has come")
	end := make(chan struct{})
	slow := options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		<-end
		return answers(ctx, c)
	})
	slow.Machine, slow.Jobs = "lab1/7", 2
	stop := serve(t, p, p.URL, slow)
	until(t, p, slots(2))
	ended := make(chan error, 1)
	go func() {
		rooms := p.Rooms()
		_, err := p.RunIn(t.Context(), rooms[0].Name, cell("M", 1))
		ended <- err
	}()
	awaits := func(want string) {
		t.Helper()
		for fmt.Sprint(p.Workers()) != want {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-t.Context().Done():
				t.Fatalf("the workers are %v, want %s", p.Workers(), want)
			}
		}
	}
	awaits(fmt.Sprintf("[{lab1/7 2 %d [M1]}]", 1<<30))
	close(end)
	must.Do(t, <-ended)
	awaits(fmt.Sprintf("[{lab1/7 2 %d []}]", 1<<30))
	stop()
	awaits("[]")
}
