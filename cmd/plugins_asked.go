package cmd

// This file says what plugins may do, starts them and asks them what they are.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// lacking says what no sandbox of this machine keeps from a plugin, "" for nothing. Tests replace it.
var lacking = sandbox.Missing

// permissionFlags adds the flags that say what plugins may do, for a command that trains or applies methods.
func permissionFlags(a *app, c *cobra.Command) {
	flags := c.Flags()
	flags.StringArrayVar(&a.allowRead, "allow-read", nil, "a folder or a file that plugins may read, too, by its "+
		"`path`; repeatable")
	flags.BoolVar(&a.network, "allow-network", false, "let plugins that ask for the network have it")
	flags.BoolVar(&a.yes, "yes", false, "run plugins even if the kernel cannot keep them in a sandbox")
	rare(c, "allow-read", "allow-network", "yes")
}

// checkPermissions makes the paths of --allow-read absolute, since plugins run in folders of their own.
func (a *app) checkPermissions() error {
	for i, path := range a.allowRead {
		if _, err := os.Stat(path); err != nil {
			return usage("--allow-read %s: there is no such folder or file", path)
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		a.allowRead[i] = full
	}
	return nil
}

// permissions returns the flags that give plugins the same rights in a process for isolated cells.
func (a *app) permissions() []string {
	var args []string
	for _, path := range a.allowRead {
		args = append(args, "--allow-read", path)
	}
	if a.network {
		args = append(args, "--allow-network")
	}
	for _, path := range a.hidden() {
		args = append(args, "--hide", path)
	}
	return args
}

// hidden lists what no plugin may read, wherever it lies: results, secrets that admit workers, and data with the labels
// of test rows.
func (a *app) hidden() []string {
	if a.onlyNamed {
		return a.hide
	}
	var out []string
	for _, path := range []string{a.db, a.db + "-wal", a.db + "-shm", a.runIdentity(), a.dataDir().Dir(),
		os.Getenv("BENCH_MIRROR")} {
		if path == "" {
			continue
		}
		if full, err := filepath.Abs(path); err == nil {
			out = append(out, full)
		}
	}
	return out
}

// pluginOptions say what the processes of plugins may do.
func (a *app) pluginOptions() external.Options {
	data := int64(0)
	if !a.onlyNamed && a.memory > 0 {
		data = runner.LargestData(a.memory) // as a worker has, since no keeper limits these processes
	}
	return external.Options{
		AllowRead: a.allowRead, Hidden: a.hidden(), Network: a.network,
		Fork: a.onlyNamed, // in a worker, the keeper ends all processes below it
		Data: data,
	}
}

// checkSandbox refuses plugins where the kernel cannot keep them in a sandbox and the user has not said --yes.
func (a *app) checkSandbox(files ...string) error {
	if lacks := lacking(); lacks != "" && !a.yes && !a.onlyNamed && len(files) > 0 {
		return usage("%s: plugins need --yes on this machine, which cannot keep them in a sandbox: %s",
			strings.Join(files, ", "), lacks)
	}
	return nil
}

// checkSandboxOf is checkSandbox for a method, which may be a plugin's.
func (a *app) checkSandboxOf(method string) error {
	if p := a.pluginNamed(method); p != nil {
		return a.checkSandbox(p.Record().File)
	}
	return nil
}

// runsMethods are the commands, besides run, that train or apply methods of plugins that are only named.
var runsMethods = []string{"bench verify", "bench worker", "bench methods predict"}

// loadPlugins adds the methods of all known plugins to the registry. It starts no plugin, but reports unknown ones.
// `run` asks plugins itself; other verbs that run methods ask the named plugins.
func (a *app) loadPlugins(c *cobra.Command) error {
	if err := a.recallPlugins(); err != nil {
		return err
	}
	a.adopts = !a.onlyNamed && processes.Adopt() == nil // in a worker the keeper is the parent of what a plugin leaves
	var asked []*foundPlugin
	for _, f := range a.found {
		if f.unknown() && (a.onlyNamed || f.from == fromFlag && slices.Contains(runsMethods, c.CommandPath())) {
			asked = append(asked, f)
		}
	}
	if err := a.askPlugins(c.Context(), asked); err != nil {
		return err
	}
	if slices.Contains([]string{"run", "register"}, verbOf(c)) {
		_ = a.register() // faults are reported once the plugins were asked
		return nil
	}
	if err := a.register(); err != nil || a.onlyNamed {
		return err
	}
	a.noteFaults()
	return nil
}

// askPlugins starts plugins, several at a time, and asks each what it is. Their faults are kept in them.
func (a *app) askPlugins(ctx context.Context, asked []*foundPlugin) error {
	var all, fresh []string
	for _, f := range asked {
		if all = append(all, f.file); f.known.Hash != "" && f.known.Description == nil && f.known.Fault == "" {
			fresh = append(fresh, f.file)
		}
	}
	if err := a.checkSandbox(all...); err != nil {
		return err
	}
	if fresh != nil && !a.onlyNamed {
		a.say("%s: new, or changed since, and started now in a sandbox: a plugin reads its own files and libraries, "+
			"writes a private folder, and has the network only by --allow-network", strings.Join(fresh, ", "))
	}
	a.adopts = !a.onlyNamed && processes.Adopt() == nil
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for _, f := range asked {
		g.Go(func() error {
			a.askPlugin(ctx, f)
			return nil
		})
	}
	_ = g.Wait()
	a.endStrays()
	for _, f := range asked {
		if f.usable() && f.in.Describes().Network && !a.network && !a.onlyNamed {
			a.say("%s asks for the network and runs without; --allow-network gives it", f.in.Spec().Name)
		}
	}
	return ctx.Err()
}

// askPlugin starts a plugin, asks it what it is and stores the answer, whatever was known before.
func (a *app) askPlugin(ctx context.Context, f *foundPlugin) {
	if f.known.Hash == "" {
		return // the file or its interpreter is missing
	}
	if f.in != nil {
		f.in.Close()
	}
	f.was = f.known
	o := a.pluginOptions()
	o.Python = f.known.Python()
	f.in, f.fault = external.Load(ctx, f.file, o)
	if ctx.Err() != nil {
		return
	}
	now := external.Record{Format: f.known.Format, File: f.known.File, Hash: f.known.Hash,
		Interpreter: f.known.Interpreter, Chosen: f.known.Chosen}
	if f.in != nil && f.was.Description != nil && f.in.Changed(f.was) == "" {
		f.in.SetPeak(f.was.PeakBytes)
	}
	if f.fault != nil {
		now.Fault, now.NoPlugin = firstLine(f.fault.Error()), errors.Is(f.fault, external.ErrNoPlugin)
	} else if now = f.in.Record(); now.Hash != f.known.Hash {
		f.in.Close()
		f.in, f.fault = nil, fmt.Errorf("plugin %s: it was changed while it was asked what it is; run again", f.file)
		return
	}
	f.known = now
	if err := pluginRecords().Keep(now); err != nil && !a.onlyNamed {
		a.say("%s: what it is cannot be remembered (%v); set BENCH_KNOWN_PLUGINS to a folder for that", f.file, err)
	}
}

// changed says why a plugin that was asked has another version than before, "" if it has not.
func (f *foundPlugin) changed() string {
	if !f.usable() || f.was.Description == nil {
		return ""
	}
	return f.in.Changed(f.was)
}

// askPluginsOfRun asks each plugin that a run needs what it is, once for each run, since the version of a method
// includes its libraries.
func (a *app) askPluginsOfRun(ctx context.Context, s selection) error {
	var wanted []*foundPlugin
	needs, unnamed := a.needed(s)
	for _, p := range a.found {
		named, isNone := p.from == fromFlag, p.known.Hash == "" || p.known.NoPlugin && p.from != fromFlag
		if !isNone && (named || p.in != nil && needs(p.in.Spec().Name) || p.in == nil && unnamed) {
			wanted = append(wanted, p)
		}
	}
	if err := a.askPlugins(ctx, wanted); err != nil {
		return err
	}
	for _, p := range wanted {
		if what := p.changed(); what != "" {
			a.say("%s changed since it was last asked (%s): its cells are run again", p.in.Spec().Name, what)
		}
	}
	if err := a.register(); err != nil {
		return err
	}
	a.noteFaults()
	return nil
}

// needed returns a function that reports whether a run with these flags asks for a method. unnamed says that the run
// may also ask for a plugin whose method is not known yet, be it as what a protocol's variant is of.
func (a *app) needed(s selection) (needs func(method string) bool, unnamed bool) {
	exp, err := a.experiment(s.protocol)
	if unnamed = err != nil; unnamed {
		exp = &plan.Experiment{Protocol: &protocol.Protocol{}, Registry: a.reg}
	}
	var bases []string
	for _, name := range exp.MethodNames(s.methods) {
		spec, err := exp.Registry.Lookup(name)
		unnamed = unnamed || err != nil
		bases = append(bases, exp.Protocol.Base(cmp.Or(spec.Name, name)))
	}
	named := func(method string) bool {
		return s.methods == nil || slices.ContainsFunc(bases, func(base string) bool {
			return strings.EqualFold(base, method)
		})
	}
	return named, unnamed || s.methods == nil
}

// askVerified asks the plugins whose cells are to be run again what they are now, since cells of another version cannot
// be compared.
func (a *app) askVerified(ctx context.Context, cells []*plan.Cell) error {
	var asked []*foundPlugin
	for _, f := range a.found {
		if f.usable() && slices.ContainsFunc(cells, func(c *plan.Cell) bool {
			return c.Spec.Inputs.MethodVersion == f.in.Spec().Version
		}) {
			asked = append(asked, f)
		}
	}
	if err := a.askPlugins(ctx, asked); err != nil {
		return err
	}
	for _, f := range asked {
		if f.fault != nil {
			return exitError{exitIncomplete, f.fault}
		}
		if what := f.changed(); what != "" {
			return exitError{exitIncomplete, fmt.Errorf("%s changed since it was last asked (%s), so that its cells "+
				"cannot be compared; `bench run` runs them as it is now", f.in.Spec().Name, what)}
		}
	}
	return a.register()
}

// startPlugin starts a process if the method is a plugin's. If that fails, the fit reports the error.
func (a *app) startPlugin(ctx context.Context, method string) {
	if p := a.pluginNamed(method); p != nil {
		_ = p.Start(ctx)
	}
}

// settlePlugin returns when the processes that served a cell of a plugin's method have ended.
func (a *app) settlePlugin(method string) {
	if p := a.pluginNamed(method); p != nil {
		p.Settle()
	}
}

// endStrays ends processes that plugins left when they were asked what they are.
func (a *app) endStrays() {
	if a.adopts {
		processes.EndStrays()
	}
}

func (a *app) closePlugins() {
	for _, f := range a.found {
		if f.in != nil {
			f.in.Close()
		}
	}
	a.endStrays()
	a.found = nil
}
