package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
)

// names makes the names that a coordinator and its workers share. The names contain the identity of the run, so that
// two runs at one server do not mix.
type names struct{ run string }

// ownRun is the identity of a run that has a server of its own.
const ownRun = "run"

func (n names) stream() string            { return "BENCH_" + n.run }
func (n names) of(what string) string     { return "bench." + n.run + "." + what }
func (n names) cells(group string) string { return n.of("cells." + group) } // a batch
func (n names) hello() string             { return n.of("hello") }          // a worker's hello, answered by a welcome
// ends of cells, answered when the coordinator has them
func (n names) done() string { return n.of("done") }

// a partRequest, answered by a part of the object
func (n names) object() string { return n.of("object") }

// the ID of a task whose result is no longer needed
func (n names) stop() string           { return n.of("stop") }
func (n names) over() string           { return n.of("over") }        // the run has ended
func (n names) here() string           { return n.of("here") }        // answered by a coordinator that is there
func (n names) inbox(of string) string { return n.of("inbox." + of) } // begins the subjects of answers

// a partRequest to a worker, answered by a part of its result
func (n names) objectsOf(worker string) string { return n.inbox("worker." + worker + ".objects") }

// mayPublish lists the subjects to which a worker sends, and maySubscribe those that it receives. Besides, a worker may
// answer what it is asked.
func (n names) mayPublish() []string {
	return []string{
		n.hello(), n.done(), n.object(), "$JS.API.CONSUMER.INFO." + n.stream() + ".*", "$JS.API.CONSUMER.MSG.NEXT." +
			n.stream() + ".*",
		"$JS.ACK." + n.stream() + ".>",
	}
}

func (n names) maySubscribe(worker string) []string {
	return []string{n.stop(), n.over(), n.inbox("worker." + worker + ".>")}
}

// isID reports whether a worker may have this identity: it is a part of subjects.
func isID(id string) bool {
	other := func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, other)
}

// A task is a cell that RunIn was called with.
type task struct {
	// names the call of RunIn; if the server delivers a task to a second worker, the task keeps its ID
	ID      string          `json:"id"`
	Spec    runner.CellSpec `json:"spec"`
	Timeout time.Duration   `json:"timeout,omitempty"` // of the cell; 0 for none
	Plugin  *Plugin         `json:"plugin,omitempty"`  // the method's files; nil for a method that is no plugin
}

// A batch is what a worker pulls: one cell, or short cells that take about a second together. A batch that is too large
// for a message is sent as an object.
type batch struct {
	Tasks  []task `json:"tasks,omitempty"`
	Object string `json:"object,omitempty"`
}

// A hello tells the coordinator about a worker. The worker sends it regularly, as a heartbeat.
type hello struct {
	Worker  string            `json:"worker"` // identity of the worker's process
	Machine string            `json:"machine"`
	Jobs    int               `json:"jobs"`
	Memory  int64             `json:"memory"`
	Refuses map[string]string `json:"refuses,omitempty"` // methods and sets by name, with the reason
	Running []string          `json:"running,omitempty"` // IDs of tasks
	Leaves  bool              `json:"leaves,omitempty"`  // the worker takes no more cells
}

// A welcome answers a hello.
type welcome struct {
	Consumer string        `json:"consumer"` // of the worker's group
	Lost     time.Duration `json:"lost"`     // a worker that is silent for so long is lost
	Error    string        `json:"error,omitempty"`
	Expelled string        `json:"expelled,omitempty"` // why the coordinator takes no more results of the worker
}

// A done is the end of a task at a worker.
type done struct {
	ID      string      `json:"id"`
	Key     string      `json:"key"` // of the cell
	Machine string      `json:"machine"`
	Run     *result.Run `json:"run,omitempty"`    // nil also where the worker gives the cell back
	Object  string      `json:"object,omitempty"` // the run is an object of the worker
	Bytes   int         `json:"bytes,omitempty"`  // of the run as JSON
	// a worker was lost with the batch; the cell is to be a batch of its own
	Alone bool `json:"alone,omitempty"`

	// These are of the coordinator alone.
	outcome outcome // of Run
	from    string  // identity of the worker
	wrong   error   // what no honest worker sends
}

// group names the workers that take the same cells. Machines of one kind differ by some bytes of memory, so only the
// first three binary digits of the memory count.
func (h hello) group() string {
	refused := strings.Join(slices.Sorted(maps.Keys(h.Refuses)), "\n")
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", rounded(h.Memory), refused))
	return hex.EncodeToString(sum[:8])
}

// rounded keeps the first three binary digits of a number of bytes.
func rounded(memory int64) int64 {
	memory = max(0, memory)
	drop := max(0, bits.Len64(uint64(memory))-3)
	return memory >> drop << drop
}
