package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/registered"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/spf13/cobra"
)

// registerFlags say what is compared with a method, and how.
type registerFlags struct {
	selection
	against        []string
	metric, output string
	level          float64
	region         func() (*evidence.Region, error)
}

func newRegisterCommand(a *app) *cobra.Command {
	f := registerFlags{}
	c := a.lists(&cobra.Command{
		Use:   "register [METHOD]",
		Short: "Write a comparison down before its first result; list those that are",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return takes("METHOD")(c, args)
		},
		ValidArgsFunction: a.completeMethods,
	}, func(c *cobra.Command, args []string, l *listing) error {
		if len(args) == 0 {
			if f.against != nil {
				return usage("name the METHOD that is compared with %s", frame.Listed(f.against))
			}
			return a.registrations(c, l)
		}
		return a.registerComparison(c, args[0], f)
	})
	flags := c.Flags()
	flags.StringSliceVar(&f.against, "against", nil, "the methods or groups that METHOD is compared with")
	completeList(c, "against", a.methodCompletions)
	protocolFlag(c, &f.protocol, defaultProtocol)
	f.addSets(a, c)
	metricFlag(c, &f.metric, " (default the protocol's)")
	f.region = report.TestFlags(flags, &f.level)
	a.outputFlag(c, &f.output, "write the comparison to this file (default comparison-METHOD-HASH.toml)")
	return c
}

