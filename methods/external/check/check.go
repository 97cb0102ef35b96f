// Package check tests a plugin for everything that the harness relies on, for authors who write a plugin in
// another language. `bench methods check` prints the results of [Run]. Run takes at most [Limit], on small data of
// its own, unless its options say otherwise.
//
// For methods in Go there is registry/conform, which checks more, as a test.
package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// Limit bounds the time of all checks together, unless Options say otherwise. The checks of a method with short fits
// take about 15 seconds. There are about 70 fits, so that those of a method whose fit takes two seconds do not end in
// time.
const Limit = time.Minute

// patience is how long one request may take within Limit.
const patience = 20 * time.Second

// A Result is the result of one check.
type Result struct {
	Name    string
	Detail  string // what the check observed
	Failure string // what is wrong; "" if nothing is wrong
	Advice  string // how to correct the failure
	Skipped bool   // the check does not apply
	Stopped bool   // no time was left for the check: the result says nothing about the plugin
}

// A check tests one property of a plugin on the first task that it solves. detail is for people.
type check struct {
	name   string
	advice string
	try    func(s *session) (detail string, err error)
}

// errSkip marks a check that does not apply.
type errSkip struct{ why string }

func (e errSkip) Error() string { return e.why }

// A session is the state that the checks share.
type session struct {
	ctx    context.Context
	file   string
	given  external.Options
	canary Canary
	folder string // for matrices; its name has characters that careless code does not handle
	plugin *external.Plugin
	spec   registry.Spec
	raised string // the error of the method itself on ordinary data; "" if there is none
	task   registry.Task

	patience time.Duration   // time of one fit
	together context.Context // context of the fits of one check; one process serves them all
	part     context.CancelFunc

	mu       sync.Mutex
	requests []external.Request
}

// A Canary runs a method on data whose outcome is known beforehand. An error describes an outcome that no
// honest method produces.
type Canary func(ctx context.Context, spec registry.Spec) (detail string, err error)

// Options say how a plugin is checked.
type Options struct {
	Plugin external.Options // what its processes may do
	Canary Canary           // nil leaves the check out
	Limit  time.Duration    // of all checks together; 0 for Limit
}

// missing finds the advice in the error of a plugin that lacks its interpreter or a module.
var missing = regexp.MustCompile(`^((?s:.*)(?:No module named '[^']*'|which runs it, is not there)); (.*)$`)

// Run runs all checks of the plugin in file and calls tell with each result as soon as it is known. The error
// says that no check could be run.
func Run(ctx context.Context, file string, o Options, tell func(Result)) error {
	if _, err := os.Stat(file); err != nil {
		return err
	}
	parent, err := os.MkdirTemp("", "bench-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(parent)
	s := &session{file: file, given: o.Plugin, canary: o.Canary,
		folder: filepath.Join(parent, "Größe 50%_x^2 & #1 $~{}")}
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		return err
	}
	limit := cmp.Or(o.Limit, Limit)
	if s.patience = limit * 4 / 11; limit <= Limit {
		s.patience = min(s.patience, patience)
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if s.plugin != nil {
			s.plugin.Close()
		}
	}()
	for i, c := range checks {
		if c.name == canaryCheck && o.Canary == nil {
			continue
		}
		r := s.run(c, limit)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if left := checks[i+1:]; r.Stopped && len(left) > 0 {
			var names []string
			for _, c := range left {
				names = append(names, c.name)
			}
			r.Detail += "; not tried: " + strings.Join(names, ", ")
		}
		tell(r)
		if s.plugin == nil || s.ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// run runs one check. limit is the time of all checks together.
func (s *session) run(c check, limit time.Duration) Result {
	r := Result{Name: c.name, Advice: c.advice}
	s.together, s.part = context.WithCancel(s.ctx)
	var err error
	r.Detail, err = c.try(s)
	s.part()
	var skip errSkip
	switch {
	case errors.As(err, &skip):
		r.Skipped, r.Detail = true, skip.why
	case err != nil && s.ctx.Err() != nil:
		r.Stopped, r.Detail = true, fmt.Sprintf("the checks so far took %v together", limit)
		r.Advice = "repeat with more time, as --timeout 5m, where fits take seconds or the machine is busy; else " +
			"make the grid or the defaults lighter: the data has 400 rows at most"
	case err != nil:
		r.Failure = err.Error()
		if says := missing.FindStringSubmatch(r.Failure); says != nil {
			r.Failure, r.Advice = says[1], says[2]
		}
		var own *external.MethodError
		switch {
		case !errors.As(err, &own):
		case strings.HasPrefix(r.Failure, registry.Multiclass.String()+": ") && s.spec.Tasks&registry.Binary != 0:
			r.Advice = `if the method is for two classes only, say so: tasks=["binary"]; else ` + r.Advice
		case s.raised == own.Error():
			r.Advice = "mend the failure above, which is the same"
		case s.raised == "" && c.name == "shapes": // the first fit, of ordinary data
			s.raised, r.Advice = own.Error(), "mend this error of the method itself"
		}
	}
	return r
}

// options are the options of the plugin under test: every request is noted.
func (s *session) options() external.Options {
	o := s.another()
	o.Trace = func(r external.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requests = append(s.requests, r)
	}
	return o
}

// another returns the same options for a second plugin, without the notes.
func (s *session) another() external.Options {
	o := s.given
	o.Folder = s.folder
	return o
}

// subject is the plugin's method in the form of the checks that registry/conform shares.
func (s *session) subject() toydata.Subject {
	return toydata.Subject{Spec: s.spec, Seed: seed, Fit: s.fit, Score: s.scores}
}

// fit trains a grid point. A fit that takes too long ends its check.
func (s *session) fit(d registry.Data, point json.RawMessage) (registry.Model, error) {
	late := time.AfterFunc(s.patience, s.part)
	m, err := s.spec.Fit(s.together, registry.Env{Seed: seed}, d, point)
	if !late.Stop() && s.ctx.Err() == nil {
		err = fmt.Errorf("a fit of %d rows takes more than %v", d.Shape().N, s.patience)
	}
	return m, err
}

func (s *session) scores(m registry.Model, d registry.Data) ([]float64, error) {
	out := make([]float64, d.Shape().N*d.Shape().Outputs())
	return out, m.Score(s.ctx, d.X, out)
}

// defaults trains one sample with the defaults and scores another.
func (s *session) defaults(learn, test registry.Data) ([]float64, error) {
	return s.subject().FitAndScore(learn, test, nil)
}
