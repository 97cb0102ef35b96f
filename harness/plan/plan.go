// Package plan turns a request into cells.
//
//	plan.go        an Experiment (a protocol with methods and data) and a Request become a Plan
//	set.go         what planning needs to know of a data set
//	standing.go    the key of a cell, a hash of everything that its result depends on, and which stored cells have it
//	canaries.go    cells whose training labels contradict the truth
//	costs.go       how long cells took in the reference run
//	forecast.go    how long cells take, by the nearest cells that were measured
//	memory.go      how much memory cells of methods take that declare none
//	selection.go   the methods and data sets that a request names
//	shard.go       the part of a plan that one job of an array computes
//	policy.go      in which order cells start, which may start, and which take too much time or memory
//	queue.go       the cells that wait, in the order of the policy
//
// The package computes no cell. It loads only data sets whose size the catalogue lacks.
package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// An Experiment is a protocol with the methods and the data that it is applied to.
type Experiment struct {
	Protocol  *protocol.Protocol
	Registry  registry.Registry
	Catalogue *catalogue.Catalogue
	Data      catalogue.Directory
	Keep      runner.Keep
}

// A Cell is a cell with the time and memory that are predicted for it.
type Cell struct {
	runner.Cell
	Spec     runner.CellSpec
	Seconds  float64 // predicted when the cell was planned, on one core
	Memory   int64   // predicted bytes of the process at the peak, without the data set
	SetBytes int64   // bytes of the data set, which the cells of the set share
	Attempt  int64   // the stored attempt that is to be replaced, see store.Known; 0 for none
	Deaths   int     // how many processes died while they were at the cell; see store.Registration
	Foreign  bool    // the method is a foreign one
	Early    bool    // the first cell of its method on its set, if none is stored
	Work     float64 // how much work it is, in units of its method: see Forecast
	Far      float64 // how far the cell of the reference run is that Spec.Cost is from: see referenceCost
	Unsized  bool    // the method declares no memory: see Forecast.Memory
}

// A Request says what to run.
type Request struct {
	Methods  []string // names; nil for all that can solve a set's task
	Datasets []string // names; nil for the protocol's sets whose data is here
	Exclude  []string // names of methods and of sets that are left out, as Experiment.Excluded returns them
	Splits   []int
	Retry    bool          // failed and timed-out cells are run again
	Timeout  time.Duration // a cell that timed out under a shorter limit is run again
	Rerun    []string      // names of methods whose stored cells are run again and replaced
	Limits   Limits
	Policy   *Policy // nil is Default
	Shard    Shard   // the share of the cells that this database gets; the zero value is all of them
	Secret   []byte  // the secret of the database, from which canaries are drawn; nil plans no canary
}

// A Plan is the list of cells that a request makes necessary, given the stored cells.
type Plan struct {
	Requested int
	Cells     []*Cell            // the cells to run, in the order in which a run starts them; canaries are among them
	Excluded  []result.Exclusion // what the request names and the plan leaves out
	Stored    int                // requested cells that are stored with status ok
	Failed    int                // requested cells that are stored as failed or timed out and are not run again
	Data      map[string]string  // fingerprint of each planned set's data
	Versions  map[string]string  // version of each method
	// Revive holds the keys of requested cells that are stored, but are not the current attempts of their cells: see
	// store.MakeCurrent.
	Revive   []string
	Forecast *Forecast // the forecast that the plan is made with
	Dealt    *dealing  // nil where the request is no shard

	absent int // cells of sets without data
}

