package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// declares returns an error that skips the check of an operation that the plugin does not declare.
func (s *session) declares(op string) error {
	if d := s.plugin.Describes(); !slices.Contains(d.Ops, op) {
		return errSkip{"the plugin does not declare it"}
	}
	return nil
}

func (s *session) path() (string, error) {
	if err := s.declares("path"); err != nil {
		return "", err
	}
	d := toydata.Easy(s.task, 80, 3, seed)
	points, err := s.subject().Points(d, 4)
	if err == nil {
		err = s.subject().Path(s.ctx, d, points, map[string][]float64{})
	}
	return fmt.Sprintf("grid points at once %d", len(points)), err
}

func (s *session) stages() (string, error) {
	if err := s.declares("stages"); err != nil {
		return "", err
	}
	d := toydata.Easy(s.task, 80, 3, seed)
	m, err := s.fit(d, nil)
	if err != nil {
		return "", err
	}
	stager, ok := m.(registry.Stager)
	if !ok {
		return "", errSkip{"the model with the defaults has no rounds"}
	}
	_, err = s.subject().Stages(s.ctx, stager, d)
	return fmt.Sprintf("rounds %d", stager.Rounds()), err
}

func (s *session) saveAndLoad() (string, error) {
	if err := s.declares("save"); err != nil {
		return "", err
	}
	d := toydata.Easy(s.task, 80, 3, seed)
	m, err := s.fit(d, nil)
	if err != nil {
		return "", err
	}
	file, err := s.subject().Saved(m, d)
	return fmt.Sprintf("bytes %d", len(file)), err
}

// unknown: a request of a later version of the protocol gets an error, and the plugin continues.
func (s *session) unknown() (string, error) {
	err := s.plugin.Ask(s.ctx, "no-such-operation")
	var own *external.MethodError
	switch {
	case err == nil:
		return "", errors.New("an operation that there is not is answered as if it had been done")
	case !errors.As(err, &own):
		return "", err
	}
	return "an error, and the plugin goes on", nil
}

// growth is the most that a process may grow, in bytes, over many fits whose models were dropped.
const growth = 64 << 20

func (s *session) memory() (string, error) {
	d := toydata.Easy(s.task, 400, 10, seed)
	var peak int64
	env := registry.Env{Seed: seed, Used: func(_ float64, bytes int64) { peak = max(peak, bytes) }}
	points, err := s.subject().Points(d, 1)
	if err != nil {
		return "", err
	}
	twenty := slices.Repeat(points, 20)
	fit := func() error {
		return s.spec.FitAll(s.ctx, env, d, twenty, func(_ int, m registry.Model) error {
			_, err := s.scores(m, d)
			return err
		})
	}
	if err := fit(); err != nil {
		return "", err
	}
	first := peak
	start := time.Now()
	for range 4 {
		if time.Since(start) > 5*time.Second {
			break
		}
		if err := fit(); err != nil {
			return "", err
		}
	}
	if peak-first > growth {
		return "", fmt.Errorf("the process grew from %d to %d MiB over fits whose models were dropped", first>>20,
			peak>>20)
	}
	return fmt.Sprintf("peak %d MiB", peak>>20), nil
}

// cancellation: a fit whose time is over ends the process and all processes that it started.
func (s *session) cancellation() (string, error) {
	before := s.plugin.Processes()
	ctx, cancel := context.WithCancel(s.ctx)
	d := toydata.Easy(s.task, 400, 40, seed)
	points, err := s.subject().Points(d, 50)
	if err != nil {
		cancel()
		return "", err
	}
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	err = s.spec.FitAll(ctx, registry.Env{Seed: seed}, d, slices.Repeat(points, 50),
		func(int, registry.Model) error { return nil })
	cancelled := ctx.Err() != nil
	late := time.Now()
	cancel()
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", err
	}
	if !cancelled {
		return "", errSkip{"the fits are over too soon to be cancelled"}
	}
	for _, pid := range before {
		if !slices.Contains(s.plugin.Processes(), pid) && alive(pid) {
			return "", fmt.Errorf("process %d lives on after its fit was cancelled", pid)
		}
	}
	if _, err := s.defaults(d, d); err != nil {
		return "", fmt.Errorf("the fit after a cancelled one: %w", err)
	}
	return fmt.Sprintf("the process was gone; the next fit was done %.1f s later", time.Since(late).Seconds()), nil
}

// ends: a process ends when its requests end.
func (s *session) ends() (string, error) {
	p, err := external.Load(s.ctx, s.file, s.another())
	if err != nil {
		return "", err
	}
	pids := p.Processes()
	forced := p.CloseGently(10 * time.Second)
	for _, pid := range pids {
		if alive(pid) {
			return "", fmt.Errorf("process %d lives on", pid)
		}
	}
	if forced > 0 {
		return "", errors.New("the process goes on at the end of its standard input and had to be ended")
	}
	return "by itself, at the end of its standard input", nil
}

// alive reports whether a process exists and is no zombie. Without /proc it reports false.
func alive(pid int) bool {
	for range 40 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return true
}

// keptState: a process fits other data of the same shape and then fits d. The second fit must equal a fit of
// d in a process that has seen no other data.
func (s *session) keptState() (string, error) {
	if err := s.deterministic(); err != nil {
		return "", err
	}
	before, d := toydata.Easy(s.task, 120, 4, seed+2), toydata.Easy(s.task, 120, 4, seed)
	alone, err := s.inAnother(d)
	if err != nil {
		return "", err
	}
	after, err := s.inAnother(before, d)
	if err == nil {
		err = toydata.Equal("a fit after one of other data", after, alone)
	}
	return "a fit after one of other data gives the bits of a fresh process", err
}

// canaryCheck is the name of the check that is left out if there is no canary.
const canaryCheck = "canary"

func (s *session) labelsKnown() (string, error) { return s.canary(s.ctx, s.spec) }
