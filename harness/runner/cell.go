package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/registry"
)

// A job is a cell that is being run: its specification, and the protocol, the method and the data set that the
// specification names.
type job struct {
	CellSpec
	protocol *protocol.Protocol
	method   registry.Spec
	set      *datasets.Set
	below    bool  // the caller counts the processes below this process
	memo     *memo // numbers that earlier fits of the process computed; nil for none
	said     warnings
}

// cell follows the protocol: it searches the grid by cross-validation on the training rows, refits the best
// grid point on all of them, and tests the refit once.
func (j *job) cell(ctx context.Context, env registry.Env, run *result.Run) error {
	parts, err := partsOf(j.protocol, j.set, j.Cell)
	if err != nil {
		return err
	}
	if j.Canary != nil {
		parts = j.Canary.mislead(parts)
	}
	run.TrainRows, run.TestRows = len(parts.Split.Train), len(parts.Split.Test)

	start := time.Now()
	best, err := j.search(ctx, parts, env, run)
	run.SearchSeconds = time.Since(start).Seconds()
	if err != nil {
		return err
	}
	run.Selected = &best

	collectNear(memoryLimit())
	whole, err := parts.Whole()
	if err != nil {
		return err
	}
	r, err := j.refit(ctx, env, whole, j.Grid[best])
	if err != nil {
		return err
	}
	run.Score, run.FitSeconds, run.PredictSeconds = r.test, &r.fitSeconds, &r.testSeconds
	if err := j.keepScores(run, parts, whole, r.scores, j.method.Probability); err != nil {
		return fmt.Errorf("test with %s: %w", j.Grid[best], err)
	}
	if j.Canary != nil {
		run.Canary = j.Canary.outcome(whole, r.scores)
	}
	if j.set.Task == registry.Regression {
		j.warnOfConstant(parts, r.scores)
	}
	if run.Stages, err = j.stages(ctx, r.model, whole); err != nil {
		return fmt.Errorf("stages with %s: %w", j.Grid[best], err)
	}
	if err := j.testGrid(ctx, env, whole, run); err != nil {
		return err
	}
	if err := j.testSeeds(ctx, env, whole, run); err != nil {
		return err
	}
	return j.save(r.model, whole, run)
}

// keepScores adds to a run what follows from its test scores, and the scores if the request keeps them. of, which may
// be nil, turns scores of two classes into probabilities.
func (c CellSpec) keepScores(
	run *result.Run, parts split.Parts, whole split.Part, scores []float64, of registry.Probability,
) error {
	addGroups(&run.Score, parts)
	if of != nil && parts.Set.Task == registry.Binary {
		if err := addProbabilities(&run.Score, of, whole.Score.Y, scores); err != nil {
			return err
		}
	}
	run.ScoresHash, run.Outputs = result.HashScores(scores), whole.Score.Shape().Outputs()
	if c.Keep != KeepNone {
		run.Scores = scores
	}
	return nil
}

// A refitted is a grid point fitted to all training rows, and its test.
type refitted struct {
	model                   registry.Model
	scores                  []float64 // of the test rows
	test                    result.Score
	fitSeconds, testSeconds float64
}

func (j *job) refit(ctx context.Context, env registry.Env, whole split.Part, point json.RawMessage) (r refitted,
	err error) {
	before := fingerprint(whole)
	start := time.Now()
	r.model, err = j.method.Fit(ctx, env, whole.Learn, point)
	if err == nil && fingerprint(whole) != before {
		err = errChangedData
	}
	if err != nil {
		return r, fmt.Errorf("refit with %s: %w", point, err)
	}
	r.fitSeconds = time.Since(start).Seconds()
	start = time.Now()
	r.scores, r.test, err = scoresOf(ctx, r.model, whole)
	if err == nil && fingerprint(whole) != before {
		err = errChangedData
	}
	if err != nil {
		return r, fmt.Errorf("test with %s: %w", point, err)
	}
	r.testSeconds = time.Since(start).Seconds()
	return r, nil
}