// Plan makes the plan of a request. known holds the stored cells and canaries by key; a cell that known makes
// needless is left out. forecast predicts the times; nil means declared costs alone. Only sets whose size the
// catalogue lacks are loaded.
func (e *Experiment) Plan(ctx context.Context, req Request, known map[string]store.Known, forecast *Forecast) (*Plan,
	error) {
	if forecast == nil {
		forecast = NewForecast(nil)
	}
	if req.Policy != nil {
		forecast.Policy = *req.Policy
	}
	plan := &Plan{Data: map[string]string{}, Versions: map[string]string{}, Forecast: forecast}
	methods, sets, err := e.named(req)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for _, name := range sets {
		more, err := e.pairs(ctx, plan, req, name, methods, len(sets) == 1)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, more...)
	}
	if req.Datasets != nil || len(pairs) == 0 { // a request without names takes the sets whose data is here
		plan.Requested += plan.absent
	}
	if err := plan.check(req, len(sets)); err != nil {
		return nil, err
	}
	plan.Dealt = req.Shard.deal(pairs, forecast.Policy, req.Limits.MaxCell)
	plan.take(pairs, req, known, !e.Protocol.Semantics.TestsTrainingRows()) // else known labels are no leak
	plan.Cells = NewQueue(plan.Cells, forecast).Rest()
	return plan, nil
}

// named returns the methods and the sets that a request names, without those that it excludes.
func (e *Experiment) named(req Request) (methods []registry.Spec, sets []string, err error) {
	if sets = req.Datasets; sets == nil {
		sets = e.Protocol.Datasets
	}
	if methods, err = e.Methods(req.Methods); err != nil {
		return nil, nil, err
	}
	if len(sets) == 0 {
		return nil, nil, fmt.Errorf("protocol %s names no data sets; name some with --datasets", e.Protocol.Shown())
	}
	excluded := func(name string) bool { return slices.Contains(req.Exclude, name) }
	sets = slices.DeleteFunc(slices.Clone(sets), excluded)
	methods = slices.DeleteFunc(methods, func(m registry.Spec) bool { return excluded(m.Name) })
	if req.Exclude != nil && (len(sets) == 0 || len(methods) == 0) {
		return nil, nil, errors.New("--exclude leaves nothing to run; name fewer methods or sets there")
	}
	return methods, sets, nil
}

// pairs plans all cells of the methods on one set. It notes in the plan what it leaves out. alone says that the
// request names no other set, so that a set that cannot be split is an error.
func (e *Experiment) pairs(ctx context.Context, plan *Plan, req Request, name string, methods []registry.Spec,
	alone bool) ([]pair, error) {
	entry, err := e.Catalogue.Lookup(name)
	if err != nil {
		return nil, err
	}
	specs, err := plan.suited(methods, entry, req.Methods != nil)
	if err != nil {
		return nil, err
	}
	set, why, err := e.usable(ctx, entry, req.Splits, alone)
	if err != nil {
		return nil, err
	}
	if why.Kind != 0 {
		plan.exclude(entry.Name, "", why)
		if cells := len(specs) * len(req.Splits); why.Kind == result.NoData {
			plan.absent += cells
		} else {
			plan.Requested += cells
		}
		return nil, nil
	}
	plan.Data[entry.Name] = set.fingerprint
	splits := req.Splits
	if len(set.own) > 0 {
		splits = slices.DeleteFunc(slices.Clone(splits), func(s int) bool { return s > len(set.own) })
	}
	if len(splits) < len(req.Splits) {
		text := fmt.Sprintf("splits 1 to %d", len(set.own))
		plan.exclude(entry.Name, "", result.Why{Kind: result.FewerSplits, Text: text})
	}
	if len(splits) == 0 {
		return nil, nil
	}
	var out []pair
	for _, spec := range specs {
		plan.Versions[spec.Name] = spec.Version
		cells, err := e.cells(set, spec, splits, plan.Forecast)
		if err != nil {
			return nil, err
		}
		out = append(out, pair{spec, cells})
	}
	return out, nil
}

