package plan

import (
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// Shown returns what the database keeps of a planned cell while the run is under way.
func (c *Cell) Shown() store.PlannedCell {
	return store.PlannedCell{
		Key: c.Spec.Key, Attempt: c.Attempt, Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, MethodVersion: c.Spec.Inputs.MethodVersion, Split: c.Split,
		CostUnits: c.Spec.Cost, TrainRows: c.Spec.Shape.N, Features: c.Spec.Shape.D, Guessed: c.Guessed, Early: c.Early, Canary: c.Spec.Canary != nil,
	}
}

// OfShown returns a cell for which a [Forecast] predicts the same time as for the cell that Shown described. It
// has no other use.
func OfShown(p store.PlannedCell) *Cell {
	return &Cell{
		Cell: runner.Cell{Protocol: p.Protocol, Dataset: p.Dataset, Method: p.Method, Split: p.Split}, Attempt: p.Attempt, Guessed: p.Guessed, Early: p.Early,
		Spec: runner.CellSpec{Key: p.Key, Cost: p.CostUnits, Shape: registry.Shape{N: p.TrainRows, D: p.Features}, Inputs: runner.Inputs{MethodVersion: p.MethodVersion}},
	}
}
