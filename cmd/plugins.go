package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// A foundPlugin is a file that is, or should be, a method in another process.
type foundPlugin struct {
	file  string
	from  string           // how it was found: --plugin, $BENCH_PLUGINS or plugins/
	in    *external.Plugin // nil if it cannot be used
	fault error            // why
}

// withoutMethods are the verbs that ask no method anything: they start no plugin.
var withoutMethods = []string{"data", "query", "db", "version", "bundle", "plugin", "help", "completion"}

// isolatedVerb is the verb by which the program starts itself for isolated cells.
const isolatedVerb = "cell"

// verbOf returns the verb that a command belongs to.
func verbOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	return c.Name()
}

// needsMethods reports whether a command asks methods anything. The one by which the program starts
// itself for isolated cells does where it serves them, and has no plugins but those that it is given.
func needsMethods(c *cobra.Command) bool {
	if serves := c.Flags().Lookup("serve"); verbOf(c) == isolatedVerb && (serves == nil || serves.Value.String() != "true") {
		return false
	}
	return !slices.Contains(withoutMethods, verbOf(c)) && c.Annotations["methods"] != "none" && c.HasParent()
}

// findPlugins lists the files that may be plugins: those that were named, then those of the folders,
// each once.
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
		add(file, "--plugin")
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

// loadPlugins adds the methods of all plugins to the registry. One that was named and cannot be used is an
// error; one that was found in a folder is left out with a line.
func (a *app) loadPlugins(ctx context.Context) error {
	found, err := a.startPlugins(ctx)
	if err != nil {
		return err
	}
	for i := range found {
		f := &found[i]
		if f.fault == nil {
			if there, err := a.reg.Lookup(f.in.Spec().Name); err == nil {
				f.fault = fmt.Errorf("plugin %s: its method is named %s, as one that is here already (%s); give it another name", f.file, there.Name, there.Source)
			} else {
				a.reg = a.reg.With(f.in.Spec())
			}
		}
		switch {
		case f.fault == nil:
		case f.from == "--plugin":
			return exitError{exitUsage, f.fault}
		default:
			fmt.Fprintf(a.err, "left out: %s\n", firstLine(f.fault.Error()))
		}
	}
	return nil
}

// startPlugins starts all plugins that can be found, a few at a time.
func (a *app) startPlugins(ctx context.Context) ([]foundPlugin, error) {
	found, err := a.findPlugins()
	if err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for i := range found {
		g.Go(func() error {
			found[i].in, found[i].fault = external.Load(ctx, found[i].file, external.Options{})
			return nil
		})
	}
	_ = g.Wait() // faults are kept
	a.plugins = found
	return found, nil
}

// closePlugins ends the processes of all plugins.
func (a *app) closePlugins() {
	for _, f := range a.plugins {
		if f.in != nil {
			f.in.Close()
		}
	}
	a.plugins = nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