// save measures the model's saved form, and keeps this form if the request asks for it.
func (j *job) save(model registry.Model, whole split.Part, run *result.Run) error {
	saver, ok := model.(registry.Saver)
	if !ok {
		return nil
	}
	collectNear(memoryLimit())
	var saved bytes.Buffer
	var size counter
	to := io.Writer(&size)
	if j.Keep == KeepModels { // otherwise no copy of the model is made
		to = io.MultiWriter(&size, &saved)
	}
	if err := saver.Save(to); err != nil {
		return fmt.Errorf("saving the model: %w", err)
	}
	run.ModelBytes = new(int64(size))
	if j.Keep == KeepModels {
		run.Model = &result.Model{Data: saved.Bytes(), Features: j.set.Features, Labels: j.set.Labels}
		run.Model.Dates, run.Model.Gaps = (*result.Origins)(whole.Inputs.Dates), (*result.Gaps)(whole.Inputs.Gaps)
		if s := whole.Inputs.Scale; s != nil {
			run.Model.Mean, run.Model.Scale = s.Mean, s.Scale
		}
		if t := result.Target(whole.Target); j.protocol.Semantics.ScaleTarget && j.set.Task == registry.Regression {
			run.Model.Target = &t
		}
	}
	return nil
}

// stages tests the first rounds of a model in one pass, if the protocol lists rounds and the model has rounds.
func (j *job) stages(ctx context.Context, model registry.Model, whole split.Part) ([]result.Stage, error) {
	stager, ok := model.(registry.Stager)
	at := slices.Clone(j.protocol.Semantics.Rounds)
	if !ok || at == nil {
		return nil, nil
	}
	at = slices.DeleteFunc(at, func(t int) bool { return t > stager.Rounds() })
	var out []result.Stage
	test := whole.Score
	err := stager.ScoreStages(ctx, test.X, at, func(t int, scores []float64) error {
		scores = slices.Clone(scores)
		whole.Target.Invert(scores)
		s, err := newScore(test.Shape(), test.Y, scores)
		out = append(out, result.Stage{Round: t, Score: s})
		return err
	})
	if err == nil && len(out) != len(at) {
		err = badOutput("the model gave %d stages of %d", len(out), len(at))
	}
	return out, err
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

func (j *job) search(ctx context.Context, parts split.Parts, env registry.Env, run *result.Run) (int, error) {
	by, err := metric.ForSelection(j.protocol.Semantics.Metric, j.set.Task)
	if err != nil {
		return 0, err
	}
	folds := len(parts.Split.Folds)
	if folds == 0 {
		return 0, nil // the plan has seen to it that the grid has one point
	}
	scores := make([][]result.Score, len(j.Grid))
	for g := range scores {
		scores[g] = make([]result.Score, folds)
	}
	run.Folds = make([]result.Evaluation, 0, len(j.Grid)*folds)
	for f := range folds {
		collectNear(memoryLimit())
		part, err := parts.Fold(f)
		if err != nil {
			return 0, err
		}
		err = j.eachPoint(ctx, env, part, func(g int, s result.Score, seconds float64) {
			scores[g][f] = s
			run.Folds = append(run.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: s, FitSeconds: seconds})
		})
		if err != nil {
			return 0, fmt.Errorf("fold %d: %w", f+1, err)
		}
	}
	return metric.Select(by, scores), nil
}

