// Package runner executes cells: a [CellSpec] in, a [store.Run] out.
//
// A CellSpec says everything that a result depends on, as JSON: the text of the protocol
// and of the data set's description, the method and its version, the grid, the split. A
// [Runner] runs it; [InProcess] does so in this process. Who plans and schedules cells
// knows only these two, so that a cell may run in another process or on another machine.
//
// Inside a cell the protocol is followed: draw the split, fit the whole grid on every fold,
// take the best point, refit it, test once (cell.go); count (score.go); guard against
// what methods do wrong (guard.go). The package plans nothing and stores nothing.
package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/registry"
)

// A Cell names one unit of work.
type Cell struct {
	Protocol string `json:"protocol"`
	Dataset  string `json:"dataset"`
	Split    int    `json:"split"` // 1..Protocol.Splits and beyond: the seed
	Method   string `json:"method"`
}

// String returns the cell as progress lines name it.
func (c Cell) String() string { return fmt.Sprintf("%s on %s, split %d", c.Method, c.Dataset, c.Split) }

// Inputs is what a cell's key hashes besides the cell itself.
type Inputs struct {
	ProtocolHash  string `json:"protocol_hash"`
	Fingerprint   string `json:"fingerprint"`
	MethodVersion string `json:"method_version"`
	GridHash      string `json:"grid_hash"`
	Seed          string `json:"seed,omitempty"` // of the method, the first of CellSpec.Seeds; "" without these
}

// A CellSpec is a cell with everything that its execution needs but the data files and the
// code of the method.
type CellSpec struct {
	Cell     Cell                  `json:"cell"`
	Inputs   Inputs                `json:"inputs"`
	Key      string                `json:"key"`
	Protocol ProtocolText          `json:"protocol"`
	Set      catalogue.Description `json:"set"`
	Grid     []json.RawMessage     `json:"grid"`            // complete parameters, in grid order
	Points   []json.RawMessage     `json:"points"`          // the same as the grid's author wrote them
	Seeds    []uint32              `json:"seeds,omitempty"` // of the method, see protocol.Semantics.Seeds; nil for the protocol's alone
	Shape    registry.Shape        `json:"shape"`           // of the training part
	Cost     float64               `json:"cost"`            // predicted, in the method's own units
	Keep     Keep                  `json:"keep"`
	Replace  bool                  `json:"replace,omitempty"` // the result takes the place of a stored one
	Suspect  bool                  `json:"suspect,omitempty"` // a process that had begun it ended before it did
	Canary   *Canary               `json:"canary,omitempty"`  // nil for a cell that is a result
}

// A ProtocolText is a protocol as it was written.
type ProtocolText struct {
	TOML   string `json:"toml"`
	Path   string `json:"path,omitempty"` // absolute; "" for a built-in one
	Splits int    `json:"splits"`         // that it plans
}

// NewRun returns the row of a cell that starts now, without any result: what a runner
// fills in, and what stands of a cell whose process died.
func (c CellSpec) NewRun() result.Run {
	run := result.Run{
		Key: c.Key, Protocol: c.Cell.Protocol, ProtocolHash: c.Inputs.ProtocolHash,
		Method: c.Cell.Method, MethodVersion: c.Inputs.MethodVersion, Dataset: c.Cell.Dataset, Fingerprint: c.Inputs.Fingerprint,
		Split: c.Cell.Split, Task: c.Shape.Task.String(), Grid: c.Grid, GridPoints: c.Points, GridHash: c.Inputs.GridHash,
		TrainRows: c.Shape.N, Features: c.Shape.D, CostUnits: c.Cost,
		StartedAt:    time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"),
		ProtocolText: c.Protocol.TOML, ProtocolPath: c.Protocol.Path, ProtocolSplits: c.Protocol.Splits, SetFile: c.Set.Path,
		Replace: c.Replace,
	}
	if c.Canary != nil {
		run.Canary = &result.Canary{P: 1} // until something is found
	}
	return run
}

// Keep says what is kept of a cell beside its counts.
type Keep string

// The values of Keep; the empty one is that of KeepScores.
const (
	KeepNone   Keep = "none"
	KeepScores Keep = "scores" // the scores of the test rows
	KeepModels Keep = "models" // these, and the refitted model
)

// A Runner runs cells. Its error means that the cell has no result: ctx was cancelled, or
// what is needed to run it is not there; a method that fails gives a Run that says so. It
// is safe for concurrent use.
type Runner interface {
	Run(ctx context.Context, c CellSpec) (result.Run, error)
}
