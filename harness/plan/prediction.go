package plan

import (
	"time"
)

// A Prediction is what a run of a plan comes to, by its forecast.
type Prediction struct {
	Seconds     float64  // from start to end
	Early       float64  // of those, until every method has a cell on every set
	Cells       []*Cell  // that are run, in the order of the plan
	BudgetSets  []string // sets that do not fit the budget, cheapest first
	BudgetCells int      // their cells
}

// Predict says what a run on a number of jobs within a budget (0 for none) comes to.
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
