package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

func newProtocolCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "protocol",
		Short: "List, show and write protocols: how methods are compared",
	}, newProtocolListCommand(a), newProtocolShowCommand(a), newProtocolNewCommand(a))
}

func newProtocolListCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{
		Use:   "list",
		Short: "List the protocols of the program, of this folder and of the database",
		Args:  takes(),
	}, func(c *cobra.Command, _ []string, l *listing) error {
		l.header = []string{"protocol", "from", "splits", "datasets", "metric", "title"}
		l.less = []string{"metric", "from"}
		add := func(p *protocol.Protocol, name, from string) {
			l.add(name, from, p.Splits, len(p.Datasets), cmp.Or(p.Semantics.Metric, "accuracy or mse"), p.Title)
		}
		for _, name := range protocol.Names() {
			p, err := protocol.Load(name)
			if err != nil {
				return err
			}
			add(p, p.Shown(), "the program")
		}
		found, _ := filepath.Glob("*.toml")
		for _, file := range found {
			if p, err := protocol.Load(file); err == nil {
				add(p, file, "this folder")
			} else if raw, _ := files.Read(file, 1<<20); strings.Contains(string(raw), "[semantics]") {
				a.say("%s", wording.Spelled(err.Error()))
			}
		}
		stored, err := protocolsOfDatabase(c.Context(), a)
		for _, name := range slices.Sorted(maps.Keys(stored)) {
			if p, err := protocol.Parse(name, []byte(stored[name].Text)); err == nil &&
				!slices.Contains(protocol.Names(), name) {
				add(p, p.Shown(), a.db)
			}
		}
		return err
	})
}

func newProtocolShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME|FILE",
		Short:             "Print a protocol as TOML: of the program, of a file, or as the database holds it",
		Args:              takes("NAME"),
		ValidArgsFunction: cobra.FixedCompletions(protocol.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			exp, err := a.experiment(args[0])
			if err != nil {
				return err
			}
			return a.writeText("", exp.Protocol.Text, "")
		},
	}
}

func newProtocolNewCommand(a *app) *cobra.Command {
	var o protocol.Outline
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write NAME.toml, a protocol of your own",
		Args:  takes("NAME"),
		RunE:  func(c *cobra.Command, args []string) error { return runProtocolNew(c.Context(), a, args[0], o) },
	}
	flags := c.Flags()
	flags.IntVar(&o.Splits, "splits", 20, "number of train/test splits")
	flags.IntVar(&o.Folds, "folds", 5, "folds of the cross-validation that chooses grid points")
	flags.StringVar(&o.Metric, "metric", "", "metric that chooses grid points, and of the reports: "+
		strings.Join(metric.Choosing(), ", ")+" (default accuracy, for regression mse)")
	flags.StringSliceVar(&o.Datasets, "datasets", []string{"small15"}, "data sets, groups of them, or TOML files")
	flags.StringSliceVar(&o.Methods, "methods", nil, "the methods of the table, which a run without --methods takes "+
		"(default all)")
	complete(c, "metric", metric.Choosing()...)
	completeList(c, "datasets", a.names("sets", "groups of sets"))
	completeList(c, "methods", a.names("methods", "groups of methods"))
	return c
}

// runProtocolNew writes a file that this program reads as a protocol, or says what is wrong with the request.
func runProtocolNew(ctx context.Context, a *app, name string, o protocol.Outline) error {
	file := name + ".toml"
	chosen, err := a.choose(selection{methods: o.Methods, datasets: o.Datasets}, nothingStored)
	if err != nil {
		return err
	}
	o.Methods, o.Datasets = chosen.methods, chosen.typed
	text := o.TOML()
	exp, err := a.experimentOf(protocol.Parse(name, []byte(text)))
	if err != nil {
		return err
	}
	if m, err := metric.Lookup(o.Metric); err == nil {
		if _, err := metric.ForSelection(o.Metric, m.Tasks); err != nil {
			return usageError(err)
		}
	}
	switch _, err := os.Lstat(file); {
	case wording.CheckName(name) != nil:
		return usage("the name of the protocol: %w", wording.CheckName(name))
	case slices.ContainsFunc(protocol.Names(), func(n string) bool { return wording.Alike(n, name) }):
		return usage("the name %q belongs to a built-in protocol, or looks like it; choose another", name)
	case err == nil:
		return usage("%s exists; choose another name, or edit the file", file)
	}
	next := fmt.Sprintf("; `%s` says what it computes and how long that takes",
		frame.CommandLine("bench", "run", "--all", "--protocol", file, "--dry-run"))
	if err = exp.Protocol.ResolveSets(a.sets); err == nil {
		_, err = exp.Plan(ctx, plan.Request{Splits: []int{1}}, nil, nil)
	}
	if err != nil {
		next = "; before it runs, edit it: " + err.Error()
	}
	return a.writeText(file, text, next)
}

// protocolsOfDatabase returns the protocols that the database holds, none where there is no database.
func protocolsOfDatabase(ctx context.Context, a *app) (map[string]store.StoredProtocol, error) {
	db, err := a.readerIfAny(ctx)
	if db == nil {
		return nil, err
	}
	defer db.Close()
	stored, err := db.Protocols(ctx)
	return stored, databaseError(err)
}

// protocolOfDatabase returns the protocol that the database holds under a name; nil where it holds none.
func protocolOfDatabase(a *app, name string) (*plan.Experiment, error) {
	ctx := context.Background()
	db, err := store.OpenReader(ctx, a.db)
	if err != nil {
		return nil, nil // the caller that reads the database reports the error
	}
	defer db.Close()
	stored, err := db.Protocols(ctx)
	if s, ok := stored[name]; err == nil && ok {
		return a.storedProtocol(ctx, db, name, s)
	}
	return nil, nil
}

// storedProtocol returns a protocol that the database holds. It is the built-in protocol, or the file that it was read
// from, or the stored text if that file is gone. In the last case a user's own sets have the names under which they are
// stored.
func (a *app) storedProtocol(ctx context.Context, db *store.DB, name string, s store.StoredProtocol) (*plan.Experiment,
	error) {
	if s.Text == "" || slices.Contains(protocol.Names(), name) {
		return a.experiment(name)
	}
	if _, err := os.Stat(s.Path); err == nil {
		return a.experiment(s.Path)
	}
	exp, err := a.experimentOf(protocol.Parse(name, []byte(s.Text)))
	if err != nil {
		return nil, err
	}
	p := exp.Protocol
	files, err := db.SetFiles(ctx)
	if err != nil {
		return nil, databaseError(err)
	}
	for i, set := range p.Datasets {
		for known, path := range files {
			if strings.HasSuffix(set, ".toml") && path == filepath.Join(filepath.Dir(s.Path), filepath.FromSlash(set)) {
				p.Datasets[i] = known
				_, _ = a.sets.Add(shortPath(path)) // even if the set's file is gone, stored results can be shown
				if at := slices.Index(p.Apart, set); at >= 0 {
					p.Apart[at] = known
				}
			}
		}
	}
	return exp, nil
}
