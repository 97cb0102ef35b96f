// Package frame is between the store and a report: it reads typed rows once and decides which of them
// belong in one table.
//
// [Read] takes a request and what is known of protocol, methods and data sets. It returns a [Frame]: every
// stored cell of the protocol with its whole score, its grid point, times and environment. [Frame.Table]
// picks a metric and applies the rules of all reports. Cells with other inputs than the rest of their row or
// column (an older protocol, other data, another version or grid) are left out and noted. Sets for which the
// metric does not exist are named. Missing cells are grouped by reason, with the cheapest command that
// computes them. A warning names columns with several versions of a method. NAME@VERSION requests a version:
// its last finished attempts, even if the cells are now of another version.
//
// Means over sets and ranks need every method on the same splits of the same sets. A method that has few sets
// must not remove sets from the columns of other methods. So these rules hold. On a set, the compared splits
// are those that most methods finished; of equal numbers the longer list wins. A method has the set if it
// finished these splits, and its further splits are left out. The counted sets are the largest list that two
// methods have in common; of equally large lists the one that most methods have wins. Methods with every counted
// set are whole and come first. All other methods are partial: they have cells and a coverage ("8 of 15"), and no
// mean over sets, no rank and no mark. A set with less than half of the usual number of splits is not counted.
//
// The package has no SQL, runs nothing, fills no gap and lays nothing out. Values are exact rationals, so
// that best values and ranks never depend on rounding.
package frame

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
)

// Rows is what a frame is read from; *store.DB is one, and its documentation says what the methods return.
type Rows interface {
	Rows(ctx context.Context, protocol string, folds bool) ([]store.Row, error)
	RowsOf(ctx context.Context, protocol string, v store.Version, folds bool) ([]store.Row, error)
	AttemptsOf(ctx context.Context, protocol, method string) ([]store.Row, error)
	Versions(ctx context.Context, protocol string) ([]store.Version, error)
	Skipped(ctx context.Context, protocol string) ([]result.Exclusion, error)
	Findings(ctx context.Context, protocol string) ([]store.Finding, error)
	Grids(ctx context.Context, protocol string) (map[string][]json.RawMessage, error)
	Quoted(ctx context.Context) ([]experiments.Value, error)
	Comparisons(ctx context.Context, protocol string) ([]result.Comparison, error)
	Path() string // names the database to people
}

// Methods knows methods; registry.Registry is one.
type Methods interface {
	Lookup(name string) (registry.Spec, error)
	Alias(name string) string // the method that is known elsewhere by the name; "" for none
	Foreign(name string) bool // no method of the program has the name
}

// Sets knows data sets: those of the catalogue and the user's own.
type Sets interface {
	Open(path string) (*catalogue.Entry, error)  // reads the TOML file of a user's set
	Entry(name string) (*catalogue.Entry, error) // finds a set by its name, ignoring case
	File(name string) string                     // the TOML file of a user's set as a command names it; "" for none
	Now(name string) (Data, bool)                // what a set's files hold now; false if that is not known
}

// Data identifies the content of a set's files.
type Data struct {
	Fingerprint string // of the data as it is read
	File        string // names the data to people
}

// Protocol is what a report needs of a protocol.
type Protocol struct {
	Name   string   // of its stored cells
	Shown  string   // the name by which people ask for it; "" for Name
	Others []string // sets of other protocols with the same cells, which are left out unless they are asked for
	Hash   string   // of today's protocol; cells with another hash are left out; "" takes all cells
	// Metric selects grid points and is the metric of reports. "" is accuracy, and mse where all sets are of
	// regression.
	Metric         string
	Published      string            // source of the printed values to compare with; "" for none
	PublishedNames map[string]string // the source's name of a data set, by our name, where the two differ
	Splits         int               // planned, numbered from 1
	Datasets       []string          // in order
	Apart          []string          // those of Datasets that are shown apart
	Order          func(methods []string) []string
	Sizes          func(rows, trainRows int) (train, test int, err error) // sizes of a split; see split.Splitter.Sizes
	// Once reports whether all splits of a set have the same rows; see split.Splitter.Once. nil means no.
	Once  func(testPart bool) bool
	Fits  bool // the training rows are tested
	Sweep Sweep
}

