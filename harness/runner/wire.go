package runner

import (
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
)

// The harness and a worker exchange lines of JSON over pipes that the output of a method cannot reach. A third pipe
// tells the keeper, the process between the two, when cells begin and end. On a fourth pipe the keeper writes one line
// that says how the processes below it ended.
const (
	fdRequests = 3 + iota // to the worker
	fdReplies             // from the worker
	fdControl             // to the keeper; when it is closed, everything below the keeper is ended
	fdEnding              // from the keeper
)

// These bytes are written to fdControl.
const (
	cellBegins = 'b'
	cellEnds   = 'e'
)

// A request asks a worker for one of three things: to make ready for a cell, to run the cell that it made ready for, or
// to forget a data set. A cell may have many megabytes of grid points. Its time does not include reading them.
type request struct {
	Prepare *CellSpec              `json:"prepare,omitempty"`
	Run     bool                   `json:"run,omitempty"`
	Timeout time.Duration          `json:"timeout,omitempty"` // of the cell; 0 for none
	Forget  *catalogue.Description `json:"forget,omitempty"`
}

// A reply is a line of a worker. It says that the worker has started, that it is ready for a cell, or how a cell ended.
type reply struct {
	Ready bool `json:"ready,omitempty"`

	Key    string      `json:"key,omitempty"` // of the cell
	Run    *result.Run `json:"run,omitempty"`
	Error  string      `json:"error,omitempty"`  // why there is no run
	Retire bool        `json:"retire,omitempty"` // the method left processes or state behind: start another worker
}

// An ending says how a worker ended, and what all processes below its keeper used since the last cell began.
type ending struct {
	Code   int `json:"code"`   // exit code of the worker
	Signal int `json:"signal"` // the signal that ended the worker; 0 if it exited
	// why the keeper ended the worker: whyAsked or whyMemory; "" if it ended by itself
	Why        string  `json:"why"`
	SystemOOM  bool    `json:"system_oom"` // the system ended processes in the meantime because memory was short
	CPUSeconds float64 `json:"cpu_seconds"`
	PeakBytes  int64   `json:"peak_bytes"`
	Left       int     `json:"left"` // processes that could not be ended
}

const (
	whyAsked  = "asked"
	whyMemory = "memory"
)
