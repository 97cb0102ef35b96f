package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A job is a cell on its way: its specification with what that names.
type job struct {
	CellSpec
	protocol *protocol.Protocol
	method   registry.Spec
	set      *datasets.Set
	said     warnings
}

// cell is the protocol: search the grid by cross-validation on the training rows,
// refit the best point on all of them, test once.
func (j *job) cell(ctx context.Context, env registry.Env, run *store.Run) error {
	rows, err := splitOf(j.protocol, j.set, j.Cell.Split)
	if err != nil {
		return err
	}
	run.TrainRows, run.TestRows = len(rows.Train), len(rows.Test)

	start := time.Now()
	best, err := j.search(ctx, rows, env, run)
	run.SearchSeconds = time.Since(start).Seconds()
	if err != nil {
		return err
	}
	run.Selected = &best

	train, test, scale, err := partsOf(j.protocol, j.set, rows.Train, rows.Test)
	if err != nil {
		return err
	}
	start = time.Now()
	model, err := j.method.Fit(ctx, env, train, j.Grid[best])
	if err != nil {
		return fmt.Errorf("refit with %s: %w", j.Grid[best], err)
	}
	fit := time.Since(start).Seconds()
	start = time.Now()
	scores, err := scoresOf(ctx, model, test)
	if err == nil {
		run.Test, err = newScore(test.Shape(), test.Y, scores)
	}
	if err != nil {
		return fmt.Errorf("test with %s: %w", j.Grid[best], err)
	}
	predicted := time.Since(start).Seconds()
	run.FitSeconds, run.PredictSeconds = &fit, &predicted
	run.ScoresHash, run.Outputs = store.HashScores(scores), test.Shape().Outputs()
	if j.Keep != KeepNone {
		run.Scores = scores
	}
	if run.Stages, err = j.stages(ctx, model, test); err != nil {
		return fmt.Errorf("stages with %s: %w", j.Grid[best], err)
	}
	return j.save(model, scale, run)
}

// save measures the model's saved form, and keeps it where that is asked for.
func (j *job) save(model registry.Model, scale *datasets.Standardiser, run *store.Run) error {
	saver, ok := model.(registry.Saver)
	if !ok {
		return nil
	}
	var saved bytes.Buffer
	if err := saver.Save(&saved); err != nil {
		return fmt.Errorf("saving the model: %w", err)
	}
	size := int64(saved.Len())
	run.ModelBytes = &size
	if j.Keep == KeepModels {
		run.Model = &store.Model{Data: saved.Bytes(), Features: j.set.Features, Labels: j.set.Labels}
		if scale != nil {
			run.Model.Mean, run.Model.Scale = scale.Mean, scale.Scale
		}
	}
	return nil
}

// stages tests the first rounds of a model in one pass, where the protocol lists rounds
// and the model has them.
func (j *job) stages(ctx context.Context, model registry.Model, test registry.Data) ([]store.Stage, error) {
	stager, ok := model.(registry.Stager)
	at := slices.Clone(j.protocol.Semantics.Rounds)
	if !ok || at == nil {
		return nil, nil
	}
	at = slices.DeleteFunc(at, func(t int) bool { return t > stager.Rounds() })
	var out []store.Stage
	err := stager.ScoreStages(ctx, test.X, at, func(t int, scores []float64) error {
		s, err := newScore(test.Shape(), test.Y, scores)
		out = append(out, store.Stage{Round: t, Score: s})
		return err
	})
	if err == nil && len(out) != len(at) {
		err = fmt.Errorf("the model gave %d stages of %d", len(out), len(at))
	}
	return out, err
}

