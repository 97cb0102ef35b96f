package toydata

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/registry"
)

// A Subject is a method that a suite checks: registry/conform one in Go, methods/external/check one in another process.
// Its methods are the checks that both suites make. An error says what is wrong.
type Subject struct {
	Spec  registry.Spec
	Seed  uint32 // of fits
	Fit   func(d registry.Data, point json.RawMessage) (registry.Model, error)
	Score func(m registry.Model, d registry.Data) ([]float64, error)
}

// Points returns at most k points of the method's grid for d, the first and the last among them. It is an error if a
// point of the grid comes twice.
func (s Subject) Points(d registry.Data, k int) ([]json.RawMessage, error) {
	all, err := s.Spec.Settings(d.Shape(), s.Spec.DefaultGrid(), nil)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, p := range all {
		if seen[string(p)] {
			return nil, fmt.Errorf("the grid point %s comes twice", p)
		}
		seen[string(p)] = true
	}
	return Spread(all, k), nil
}

// Spread returns at most k elements of a list, the first and the last among them.
func Spread[T any](all []T, k int) []T {
	if len(all) <= k {
		return all
	}
	out := make([]T, k)
	for i := range out {
		out[i] = all[i*(len(all)-1)/max(1, k-1)]
	}
	return out
}

// FitAndScore trains on one sample and scores another.
func (s Subject) FitAndScore(learn, test registry.Data, point json.RawMessage) ([]float64, error) {
	m, err := s.Fit(learn, point)
	if err != nil {
		return nil, err
	}
	return s.Score(m, test)
}

// Best returns the best Goodness of some grid points.
func (s Subject) Best(learn, test registry.Data, points []json.RawMessage) (float64, error) {
	best := math.Inf(-1)
	for _, p := range points {
		scores, err := s.FitAndScore(learn, test, p)
		if err != nil {
			return 0, err
		}
		best = max(best, Goodness(test, scores))
	}
	return best, nil
}

// Path checks that fits of points with shared work give each model once, with the scores of a fit by itself. alone
// keeps these scores.
func (s Subject) Path(ctx context.Context, d registry.Data, points []json.RawMessage,
	alone map[string][]float64) error {
	for _, p := range points {
		if alone[string(p)] == nil {
			var err error
			if alone[string(p)], err = s.FitAndScore(d, d, p); err != nil {
				return err
			}
		}
	}
	given := make([]int, len(points))
	err := s.Spec.FitAll(ctx, registry.Env{Seed: s.Seed}, d, points, func(i int, m registry.Model) error {
		given[i]++
		got, err := s.Score(m, d)
		if err == nil {
			err = Equal("the path's model of "+string(points[i]), got, alone[string(points[i])])
		}
		return err
	})
	if err == nil && slices.ContainsFunc(given, func(times int) bool { return times != 1 }) {
		err = fmt.Errorf("the models of a path were given %v times, not once each", given)
	}
	return err
}

// Stages checks that a model gives the stages that it is asked for, in their order, and that the last one is the whole
// model. It returns their rounds: the first, one in the middle and the last.
func (s Subject) Stages(ctx context.Context, m registry.Stager, d registry.Data) ([]int, error) {
	at := slices.Compact([]int{1, (m.Rounds() + 1) / 2, m.Rounds()})
	whole, err := s.Score(m, d)
	if err != nil {
		return nil, err
	}
	var given []int
	err = m.ScoreStages(ctx, d.X, at, func(round int, scores []float64) error {
		if given = append(given, round); round == m.Rounds() {
			return Equal("the last stage", scores, whole)
		}
		return nil
	})
	if err == nil && !slices.Equal(given, at) {
		err = fmt.Errorf("asked for stages %v, given %v", at, given)
	}
	return at, err
}

// Saved returns a saved model, and checks that it is read back with the same scores.
func (s Subject) Saved(m registry.Model, d registry.Data) ([]byte, error) {
	saver, ok := m.(registry.Saver)
	if !ok {
		return nil, errors.New("the model cannot be saved")
	}
	var file bytes.Buffer
	if err := saver.Save(&file); err != nil {
		return nil, err
	}
	want, err := s.Score(m, d)
	if err != nil {
		return nil, err
	}
	back, err := s.Spec.LoadModel(bytes.NewReader(file.Bytes()))
	if err != nil {
		return nil, err
	}
	got, err := s.Score(back, d)
	if err == nil {
		err = Equal("the model read back", got, want)
	}
	return file.Bytes(), err
}

// OneByOne checks that the first rows of d have the same scores alone as in a batch, within a tolerance for another
// order of sums.
func (s Subject) OneByOne(m registry.Model, d registry.Data, rows int, tolerance float64) error {
	all, err := s.Score(m, d)
	if err != nil {
		return err
	}
	k := d.Shape().Outputs()
	for i := range rows {
		alone, err := s.Score(m, Rows(d, []int{i}))
		if err == nil {
			err = Near(fmt.Sprintf("row %d alone, and not within a batch,", i), alone, all[i*k:(i+1)*k], tolerance)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Equal compares the bits of scores.
func Equal(what string, got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%s has %d values, not %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			return fmt.Errorf("%s differs at %d: %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// Near compares scores within a tolerance, which is relative above 1.
func Near(what string, got, want []float64, tolerance float64) error {
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			return fmt.Errorf("%s: score %d is %v, not %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// Awkward is data on which a method gives a model, or an error that is its own.
type Awkward struct {
	Name string
	registry.Data
	Learnable bool // a model is asked for
}

// AwkwardData returns awkward data of every kind.
func AwkwardData(task registry.Task, from uint32) []Awkward {
	easy := func(n, d int) registry.Data { return Easy(task, n, d, from) }
	constant, twins, zero := easy(40, 3), easy(40, 2), easy(40, 2)
	zero.X.Zero()
	single, other, empty := easy(40, 2), easy(40, 2), easy(40, 2) // of empty the last class has no row
	for i := range 40 {
		constant.X.Set(i, 1, 0)
		twins.X.SetRow(i, twins.X.RawRowView(i-i%2))
		single.Y[i], other.Y[i], empty.Y[i] = single.Y[0], other.Y[1], min(empty.Y[i], 1)
	}
	return []Awkward{
		{"constant feature", constant, true}, {"equal rows", twins, true},
		{"all inputs zero", zero, false}, {"one class", single, false}, {"the other class alone", other, false},
		{"a class without rows", empty, false},
		{"one row", Rows(easy(40, 2), []int{1}), false}, {"two rows", easy(2, 2), false},
	}
}
