package cmd

import (
	"bufio"
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
	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

func permissionFlags(a *app, c *cobra.Command) {
	c.Flags().StringArrayVar(&a.allowRead, "allow-read", nil, "a `path` that plugins may read beside their own, of a folder or a file; repeatable")
	c.Flags().BoolVar(&a.network, "allow-network", false, "let plugins that ask for the network have it")
	rare(c, "allow-read", "allow-network")
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

// hidden lists what no plugin may read, wherever it lies: results, secrets that admit workers, and data with the labels of
// test rows.
func (a *app) hidden() []string {
	if a.onlyNamed {
		return a.hide
	}
	var out []string
	for _, path := range []string{a.db, a.db + "-wal", a.db + "-shm", a.identity(), a.servesAs(), a.store().Dir(), os.Getenv("BENCH_MIRROR")} {
		if path == "" {
			continue
		}
		if full, err := filepath.Abs(path); err == nil {
			out = append(out, full)
		}
	}
	return out
}

// pluginOptions say what the processes of a plugin may do.
func (a *app) pluginOptions(f *foundPlugin) external.Options {
	data := int64(0)
	if !a.onlyNamed && a.memory > 0 {
		data = runner.LargestData(a.memory) // as a worker has, since no keeper limits these processes
	}
	return external.Options{
		AllowRead: a.allowRead, Hidden: a.hidden(), Network: a.network || f.known.Network,
		Fork: a.onlyNamed, // in a worker, the keeper ends all processes below it
		Data: data,
	}
}

// askPlugin starts a plugin, asks it what it is and stores the answer, whatever was known before. The user agreed to this.
func (a *app) askPlugin(ctx context.Context, f *foundPlugin) {
	if f.known.Hash == "" {
		return // the file or its interpreter is missing
	}
	if f.in != nil {
		f.in.Close()
	}
	f.was = f.known
	f.in, f.fault = external.Load(ctx, f.file, a.pluginOptions(f))
	if ctx.Err() != nil {
		return
	}
	now := external.Record{Format: f.known.Format, File: f.known.File, Hash: f.known.Hash, Interpreter: f.known.Interpreter}
	if f.fault == nil {
		now = f.in.Record()
		if now.Hash != f.known.Hash {
			f.in.Close()
			f.in, f.fault = nil, fmt.Errorf("plugin %s: it was changed while it was asked what it is; run again", f.file)
			return
		}
		now.Network = f.in.Describes().Network && (a.network || f.known.Network)
	} else {
		now.Fault, now.NoPlugin, now.Network = firstLine(f.fault.Error()), errors.Is(f.fault, external.ErrNoPlugin), f.known.Network
	}
	now.Agreed = true
	f.known = now
	a.remember(f)
}

// adopt makes this process the parent of processes that a plugin leaves when it is asked what it is. In a worker the keeper
// is their parent.
func (a *app) adopt() { a.adopts = !a.onlyNamed && processes.Adopt() == nil }

// endStrays ends processes that plugins left when they were asked what they are.
func (a *app) endStrays() {
	if a.adopts {
		processes.EndStrays()
	}
}

func (a *app) remember(f *foundPlugin) {
	if err := a.records.Keep(f.known); err != nil && !a.onlyNamed {
		fmt.Fprintf(a.err, "%s: what it is cannot be remembered (%v); set BENCH_KNOWN_PLUGINS to a folder for that\n", f.file, err)
	}
}

// askTogether asks several plugins at a time, and then asks the user about the network.
func (a *app) askTogether(ctx context.Context, asked []*foundPlugin) error {
	a.adopt()
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for _, f := range asked {
		g.Go(func() error {
			a.askPlugin(ctx, f)
			return nil
		})
	}
	_ = g.Wait() // faults are kept in the plugins
	a.endStrays()
	for _, f := range asked {
		if f.usable() && f.in.Describes().Network && !f.known.Network {
			a.askNetwork(f)
		}
	}
	return ctx.Err()
}

// askNetwork lets a plugin use the network if the user types the name of the plugin's method.
func (a *app) askNetwork(f *foundPlugin) {
	name := f.in.Spec().Name
	if !a.canAsk() {
		fmt.Fprintf(a.err, "%s asks for the network and runs without; --allow-network gives it\n", name)
		return
	}
	if a.ask("%s (%s) asks for the network. Type its name to allow that, or nothing to run it without: ", name, f.file) != name {
		return
	}
	f.known.Network = true
	a.remember(f)
	f.in.Close()
	f.in, f.fault = external.Recall(f.file, f.known, a.pluginOptions(f))
}

// askPlugins asks each plugin that a run needs what it is, once for each run, since the version of a method includes its
// libraries. An unknown plugin is started only if the user agrees.
func (a *app) askPlugins(ctx context.Context, f runFlags) error {
	var wanted []*foundPlugin
	var unasked []string
	needs, unnamed := a.needed(f)
	for i := range a.plugins {
		p := &a.plugins[i]
		switch {
		case p.known.Hash == "", p.known.NoPlugin && p.from != fromFlag:
			continue
		case p.from == fromFlag:
		case p.in != nil && !needs(p.in.Spec().Name), p.in == nil && !unnamed:
			continue
		case p.known.Agreed || f.yes:
		case !a.canAsk():
			unasked = append(unasked, p.file)
			continue
		case !isYes(a.ask("%s is a plugin that is not known yet, or changed since. It runs with your rights; where the kernel has Landlock, "+
			"in a sandbox: it reads its own files and libraries, writes a private folder, and has no network. Run it? [y/N] ", p.file)):
			p.fault = fmt.Errorf("plugin %s: it was not agreed to", p.file)
			continue
		}
		wanted = append(wanted, p)
	}
	if unasked != nil {
		return usage("%s: not known yet, or changed since, and nobody is here to ask: --plugin FILE or --yes runs it, --methods without it leaves it out", strings.Join(unasked, ", "))
	}
	if err := a.askTogether(ctx, wanted); err != nil {
		return err
	}
	for _, p := range wanted {
		if what := p.changed(); what != "" {
			fmt.Fprintf(a.err, "%s changed since it was last asked (%s): its cells are run again\n", p.in.Spec().Name, what)
		}
	}
	if err := a.register(); err != nil {
		return err
	}
	a.noteFaults()
	return nil
}

// needed returns a function that reports whether a run with these flags asks for a method. unnamed says that the run may
// also ask for a plugin whose method is not known yet.
func (a *app) needed(f runFlags) (needs func(method string) bool, unnamed bool) {
	if f.methods == nil {
		return func(string) bool { return true }, true
	}
	var bases []string
	p, err := protocol.Load(f.protocol)
	for _, name := range f.methods {
		if name = strings.TrimSpace(name); err == nil {
			for variant := range p.Methods {
				if strings.EqualFold(variant, name) {
					name = p.Base(variant)
				}
			}
		}
		bases = append(bases, strings.ToLower(name))
		if _, err := a.reg.Lookup(name); err != nil {
			unnamed = true
		}
	}
	if err == nil && !p.Builtin() { // the methods of a user's protocol must be known
		_, err = p.Resolve(a.reg)
		unnamed = unnamed || err != nil
	}
	return func(method string) bool { return slices.Contains(bases, strings.ToLower(method)) }, unnamed
}

// askVerified asks the plugins whose cells are to be run again what they are now, since cells of another version cannot be
// compared.
func (a *app) askVerified(ctx context.Context, cells []*plan.Cell) error {
	var asked []*foundPlugin
	for i := range a.plugins {
		f := &a.plugins[i]
		if f.usable() && slices.ContainsFunc(cells, func(c *plan.Cell) bool { return c.Spec.Inputs.MethodVersion == f.in.Spec().Version }) {
			asked = append(asked, f)
		}
	}
	if err := a.askTogether(ctx, asked); err != nil {
		return err
	}
	for _, f := range asked {
		if f.fault != nil {
			return exitError{exitIncomplete, f.fault}
		}
		if what := f.changed(); what != "" {
			return exitError{exitIncomplete, fmt.Errorf("%s changed since it was last asked (%s), so that its cells cannot be compared; `bench run` runs them as it is now", f.in.Spec().Name, what)}
		}
	}
	return a.register()
}

// changed says why a plugin that was asked has another version than before, "" if it has not.
func (f *foundPlugin) changed() string {
	if !f.usable() || f.was.Description == nil {
		return ""
	}
	return f.in.Changed(f.was)
}

// canAsk reports whether a person can read questions and answer.
func (a *app) canAsk() bool { return isTerminal(os.Stdin) && isTerminal(a.err) }

// ask asks a question and returns the answer, "" for none.
func (a *app) ask(format string, args ...any) string {
	if a.stdin == nil {
		a.stdin = bufio.NewReader(os.Stdin)
	}
	fmt.Fprintf(a.err, format, args...)
	answer, err := a.stdin.ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.err)
		return ""
	}
	return strings.TrimSpace(answer)
}

func isYes(answer string) bool {
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