// eachPoint fits every grid point to a part's training rows and scores the part's test rows. It hands over the score of
// each grid point once, in the order in which the method returns them.
func (j *job) eachPoint(ctx context.Context, env registry.Env, part split.Part, take func(g int, s result.Score,
	seconds float64)) error {
	seen := make([]bool, len(j.Grid))
	start := time.Now()
	before := fingerprint(part)
	err := j.method.FitAll(ctx, env, part.Learn, j.Grid, func(g int, m registry.Model) error {
		seconds := time.Since(start).Seconds()
		if g < 0 || g >= len(seen) || seen[g] {
			return badOutput("the method gave grid point %d twice or out of range", g)
		}
		seen[g] = true
		_, s, err := scoresOf(ctx, m, part)
		if err != nil {
			return fmt.Errorf("grid point %s: %w", j.Grid[g], err)
		}
		take(g, s, seconds)
		collectNear(memoryLimit())
		start = time.Now()
		return nil
	})
	if err == nil && fingerprint(part) != before {
		err = errChangedData
	}
	if err != nil {
		return err
	}
	for g := range seen {
		if !seen[g] {
			return badOutput("the method gave no model for %s", j.Grid[g])
		}
	}
	return nil
}

// testGrid tests every grid point on the test part, if the protocol asks for this. These tests choose nothing.
func (j *job) testGrid(ctx context.Context, env registry.Env, whole split.Part, run *result.Run) error {
	if !j.protocol.Semantics.TestGrid {
		return nil
	}
	run.GridTests = make([]result.Score, len(j.Grid))
	err := j.eachPoint(ctx, env, whole, func(g int, s result.Score, _ float64) { run.GridTests[g] = s })
	if err != nil {
		return fmt.Errorf("test of the grid: %w", err)
	}
	return nil
}

// testSeeds tests the chosen grid point with each seed of the cell, if the cell has seeds of its own. These tests
// choose nothing.
func (j *job) testSeeds(ctx context.Context, env registry.Env, whole split.Part, run *result.Run) error {
	if j.Seeds == nil {
		return nil
	}
	tests := []result.SeedTest{{Seed: j.Seeds[0], ScoresHash: run.ScoresHash, Score: run.Score}}
	for _, seed := range j.Seeds[1:] {
		env.Seed = seed
		collectNear(memoryLimit())
		r, err := j.refit(ctx, env, whole, j.Grid[*run.Selected])
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		tests = append(tests, result.SeedTest{Seed: seed, ScoresHash: result.HashScores(r.scores), Score: r.test})
	}
	for i := range tests {
		tests[i].Score.ClearTestOnly()
	}
	run.SeedTests = tests
	return nil
}

// env returns the environment of a cell's fits. It is the same for every grid point, so random draws do not depend on
// the grid point.
func (j *job) env(clock *cpuClock) registry.Env {
	seed := j.protocol.Semantics.MethodSeed
	if j.Seeds != nil {
		seed = j.Seeds[0]
	}
	env := registry.Env{Seed: seed, Log: j.said.logger(), OnThread: clock.measure}
	if !j.below { // otherwise the caller counts these processes
		env.Used = clock.elsewhere
		if j.memo != nil {
			env.Memo = j.memo.of(clock)
		}
	}
	return env
}

func partsOf(p *protocol.Protocol, set *datasets.Set, c Cell) (split.Parts, error) {
	rows, err := p.SplitterOf(c.Method).Split(set, uint32(c.Split))
	return split.Parts{Set: set, Split: rows, Standardise: p.Semantics.Standardise,
		ScaleTarget: p.Semantics.ScaleTarget}, err
}

// scoresOf lets a model score the rows of a part, hides their targets from the model, and counts. Predictions of a
// regression are in the unit of the data.
func scoresOf(ctx context.Context, m registry.Model, part split.Part) (out []float64, s result.Score, err error) {
	if m == nil {
		return nil, s, badOutput("the method returned neither a model nor an error")
	}
	sh := part.Score.Shape()
	out = slices.Repeat([]float64{unwritten}, sh.N*sh.Outputs())
	if err := m.Score(ctx, part.Score.X, out); err != nil {
		return nil, s, err
	}
	part.Target.Invert(out)
	s, err = newScore(sh, part.Score.Y, out)
	return out, s, err
}
