package cmd

// This file finds plugins and knows what earlier commands learned of them; plugins_asked.go starts them.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/spf13/cobra"
)

// plugins are the methods in other processes that a command knows, and what these processes may do.
type plugins struct {
	named     []string       // --plugin
	onlyNamed bool           // folders are not searched: a process for isolated cells is given all plugins
	found     []*foundPlugin // --plugin's first, then those of the folders
	adopts    bool           // a child that no code waits for was left by a plugin
	allowRead []string       // --allow-read
	network   bool           // --allow-network
	yes       bool           // --yes: they run also where the kernel cannot keep them in a sandbox
	hide      []string       // --hide, of a process for isolated cells
}

// A foundPlugin is the file of a plugin, a method in another process. Whether it works is not known yet.
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

// isFileOf reports whether its file is called as `methods new` calls that of a method.
func (f *foundPlugin) isFileOf(method string) bool {
	stem := strings.TrimSuffix(filepath.Base(f.file), filepath.Ext(f.file))
	return strings.EqualFold(stem, skeletonFileName(method, ""))
}

// unknown reports whether the plugin was never asked what it is.
func (f *foundPlugin) unknown() bool { return f.in == nil && f.fault == nil }

// whyUnknown says why an unknown plugin cannot be used.
func (f *foundPlugin) whyUnknown() string {
	if f.known.Elsewhere == "" {
		return "not known yet, or changed since: `bench methods check` asks it"
	}
	return fmt.Sprintf("it was asked what it is under %s, and %s would run it here; set BENCH_PYTHON to the former, "+
		"or "+
		"ask it under the latter by `bench methods check %s`", f.known.Elsewhere, cmp.Or(f.known.Interpreter,
		"its first line"), f.file)
}

// withoutMethods are the commands that need no method, so they look for no plugin, or do so themselves.
var withoutMethods = []string{
	"bench data", "bench query", "bench db", "bench version", "bench export", "bench help", "bench completion",
	"bench methods plugins", "bench methods check", "bench methods new",
}

const isolatedVerb = "cell"

func verbOf(c *cobra.Command) string {
	for c.HasParent() && c.Parent().HasParent() {
		c = c.Parent()
	}
	return c.Name()
}

// needsMethods reports whether a command needs methods. The command by which the program starts itself for isolated
// cells needs them when it serves them, and has only the plugins that it is given.
func needsMethods(c *cobra.Command) bool {
	if serves := c.Flags().Lookup("serve"); verbOf(c) == isolatedVerb &&
		(serves == nil || serves.Value.String() != "true") {
		return false
	}
	return c.HasParent() && !slices.ContainsFunc(withoutMethods, func(path string) bool {
		return strings.HasPrefix(c.CommandPath()+" ", path+" ")
	})
}

// findPlugins lists the files that may be plugins: first the named files, then those in the folders, each once.
func (a *app) findPlugins() ([]*foundPlugin, error) {
	var out []*foundPlugin
	seen := map[string]bool{}
	add := func(file, from string) {
		full, err := filepath.Abs(file)
		if err == nil && !seen[full] {
			seen[full] = true
			out = append(out, &foundPlugin{file: file, from: from})
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
	usual := a.pluginFolder()
	if _, err := os.Stat(usual); err == nil {
		if err := folder(usual, "plugins/"); err != nil {
			return nil, usage("%w", err)
		}
	}
	return out, nil
}

// pluginFolder is the folder beside the database.
func (a *app) pluginFolder() string { return filepath.Join(filepath.Dir(a.db), "plugins") }

// recallPlugins finds plugins and looks up what earlier commands learned of them.
func (a *app) recallPlugins() (err error) {
	if a.found, err = a.findPlugins(); err != nil {
		return err
	}
	for _, f := range a.found {
		f.known, f.fault = pluginRecords().Of(f.file, a.pluginOptions())
		switch {
		case f.fault != nil:
		case f.known.Fault != "":
			f.fault = errors.New(f.known.Fault)
		case f.known.Description != nil:
			f.in, f.fault = external.Recall(f.file, f.known, a.pluginOptions())
		}
	}
	return nil
}

// pluginRecords is the folder of the records of plugins; "" if there is none.
func pluginRecords() external.Records {
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
	for _, f := range a.found {
		if f.usable() {
			switch there, taken := a.reg.Taken(f.in.Spec().Name); {
			case there.Name != "" && strings.EqualFold(taken, f.in.Spec().Name):
				f.fault = fmt.Errorf("plugin %s: its method is named %s, as one that is here already (%s); give it "+
					"another name", f.file, there.Name, there.Source)
			case taken != "":
				f.fault = fmt.Errorf("plugin %s: the name of its method, %+q, looks like %s, which is here already; "+
					"give it another name", f.file, f.in.Spec().Name, taken)
			default:
				a.reg = a.reg.With(f.in.Spec())
				here = append(here, f.in.Spec().Name)
			}
		}
		if f.fault != nil && f.from == fromFlag {
			return usageError(f.fault)
		}
	}
	if _, err := a.reg.Lookup("plugins"); err != nil && here != nil {
		a.reg = a.reg.WithGroups(map[string][]string{"plugins": here})
	}
	return nil
}

// isPart reports whether a file belongs to another, known plugin, such as a module beside that plugin.
func (a *app) isPart(file string) bool {
	return slices.ContainsFunc(a.found, func(f *foundPlugin) bool {
		return f.usable() && filepath.Dir(f.file) == filepath.Dir(file) &&
			slices.Contains(f.in.Describes().Files, filepath.Base(file))
	})
}

// noteFaults says which plugins of folders cannot be used and which are unknown. It ignores files that are no plugins.
func (a *app) noteFaults() {
	var unknown []string
	for _, f := range a.found {
		switch {
		case f.unknown() && a.isPart(f.file):
		case f.unknown() && f.known.Elsewhere != "":
			a.say("skipped: %s: %s", f.file, f.whyUnknown())
		case f.unknown():
			unknown = append(unknown, f.file)
		case f.fault != nil && !f.known.NoPlugin:
			a.say("skipped: %s", firstLine(f.fault.Error()))
		}
	}
	if unknown != nil {
		a.say("skipped: %s: not known yet, or changed since; `bench methods check FILE` asks a plugin what it is, "+
			"and so does a run with it", strings.Join(unknown, ", "))
	}
}

// pluginNamed returns the plugin that serves a method, nil for none.
func (a *app) pluginNamed(method string) *external.Plugin {
	for _, f := range a.found {
		if f.usable() && strings.EqualFold(f.in.Spec().Name, method) {
			return f.in
		}
	}
	return nil
}

// namedPlugin returns the plugin with this file name or method name.
func (a *app) namedPlugin(name string) (*foundPlugin, error) {
	if _, err := os.Stat(name); err == nil {
		f := &foundPlugin{file: name, from: fromFlag}
		f.known, f.fault = pluginRecords().Of(name, a.pluginOptions())
		return f, nil
	}
	if err := a.recallPlugins(); err != nil {
		return nil, err
	}
	var known []string
	for _, f := range a.found {
		listed := f.file
		if f.in != nil {
			listed = f.in.Spec().Name
		}
		if f.isFileOf(name) || strings.EqualFold(listed, name) {
			return f, nil
		}
		known = append(known, listed)
	}
	slices.Sort(known)
	return nil, usage("there is no file %s and no plugin of that name is known; found are: %s", name,
		strings.Join(append(known, "no others"), ", "))
}
