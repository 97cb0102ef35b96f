package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"

	"github.com/kernelboosting/bench/internal/wording"
)

// Spec declares a method. Fill in the exported fields and pass it to Define.
type Spec struct {
	Name    string // as tables print it, e.g. "GBRFF2"
	Version string // change it when results change: it is part of every cell's key
	Tasks   Task
	Source  string // the paper and the algorithm in it
	Summary string // one line for listings

	Nondeterministic bool // the method declares that fits with the same seed may differ

	Named bool // the method runs only if it is named; "all" does not include it

	Growth Growth // how the time of fits grows

	// Peak is what the process of a method that declares no memory took to start, in bytes; 0 if this is not known.
	Peak int64

	// What the method and its models can do; an empty field means that they cannot.
	Load     func(r io.Reader) (Model, error) // reads back a model that Saver.Save wrote
	LightGBM bool                             // models are LightGBMWriters
	Gaps     bool                             // features may be NaN, a missing value; other methods are given no NaN
	// what is learned depends on the blocks of the features; other methods are shown none
	Blocks      bool
	Probability Probability // what scores of two classes stand for

	defaults json.RawMessage
	grid     Grid
	does     functions
	pkg      string // path of the package that defined the method
}

// A FitFunc trains one setting. It returns ctx.Err() soon after cancellation, and an
// error rather than a model that it did not finish. It is called with a context that is not
// done yet and with data that passed [Data.Check] and is of one of the method's tasks.
type FitFunc[P any] func(ctx context.Context, env Env, train Data, p P) (Model, error)

// A PathFunc trains several settings with shared work, e.g. one representation for every C. It calls yield once for
// each index of ps, in any order, and stops at yield's first error. The models give the same scores as single fits, bit
// for bit.
type PathFunc[P any] func(ctx context.Context, env Env, train Data, ps []P, yield func(i int, m Model) error) error

// One trains a single setting as a path of one.
func (fit PathFunc[P]) One(ctx context.Context, env Env, train Data, p P) (Model, error) {
	var model Model
	err := fit(ctx, env, train, []P{p}, func(_ int, m Model) error {
		model = m
		return nil
	})
	return model, err
}

// DefinePath is [Define] for a method that fits several settings with shared work. A single setting is fitted as a path
// of one, so that there is one algorithm.
func DefinePath[P any](s Spec, defaults P, grid Grid, fit PathFunc[P], opts ...Option[P]) Spec {
	return Define(s, defaults, grid, fit.One, append([]Option[P]{Path(fit)}, opts...)...)
}

// Define completes s with typed parameters. defaults holds the value of every
// parameter that the grid leaves alone; P is a struct whose fields have JSON
// names, and tags that say what they mean and which values they may have:
//
//	Rounds int `json:"rounds" range:"[1,)" means:"steps of boosting"`
//
// with a range as in [Parameter]. A parameter that a method gets later has ",omitempty" and a tag absent:"value" with
// the value that its zero means, so that settings without it, and their keys, stay as they were. What depends on
// several fields at once is checked by a method Validate() error of P, if there is one. A setting is JSON: names that P
// does not have are rejected, and so is anything that a range or Validate refuses, before any work starts. Define
// panics if the spec is incomplete or the grid names an unknown parameter.
func Define[P any](s Spec, defaults P, grid Grid, fit FitFunc[P], opts ...Option[P]) Spec {
	decode := decoder(s.Name, defaults)
	var parameters []Parameter
	whole, err := canonical(decode, nil)
	if err == nil {
		parameters, err = parametersOf(reflect.TypeFor[P](), whole)
	}
	if err != nil {
		panic(fmt.Sprintf("registry: defaults of method %s: %v", s.Name, err))
	}
	return complete(s, parameters, grid, decode, fit, opts)
}

// canonical returns a setting as a JSON object with a value for every parameter. Settings with the same meaning have
// the same bytes, since keys of stored cells hash them. It is an error if the method does not know what stands in the
// setting.
func canonical[P any](decode func(json.RawMessage) (P, error), setting json.RawMessage) (json.RawMessage, error) {
	return with(decode, setting, func(p P) (json.RawMessage, error) { return json.Marshal(p) })
}