// A Sweep says which columns or sets are values of one quantity; the zero value is that of a protocol without one.
type Sweep struct {
	Name     string  // of the quantity
	Title    string  // what drawings call it; "" for a number of Name
	Points   []Point // by series and value; nil where sets are the points
	Datasets bool    // sets are the points, by their training rows

	Printed []experiments.Point // numbers of a source, shown with ours
}

// A Point is one line of a drawing at one value of the quantity; its method is a column.
type Point = protocol.Point

// Source says what goes into a frame.
type Source struct {
	Protocol Protocol
	Registry Methods
	Sets     Sets
	Run      Invocation // how the commands in a report are spelled

	Methods []string // only these, in this order, each a name or NAME@VERSION; nil for all that are stored
	// Also are the methods that a report takes as arguments. They are read in addition where Methods is nil, such as a
	// version to compare with today's cells. All their other versions are read for Table.Tried.
	Also []string
	// Datasets are the only sets, by name or TOML file; all of them enter means and ranks. nil is the
	// protocol's sets and all that are stored.
	Datasets []string
	Exclude  []string // methods and sets that are left out
	Splits   []int    // only these; nil for all
	Folds    bool     // read the folds of every grid point, too
}

// Frame is typed rows with the request that they answer.
type Frame struct {
	Source
	Path  string                       // of the database
	Rows  []store.Row                  // the requested rows, sorted by data set, method and split
	Grids map[string][]json.RawMessage // the grid points of each grid in the notation of its author, by hash
	// Comparisons are the registered ones of the protocol, in the order of their times.
	Comparisons []result.Comparison

	beyond map[splitKey]string      // why `bench run` skipped the split: predicted needs, and the option
	stops  map[cellKey]result.Stop  // why a run ended before these cells had all splits
	found  []store.Finding          // see Rows
	quoted []experiments.Value      // what others print, by any metric and on any set
	pinned map[string]store.Version // the versions in columns of NAME@VERSION
	tried  map[string][]store.Row   // all attempts of the methods of Also that ended ok, by column
	stored []store.Row              // all cells of the protocol
	// the rows of tables: the requested sets or the protocol's, then other stored sets
	sets []Dataset
}

// A RequestError says that the request names something that does not exist.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }
func (e *RequestError) Unwrap() error { return e.Err }

// ErrNoResults is wrapped by the error of a table without a cell.
var ErrNoResults = errors.New("nothing to show")

// Read returns the frame of a request. The error is a RequestError if a method or a set is unknown.
func Read(ctx context.Context, rows Rows, src Source) (Frame, error) {
	f := Frame{Source: src, Path: rows.Path()}
	if err := f.pickSets(); err != nil {
		return f, &RequestError{err}
	}
	all, err := rows.Rows(ctx, src.Protocol.Name, src.Folds)
	if err != nil {
		return f, err
	}
	f.stored = all
	if err := f.pickMethods(ctx, rows, all); err != nil {
		return f, &RequestError{err}
	}
	if all, err = f.readPinned(ctx, rows, all); err != nil {
		return f, err
	}
	if err := f.readTried(ctx, rows, all); err != nil {
		return f, err
	}
	left, err := rows.Skipped(ctx, src.Protocol.Name)
	if err != nil {
		return f, err
	}
	f.beyond, f.stops = map[splitKey]string{}, map[cellKey]result.Stop{}
	for _, l := range left {
		key := cellKey{l.Dataset, l.Method}
		f.beyond[splitKey{key, l.Split}] = l.Why.String()
		if stop, ok := l.Why.Stop(); ok {
			f.stops[key] = stop
		}
	}
	if f.found, err = rows.Findings(ctx, src.Protocol.Name); err != nil {
		return f, err
	}
	if f.Grids, err = rows.Grids(ctx, src.Protocol.Name); err != nil {
		return f, err
	}
	if f.quoted, err = rows.Quoted(ctx); err != nil {
		return f, err
	}
	if f.Comparisons, err = rows.Comparisons(ctx, src.Protocol.Name); err != nil {
		return f, err
	}
	if err := f.checkAsked(all); err != nil {
		return f, &RequestError{err}
	}
	f.Rows = without(all, f.leavesOut)
	for i := range f.Rows {
		r := &f.Rows[i]
		if !slices.ContainsFunc(f.sets, func(d Dataset) bool { return d.Name == r.Dataset }) {
			f.sets = append(f.sets, f.dataset(r.Dataset, GroupApart))
		}
	}
	return f, nil
}

