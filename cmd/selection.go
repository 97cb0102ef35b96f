package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

// A selection names what a verb works on. Every verb has the same flags for it.
type selection struct {
	protocol                   string // "" for all that are stored
	methods, datasets, exclude []string
	splits, split              string // --splits and --split
	report                     bool   // it is a report's: a method may also be NAME@VERSION
}

// A choice is what a selection names, in the proper spelling. Where a list is nil, all are chosen.
type choice struct {
	*plan.Experiment          // of the protocol, or of none
	methods, exclude []string // exclude also has data sets
	datasets, typed  []string // the names of data sets, and how commands name them: those of files by the file
	splits           []int
}

// choose resolves the names of a selection. A name may also be that of a method, a data set or a protocol of stored
// cells that this program does not know. Any other name is an error, which suggests similar ones.
func (a *app) choose(s selection, stored func() ([]store.Cell, error)) (c choice, err error) {
	if slices.Contains(s.methods, pluginGroup) {
		if err := a.knowPlugins(s.protocol); err != nil {
			return c, err
		}
	}
	cells := storedNames(sync.OnceValues(stored)) // few selections need them
	c.Experiment = &plan.Experiment{Protocol: &protocol.Protocol{Name: s.protocol}, Registry: a.reg, Catalogue: a.sets}
	if s.protocol != "" {
		exp, err := a.experiment(s.protocol)
		if err == nil {
			c.Experiment = exp
		} else if s.report {
			return c, err
		} else if c.Protocol.Name, err = cells.find(s.protocol, err, nil, protocolOf); err != nil {
			return c, err
		}
	}
	// an empty list chooses nothing
	c.methods, c.datasets = slices.Clone(s.methods[:0]), slices.Clone(s.datasets[:0])
	c.typed = c.datasets
	for _, name := range c.MethodNames(s.methods) {
		if spec, err := c.Registry.Lookup(name); err == nil {
			name = spec.Name
		} else if !s.report || !strings.Contains(name, "@") {
			groups := groupNames(c.Registry.Groups())
			found, err := cells.find(name, notAMethod(a, name, err), groups, methodOf)
			if err != nil {
				if found = a.alias(c.Registry, name); found == "" {
					return c, err
				}
			}
			name = found
		}
		c.methods = append(c.methods, name)
	}
	for _, typed := range plan.SetNames(a.sets, s.datasets) {
		name := typed
		if e, err := a.set(typed); err == nil {
			name = e.Name
		} else if name, err = cells.find(typed, err, a.sets.GroupNames(), datasetOf); err != nil {
			return c, err
		}
		if c.datasets = append(c.datasets, name); !strings.HasSuffix(typed, ".toml") {
			typed = name
		}
		c.typed = append(c.typed, typed)
	}
	if c.splits, err = orUsage(plan.Splits(s.splits, s.split)); err != nil || s.exclude == nil {
		return c, err
	}
	c.exclude, err = excludedNames(a, c, s.exclude, cells)
	for _, names := range [][]string{c.methods, c.datasets} {
		out := func(name string) bool { return slices.Contains(c.exclude, name) }
		if err == nil && s.report && names != nil && len(slices.DeleteFunc(slices.Clone(names), out)) == 0 {
			err = usage("--exclude leaves none of %s; name fewer there", strings.Join(names, ", "))
		}
	}
	return c, err
}

// excludedNames resolves the names of --exclude. Some may be names that only stored cells have, such as that of a
// plugin which is not here.
func excludedNames(a *app, c choice, names []string, cells storedNames) ([]string, error) {
	all, err := cells()
	if err != nil {
		return nil, databaseError(err)
	}
	var known []string
	for _, c := range all {
		known = append(known, c.Method, c.Dataset)
	}
	names = slices.Clone(names)
	for i, name := range names {
		switch {
		case strings.HasSuffix(name, ".toml"):
			set, err := a.set(name)
			if err != nil {
				return nil, err
			}
			names[i] = set.Name
		case !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }):
			names[i] = cmp.Or(a.alias(c.Registry, name), name)
		}
	}
	if names, err = c.Excluded(names, known); err != nil {
		err = usage("--exclude: %w", err)
	}
	return names, err
}

func protocolOf(c store.Cell) string { return c.Protocol }
func methodOf(c store.Cell) string   { return c.Method }
func datasetOf(c store.Cell) string  { return c.Dataset }

// storedNames returns the stored cells, whose names count too.
type storedNames func() ([]store.Cell, error)

