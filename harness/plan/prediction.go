package plan

import (
	"time"
)

// A Prediction is what a forecast says of a run: the time that it takes and the cells that it runs.
type Prediction struct {
	Seconds     float64  // from start to end
	Early       float64  // seconds until every method has a cell on every set
	Cells       []*Cell  // the cells that run, in the order of the plan
	BudgetSets  []string // the sets that do not fit into the budget, cheapest first
	BudgetCells int      // the number of cells of these sets
}

// Predict predicts a run on a number of jobs within a budget; 0 is no budget.
func (p *Plan) Predict(jobs int, budget time.Duration) Prediction {
	out := Prediction{Cells: p.Cells}
	if budget > 0 {
		out.Cells = nil
		for _, group := range ByDataset(p.Cells) {
			taken := append(out.Cells[:len(out.Cells):len(out.Cells)], group...)
			if out.BudgetSets == nil && p.Forecast.Wall(taken, nil, jobs) <= budget.Seconds() {
				out.Cells = taken
				continue
			}
			out.BudgetSets = append(out.BudgetSets, group[0].Dataset)
			out.BudgetCells += len(group)
		}
	}
	var early []*Cell
	for _, c := range out.Cells {
		if c.Early {
			early = append(early, c)
		}
	}
	out.Early = p.Forecast.Wall(early, nil, jobs)
	out.Seconds = p.Forecast.Wall(out.Cells, nil, jobs)
	return out
}
