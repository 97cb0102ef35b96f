package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/curtail"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// untilFlags are those of a run that answers a question, and may end once it is decided.
type untilFlags struct {
	until       string
	against     []string
	equivalence string
	goOn        bool // --continue
}

// checkUntil refuses what does not go with --until decided.
func (f runFlags) checkUntil() error {
	switch u := f.untilFlags; {
	case u.until == "" && u.goOn:
		return usage("--continue belongs to --until decided; add it, or leave it out")
	case u.until != "" && len(u.against) == 0:
		return usage("--until decided needs --against METHOD: the verdict on --methods against it is what is decided")
	case u.against == nil && u.equivalence != "":
		return usage("--equivalence is of the question that --against asks; name the other methods there")
	case u.against == nil:
	case len(f.methods) != 1:
		return usage("--against is about one method; name it alone in --methods")
	case f.budget > 0 || f.shard != "" || f.all:
		return usage("--against does not go with --all, --budget or --shard: they choose cells, too")
	}
	_, err := f.region(metric.Metric{})
	return err
}

// A decision is a run that ends once its comparison is decided.
type decision struct {
	*curtail.Run
	app     *app
	read    reportFlags // what is stored of the protocol
	compare string      // the command that asks the same
}

// addOpponents makes a request ask for the cells of the methods of --against, too.
func addOpponents(a *app, c choice, req *plan.Request, f runFlags) error {
	others, err := a.choose(selection{protocol: f.protocol, methods: f.against}, nothingStored)
	if err != nil {
		return err
	}
	if len(req.Methods) != 1 || slices.Contains(others.methods, req.Methods[0]) {
		return usage("--against compares one method with others; --methods has %s and --against %s",
			strings.Join(req.Methods, ", "), strings.Join(others.methods, ", "))
	}
	req.Methods = append(slices.Clone(req.Methods), others.methods...)
	if req.Datasets == nil { // sets that are shown apart are in no verdict
		req.Exclude = append(slices.Clone(req.Exclude), c.Protocol.Apart...)
	}
	return nil
}

// decideUntil plans a comparison.
func decideUntil(ctx context.Context, a *app, c choice, req plan.Request, f runFlags) (*decision, error) {
	all, err := c.Plan(ctx, req, nil, plan.NewForecast(nil))
	if err != nil {
		return nil, usageError(err)
	}
	q := curtail.Question{Methods: req.Methods, Splits: req.Splits, Level: frame.UsualLevel,
		Own: c.Registry.Foreign(req.Methods[0])}
	if q.Metric, err = runMetric(c.Experiment, all); err != nil {
		return nil, usageError(err)
	}
	if q.Region, err = f.region(q.Metric); err != nil {
		return nil, err
	}
	if q.Metric.Unit {
		return nil, usage("--until decided does not forecast the %s, which is compared over sets in percent of the "+
			"error; run all splits with --against, or take a protocol whose metric is r2", q.Metric.Title)
	}
	asks := append([]string{"compare"}, req.Methods...)
	if c.typed != nil {
		asks = append(asks, "--datasets", strings.Join(c.typed, ","))
	}
	if f.equivalence != "" {
		asks = append(asks, "--equivalence", f.equivalence)
	}
	d := &decision{Run: curtail.NewRun(q, all.Cells), app: a,
		read:    reportFlags{selection: selection{protocol: f.protocol}},
		compare: a.invocation(c.Protocol.Shown(), c.Protocol.Path, c.Protocol.Splits).Other(asks...)}
	if need := evidence.Enough(len(req.Methods)-1, q.Level); d.Sets() < need {
		return nil, usage("--until decided: %s can be compared on %s, and with fewer than %d %q and %q cannot come; "+
			"name more, or run without --until", q.Methods[0], wording.Count(d.Sets(), "set"), need, evidence.Better,
			evidence.Worse)
	}
	return d, nil
}

// begin reads what is stored. It is called when a run begins.
func (d *decision) begin(ctx context.Context, _ *plan.Plan) (schedule.Batches, error) {
	read, err := d.app.frame(ctx, d.read)
	if err != nil && !errors.Is(err, frame.ErrNoResults) {
		return nil, err
	}
	d.Begin(read.Rows)
	return d, nil
}

// conclude says how the comparison ended.
func (d *decision) conclude() {
	if !d.Decided() {
		return // the run was interrupted
	}
	if stop, early := d.Stop(); early {
		d.app.say("%s `%s` shows the splits so far; --continue runs the rest.", stop.Text(), d.compare)
	} else {
		d.app.say("no split is left; `%s` says what they show", d.compare)
	}
}