// find returns a name as stored cells have it, or the error that nothing is called so. The error suggests similar
// names of groups and of stored cells, if it suggests nothing.
func (s storedNames) find(name string, unknown error, groups []string, of func(store.Cell) string) (string, error) {
	all, err := s()
	i := slices.IndexFunc(all, func(c store.Cell) bool { return strings.EqualFold(of(c), name) })
	if i >= 0 {
		return of(all[i]), nil
	}
	says, hint, _ := strings.Cut(unknown.Error(), "; ")
	known := slices.Clone(groups)
	for _, c := range all {
		if !slices.Contains(known, of(c)) {
			known = append(known, of(c))
		}
	}
	meant := wording.Suggest(name, known)
	if meant != nil && err == nil && !strings.HasPrefix(hint, "did you mean") {
		return name, usage("%s; did you mean %s?", says, strings.Join(meant, " or "))
	}
	return name, usageError(cmp.Or(databaseError(err), unknown))
}

// notAMethod is the error that no method has a name, which may be that of a plugin's file.
func notAMethod(a *app, name string, unknown error) error {
	for _, f := range a.found {
		if f.usable() && f.isFileOf(name) {
			return usage("no method is named %q; %s is %s", name, f.file, f.in.Spec().Name)
		}
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return usage("no method is named %q, which is a file; --plugin %s adds its method, which --methods names", name,
			name)
	}
	return unknown
}

// alias returns our name of a method that libraries or papers call name, such as LGBM for LightGBM, and tells the user
// once that the method has this name here. If name is the alias of no method, alias returns "".
func (a *app) alias(reg registry.Registry, name string) string {
	method := reg.Alias(name)
	if method != "" && !slices.Contains(a.aliased, name) {
		a.aliased = append(a.aliased, name)
		spec, _ := reg.Lookup(method)
		a.say("%s is %s here: %s", name, method, spec.Summary)
	}
	return method
}

// method finds a method by its name, or by a name that it has elsewhere.
func (a *app) method(reg registry.Registry, name string) (registry.Spec, error) {
	spec, err := reg.Lookup(name)
	if err != nil {
		if method := a.alias(reg, name); method != "" {
			return reg.Lookup(method)
		}
	}
	return spec, usageError(err)
}

// methodOf returns a protocol and one of its methods, which may be a plugin's.
func (a *app) methodOf(protocol, name string) (*plan.Experiment, registry.Spec, error) {
	if err := a.know(protocol, []string{name}); err != nil {
		return nil, registry.Spec{}, err
	}
	exp, err := a.experiment(protocol)
	if err != nil {
		return nil, registry.Spec{}, err
	}
	spec, err := a.method(exp.Registry, name)
	return exp, spec, err
}

// aliasing is a registry for reports, whose Alias says which method a name is.
type aliasing struct {
	registry.Registry
	app *app
}

func (r aliasing) Alias(name string) string { return r.app.alias(r.Registry, name) }

// nothingStored is for a choice among what this program knows.
func nothingStored() ([]store.Cell, error) { return nil, nil }

// has reports whether a stored cell is chosen.
func (c choice) has(cell store.Cell) bool {
	in := func(chosen []string, name string) bool { return chosen == nil || slices.Contains(chosen, name) }
	out := slices.Contains(c.exclude, cell.Method) || slices.Contains(c.exclude, cell.Dataset)
	return !out && (c.Protocol.Name == "" || c.Protocol.Name == cell.Protocol) && in(c.methods, cell.Method) &&
		in(c.datasets, cell.Dataset) && (c.splits == nil || slices.Contains(c.splits, cell.Split))
}

// add adds the flags. of is the default of --protocol; "" means all stored protocols.
func (s *selection) add(a *app, c *cobra.Command, of string) {
	protocolFlag(c, &s.protocol, of)
	c.Flags().StringSliceVar(&s.methods, "methods", nil, "only these methods or groups ("+
		strings.Join(groupNames(a.reg.Groups()), ", ")+", plugins), in this order; in reports also NAME@VERSION, a "+
		"stored version")
	completeList(c, "methods", a.names("methods", "groups of methods"))
	s.addSets(a, c)
}

// protocolFlag adds --protocol. of is its default; "" means all stored protocols.
func protocolFlag(c *cobra.Command, to *string, of string) {
	usual := ""
	if of == "" {
		usual = " (default all that are stored)"
	}
	c.Flags().StringVar(to, "protocol", of, "protocol: a name of bench protocol list, or a TOML file"+usual)
	_ = c.RegisterFlagCompletionFunc("protocol", cobra.FixedCompletions(protocol.Names(),
		cobra.ShellCompDirectiveDefault))
}

// A place is where a cell lies, but for its method.
type place struct {
	dataset, protocol string
	split             int
}

// add adds the flags for the protocol and, under a name, for the split.
func (p *place) add(c *cobra.Command, split string) {
	protocolFlag(c, &p.protocol, defaultProtocol)
	c.Flags().IntVar(&p.split, split, 1, "number of the split")
	beforehand(c, func() error {
		if p.split < 1 || p.split > math.MaxUint32 {
			return usage("--%s %d: splits are numbered from 1", split, p.split)
		}
		return nil
	})
}

