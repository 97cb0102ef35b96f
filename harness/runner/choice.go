package runner

import (
	"context"

	"github.com/kernelboosting/bench/harness/result"
)

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