// functions are those of a method. Each completes a partial setting. A function that the method lacks is nil.
type functions struct {
	parameters []Parameter
	canonical  func(setting json.RawMessage) (json.RawMessage, error)
	fit        func(ctx context.Context, env Env, train Data, setting json.RawMessage) (Model, error)
	path       func(ctx context.Context, env Env, train Data, settings []json.RawMessage,
		yield func(i int, m Model) error) error
	memory func(s Shape, setting json.RawMessage) (int64, error)
}

func complete[P any](s Spec, parameters []Parameter, grid Grid, decode func(json.RawMessage) (P, error), fit FitFunc[P],
	opts []Option[P]) Spec {
	if fit == nil {
		panic("registry: method " + s.Name + " has no fit")
	}
	s.does = functions{
		parameters: parameters,
		canonical:  func(setting json.RawMessage) (json.RawMessage, error) { return canonical(decode, setting) },
		fit: func(ctx context.Context, env Env, train Data, setting json.RawMessage) (Model, error) {
			return with(decode, setting, func(p P) (Model, error) { return fit(ctx, env, train, p) })
		},
	}
	for _, o := range opts {
		o(&s.does, decode)
	}
	s.grid, s.pkg = grid, callersPackage()
	if err := s.check(); err != nil {
		panic("registry: " + err.Error())
	}
	return s
}

// An Option declares a capability of a method with parameters P.
type Option[P any] func(r *functions, decode func(json.RawMessage) (P, error))

// Path declares that several settings can be fitted with shared work, if a single fit is another algorithm.
// [DefinePath] is for methods with one algorithm.
func Path[P any](fit PathFunc[P]) Option[P] {
	return func(r *functions, decode func(json.RawMessage) (P, error)) {
		r.path = func(ctx context.Context, env Env, train Data, raws []json.RawMessage,
			yield func(int, Model) error) error {
			ps, err := decodeAll(decode, raws)
			if err != nil {
				return err
			}
			return fit(ctx, env, train, ps, yield)
		}
	}
}

func decodeAll[P any](decode func(json.RawMessage) (P, error), raws []json.RawMessage) ([]P, error) {
	ps := make([]P, len(raws))
	for i, raw := range raws {
		var err error
		if ps[i], err = decode(raw); err != nil {
			return nil, err
		}
	}
	return ps, nil
}

// Memory declares the bytes that one fit allocates at its peak, without the data.
func Memory[P any](estimate func(s Shape, p P) int64) Option[P] {
	return func(r *functions, decode func(json.RawMessage) (P, error)) {
		r.memory = func(s Shape, setting json.RawMessage) (int64, error) {
			return with(decode, setting, func(p P) (int64, error) { return estimate(s, p), nil })
		}
	}
}

func (e Env) filled() Env {
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.OnThread == nil {
		e.OnThread = func(work func()) { work() }
	}
	return e
}

func (s *Spec) check() error {
	switch {
	case wording.CheckName(s.Name) != nil:
		return fmt.Errorf("the name of a method: %w", wording.CheckName(s.Name))
	case s.Version == "":
		return fmt.Errorf("method %s has no version", s.Name)
	case s.Tasks == 0:
		return fmt.Errorf("method %s has no task", s.Name)
	case s.Source == "":
		return fmt.Errorf("method %s has no source", s.Name)
	}
	defaults, err := s.does.canonical(nil)
	if err != nil {
		return fmt.Errorf("defaults of method %s: %w", s.Name, err)
	}
	s.defaults = defaults
	if _, err := s.Scale([]json.RawMessage{defaults}); err != nil {
		return err
	}
	return s.checkGrid()
}

// checkGrid checks each value of each axis together with the first values of the other axes. Checking all points would
// take too long at the start of every program.
func (s *Spec) checkGrid() error {
	sh := Shape{Task: Binary, N: 100, D: 10, Classes: 2}
	for i := range s.grid {
		g := slices.Clone(s.grid)
		for j := range g {
			if j != i {
				g[j].Values = g[j].Values[:min(1, len(g[j].Values))]
			}
		}
		if _, err := s.Settings(sh, g, nil); err != nil {
			return err
		}
	}
	return nil
}