// addAll adds the flags of a verb whose arguments do not name the set.
func (p *place) addAll(a *app, c *cobra.Command) {
	p.add(c, "split")
	c.Flags().StringVar(&p.dataset, "datasets", "", "data set, by name or as a TOML file")
	_ = c.MarkFlagRequired("datasets")
	_ = c.RegisterFlagCompletionFunc("datasets", completion(a.names("sets"), true))
}

func (a *app) parts(c *cobra.Command, p place) (out split.Parts, err error) {
	exp, err := a.experiment(p.protocol)
	if err != nil {
		return out, err
	}
	_, set, err := a.load(c.Context(), p.dataset)
	if err != nil {
		return out, err
	}
	s := exp.Protocol.Semantics
	drawn, err := orUsage(s.Splitter().Split(set, uint32(p.split)))
	return split.Parts{Set: set, Split: drawn, Standardise: s.Standardise, ScaleTarget: s.ScaleTarget}, err
}

// addSets adds the flags of a verb whose arguments name its methods.
func (s *selection) addSets(a *app, c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&s.datasets, "datasets", nil, "only these data sets, groups ("+
		strings.Join(a.sets.GroupNames(), ", ")+"), sets of a protocol by its name, or TOML files, in this order")
	flags.StringSliceVar(&s.exclude, "exclude", nil, "all but these methods, data sets or groups")
	flags.StringVar(&s.splits, "splits", "", "20 for the first 20 splits, 4-6 for a range")
	flags.StringVar(&s.split, "split", "", "only these splits: 7 or 7,9")
	completeList(c, "datasets", a.names("sets", "groups of sets"))
	completeList(c, "exclude", a.names("methods", "groups of methods", "sets", "groups of sets"))
}

// names returns a function that returns the names of some kinds which complete a word. Aliases of methods are among
// them if the user has typed a letter. It looks for the names only then: plugins are found after flags are defined.
func (a *app) names(kinds ...string) func(word string) []string {
	return func(word string) (out []string) {
		for _, kind := range kinds {
			switch kind {
			case "methods":
				if out = append(out, a.reg.Names()...); word != "" {
					out = append(out, a.reg.Aliases("")...)
				}
			case "groups of methods":
				out = append(out, groupNames(a.reg.Groups())...)
			case "sets":
				_ = a.sets.AddFolder(a.added()) // a completion cannot report an error
				out = append(out, a.sets.Names()...)
			case "groups of sets":
				out = append(out, a.sets.GroupNames()...)
			case "protocols":
				out = append(out, protocol.Names()...)
			}
		}
		return out
	}
}

// completion completes one name of some kinds, or also the name of a file.
func completion(names func(word string) []string, files bool) cobra.CompletionFunc {
	directive := cobra.ShellCompDirectiveNoFileComp
	if files {
		directive = cobra.ShellCompDirectiveDefault
	}
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return names(word), directive
	}
}

func groupNames(groups map[string][]string) []string { return slices.Sorted(maps.Keys(groups)) }

// completeArguments completes the methods of a report, or the [PROTOCOL] DATASET METHOD of one.
func completeArguments(a *app, arguments string) cobra.CompletionFunc {
	methods := completion(a.names("methods"), false)
	return func(c *cobra.Command, before []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch isProtocol := func(name string) bool {
			return slices.Contains(protocol.Names(), name) || strings.HasSuffix(name, ".toml")
		}; {
		case !strings.Contains(arguments, "DATASET"):
		case len(before) == 0:
			return completion(a.names("protocols", "sets"), true)(c, before, word)
		case len(before) == 1 && isProtocol(before[0]):
			return completion(a.names("sets"), true)(c, before, word)
		}
		return methods(c, before, word)
	}
}

func complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// completeList makes a shell complete the last name of a flag's comma-separated list. It asks for the names only then,
// since plugins are found after the flags were defined. The earlier names stay in front, since a shell compares the
// whole word, and are not offered again.
func completeList(c *cobra.Command, flag string, names func(word string) []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		before, last := "", word
		if i := strings.LastIndexByte(word, ','); i >= 0 {
			before, last = word[:i+1], word[i+1:]
		}
		given := strings.Split(strings.ToLower(before), ",")
		var out []cobra.Completion
		for _, n := range names(last) {
			lower := strings.ToLower(n)
			if strings.HasPrefix(lower, strings.ToLower(last)) && !slices.Contains(given, lower) {
				out = append(out, before+n)
			}
		}
		directive := cobra.ShellCompDirectiveNoSpace
		if len(out) > 0 {
			directive |= cobra.ShellCompDirectiveNoFileComp
		}
		return out, directive
	})
}

