package cmd

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/admit"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/spf13/cobra"
)

func newCommonsCheckCommand(a *app) *cobra.Command {
	var base, head, output string
	var within time.Duration
	c := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Compute cells of an entry again, and say whether it enters",
		Args:  cobra.MaximumNArgs(1),
	}
	c.Flags().StringVar(&base, "base", "main", "branch or commit that the entry is to enter")
	c.Flags().StringVar(&head, "head", "HEAD", "branch or commit that has the entry")
	c.Flags().DurationVar(&within, "time", 0, "how long cells are computed (default that of commons.toml)")
	c.Flags().StringVarP(&output, "output", "o", "", "write what the commons is to commit to this new folder")
	c.RunE = func(c *cobra.Command, args []string) error {
		dir := strings.Join(args, "")
		if dir == "" {
			dir = "."
		}
		if _, err := os.Lstat(output); output != "" && !errors.Is(err, fs.ErrNotExist) {
			return usage("--output %s is there already; name a new folder", output)
		}
		if within < 0 {
			return usage("--time must not be negative")
		}
		return a.commonsCheck(c.Context(), commons.Git(dir), base, head, within, output)
	}
	return c
}

// An entryCheck is the check of an entry under way.
type entryCheck struct {
	*app
	git      commons.Git
	change   commons.Change
	entry    commons.Entry
	version  string // commons.EntryHash
	refusals int    // of earlier versions of the entry
	reported []result.Run
	renewed  bool // the lock is newer than the results: all are computed, and compared with none
	seed     [32]byte
	within   time.Duration
	exp      *plan.Experiment
}

// A barred error is a refusal of a version for good: it had its chance.
type barred struct{ why string }

func (b barred) Error() string { return b.why }

func refused(err error) error {
	if e := (exitError{}); err == nil || errors.As(err, &e) {
		return err
	}
	return exitError{exitIncomplete, fmt.Errorf("refused: %w", err)}
}

// commonsCheck checks what head asks of a commons.
func (a *app) commonsCheck(ctx context.Context, git commons.Git, base, head string, within time.Duration,
	output string) error {
	k := &entryCheck{app: a, git: git, within: within}
	if err := k.read(ctx, base, head); err != nil {
		return refused(err)
	}
	outcome, err := k.compute(ctx)
	if bar := (barred{}); errors.As(err, &bar) {
		text, errOfText := commons.Refusal{Entry: k.entry.Name, EntryHash: k.version, Why: bar.why,
			Seed: commons.Seed(k.seed), Program: environment.ProgramVersion,
			Date: time.Now().UTC().Format(time.RFC3339)}.Text()
		if errOfText != nil {
			return errOfText
		}
		outcome = map[string]commons.File{commons.Refused + "/" + k.version + ".json": {Content: text}}
		a.say("this version of %s cannot be tried again", k.entry.Name)
	}
	if output != "" && outcome != nil {
		if err := writeFiles(output, outcome); err != nil {
			return err
		}
	}
	return refused(err)
}

// read reads the change and checks all that needs no computation.
func (k *entryCheck) read(ctx context.Context, base, head string) (err error) {
	if k.change, err = k.git.Change(ctx, base, head); err != nil {
		return err
	}
	var this bool
	k.version = commons.EntryHash(k.change.Files)
	if k.refusals, this, err = k.git.Refusals(ctx, k.change.Base, k.change.Name, k.version); err != nil {
		return err
	}
	if this {
		return fmt.Errorf("this version of %s was refused before: %s/%s.json says why", k.change.Name, commons.Refused,
			k.version)
	}
	if k.entry, _, err = commons.ReadEntry(k.change.Files); err != nil {
		return err
	}
	if k.entry.Name != k.change.Name {
		return fmt.Errorf("%s names the method %s, and its folder is %s", commons.EntryFile, k.entry.Name,
			k.change.Name)
	}
	k.reported, err = k.change.Config.Runs(k.entry, k.change.Files[commons.ResultsFile].Content)
	if k.within == 0 {
		k.within = k.change.Config.Time
	}
	return err
}

// compute makes the environment of the entry, computes cells again by a new seed, and returns the files that the
// commons is to commit.
func (k *entryCheck) compute(ctx context.Context) (map[string]commons.File, error) {
	if _, err := rand.Read(k.seed[:]); err != nil {
		return nil, err
	}
	room, err := os.MkdirTemp("", "bench-commons-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	if err := k.plugIn(ctx, room); err != nil {
		return nil, err
	}
	defer k.closePlugins()
	if err := k.admit(ctx); err != nil {
		return nil, err
	}
	field, err := k.field(ctx)
	if err != nil {
		return nil, err
	}
	draw := commons.NewDraw(k.change.Config, k.reported, field.Gains(k.reported), k.seed, k.refusals, k.within)
	spec, err := k.reg.Lookup(k.entry.Name)
	if err != nil {
		return nil, err
	}
	draw.All, draw.Jobs = spec.Nondeterministic || k.renewed, runtime.NumCPU()
	k.say("%s: %s reported; what is computed again follows from seed %s", k.entry.Name,
		plural(len(k.reported), "cell"), commons.Seed(k.seed))
	if err := k.again(ctx, draw); err != nil {
		return nil, err
	}
	return k.judge(ctx, draw, !spec.Nondeterministic)
}