// pickSets fills sets with the requested sets, or else with the protocol's. Files are read first, so that
// they describe their sets whatever ran before.
func (f *Frame) pickSets() error {
	names := slices.Clone(f.Datasets)
	for i, name := range names {
		if strings.HasSuffix(name, ".toml") {
			e, err := f.Sets.Open(name)
			if err != nil {
				return err
			}
			names[i] = e.Name
		}
	}
	if f.Datasets == nil {
		names = f.Protocol.Datasets
	}
	for _, name := range names {
		group := GroupMain
		if f.Datasets == nil && slices.Contains(f.Protocol.Apart, name) {
			group = GroupApart
		}
		d := f.dataset(name, group)
		if slices.ContainsFunc(f.sets, func(other Dataset) bool { return other.Name == d.Name }) {
			return fmt.Errorf("data set %q is named twice; name each once", d.Name)
		}
		if slices.Contains(f.Exclude, d.Name) {
			continue
		}
		d.listed = true
		f.sets = append(f.sets, d)
	}
	return nil
}

// pickMethods resolves the requested names to names of columns: a method of the program, an imported method, or a
// version.
func (f *Frame) pickMethods(ctx context.Context, from Rows, rows []store.Row) error {
	all := f.Methods
	f.Methods = nil
	for _, asked := range all {
		name, err := f.pick(ctx, from, asked, rows)
		if err != nil {
			return err
		}
		if slices.Contains(f.Methods, name) {
			return fmt.Errorf("method %q is named twice; name each once", name)
		}
		if !slices.Contains(f.Exclude, name) {
			f.Methods = append(f.Methods, name)
		}
	}
	for _, asked := range f.Also {
		if _, err := f.pick(ctx, from, asked, rows); err != nil {
			return err
		}
	}
	f.Run.methods = map[string]string{}
	for column, v := range f.pinned {
		f.Run.methods[column] = v.Method
	}
	return nil
}

// Method returns the name of a method's column: a method of the program, a method with stored cells, such as
// an imported one, or a requested version.
func (f *Frame) Method(name string, rows []store.Row) (string, error) {
	spec, err := f.Registry.Lookup(name)
	if err == nil {
		return spec.Name, nil
	}
	for column := range f.pinned {
		if strings.EqualFold(column, name) {
			return column, nil
		}
	}
	var stored []string
	for i := range rows {
		if strings.EqualFold(rows[i].Method, name) {
			return rows[i].Method, nil
		}
		AppendUnique(&stored, rows[i].Method)
	}
	if method := f.Registry.Alias(name); method != "" {
		return method, nil
	}
	if meant := wording.Suggest(name, stored); meant != nil && !strings.Contains(err.Error(), "did you mean") {
		says, _, _ := strings.Cut(err.Error(), "; ")
		err = fmt.Errorf("%s; did you mean %s?", says, strings.Join(meant, " or "))
	}
	return "", err
}

// dataset returns what the catalogue knows of a set. The catalogue may no longer know a user's own set.
func (f *Frame) dataset(name, group string) Dataset {
	d := Dataset{Name: name, Group: group, Draws: f.once(false)}
	e, err := f.Sets.Entry(name)
	if err != nil {
		return d
	}
	if e.Generated && group == GroupApart && !slices.Contains(f.Protocol.Datasets, e.Name) {
		d.Group = GroupGenerated
	}
	d.Name, d.Rows, d.Features = e.Name, e.Rows, e.Features
	own, known := e.TrainRows()
	d.Draws = f.once(own > 0 || !known)
	if e.Rows > 0 && known {
		if train, test, err := f.Protocol.Sizes(e.Rows, own); err == nil {
			d.TrainRows, d.TestRows = train, test
		}
	}
	return d
}

func (f *Frame) once(testPart bool) bool { return f.Protocol.Once != nil && f.Protocol.Once(testPart) }

