package runner

import (
	"context"

	"github.com/kernelboosting/bench/harness/result"
)

// A Choice runs some cells in this process and the others apart from it.
type Choice struct {
	Here, Apart Runner
	Isolated    func(CellSpec) bool // which cells are run apart
}

// Run implements Runner.
func (r Choice) Run(ctx context.Context, c CellSpec) (result.Run, error) {
	if r.Isolated(c) {
		return r.Apart.Run(ctx, c)
	}
	return r.Here.Run(ctx, c)
}

// Forget tells both that the data set of a cell is not needed any more.
func (r Choice) Forget(c CellSpec) {
	for _, each := range []Runner{r.Here, r.Apart} {
		if keeper, ok := each.(interface{ Forget(CellSpec) }); ok {
			keeper.Forget(c)
		}
	}
}