// search evaluates the whole grid on every fold and returns the best point.
func (j *job) search(ctx context.Context, rows split.Split, env registry.Env, run *store.Run) (int, error) {
	scores := make([][]store.Score, len(j.Grid))
	for g := range scores {
		scores[g] = make([]store.Score, len(rows.Folds))
	}
	run.Evaluations = make([]store.Evaluation, 0, len(j.Grid)*len(rows.Folds))
	for f, validation := range rows.Folds {
		trainRows, validRows := foldRows(rows.Train, validation)
		train, valid, _, err := partsOf(j.protocol, j.set, trainRows, validRows)
		if err != nil {
			return 0, err
		}
		seen := make([]bool, len(j.Grid))
		start := time.Now()
		err = j.method.FitAll(ctx, env, train, j.Grid, func(g int, m registry.Model) error {
			seconds := time.Since(start).Seconds()
			if g < 0 || g >= len(seen) || seen[g] {
				return fmt.Errorf("the method gave grid point %d twice or out of range", g)
			}
			seen[g] = true
			values, err := scoresOf(ctx, m, valid)
			if err == nil {
				scores[g][f], err = newScore(valid.Shape(), valid.Y, values)
			}
			if err != nil {
				return fmt.Errorf("setting %s: %w", j.Grid[g], err)
			}
			run.Evaluations = append(run.Evaluations, store.Evaluation{GridIndex: g, Fold: f, Score: scores[g][f], FitSeconds: seconds})
			start = time.Now()
			return nil
		})
		if err != nil {
			return 0, fmt.Errorf("fold %d: %w", f+1, err)
		}
		for g := range seen {
			if !seen[g] {
				return 0, fmt.Errorf("fold %d: the method gave no model for %s", f+1, j.Grid[g])
			}
		}
	}
	return selectPoint(j.set.Task, scores), nil
}

// env is the same for every fit: draws depend on neither split nor grid point.
func (j *job) env(clock *cpuClock) registry.Env {
	return registry.Env{Seed: j.protocol.Semantics.MethodSeed, Workers: 1, Log: j.said.logger(), OnThread: clock.measure}
}

func splitOf(p *protocol.Protocol, set *datasets.Set, number int) (split.Split, error) {
	s, err := split.New(set.Task, set.Y, uint32(number), p.Semantics.TestFraction, p.Semantics.Folds)
	if err != nil {
		return s, fmt.Errorf("%s: %w", set.Name, err)
	}
	return s, nil
}

// partsOf copies two lists of rows, standardised by the first, which is the one a
// method learns from; scale is nil if the protocol does not standardise.
func partsOf(p *protocol.Protocol, set *datasets.Set, train, other []int) (learn, score registry.Data, scale *datasets.Standardiser, err error) {
	_, d := set.X.Dims()
	a, b := mat.NewDense(len(train), d, nil), mat.NewDense(len(other), d, nil)
	if p.Semantics.Standardise {
		s := datasets.FitStandardiser(set.X, train)
		if err := s.Check(set.X, train, set.Features); err != nil {
			return learn, score, nil, fmt.Errorf("%s: %w", set.Name, err)
		}
		s.Apply(a, set.X, train)
		s.Apply(b, set.X, other)
		scale = &s
	} else {
		copyRows(a, set.X, train)
		copyRows(b, set.X, other)
	}
	data := func(x *mat.Dense, rows []int) registry.Data {
		y := make([]float64, len(rows))
		for i, r := range rows {
			y[i] = set.Y[r]
		}
		return registry.Data{Task: set.Task, Classes: set.Classes, X: x, Y: y}
	}
	return data(a, train), data(b, other), scale, nil
}

func copyRows(dst, src *mat.Dense, rows []int) {
	for i, r := range rows {
		copy(dst.RawRowView(i), src.RawRowView(r))
	}
}

// foldRows splits train, a list of rows, into those outside and inside validation,
// a list of ascending positions in it.
func foldRows(train, validation []int) (outside, inside []int) {
	outside = make([]int, 0, len(train)-len(validation))
	inside = make([]int, 0, len(validation))
	next := 0
	for at, row := range train {
		if next < len(validation) && validation[next] == at {
			inside = append(inside, row)
			next++
		} else {
			outside = append(outside, row)
		}
	}
	return outside, inside
}

// scoresOf scores the rows without showing the model their targets.
func scoresOf(ctx context.Context, m registry.Model, d registry.Data) ([]float64, error) {
	if m == nil {
		return nil, errors.New("the method returned neither a model nor an error")
	}
	sh := d.Shape()
	out := make([]float64, sh.N*sh.Outputs())
	for i := range out {
		out[i] = unwritten
	}
	return out, m.Score(ctx, d.X, out)
}
