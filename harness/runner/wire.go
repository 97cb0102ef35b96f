package runner

import (
	"encoding/json"
	"io"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
)

// Between the harness and a worker go lines of JSON, over pipes of their own: what a method prints
// is not among them. Next to them a pipe tells the keeper, the process between the two, when cells
// begin and end; the keeper's answer is one line, how everything below it ended.
const (
	fdRequests = 3 + iota // to the worker
	fdReplies             // from the worker
	fdControl             // to the keeper; when it is closed, everything below the keeper is ended
	fdEnding              // from the keeper
)

// What is written to fdControl.
const (
	cellBegins = 'b'
	cellEnds   = 'e'
)

// A request asks a worker to make ready for a cell, for the cell, or to forget a data set.
type request struct {
	Prepare *CellSpec              `json:"prepare,omitempty"`
	Cell    *CellSpec              `json:"cell,omitempty"`
	Timeout time.Duration          `json:"timeout,omitempty"` // of the cell; 0 for none
	Forget  *catalogue.Description `json:"forget,omitempty"`
}

// A reply is a worker's first line, when it is ready, that it is ready for a cell, or what came of a cell.
type reply struct {
	Ready bool `json:"ready,omitempty"`

	Key    string      `json:"key,omitempty"` // of the cell
	Run    *result.Run `json:"run,omitempty"`
	Error  string      `json:"error,omitempty"`  // why there is none
	Retire bool        `json:"retire,omitempty"` // the method left something behind: start another worker
}

// An ending is how a worker ended, and what everything below its keeper used since the last cell began.
type ending struct {
	Code       int     `json:"code"`       // that it exited with
	Signal     int     `json:"signal"`     // that ended it; 0 if it exited
	Why        string  `json:"why"`        // the keeper ended it: whyAsked or whyMemory; "" if it ended by itself
	SystemOOM  bool    `json:"system_oom"` // the system ended processes for want of memory meanwhile
	CPUSeconds float64 `json:"cpu_seconds"`
	PeakBytes  int64   `json:"peak_bytes"`
	Left       int     `json:"left"` // processes that could not be ended
}

const (
	whyAsked  = "asked"
	whyMemory = "memory"
)

// sender writes lines. Text is not escaped for HTML, so that settings arrive as they are.
func sender(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