// usable returns what planning needs of a set, or why the plan goes on without the set.
func (e *Experiment) usable(
	ctx context.Context, entry *catalogue.Entry, splits []int, alone bool,
) (plannedSet, result.Why, error) {
	switch state, err := e.Data.State(entry); {
	case state == catalogue.Wrong, state == catalogue.Missing && entry.Local():
		return plannedSet{}, result.Why{}, err
	case state == catalogue.Missing:
		return plannedSet{}, result.Why{Kind: result.NoData}, nil
	}
	set, err := e.set(ctx, entry, splits)
	if why := (*splitError)(nil); errors.As(err, &why) && ctx.Err() == nil && !alone {
		return set, result.Why{Kind: result.Unsplittable, Text: err.Error()}, nil
	}
	return set, result.Why{}, err
}

// check refuses a request of which nothing can run, and a shard that would not be the same on another machine.
func (p *Plan) check(req Request, sets int) error {
	if unsplittable := result.OfKinds(p.Excluded, result.Unsplittable); len(unsplittable) == sets && sets > 0 {
		texts := make([]string, sets)
		for i, e := range unsplittable {
			texts[i] = e.Why.Text
		}
		return errors.New(strings.Join(texts, "; "))
	}
	if missing := result.OfKinds(p.Excluded, result.NoData); req.Shard.Of > 1 && missing != nil {
		return fmt.Errorf("%s, and a shard takes its share of all sets: `bench data fetch` gets data, --exclude "+
			"leaves "+
			"sets out of every shard", result.Explain(missing)[0])
	}
	return nil
}

// exclude notes that a set, or with a method one pair, is left out.
func (p *Plan) exclude(dataset, method string, why result.Why) {
	p.Excluded = append(p.Excluded, result.Exclusion{Dataset: dataset, Method: method, Why: why})
}

// take keeps the cells of this shard that must run, each once, and adds canaries where they would prove something.
func (p *Plan) take(pairs []pair, req Request, known map[string]store.Known, canaries bool) {
	seen := map[string]bool{}
	for _, pair := range pairs {
		first, stored := len(p.Cells), p.Stored
		for _, c := range pair.cells {
			if p.Dealt.has(c) && !seen[c.Spec.Key] {
				seen[c.Spec.Key] = true
				p.takeCell(c, req, known)
			}
		}
		if len(p.Cells) > first && p.Stored == stored {
			p.Cells[first].Early = true
		}
		if canaries && pair.spec.Foreign() && p.Dealt.has(pair.cells[0]) {
			p.addCanary(pair.cells, first, req.Secret, known)
		}
	}
}

// A pair is a method on a set, with its cells by split.
type pair struct {
	spec  registry.Spec
	cells []*Cell
}

// Reruns reports whether stored cells of a method are run again. A stored result stays until a new result replaces
// it. If the new run fails, the stored result stays.
func (r Request) Reruns(method string) bool {
	return slices.ContainsFunc(r.Rerun, func(m string) bool { return strings.EqualFold(m, method) })
}

// takeCell counts a cell, and keeps it in the plan if it must run.
func (p *Plan) takeCell(c *Cell, req Request, known map[string]store.Known) {
	p.Requested++
	k, stored := known[c.Spec.Key]
	c.Attempt = k.Attempt
	switch {
	case !stored:
	case req.Reruns(c.Method):
		c.Spec.Replace = true
	case k.Status == result.OK:
		p.Stored++
		p.revive(c, k)
		return
	case req.Retry:
	case k.Status == result.Timeout && (req.Timeout == 0 || req.Timeout.Seconds() > k.TimeoutSeconds):
	default:
		p.Failed++
		p.revive(c, k)
		return
	}
	need := Resources{Jobs: 1, Seconds: c.Seconds, Bytes: c.Memory + c.SetBytes}
	if why, out := p.Forecast.Policy.LeaveOut(c, need, req.Limits); out {
		p.Excluded = append(p.Excluded, c.Excluded(why))
		return
	}
	p.Cells = append(p.Cells, c)
}

