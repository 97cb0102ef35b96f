package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// grace is how long a fit may take to notice that its time is over before it is
// abandoned; tests shorten it.
var grace = 5 * time.Second

// execute runs a cell to its end: ok, failed or timed out. It returns an error
// only if ctx was cancelled, in which case the cell has no result.
func (h *Harness) execute(ctx context.Context, c *PlannedCell, set *datasets.Set, timeout time.Duration) (store.Run, error) {
	cellCtx, cancel := systemClock.limited(ctx, timeout)
	defer cancel()

	run := h.newRun(c, timeout)
	work := run // the goroutine's own copy, so that an abandoned one changes nothing
	done := make(chan error, 1)
	go func() {
		ended := errGoexit // unless guarded returns
		defer func() { done <- ended }()
		ended = h.guarded(cellCtx, c, set, &work)
	}()

	var err error
	select {
	case err = <-done:
		run = work
	case <-cellCtx.Done():
		var late bool
		if err, late = waitWithin(done, grace); late {
			err = errAbandoned
		} else {
			run = work
		}
	}
	switch {
	case err == nil:
		run.Status = store.OK
	case ctx.Err() != nil:
		return run, ctx.Err()
	case cellCtx.Err() != nil:
		run.Status = store.Timeout
		run.Error = fmt.Sprintf("no result within %v (--timeout)", timeout)
		if errors.Is(err, errAbandoned) {
			run.Error += fmt.Sprintf("; the fit did not stop when asked and was abandoned after %v", grace)
		}
	default:
		run.Status = store.Failed
		run.Error = oneLine(err.Error())
	}
	return run, nil
}

var (
	errAbandoned = errors.New("abandoned")
	errGoexit    = errors.New("the method ended its goroutine (runtime.Goexit) instead of returning")
)

// waitWithin waits for the end of a cell, late if it does not come within the limit.
func waitWithin(done <-chan error, limit time.Duration) (err error, late bool) {
	waited := make(chan struct{})
	defer close(waited)
	over := make(chan struct{})
	go func() {
		if systemClock.countdown(waited, limit) {
			close(over)
		}
	}()
	select {
	case err := <-done:
		return err, false
	case <-over:
		return nil, true
	}
}

func (h *Harness) newRun(c *PlannedCell, timeout time.Duration) store.Run {
	run := store.Run{
		Key: c.Key, Protocol: c.Protocol, ProtocolHash: c.in.ProtocolHash,
		Method: c.Method, MethodVersion: c.in.MethodVersion, Dataset: c.Dataset, Fingerprint: c.in.Fingerprint,
		Split: c.Split, Task: c.shape.Task.String(), Grid: c.settings, GridPoints: c.points, GridHash: c.in.GridHash,
		TrainRows: c.shape.N, Features: c.shape.D, CostUnits: c.cost,
		StartedAt:    time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"),
		ProtocolText: h.Protocol.Text, ProtocolPath: absolute(h.Protocol.Path), ProtocolSplits: h.Protocol.Splits, SetFile: absolute(c.entry.File()),
	}
	if timeout > 0 {
		seconds := timeout.Seconds()
		run.TimeoutSeconds = &seconds
	}
	return run
}

// absolute makes a path mean the same file in every folder; "" stays "".
func absolute(path string) string {
	if full, err := filepath.Abs(path); path != "" && err == nil {
		return full
	}
	return path
}

// guarded turns a panic of the method into an error that says where it was.
func (h *Harness) guarded(ctx context.Context, c *PlannedCell, set *datasets.Set, run *store.Run) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v%s", p, panicSite(debug.Stack()))
		}
	}()
	clock := &cpuClock{}
	clock.measure(func() { err = h.cell(ctx, c, set, h.env(clock), run) })
	run.CPUSeconds = clock.seconds()
	if peak, ok := peakRSS(); ok {
		run.PeakRSSBytes = &peak
	}
	return err
}

// cell is the protocol: search the grid by cross-validation on the training rows,
// refit the best point on all of them, test once.
func (h *Harness) cell(ctx context.Context, c *PlannedCell, set *datasets.Set, env registry.Env, run *store.Run) error {
	sem := h.Protocol.Semantics
	split, err := split.Splitter{TestFraction: sem.TestFraction, Folds: sem.Folds}.Split(set, uint32(c.Split))
	if err != nil {
		return err
	}
	run.TrainRows, run.TestRows = len(split.Train), len(split.Test)

	start := time.Now()
	best, err := h.search(ctx, c, set, split, env, run)
	run.SearchSeconds = time.Since(start).Seconds()
	if err != nil {
		return err
	}
	run.Selected = &best

	train, test, err := h.parts(set, split.Train, split.Test)
	if err != nil {
		return err
	}
	start = time.Now()
	model, err := c.spec.Fit(ctx, env, train, c.settings[best])
	if err != nil {
		return fmt.Errorf("refit with %s: %w", c.settings[best], err)
	}
	fit := time.Since(start).Seconds()
	start = time.Now()
	run.Test, err = predict(ctx, model, test)
	if err != nil {
		return fmt.Errorf("test with %s: %w", c.settings[best], err)
	}
	predicted := time.Since(start).Seconds()
	run.FitSeconds, run.PredictSeconds = &fit, &predicted
	if saver, ok := model.(registry.Saver); ok {
		var size byteCount
		if err := saver.Save(&size); err != nil {
			return fmt.Errorf("saving the model: %w", err)
		}
		bytes := int64(size)
		run.ModelBytes = &bytes
	}
	return nil
}