// Fit trains one setting; raw holds the parameters that differ from the defaults. Data that is no
// training set of the method is an error: see [Data.Check].
func (s Spec) Fit(ctx context.Context, env Env, train Data, raw json.RawMessage) (Model, error) {
	train, err := s.ready(ctx, train)
	if err != nil {
		return nil, err
	}
	return s.does.fit(ctx, env.filled(), train, raw)
}

// ready returns the data that the method sees of train, or the error with which a fit ends before the method is called.
func (s Spec) ready(ctx context.Context, train Data) (Data, error) {
	if err := ctx.Err(); err != nil {
		return train, err
	}
	err := train.check(s.Gaps)
	if err == nil && s.Tasks&train.Task == 0 {
		err = fmt.Errorf("the task of the training set is %q: the method solves %s", train.Task, s.Tasks)
	}
	if err != nil {
		return train, fmt.Errorf("%s: %w", s.Name, err)
	}
	if !s.Blocks {
		train.Blocks = nil
	}
	return train, nil
}

// FitAll trains every setting and calls yield once for each. The order is the cheapest one: with shared work if the
// method declares Path, else one by one. It stops at the first error. Data is checked once, as in Fit.
func (s Spec) FitAll(ctx context.Context, env Env, train Data, raws []json.RawMessage,
	yield func(i int, m Model) error) error {
	train, err := s.ready(ctx, train)
	if err != nil {
		return err
	}
	env = env.filled()
	if s.does.path != nil {
		return s.does.path(ctx, env, train, raws, yield)
	}
	for i, raw := range raws {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := s.does.fit(ctx, env, train, raw)
		if err != nil {
			return err
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// HasPath reports whether FitAll shares work between settings.
func (s Spec) HasPath() bool { return s.does.path != nil }

// LoadModel reads back a model that Saver.Save wrote.
func (s Spec) LoadModel(r io.Reader) (Model, error) {
	if s.Load == nil {
		return nil, fmt.Errorf("method %s has no saved form", s.Name)
	}
	m, err := s.Load(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return m, nil
}

// Defaults returns the default parameters as JSON.
func (s Spec) Defaults() json.RawMessage { return s.defaults }

// Parameters describes the method's parameters in the order of Defaults. It is empty if the method has no struct for
// them.
func (s Spec) Parameters() []Parameter { return slices.Clone(s.does.parameters) }

// DefaultGrid returns the grid the method was published with.
func (s Spec) DefaultGrid() Grid { return s.grid }

// DeclaresMemory reports whether the method says how much memory its fits need.
func (s Spec) DeclaresMemory() bool { return s.does.memory != nil }

// MemoryEstimate returns the bytes one fit needs besides the data; a method that
// does not declare it is taken to need two copies of the data and its Peak.
func (s Spec) MemoryEstimate(sh Shape, raw json.RawMessage) (int64, error) {
	if s.does.memory == nil {
		return 16*int64(sh.N)*int64(sh.D) + s.Peak, nil
	}
	return s.does.memory(s.shown(sh), raw)
}

// programBytes is what a process takes beside data and fits: the pages of the program's code, and the runtime with an
// almost empty heap.
const programBytes = 48 << 20

// SetBytes is the size of a data set in memory: the matrix and the targets.
func SetBytes(rows, features int) int64 { return 8 * int64(rows) * int64(features+1) }

// CellBytes returns what the process of a cell takes at its peak, if a fit needs fit bytes (see MemoryEstimate): the
// program, the data set, and more for reading the set or for a fit, whichever needs more. Reading takes 2.5 times the
// bytes of the set, or more if the text of its files is long. A fit also takes a standardised copy of the rows, and the
// numbers of the rows of the split and of its folds.
func CellBytes(rows, features int, text, fit int64) int64 {
	set, lines := SetBytes(rows, features), 8*int64(rows)
	return programBytes + set + max(3*set/2, text+lines, set+3*lines+fit)
}