func (p *Plan) revive(c *Cell, k store.Known) {
	if !k.Current {
		p.Revive = append(p.Revive, c.Spec.Key)
	}
}

// Methods returns the methods with these names. Without names it returns the protocol's columns if the protocol is
// limited to them, else every method that does not have to be named. A built-in protocol may have columns that a
// smaller registry lacks.
func (e *Experiment) Methods(names []string) ([]registry.Spec, error) {
	columns := names == nil && e.Protocol.Only
	switch {
	case columns:
		names = e.Protocol.Columns
	case names == nil:
		return slices.DeleteFunc(e.Registry.All(), func(s registry.Spec) bool { return s.Named }), nil
	}
	var out []registry.Spec
	for _, n := range names {
		s, err := e.Registry.Lookup(n)
		switch {
		case err == nil:
			out = append(out, s)
		case !columns:
			return nil, err
		case !e.Protocol.Builtin():
			return nil, fmt.Errorf("protocol %s: columns: %w", e.Protocol.Name, err)
		}
	}
	return out, nil
}

// suited returns the methods that can run on a set, and notes the other methods. A method for another task is
// noted only if the request names its methods. It is an error if no method is left.
func (p *Plan) suited(methods []registry.Spec, e *catalogue.Entry, named bool) ([]registry.Spec, error) {
	var out []registry.Spec
	why, hints := "", ""
	for _, m := range methods {
		hint := ""
		if m.Foreign() {
			hint = fmt.Sprintf("; %s declares %s: a plugin that solves %s says so, in Python by tasks=[%[3]q]", m.Name,
				m.Tasks, e.Task.String())
		}
		solves := m.Tasks&e.Task != 0
		switch unfit := e.Unfit(m); {
		case unfit == "":
			out = append(out, m)
		case solves:
			p.exclude(e.Name, m.Name, result.Why{Kind: result.TakesNoGaps})
			why = fmt.Sprintf("%s says impute = \"none\", and none of the requested methods takes missing values; "+
				"write impute = \"median\", or name methods that do", e.Name)
		case named:
			p.exclude(e.Name, m.Name, result.Why{Kind: result.WrongTask, Text: hint})
			hints += hint
		}
	}
	switch {
	case out != nil:
		return out, nil
	case why != "":
		return nil, errors.New(why)
	}
	return nil, fmt.Errorf("%s is a %s set, and none of the requested methods solves this task%s", e.Name, e.Task,
		hints)
}