// checkAsked refuses a requested set that is neither known nor stored.
func (f *Frame) checkAsked(rows []store.Row) error {
	for _, name := range f.Datasets {
		stored := slices.ContainsFunc(rows, func(r store.Row) bool { return strings.EqualFold(r.Dataset, name) })
		if stored || strings.HasSuffix(name, ".toml") {
			continue
		}
		if _, err := f.Sets.Entry(name); err != nil {
			return err
		}
	}
	return nil
}

func (f *Frame) leavesOut(r store.Row) bool {
	return f.Datasets == nil && slices.Contains(f.Protocol.Others, r.Dataset) ||
		slices.Contains(f.Exclude, r.Method) || slices.Contains(f.Exclude, r.Dataset) ||
		f.Methods != nil && !slices.Contains(f.Methods, r.Method) ||
		f.Splits != nil && !slices.Contains(f.Splits, r.Split) ||
		f.Datasets != nil && !slices.ContainsFunc(f.sets, func(d Dataset) bool { return d.Name == r.Dataset })
}

// ofPlugin reports whether a plugin computed rows of a method here.
func (f *Frame) ofPlugin(method string) bool {
	for i := range f.Rows { // rows are large to copy
		if r := &f.Rows[i]; r.Method == method && r.Imported == "" && registry.OfPlugin(r.MethodVersion) {
			return true
		}
	}
	return false
}

// cannot says why `bench run` would refuse a cell; "" if it would run it.
func (f *Frame) cannot(method, dataset string) string {
	pinned, ok := f.pinned[method]
	if ok {
		method = pinned.Method
	}
	spec, err := f.Registry.Lookup(method)
	switch {
	case err != nil && f.ofPlugin(method) && (!ok || f.newest(method) == pinned.Version):
		return "" // a run asks the plugin
	case err != nil:
		return "this program has no such method" + f.computedBy(method, pinned.Version, dataset)
	case ok && spec.Version != pinned.Version:
		return fmt.Sprintf("this program has version %s of %s", spec.Version, method)
	}
	e, err := f.Sets.Entry(dataset)
	switch {
	case err != nil && f.Sets.File(dataset) == "":
		return "the file that describes the set is not known, name it with --datasets FILE.toml"
	case err != nil:
		return err.Error()
	}
	return e.Unfit(spec)
}

// newest is the version of the last stored cell of a method.
func (f *Frame) newest(method string) (version string) {
	last := ""
	for i := range f.stored {
		if r := &f.stored[i]; r.Method == method && r.StartedAt > last {
			last, version = r.StartedAt, r.MethodVersion
		}
	}
	return version
}

// computedBy says which program and which version of the method, "" for any, computed the stored results of a cell; ""
// if there are none. The version of a plugin names its libraries.
func (f *Frame) computedBy(method, version, dataset string) string {
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.Method != method || r.Dataset != dataset || version != "" && r.MethodVersion != version {
			continue
		}
		by := ""
		if e := r.Environment; e != nil && e.ProgramVersion != "" {
			by = " by bench " + e.ProgramVersion
		}
		return fmt.Sprintf("; its results were stored%s with version %s", by, cmp.Or(r.MethodVersion, "unknown"))
	}
	return ""
}

// task is the task of a set today, or when its cells ran; 0 if both are unknown.
func (f *Frame) task(dataset, stored string) registry.Task {
	if e, err := f.Sets.Entry(dataset); err == nil {
		return e.Task
	}
	task, err := registry.ParseTask(stored)
	if err != nil {
		return 0
	}
	return task
}

// planned lists the planned splits in increasing order: the requested splits, or else the protocol's and any
// further splits of the rows.
func (f *Frame) planned(rows []store.Row) []int {
	if f.Splits != nil {
		return slices.Sorted(slices.Values(f.Splits))
	}
	last := f.Protocol.Splits
	for _, r := range rows {
		last = max(last, r.Split)
	}
	splits := make([]int, last)
	for i := range splits {
		splits[i] = i + 1
	}
	return splits
}

// AppendUnique appends v to a list that does not hold it.
func AppendUnique[T comparable](list *[]T, values ...T) {
	for _, v := range values {
		if !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
}
