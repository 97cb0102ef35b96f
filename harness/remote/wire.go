package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// These are the names of what the coordinator and its workers share.
const (
	streamName = "CELLS"
	bucketName = "bench"

	subjectCells = "bench.cells." // and the name of a group: a task
	subjectHello = "bench.hello"  // a worker's hello, answered by a welcome
	subjectDone  = "bench.done"   // a done, answered when the coordinator has it
	subjectFile  = "bench.file"   // a checksum, answered when the object store has the file
	subjectStop  = "bench.stop"   // the ID of a task whose result nobody waits for any more
	subjectOver  = "bench.over"   // the run has ended
)

// A task is a cell that is handed out.
type task struct {
	ID      string          `json:"id"`
	Spec    runner.CellSpec `json:"spec"`
	Code    string          `json:"code"`              // hash of the method's code at the coordinator
	Timeout time.Duration   `json:"timeout,omitempty"` // of the cell; 0 for none
}

// A hello is what a worker says of itself, again and again.
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
}

// A done is the end of a task at a worker.
type done struct {
	ID       string      `json:"id"`
	Worker   string      `json:"worker"`
	Run      *result.Run `json:"run,omitempty"`
	Returned string      `json:"returned,omitempty"` // why there is no run
}

// group names the workers that take the same cells. Machines of one kind differ by some bytes of memory, so
// that only the first three binary digits of the memory count.
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

// An envelope carries a message, or the name of the object that holds the message since it is too large.
type envelope struct {
	Message json.RawMessage `json:"message,omitempty"`
	Object  string          `json:"object,omitempty"`
}

// roomBeside is what an envelope needs beside its message.
const roomBeside = 4096

// pack makes the bytes of a message. A message that is too large goes into the object store under the name.
func pack(ctx context.Context, nc *nats.Conn, objects jetstream.ObjectStore, name string, message any) ([]byte, error) {
	raw, err := encode(message)
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) < nc.MaxPayload()-roomBeside {
		return encode(envelope{Message: raw})
	}
	if _, err := objects.PutBytes(ctx, name, raw); err != nil {
		return nil, err
	}
	return encode(envelope{Object: name})
}

// unpack reads what pack made, into message.
func unpack(ctx context.Context, objects jetstream.ObjectStore, data []byte, message any) error {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	if e.Object != "" {
		raw, err := objects.GetBytes(ctx, e.Object)
		if err != nil {
			return err
		}
		e.Message = raw
	}
	return json.Unmarshal(e.Message, message)
}

// encode writes JSON. Text is not escaped for HTML, so that grid points arrive unchanged.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