// registerComparison stores a comparison in the database, and writes its file. If the same comparison was stored
// before, the stored one stays, and its file is written again.
func (a *app) registerComparison(c *cobra.Command, method string, f registerFlags) error {
	if len(f.against) == 0 {
		return usage("name with --against what %s is compared with", method)
	}
	f.methods = append([]string{method}, f.against...)
	if err := a.askPluginsOfRun(c.Context(), f.selection); err != nil {
		return err
	}
	exp, err := a.experiment(f.protocol)
	if err != nil {
		return err
	}
	if _, err := a.method(exp.Registry, method); err != nil {
		return err // a group is no method
	}
	chosen, err := a.choose(f.selection, nothingStored)
	if err != nil {
		return err
	}
	for i, m := range chosen.methods {
		if slices.Contains(chosen.methods[:i], m) {
			return usage("method %q is named twice; name each once", m)
		}
	}
	asked, err := a.asked(c, chosen, f)
	if err != nil {
		return err
	}
	db, err := a.openToWrite(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	stored, err := db.PutComparison(c.Context(), asked)
	switch {
	case err != nil:
		return databaseError(err)
	case stored.Earlier != "":
		return usage("%s, version %s, has a result already (%s): a comparison is registered before the first result "+
			"of its method on its data sets; register the next version, or other sets", stored.Method.ID,
			stored.Method.Version, stored.Earlier)
	case stored.Text != asked.Text:
		a.say("this comparison exists: it was registered on %s", stored.On())
	}
	run := a.invocation(exp.Protocol.Name, exp.Protocol.Path, exp.Protocol.Splits)
	a.say("registered: %s `%s` computes it", stored.Question, run.Command(chosen.methods, chosen.typed, stored.Splits,
		false))
	fmt.Fprintln(a.out, stored.Hash())
	file := cmp.Or(f.output, fmt.Sprintf("comparison-%s-%s.toml", stored.Method.ID, stored.Short()))
	return a.wrote(file, nil, a.write(file, func(w io.Writer) error {
		_, err := io.WriteString(w, stored.Text)
		return err
	}))
}

// asked is the comparison that the flags ask for, with the versions and hashes that a run would have now.
func (a *app) asked(c *cobra.Command, chosen choice, f registerFlags) (out registered.Comparison, err error) {
	p := chosen.Protocol
	req := plan.Request{Methods: chosen.methods, Datasets: chosen.datasets, Exclude: chosen.exclude,
		Splits: chosen.splits}
	if req.Datasets == nil { // sets that are shown apart enter no comparison over sets
		req.Datasets = slices.DeleteFunc(slices.Clone(p.Datasets), func(d string) bool {
			return slices.Contains(p.Apart, d)
		})
	}
	if req.Splits == nil {
		req.Splits, _ = plan.Splits(strconv.Itoa(p.Splits), "")
	}
	todo, err := chosen.Plan(c.Context(), req, nil, nil)
	switch {
	case err != nil:
		return out, usageError(err)
	case todo.Excluded != nil:
		a.noteExcluded(todo.Excluded)
		return out, usage("a comparison is registered where all its cells can run; name other sets with --datasets, " +
			"or leave some out with --exclude")
	}
	m, err := metric.Lookup(cmp.Or(f.metric, p.Semantics.Metric, usualMetric(todo)))
	if err == nil {
		err = frame.CheckLevel(f.level)
	}
	if err != nil {
		return out, usageError(err)
	}
	given, err := f.region()
	if err != nil {
		return out, usageError(err)
	}
	region := evidence.RegionOr(given, m)
	out = registered.Comparison{Created: time.Now().UTC(), Metric: m.Name, Level: f.level, Equivalence: region.String(),
		Splits: req.Splits, Protocol: registered.Named{ID: p.Name, Hash: p.Hash()}}
	for i, name := range req.Methods {
		one := registered.Method{ID: name, Version: todo.Versions[name]}
		if i > 0 {
			out.Against = append(out.Against, one)
		} else {
			out.Method = one
		}
	}
	for _, name := range req.Datasets {
		if fingerprint, planned := todo.Data[name]; planned {
			out.Datasets = append(out.Datasets, registered.Named{ID: name, Hash: fingerprint})
		}
	}
	equivalent := ""
	if region.Exists() {
		equivalent = ", or practically equivalent (less than " + region.Text(m) + " apart),"
	}
	out.Question = fmt.Sprintf("Is %s better or worse than %s%s by %s over %s?", out.Method.ID,
		frame.Listed(out.Others()), equivalent, m.Title, plural(len(out.Datasets), "data set"))
	return out.Written()
}

// usualMetric is that of reports on these cells, of a protocol that names none.
func usualMetric(p *plan.Plan) string {
	if slices.ContainsFunc(p.Cells, func(c *plan.Cell) bool { return c.Spec.Shape.Task != registry.Regression }) {
		return "accuracy"
	}
	return "mse"
}

// registrations lists the registered comparisons with their states.
func (a *app) registrations(c *cobra.Command, l *listing) error {
	db, err := a.reader(c.Context())
	if err != nil {
		return err
	}
	defer db.Close()
	all, err := db.Comparisons(c.Context(), "")
	if err != nil {
		return databaseError(err)
	}
	l.header = []string{"hash", "created_at", "method", "version", "against", "protocol", "datasets", "splits",
		"metric", "level", "equivalence", "state"}
	l.less = []string{"version", "protocol", "metric", "created_at", "level", "equivalence", "splits", "datasets"}
	for _, one := range all {
		done, of, err := db.Finished(c.Context(), one)
		if err != nil {
			return databaseError(err)
		}
		state := fmt.Sprintf("%d of %d cells", done, of)
		if one.Earlier != "" {
			state = "does not count: a result of " + one.Method.ID + " is older: " + one.Earlier
		}
		hash, sets := one.Hash(), any(strings.Join(one.Sets(), ","))
		if l.forPeople() {
			hash, sets = one.Short(), len(one.Datasets)
		}
		l.add(hash, one.Created.Format(time.RFC3339), one.Method.ID, one.Method.Version,
			strings.Join(one.Others(), ","), one.Protocol.ID, sets, frame.Ranges(one.Splits), one.Metric, one.Level,
			one.Equivalence, state)
	}
	if len(all) == 0 && l.forPeople() {
		l.header = nil
		a.say("no comparison is registered in %s; `bench register METHOD --against OTHER` writes one down", a.db)
	}
	return nil
}
