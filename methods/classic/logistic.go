package classic

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Logistic declares logistic regression with an l2 penalty (Cox 1958; Hastie, Tibshirani and Friedman, The Elements of
// Statistical Learning, section 4.4), for all classes at once or for each class against the rest. The objective is C
// times the losses plus half the squared weights, which is the problem of solve.Logistic with lambda = 1/(2 C n).
func Logistic() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "Logistic", Version: "1", Tasks: registry.Binary | registry.Multiclass,
		Growth:      registry.Growth{Rows: 1, Features: 0.6, Outputs: 1, Points: 1},
		Source:      "Cox 1958",
		Summary:     "logistic regression with an l2 penalty",
		Load:        fitting.NearLoad(loadLinear),
		Probability: vmath.Sigmoid,
	}, LogisticParams{C: 1, Multinomial: true}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -3, 3)},
	}, fitting.NearFit(fitLogistic), registry.Memory(logisticMemory))
}

// LogisticParams holds the parameters of Logistic.
type LogisticParams struct {
	C           float64 `json:"c" range:"(0,)" means:"weight of the loss of an example against half the squared weights"`
	Multinomial bool    `json:"multinomial" means:"with more than two classes one problem for all, instead of one for each class against the rest"`
}

// logisticMemory counts the scores, the vectors of the solver, and for several outputs at once the copies that products
// make of the rows.
func logisticMemory(s registry.Shape, p LogisticParams) int64 {
	n, d, k := int64(s.N), int64(s.D), int64(s.Outputs())
	bytes := 8*(n*(3*k+2)+12*(d+1)*k) + 64<<10
	if s.Task == registry.Multiclass && p.Multinomial {
		bytes += int64(vmath.PanelBytes(s.D, s.N))
	}
	return bytes
}

func fitLogistic(ctx context.Context, env registry.Env, train registry.Data, p LogisticParams) (registry.Model, error) {
	sh := train.Shape()
	m := &linear{D: sh.D, Outputs: sh.Outputs()}
	problem := solve.Logistic{X: fitting.Rows(train.X), N: sh.N, D: sh.D, K: 1, Lambda: 1 / (2 * p.C * float64(sh.N))}
	into := func() error {
		theta := make([]float64, problem.K*(sh.D+1))
		largest, err := problem.Solve(ctx, theta)
		if err != nil {
			return fmt.Errorf("Logistic with C=%v: %w", p.C, err)
		}
		if largest > solve.Open {
			env.Log.Warn("Logistic ended before its minimum", "c", p.C, "largest component of the gradient", largest)
		}
		w := problem.K * sh.D
		m.W, m.B = append(m.W, theta[:w]...), append(m.B, theta[w:]...)
		return nil
	}
	if train.Task == registry.Multiclass && p.Multinomial {
		problem.K, problem.Classes = sh.Outputs(), make([]int, sh.N)
		for i, y := range train.Y {
			problem.Classes[i] = int(y)
		}
		return m, into()
	}
	for _, problem.Y = range fitting.OneAgainstRest(train) {
		if err := into(); err != nil {
			return nil, err
		}
	}
	return m, nil
}