// cells returns one cell a split. The grid, its hash, the cost and the memory depend on the shape alone, so
// all these cells share them.
func (e *Experiment) cells(set plannedSet, spec registry.Spec, splits []int, forecast *Forecast) ([]*Cell, error) {
	fewer := e.Protocol.Methods[spec.Name].TrainRows
	if fewer > 0 {
		set.train.N = min(set.train.N, fewer)
	}
	grid, err := e.grid(spec, set)
	if err != nil {
		return nil, err
	}
	written, err := e.Protocol.Grid(spec).Written()
	if err != nil {
		return nil, err
	}
	scale, err := spec.Scale(grid)
	if err != nil {
		return nil, err
	}
	amount := work(spec, set.train, len(grid), scale, e.Protocol.Semantics)
	cost, far := referenceCost(e.Protocol.Base(spec.Name), spec, measured{set.entry.Name, set.train, amount, 0, 0})
	common := runner.CellSpec{
		Inputs: runner.Inputs{
			ProtocolHash: e.Protocol.Hash(), Fingerprint: set.fingerprint,
			MethodVersion: spec.Version, GridHash: gridHash(spec, set.train, grid, fewer, set.splitsHash),
		},
		Protocol: runner.ProtocolText{TOML: e.Protocol.Text, Path: absolute(e.Protocol.Path),
			Splits: e.Protocol.Splits},
		Set: set.entry.Description(), Grid: grid, GridWritten: written, Shape: set.train,
		Keep: e.Keep, Cost: cost,
	}
	memory, err := e.memory(spec, grid, set)
	if err != nil {
		return nil, err
	}
	forecast.learn(spec)
	setBytes := registry.SetBytes(set.rows, set.train.D)
	cells := make([]*Cell, len(splits))
	for i, s := range splits {
		c := &Cell{
			Cell: runner.Cell{Protocol: e.Protocol.Name, Dataset: set.entry.Name, Split: s, Method: spec.Name},
			Spec: common, Foreign: spec.Foreign(), Memory: memory - setBytes, SetBytes: setBytes,
			Work: amount, Far: far, Unsized: !spec.DeclaresMemory(),
		}
		c.Spec.Cell = c.Cell
		c.Memory = forecast.Memory(c)
		c.Spec.Memory = c.Memory + c.SetBytes
		size, err := set.sizes(e.Protocol.SplitterOf(spec.Name), s)
		if err != nil {
			return nil, fmt.Errorf("protocol %s, %s, split %d: %w", e.Protocol.Name, spec.Name, s, err)
		}
		c.Spec.Train, c.Spec.Test, c.Spec.Groups, c.Spec.Positive = size.train, size.test, size.groups, size.positive
		c.Spec.Seeds = e.Protocol.Semantics.Seeds(s, set.trainRows > 0)
		c.Spec.Inputs.Seed = firstSeed(c.Spec.Seeds)
		c.Spec.Key = KeyOf(c.Cell, c.Spec.Inputs)
		c.Seconds = forecast.Seconds(c)
		cells[i] = c
	}
	return cells, nil
}

// grid returns the grid points of a method on a set; there is one where nothing is searched.
func (e *Experiment) grid(spec registry.Spec, set plannedSet) ([]json.RawMessage, error) {
	grid, err := e.Protocol.GridPoints(spec, set.entry.Name, set.train)
	if err == nil && e.Protocol.Semantics.Folds == 0 && len(grid) > 1 {
		err = fmt.Errorf("protocol %s: folds = 0 searches nothing, but %s has %d grid points; give it a grid of one "+
			"point in [methods], or folds", e.Protocol.Name, spec.Name, len(grid))
	}
	return grid, err
}

// absolute makes a path independent of the current folder; "" stays "".
func absolute(path string) string {
	if full, err := filepath.Abs(path); path != "" && err == nil {
		return full
	}
	return path
}

// memory is what a cell takes with its data set, for the grid point that needs most.
func (e *Experiment) memory(spec registry.Spec, grid []json.RawMessage, set plannedSet) (bytes int64, err error) {
	sh := set.train
	if set.entry.Indicator || set.entry.Impute == "none" {
		sh.D *= 2 // an upper bound: a column more, or a second search, for each column with gaps
	}
	var hungriest int64
	for _, s := range grid {
		fit, err := spec.MemoryEstimate(sh, s)
		if err != nil {
			return 0, err
		}
		hungriest = max(hungriest, fit)
	}
	return registry.CellBytes(set.rows, sh.D, set.entry.TextBytes(e.Data.Dir()), hungriest), nil
}

// Explain says why a planned cell is run: how its inputs differ from the inputs of the current attempt of the
// cell.
func (c *Cell) Explain(ctx context.Context, db *store.DB) (string, error) {
	if c.Spec.Canary != nil {
		return "canary: the training labels contradict the truth", nil
	}
	old, found, err := db.Attempt(ctx, c.Protocol, c.Dataset, c.Method, c.Split)
	switch {
	case err != nil:
		return "", err
	case !found:
		return "never run", nil
	case old.Key == c.Spec.Key && old.Status == result.OK:
		return "its stored result is to be computed again", nil
	case old.Key == c.Spec.Key:
		return "its stored attempt did not end ok", nil
	}
	return strings.Join(changedInputs(store.InputsOf(old), c.Spec.Inputs), "; "), nil
}