// plugIn writes the entry's plugin to a folder, makes its environment, and asks it what it is, in its sandbox.
func (k *entryCheck) plugIn(ctx context.Context, room string) error {
	for _, variable := range []string{"PYTHONPATH", "LD_LIBRARY_PATH", "BENCH_PLUGINS", "R_LIBS", "R_LIBS_USER"} {
		if err := os.Unsetenv(variable); err != nil { // what this machine has besides is not the entry's
			return err
		}
	}
	own := map[string]commons.File{}
	for name, f := range k.change.Files {
		if name != commons.ResultsFile {
			own[name] = f
		}
	}
	folder := filepath.Join(room, "entry")
	if err := writeFiles(folder, own); err != nil {
		return err
	}
	_, lock, err := commons.ReadEntry(k.change.Files)
	if err != nil {
		return err
	}
	if k.entry.Python != "" {
		if len(lock) > 0 {
			k.say("installing %s of %s", plural(len(lock), "package"), commons.LockFile)
		}
		python, err := commons.Environment(ctx, filepath.Join(room, "python"), k.entry.Python, lock)
		if err == nil {
			err = os.Setenv("BENCH_PYTHON", python) // which runs plugins
		}
		if err != nil {
			return err
		}
	}
	k.db, k.onlyNamed = filepath.Join(room, "results.db"), false
	if err := os.Setenv("BENCH_KNOWN_PLUGINS", filepath.Join(room, "known")); err != nil {
		return err
	}
	f := &foundPlugin{file: filepath.Join(folder, filepath.FromSlash(k.entry.Plugin)), from: fromFlag}
	k.found, k.named = []*foundPlugin{f}, []string{f.file}
	if f.known, f.fault = pluginRecords().Of(f.file, k.pluginOptions()); f.fault != nil {
		return f.fault
	}
	if err := k.askPlugins(ctx, k.found); err != nil {
		return err
	}
	switch {
	case f.fault != nil:
		return f.fault
	case f.in.Spec().Name != k.entry.Name:
		return fmt.Errorf("the plugin calls its method %s, and %s calls it %s", f.in.Spec().Name, commons.EntryFile,
			k.entry.Name)
	case f.in.Describes().Network:
		return errors.New("the plugin asks for the network, which a check does not give")
	}
	if err := k.register(); err != nil {
		// Further lines of the error advise somebody who is choosing a name. Nobody chooses one during a check.
		return errors.New(firstLine(err.Error()))
	}
	return nil
}

// admit checks that the reported results are of the entry's plugin, the commons' data and its protocol, and that cells
// can end with them.
func (k *entryCheck) admit(ctx context.Context) error {
	p, err := k.measuredBy(k.change.Config)
	if err != nil {
		return err
	}
	if k.exp, err = k.experimentOf(p, nil); err != nil || k.renewed {
		return err
	}
	var taken []result.Run
	in, err := admit.Runs(ctx, k.exp, admit.OfBundle(commons.ResultsFile, k.reported), map[string]store.Known{}, nil,
		func(r result.Run) error {
			taken = append(taken, r)
			return nil
		})
	if err != nil {
		return err
	}
	for _, bad := range [][]plan.Group{in.Old, in.Unknown, in.Refused} {
		for _, g := range bad {
			return fmt.Errorf("%s: %s of %s on %s: %s", commons.ResultsFile, plural(g.Cells, "cell"), g.Method,
				g.Dataset, g.Why)
		}
	}
	if len(taken) != len(k.reported) {
		return fmt.Errorf("%s has two results of one cell", commons.ResultsFile)
	}
	k.reported = taken
	return nil
}

// field are the accuracies of the program's reference run and of the entries of the commons.
func (k *entryCheck) field(ctx context.Context) (commons.Field, error) {
	field := commons.Field{}
	runs, err := reference.Runs(k.change.Config.Protocol)
	if err != nil {
		return nil, err
	}
	field.Add(runs)
	names, err := k.git.Entries(ctx, k.change.Base)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		files, e, err := k.git.Entry(ctx, k.change.Base, name, k.change.Config)
		if err != nil {
			return nil, err
		}
		if runs, err = k.change.Config.Runs(e, files[commons.ResultsFile].Content); err != nil {
			return nil, err
		}
		field.Add(runs)
	}
	return field, nil
}