// The defaults of --protocol and --db, which a command may leave out.
const (
	defaultProtocol = "suite"
	defaultDatabase = "results.db"
)

// invocation returns the `bench run` command for a protocol with this database and data. path is the protocol's file.
func (a *app) invocation(protocol, path string, splits int) frame.Invocation {
	v := frame.Invocation{Protocol: path, Splits: splits, Data: a.data}
	if path == "" && protocol != defaultProtocol {
		v.Protocol = protocol
	}
	if a.db != defaultDatabase && a.included == "" {
		v.Database = a.db
	}
	return v
}

func reportSource(a *app, f reportOptions, c choice, stored *storedSets) frame.Source {
	p := c.Protocol
	src := frame.Source{
		Protocol: frame.Protocol{
			Name: p.Name, Shown: p.Shown(), Others: p.Others(), Hash: p.Hash(),
			Metric: p.Semantics.Metric, Published: p.Published,
			PublishedNames: p.PublishedNames, Splits: p.Splits, Datasets: p.Datasets, Apart: p.Apart,
			Order: p.SortColumns, Sizes: p.Semantics.Splitter().Sizes, Once: p.Semantics.Splitter().Once,
			Fits: p.Semantics.TestsTrainingRows(),
		},
		Registry: aliasing{c.Registry, a}, Sets: stored, Methods: c.methods, Also: f.also, Datasets: c.typed,
		Exclude: c.exclude, Splits: c.splits, Folds: f.folds, Run: a.invocation(p.Shown(), p.Path, p.Splits),
	}
	if f.others {
		src.Protocol.Others = nil
	}
	if p.Sweep != nil {
		src.Protocol.Sweep = frame.Sweep{Name: p.Sweep.Name, Title: p.Sweep.Title, Datasets: p.Sweep.Datasets,
			Points: p.Points()}
	}
	return src
}

// storedSets knows the data sets of a database: those of the catalogue, and the
// user's own by the TOML files that they were run from. It is a frame.Sets.
type storedSets struct {
	app    *app
	files  map[string]string // TOML file by name of the set, as a command names it
	unread map[string]error  // files that no longer describe their set
}

func (a *app) storedSets(ctx context.Context, db *store.DB) (*storedSets, error) {
	files, err := db.SetFiles(ctx)
	for name, path := range files {
		files[name] = shortPath(path)
	}
	return &storedSets{a, files, map[string]error{}}, err
}

// File returns the TOML file of a user's set, "" for none.
func (s *storedSets) File(name string) string {
	if e, err := s.app.sets.Lookup(name); err == nil && !e.Local() {
		return ""
	}
	if file := s.files[name]; file != "" {
		return file
	}
	for known, file := range s.files {
		if strings.EqualFold(known, name) {
			return file
		}
	}
	return ""
}

// Entry looks a set up in the catalogue. If the set is missing there, it adds the user's own set of this name.
func (s *storedSets) Entry(name string) (*catalogue.Entry, error) {
	e, unknown := s.app.sets.Lookup(name)
	if unknown == nil {
		return e, nil
	}
	file := s.File(name)
	if file == "" {
		return nil, unknown
	}
	if err := s.unread[file]; err != nil {
		return nil, err
	}
	e, err := s.app.sets.Add(file)
	switch {
	case err != nil:
		err = fmt.Errorf("the file that described it cannot be read: %w", err)
	case !strings.EqualFold(e.Name, name):
		err = fmt.Errorf("%s describes a set named %s now", file, e.Name)
	default:
		return e, nil
	}
	s.unread[file] = err
	return nil, err
}

// Open reads the TOML file of a user's set, which describes it from now on.
func (s *storedSets) Open(path string) (*catalogue.Entry, error) {
	e, err := s.app.set(path)
	if err == nil {
		s.files[e.Name] = path
	}
	return e, err
}

// Now says what the files of a set hold now. It returns false if the files cannot be read.
func (s *storedSets) Now(name string) (frame.Data, bool) {
	e, err := s.Entry(name)
	if err != nil {
		return frame.Data{}, false
	}
	fingerprint, err := s.app.dataDir().Fingerprint(e)
	if err != nil {
		return frame.Data{}, false
	}
	if !e.Local() { // its checksums agree, so its files have not changed
		return frame.Data{Fingerprint: fingerprint, File: "the catalogue's reading of " + e.Name}, true
	}
	var files []string
	for _, f := range e.DataFiles() {
		files = append(files, f.Path)
	}
	return frame.Data{Fingerprint: fingerprint, File: strings.Join(files, ", ") + " or " + s.File(name)}, true
}

// shortPath writes a path as a user would type it: relative if it is below the working directory.
func shortPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
