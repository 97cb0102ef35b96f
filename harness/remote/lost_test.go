package remote

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
)

// killedWorker starts a worker as a process whose cells never end. It returns a channel that is closed when
// the process has been killed with its first cell.
func killedWorker(t *testing.T, p *Pool) <-chan struct{} {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), workerVariable+"="+p.URL)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	must.Do(t, err)
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "began") {
				break
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	return killed
}

// TestKilledWorkersLoseNoCell: a cell whose worker was killed goes to another; the second death is a row.
func TestKilledWorkersLoseNoCell(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	killed := killedWorker(t, p)
	until(t, p, slots(1))
	ended := make(chan callEnd, 1)
	go func() {
		run, err := anywhere(t.Context(), p, cell("M", 1))
		ended <- callEnd{run, err}
	}()
	<-killed
	serve(t, p, p.URL, options(answers))
	end := <-ended
	if errors.Is(end.err, schedule.ErrGivenBack) { // the worker came after the other was missed
		until(t, p, slots(1))
		end.run, end.err = anywhere(t.Context(), p, cell("M", 1))
	}
	if end.err != nil || end.run.TestRows != 100 {
		t.Errorf("%+v", end)
	}
}

func TestACellThatTwoWorkersWereLostWithIsARow(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	first, second := killedWorker(t, p), killedWorker(t, p)
	until(t, p, slots(2))
	run, err := anywhere(t.Context(), p, cell("Deadly", 1))
	must.Do(t, err)
	must.Be(t, run.Class, result.ClassCrash, run)
	must.Hold(t, run.Error, "2 workers were lost while they had this cell")
	<-first
	<-second
}

// TestALostBatchGoesOneByOne: the cells of a batch with which a worker was lost go back, each to be handed out alone.
func TestALostBatchGoesOneByOne(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	killed := killedWorker(t, p)
	until(t, p, slots(1))
	room := p.Rooms()[0].Name
	var all sync.WaitGroup
	var calls []*call
	p.mu.Lock()
	for i := range 3 {
		c := cell("M", i+1)
		c.Seconds = 0.01
		out := &call{id: fmt.Sprint(i), spec: c, group: room, ends: make(chan callEnd, 1)}
		p.calls[c.Key] = out
		calls = append(calls, out)
	}
	p.mu.Unlock()
	p.publish(room, calls)
	<-killed
	serve(t, p, p.URL, options(answers))
	for _, c := range calls {
		all.Go(func() {
			if end := <-c.ends; !errors.Is(end.err, schedule.ErrGivenBack) {
				t.Errorf("%v: %+v", c.spec.Cell, end)
			}
		})
	}
	all.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	must.Be(t, len(p.alone), 3, p.alone, p.lost)
	must.Be(t, len(p.lost), 0, p.alone, p.lost)
}