// search evaluates the whole grid on every fold and returns the best point.
func (h *Harness) search(ctx context.Context, c *PlannedCell, set *datasets.Set, split split.Split, env registry.Env, run *store.Run) (int, error) {
	scores := make([][]store.Score, len(c.settings))
	for g := range scores {
		scores[g] = make([]store.Score, len(split.Folds))
	}
	run.Evaluations = make([]store.Evaluation, 0, len(c.settings)*len(split.Folds))
	for f := range split.Folds {
		trainRows, validRows := split.Fold(f)
		train, valid, err := h.parts(set, trainRows, validRows)
		if err != nil {
			return 0, err
		}
		seen := make([]bool, len(c.settings))
		start := time.Now()
		err = c.spec.FitAll(ctx, env, train, c.settings, func(g int, m registry.Model) error {
			seconds := time.Since(start).Seconds()
			if g < 0 || g >= len(seen) || seen[g] {
				return fmt.Errorf("the method gave grid point %d twice or out of range", g)
			}
			seen[g] = true
			s, err := predict(ctx, m, valid)
			if err != nil {
				return fmt.Errorf("setting %s: %w", c.settings[g], err)
			}
			scores[g][f] = s
			run.Evaluations = append(run.Evaluations, store.Evaluation{GridIndex: g, Fold: f, Score: s, FitSeconds: seconds})
			start = time.Now()
			return nil
		})
		if err != nil {
			return 0, fmt.Errorf("fold %d: %w", f+1, err)
		}
		for g := range seen {
			if !seen[g] {
				return 0, fmt.Errorf("fold %d: the method gave no model for %s", f+1, c.settings[g])
			}
		}
	}
	return selectPoint(set.Task, scores), nil
}

// env is the same for every fit: draws depend on neither split nor grid point.
func (h *Harness) env(clock *cpuClock) registry.Env {
	return registry.Env{
		Seed: h.Protocol.Semantics.MethodSeed, Workers: 1, Log: slog.New(slog.DiscardHandler), OnThread: clock.measure,
	}
}

// parts copies two lists of rows, standardised by the first, which is the one a
// method learns from.
func (h *Harness) parts(set *datasets.Set, train, other []int) (learn, score registry.Data, err error) {
	_, d := set.X.Dims()
	a, b := mat.NewDense(len(train), d, nil), mat.NewDense(len(other), d, nil)
	if h.Protocol.Semantics.Standardise {
		s := datasets.FitStandardiser(set.X, train)
		if err := s.Check(set.X, train, set.Features); err != nil {
			return learn, score, fmt.Errorf("%s: %w", set.Name, err)
		}
		s.Apply(a, set.X, train)
		s.Apply(b, set.X, other)
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
	return data(a, train), data(b, other), nil
}

func copyRows(dst, src *mat.Dense, rows []int) {
	for i, r := range rows {
		copy(dst.RawRowView(i), src.RawRowView(r))
	}
}

// predict scores the rows without showing the model their targets.
func predict(ctx context.Context, m registry.Model, d registry.Data) (store.Score, error) {
	if m == nil {
		return store.Score{}, errors.New("the method returned neither a model nor an error")
	}
	sh := d.Shape()
	out := make([]float64, sh.N*sh.Outputs())
	for i := range out {
		out[i] = unwritten
	}
	if err := m.Score(ctx, d.X, out); err != nil {
		return store.Score{}, err
	}
	return newScore(sh, d.Y, out)
}

type byteCount int64

func (b *byteCount) Write(p []byte) (int, error) {
	*b += byteCount(len(p))
	return len(p), nil
}

var _ io.Writer = (*byteCount)(nil)

// panicSite returns " at FILE:LINE" of the first frame below the panic.
func panicSite(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "panic(") && i+3 < len(lines) {
			site := strings.TrimSpace(lines[i+3])
			if space := strings.LastIndex(site, " +0x"); space > 0 {
				site = site[:space]
			}
			parts := strings.Split(site, "/")
			return " at " + strings.Join(parts[max(0, len(parts)-2):], "/")
		}
	}
	return ""
}

// maxError bounds the text of a failure, in bytes: a method may say anything.
const maxError = 2000

// oneLine joins the lines of a method's message and cuts it, saying what it was.
func oneLine(s string) string {
	whole := len(s)
	if whole > 4*maxError { // a long one is not looked at to its end
		s = s[:4*maxError]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	if whole <= maxError && len(s) <= maxError {
		return s
	}
	return fmt.Sprintf("%s... (cut; the whole message has %d bytes)", strings.ToValidUTF8(s[:min(len(s), maxError)], ""), whole)
}