// again computes the drawn cells, canaries and checks of state in a database of their own.
func (k *entryCheck) again(ctx context.Context, draw *commons.Draw) error {
	db, err := k.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	defer collectWithin(k.memory)()
	ended, end := context.WithCancel(ctx)
	defer end()
	f := runFlags{selection: selection{protocol: k.change.Config.Protocol}}
	printer := &runPrinter{app: k.app, ctx: ended, experiment: k.exp, flags: f}
	session := harness.Session{Experiment: k.exp, DB: db, Tell: printer.handle, Cells: k.cellsOfSession(f.isolate),
		Confirm: func(*plan.Plan, plan.Prediction, schedule.Options) error { return nil }}
	k.exp.Keep = runner.KeepNone
	splits := len(k.reported) / len(k.change.Config.Datasets)
	request := plan.Request{Methods: []string{k.entry.Name}, Datasets: k.change.Config.Datasets,
		Timeout: k.within, Limits: plan.Limits{Memory: k.memory}}
	if request.Splits, err = plan.Splits(fmt.Sprint(splits), ""); err != nil {
		return err
	}
	report, err := session.Run(ctx, harness.Request{Request: request, Jobs: draw.Jobs,
		Batches: func(context.Context, *plan.Plan) (schedule.Batches, error) { return draw, nil }})
	switch {
	case err != nil:
		return err
	case report.Outcome.Interrupted:
		return exitError{code: exitInterrupted}
	case report.Findings != nil:
		return barred{strings.Join(store.Describe(report.Findings), "; ")}
	}
	return nil
}

// judge compares what was reported with what was computed, and returns the files of the entry as it enters.
func (k *entryCheck) judge(ctx context.Context, draw *commons.Draw, deterministic bool) (
	map[string]commons.File, error) {
	computed, all := draw.Done()
	reported := map[runner.Cell]result.Run{}
	for _, r := range k.reported {
		reported[runner.CellOf(r)] = r
	}
	here := environment.Current()
	for i, r := range computed {
		computed[i].Environment = &here
		why := commons.Differ(reported[runner.CellOf(r)], r)
		if why != "" && (deterministic && !k.renewed || r.Status != result.OK) {
			return nil, barred{why}
		}
	}
	if n := draw.Lost(); n > 0 { // else a forger could try until those that are drawn are such ones
		return nil, barred{fmt.Sprintf("%s not run to an end here", counted(n, "drawn cell", "was", "were"))}
	}
	config := k.change.Config
	k.say("%s", draw.Says(config.Gain))
	switch {
	case draw.All && !all:
		why := "says that it is not deterministic"
		if k.renewed {
			why = "has newer packages"
		}
		return nil, fmt.Errorf("%s %s, so that every cell is computed, and %v did not suffice; give more time",
			k.entry.Name, why, k.within)
	case draw.Caught() < config.LeastLevel:
		return nil, fmt.Errorf("the level is below least_level = %g of %s; give more --time", config.LeastLevel,
			commons.ConfigFile)
	}
	if k.renewed {
		k.reported = computed
	}
	return k.enter(ctx, computed, commons.Receipt{Entry: k.entry.Name, EntryHash: k.version,
		Caught: draw.Caught(), Gain: config.Gain, Floor: commons.Floor, Seed: commons.Seed(k.seed),
		Deterministic: deterministic, ProgramSHA256: config.Program.SHA256})
}

// enter returns the files of the entry with the computed counts and the receipt, signed where git has a key.
func (k *entryCheck) enter(ctx context.Context, computed []result.Run, r commons.Receipt) (map[string]commons.File,
	error) {
	receipt, err := r.Of(k.reported, computed, environment.Current(), time.Now())
	if err != nil {
		return nil, err
	}
	text, err := receipt.Text()
	if err != nil {
		return nil, err
	}
	var results bytes.Buffer
	if _, err := bundle.Write(&results, commons.Replace(k.reported, computed)); err != nil {
		return nil, err
	}
	folder := commons.Methods + "/" + k.entry.Name + "/"
	outcome := map[string]commons.File{}
	for name, f := range k.change.Files {
		outcome[folder+name] = f
	}
	outcome[folder+commons.ResultsFile] = commons.File{Content: results.Bytes()}
	outcome[folder+commons.ReceiptFile] = commons.File{Content: text}
	if key := k.git.SigningKey(ctx); key != "" {
		signature, err := commons.Sign(ctx, text, key)
		if err != nil {
			return nil, err
		}
		outcome[folder+commons.SignatureFile(commons.ReceiptFile)] = commons.File{Content: signature}
	}
	k.say("%s enters: %s", k.entry.Name, receipt.Level)
	return outcome, nil
}
