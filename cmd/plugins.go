package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
)

// A foundPlugin is a file that is, or should be, a method in another process.
type foundPlugin struct {
	file  string
	from  string           // how it was found: --plugin, $BENCH_PLUGINS or plugins/
	known external.Record  // what an earlier command learned of it
	was   external.Record  // what was known before it was asked
	in    *external.Plugin // nil if it cannot be used, or is not known
	fault error            // why it cannot be used
}

const fromFlag = "--plugin"

// usable reports whether its method can be asked for.
func (f *foundPlugin) usable() bool { return f.in != nil && f.fault == nil }

// unknown reports whether the plugin was never asked what it is.
func (f *foundPlugin) unknown() bool { return f.in == nil && f.fault == nil }

// withoutMethods are the verbs that need no method, so they look for no plugin.
var withoutMethods = []string{"data", "query", "db", "version", "export", "help", "completion"}

const isolatedVerb = "cell"

func verbOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	return c.Name()
}

// needsMethods reports whether a command needs methods. The command by which the program starts itself for isolated cells
// needs them when it serves them, and has only the plugins that it is given.
func needsMethods(c *cobra.Command) bool {
	if serves := c.Flags().Lookup("serve"); verbOf(c) == isolatedVerb && (serves == nil || serves.Value.String() != "true") {
		return false
	}
	return !slices.Contains(withoutMethods, verbOf(c)) && c.Annotations["methods"] != "none" && c.HasParent()
}

// findPlugins lists the files that may be plugins: first the named files, then those in the folders, each once.
func (a *app) findPlugins() ([]foundPlugin, error) {
	var out []foundPlugin
	seen := map[string]bool{}
	add := func(file, from string) {
		full, err := filepath.Abs(file)
		if err == nil && !seen[full] {
			seen[full] = true
			out = append(out, foundPlugin{file: file, from: from})
		}
	}
	for _, file := range a.named {
		add(file, fromFlag)
	}
	if a.onlyNamed {
		return out, nil
	}
	folder := func(dir, from string) error {
		files, err := external.Candidates(dir)
		for _, file := range files {
			add(file, from)
		}
		return err
	}
	for _, dir := range filepath.SplitList(os.Getenv("BENCH_PLUGINS")) {
		if err := folder(dir, "$BENCH_PLUGINS"); err != nil {
			return nil, usage("BENCH_PLUGINS: %w", err)
		}
	}
	beside := a.pluginFolder()
	if _, err := os.Stat(beside); err == nil {
		if err := folder(beside, "plugins/"); err != nil {
			return nil, usage("%w", err)
		}
	}
	return out, nil
}

// pluginFolder is the folder beside the database.
func (a *app) pluginFolder() string { return filepath.Join(filepath.Dir(a.db), "plugins") }

// loadPlugins adds the methods of all known plugins to the registry. It starts no plugin, but reports unknown ones. `run`
// asks plugins itself; other verbs that run methods ask the named plugins.
func (a *app) loadPlugins(c *cobra.Command) error {
	if err := a.recallPlugins(); err != nil {
		return err
	}
	a.adopt()
	runs := slices.Contains(runsMethods, c.CommandPath())
	for i := range a.plugins {
		if f := &a.plugins[i]; f.unknown() && (a.onlyNamed || runs && f.from == fromFlag) {
			a.askPlugin(c.Context(), f)
		}
	}
	if a.onlyNamed {
		return a.register()
	}
	if dry := c.Flags().Lookup("dry-run"); verbOf(c) == "run" && dry.Value.String() != "true" {
		_ = a.register() // faults are reported once the plugins were asked
		return nil
	}
	if err := a.register(); err != nil {
		return err
	}
	a.noteFaults()
	return nil
}

// runsMethods are the commands, beside run, that train or apply methods.
var runsMethods = []string{"bench verify", "bench worker", "bench methods predict"}

// recallPlugins finds plugins and looks up what earlier commands learned of them.
func (a *app) recallPlugins() (err error) {
	a.records = rememberedIn()
	if a.plugins, err = a.findPlugins(); err != nil {
		return err
	}
	for i := range a.plugins {
		f := &a.plugins[i]
		f.known, f.fault = a.records.Of(f.file, a.pluginOptions(f))
		switch {
		case f.fault != nil:
		case f.known.Fault != "":
			f.fault = errors.New(f.known.Fault)
		case f.known.Description != nil:
			f.in, f.fault = external.Recall(f.file, f.known, a.pluginOptions(f))
		}
	}
	return nil
}

// rememberedIn is the folder of the records of plugins; "" if there is none.
func rememberedIn() external.Records {
	if dir := os.Getenv("BENCH_KNOWN_PLUGINS"); dir != "" {
		return external.Records(dir)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return external.Records(filepath.Join(dir, "bench", "plugins"))
}

// register makes the registry of the program's methods and the usable plugins. A named plugin that cannot be used is an
// error.
func (a *app) register() error {
	a.reg = a.own
	var here []string
	for i := range a.plugins {
		f := &a.plugins[i]
		if f.usable() {
			if there, err := a.reg.Lookup(f.in.Spec().Name); err == nil {
				f.fault = fmt.Errorf("plugin %s: its method is named %s, as one that is here already (%s); give it another name", f.file, there.Name, there.Source)
			} else {
				a.reg = a.reg.With(f.in.Spec())
				here = append(here, f.in.Spec().Name)
			}
		}
		if f.fault != nil && f.from == fromFlag {
			return exitError{exitUsage, f.fault}
		}
	}
	if _, err := a.reg.Lookup("plugins"); err != nil && here != nil {
		a.reg = a.reg.WithGroups(map[string][]string{"plugins": here})
	}
	return nil
}

// isPart reports whether a file belongs to another, known plugin, such as a module beside that plugin.
func (a *app) isPart(i int) bool {
	return slices.ContainsFunc(a.plugins, func(f foundPlugin) bool {
		return f.usable() && filepath.Dir(f.file) == filepath.Dir(a.plugins[i].file) && slices.Contains(f.in.Describes().Files, filepath.Base(a.plugins[i].file))
	})
}

// noteFaults says which plugins of folders cannot be used and which are unknown. It ignores files that are no plugins.
func (a *app) noteFaults() {
	var unknown []string
	for i, f := range a.plugins {
		switch {
		case f.unknown() && a.isPart(i):
		case f.unknown():
			unknown = append(unknown, f.file)
		case f.fault != nil && !f.known.NoPlugin:
			fmt.Fprintf(a.err, "skipped: %s\n", firstLine(f.fault.Error()))
		}
	}
	if unknown != nil {
		fmt.Fprintf(a.err, "skipped: %s: not known yet, or changed since; `bench methods check FILE` asks a plugin what it is, and so does a run with it\n", strings.Join(unknown, ", "))
	}
}

// pluginNamed returns the plugin that serves a method, nil for none.
func (a *app) pluginNamed(method string) *external.Plugin {
	for _, f := range a.plugins {
		if f.usable() && strings.EqualFold(f.in.Spec().Name, method) {
			return f.in
		}
	}
	return nil
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

func (a *app) closePlugins() {
	for _, f := range a.plugins {
		if f.in != nil {
			f.in.Close()
		}
	}
	a.endStrays()
	a.plugins = nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
