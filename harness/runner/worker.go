package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// startsWithin is how long a worker may take until it is ready. endsPolitely is how long it may take to end after the
// last request.
const (
	startsWithin = 2 * time.Minute
	endsPolitely = time.Second
	endsWithin   = 10 * time.Second // how long a keeper waits for ended processes after SIGKILL
	keeperLook   = 100 * time.Millisecond
)

// A worker is a process that runs cells, together with its keeper, as the harness sees them.
type worker struct {
	keeper   int // the keeper's process
	requests *os.File
	control  *os.File
	// readers are the reading ends of requests and control. They are held open so that no write raises SIGPIPE, which a
	// run takes for an interrupt.
	readers []*os.File
	ask     *strictjson.Encoder
	replies chan answer // one answer for each request, then the error that ends the answers
	stderr  processes.Tail
	ended   chan struct{} // closed when the keeper and all processes below it have ended
	ending  ending        // valid once ended is closed
	lost    error         // why ending is missing: the keeper itself was killed
	set     catalogue.Description
}

// An answer is a reply or the reason why none came.
type answer struct {
	reply
	err error
}

// startWorker starts this program with the arguments given and waits until it is ready.
func startWorker(ctx context.Context, args []string) (*worker, error) {
	w := &worker{replies: make(chan answer, 1), ended: make(chan struct{}), stderr: processes.Tail{Most: mostTail}}
	var theirs, ours [4]*os.File // in the order of fdRequests, fdReplies, fdControl, fdEnding
	var err error
	for i := 0; i < len(theirs) && err == nil; i++ {
		theirs[i], ours[i], err = os.Pipe()
		if i%2 == 1 {
			theirs[i], ours[i] = ours[i], theirs[i]
		}
	}
	keeper := keeperCommand()
	keeper.Args = append([]string{os.Args[0]}, args...)
	keeper.ExtraFiles = theirs[:]
	keeper.Stdout, keeper.Stderr = &w.stderr, &w.stderr
	keeper.WaitDelay = 5 * time.Second // by then all processes below the keeper have ended
	if err == nil {
		err = keeper.Start()
	}
	closeAll([]*os.File{theirs[1], theirs[3]})
	if err != nil {
		closeAll(ours[:])
		closeAll(theirs[:])
		return nil, err
	}
	w.keeper = keeper.Process.Pid
	processes.Keep(w.keeper)
	w.requests, w.control, w.ask = ours[0], ours[2], strictjson.NewEncoder(ours[0])
	w.readers = []*os.File{theirs[0], theirs[2]}
	go w.read(ours[1])
	go w.wait(keeper, ours[3])
	select {
	case a := <-w.replies:
		if a.err == nil && a.Ready {
			return w, nil
		}
		err = errNoAnswer
	case <-w.ended:
		err = errNoAnswer
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(startsWithin):
		err = fmt.Errorf("it was not ready after %v", startsWithin)
	}
	w.kill()
	if said := kept(printable(w.stderr.String())); said != "" {
		err = fmt.Errorf("%w: %s", err, oneLine(said))
	}
	return nil, err
}

var errNoAnswer = errors.New("it did not begin to answer")

// isEnd reports whether an error means that no more replies come, even if the last reply was cut.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// read hands over the replies until they end or one cannot be read.
func (w *worker) read(from *os.File) {
	defer from.Close()
	for lines := strictjson.NewDecoder(from); ; {
		var a answer
		a.err = lines.Decode(&a.reply)
		select {
		case w.replies <- a:
		case <-w.ended:
			return
		}
		if a.err != nil {
			return
		}
	}
}

// wait waits until the keeper has ended, and with it all processes below it.
func (w *worker) wait(keeper *exec.Cmd, from *os.File) {
	defer close(w.ended)
	defer from.Close()
	w.lost = strictjson.NewDecoder(from).Decode(&w.ending)
	err := keeper.Wait()
	processes.Release(w.keeper)
	if w.lost != nil {
		w.lost = fmt.Errorf("the process that watches over the worker ended: %w", errors.Join(err, w.lost))
	}
	_, _ = w.requests.Close(), w.control.Close()
	closeAll(w.readers)
}

// kill ends the worker and all processes that it started, and returns when they are gone. If the keeper does not end
// them because it is stopped, kill ends the keeper and all processes below it.
func (w *worker) kill() {
	_ = w.control.Close()
	for waited := time.Duration(0); ; waited += keeperLook {
		select {
		case <-w.ended:
			return
		case <-time.After(keeperLook):
		}
		p, _ := processes.Of(w.keeper)
		if waited > endsWithin+endsWithin/2 || p.Stopped && waited > time.Second {
			break
		}
	}
	processes.EndTree(w.keeper)
	<-w.ended
}

// close gives an idle worker a moment to end by itself, then kills it.
func (w *worker) close() {
	_ = w.requests.Close()
	select {
	case <-w.ended:
	case <-time.After(endsPolitely):
	}
	w.kill()
}

func (w *worker) tell(command byte) { _, _ = w.control.Write([]byte{command}) }
