// Package runner executes cells: a [CellSpec] in, a [result.Run] out.
//
// A CellSpec holds everything that a result depends on, as JSON: the text of the protocol and of the data set's
// description, the method and its version, the grid, the split. A [Runner] runs a CellSpec; [InProcess] does so in
// this process. The packages that plan and schedule cells know CellSpec and Runner, and not InProcess, so that a cell
// may run in another process or on another machine.
//
// A cell follows the protocol: draw the split, fit the whole grid on every fold, choose the best grid point,
// refit it, test it once (cell.go). score.go counts, and guard.go protects against faulty methods. The
// package plans nothing and stores nothing.
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
	Split    int    `json:"split"` // from 1; it is the seed of the split, and may exceed Protocol.Splits
	Method   string `json:"method"`
}

// CellOf returns the cell of a run.
func CellOf(r result.Run) Cell { return Cell{r.Protocol, r.Dataset, r.Split, r.Method} }

// String returns the name of the cell in progress lines.
func (c Cell) String() string { return fmt.Sprintf("%s on %s, split %d", c.Method, c.Dataset, c.Split) }

// Inputs are the values that a cell's key hashes besides the cell itself.
type Inputs struct {
	ProtocolHash  string `json:"protocol_hash"`
	Fingerprint   string `json:"fingerprint"`
	MethodVersion string `json:"method_version"`
	GridHash      string `json:"grid_hash"`
	Seed          string `json:"seed,omitempty"` // the first of CellSpec.Seeds; "" if there are none
}

// A CellSpec is everything that is needed to run a cell, except the data files and the code of the method.
type CellSpec struct {
	Cell        Cell                  `json:"cell"`
	Inputs      Inputs                `json:"inputs"`
	Key         string                `json:"key"`
	Protocol    ProtocolText          `json:"protocol"`
	Set         catalogue.Description `json:"set"`
	Grid        []json.RawMessage     `json:"grid"`         // complete parameters, in grid order
	GridWritten []json.RawMessage     `json:"grid_written"` // the grid points in the notation of the grid's author
	// the method's seeds, see protocol.Semantics.Seeds; nil for the protocol's seed
	Seeds  []uint32       `json:"seeds,omitempty"`
	Shape  registry.Shape `json:"shape"`           // of the training part of the first split
	Train  int            `json:"train"`           // rows of the training part
	Test   int            `json:"test"`            // rows of the test part
	Groups [2]int         `json:"groups,omitzero"` // of rows in these parts; zeros in a set without groups
	// the least and the most rows of class +1 in the test part, and in both parts together; zeros where the set has
	// not two classes
	Positive [4]int  `json:"positive,omitzero"`
	Cost     float64 `json:"cost"`              // predicted, in the method's own units
	Memory   int64   `json:"memory"`            // predicted bytes at its peak, the data set included
	Seconds  float64 `json:"seconds,omitempty"` // predicted from measured cells; 0 if none were measured
	Keep     Keep    `json:"keep"`
	Replace  bool    `json:"replace,omitempty"` // the result replaces a stored one
	// an earlier process began this cell and ended before the cell did
	Suspect bool    `json:"suspect,omitempty"`
	Canary  *Canary `json:"canary,omitempty"` // nil for a cell that is a result
}

// A ProtocolText is the text of a protocol and its source.
type ProtocolText struct {
	TOML   string `json:"toml"`
	Path   string `json:"path,omitempty"` // absolute; "" for a built-in one
	Splits int    `json:"splits"`         // number of splits that it plans
}

// planned returns the part of a cell's run that no runner changes.
func (c CellSpec) planned() result.Planned {
	return result.Planned{
		Key: c.Key, Protocol: c.Cell.Protocol, ProtocolHash: c.Inputs.ProtocolHash,
		Method: c.Cell.Method, MethodVersion: c.Inputs.MethodVersion, Dataset: c.Cell.Dataset,
		Fingerprint: c.Inputs.Fingerprint,
		Split:       c.Cell.Split, Task: c.Shape.Task.String(), Features: c.Shape.D, CostUnits: c.Cost,
		Grid: c.Grid, GridWritten: c.GridWritten, GridHash: c.Inputs.GridHash,
		ProtocolText: c.Protocol.TOML, ProtocolPath: c.Protocol.Path, ProtocolSplits: c.Protocol.Splits,
		SetFile: c.Set.Path,
		Replace: c.Replace,
	}
}

// NewRun returns the run of a cell that starts now, without any result. A runner fills it in. If the cell's process
// dies, this run is stored.
func (c CellSpec) NewRun() result.Run {
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")
	run := result.Run{Planned: c.planned(), TrainRows: c.Train, StartedAt: now}
	if c.Canary != nil {
		run.Canary = &result.Canary{P: 1} // until the test scores are judged
	}
	return run
}

// FilledWith returns the run that a worker filled in. What the plan knows of the cell is the plan's, since a worker may
// write anything.
func (c CellSpec) FilledWith(run result.Run) result.Run {
	run.Planned = c.planned()
	run.Point, run.Imported, run.Superseded = nil, "", false
	return run
}

// Keep says which artifacts of a cell are kept in addition to its counts.
type Keep string

// These are the values of Keep; the empty value means KeepScores.
const (
	KeepNone   Keep = "none"
	KeepScores Keep = "scores" // the scores of the test rows
	KeepModels Keep = "models" // the scores of the test rows and the refitted model
)

// A Runner runs cells. Its error means that the cell has no result: ctx was cancelled, or something that the
// cell needs is missing. The failure of a method is no error: the Run reports it. A Runner is safe for
// concurrent use.
type Runner interface {
	Run(ctx context.Context, c CellSpec) (result.Run, error)
}

// A Choice runs some cells in this process and all others in processes of their own.
type Choice struct {
	Here, Apart Runner
	Isolated    func(CellSpec) bool // reports whether a cell runs apart from this process
}

// Run implements Runner.
func (r Choice) Run(ctx context.Context, c CellSpec) (result.Run, error) {
	if r.Isolated(c) {
		return r.Apart.Run(ctx, c)
	}
	return r.Here.Run(ctx, c)
}

// Forget tells both runners that the data set of a cell is no longer needed.
func (r Choice) Forget(c CellSpec) {
	for _, each := range []Runner{r.Here, r.Apart} {
		if keeper, ok := each.(interface{ Forget(CellSpec) }); ok {
			keeper.Forget(c)
		}
	}
}
