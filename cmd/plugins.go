package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/methods/external/check"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// plugins are the methods in other processes that a command found, and what these processes may do.
type plugins struct {
	named     []string       // --plugin
	found     []*foundPlugin // --plugin's first, then those of the folders; nil before they are looked for
	isolated  bool           // this process serves isolated cells, and has the plugins that the run gives it
	methods   []string       // of an isolated process: the methods of --plugin, in the same order
	declared  []string       // of an isolated process: the files of each as JSON, in the same order
	adopts    bool           // a child that no code waits for was left by a plugin
	allowRead []string       // --allow-read
	network   bool           // --allow-network
	yes       bool           // --yes: they run also where the kernel cannot keep them in a sandbox
	hide      []string       // --hide, of an isolated process
}

// A foundPlugin is the file of a plugin, a method in another process. in and fault are nil until it was asked.
type foundPlugin struct {
	file  string
	from  string           // how it was found: --plugin, $BENCH_PLUGINS or plugins/
	in    *external.Plugin // nil if it cannot be used
	fault error            // why it cannot be used
}

const fromFlag = "--plugin"

// pluginGroup is the group of all plugins.
const pluginGroup = "plugins"

// usable reports whether it was asked and its method can be run.
func (f *foundPlugin) usable() bool { return f.in != nil && f.fault == nil }

// isFileOf reports whether its file is called as `methods new` calls that of a method.
func (f *foundPlugin) isFileOf(method string) bool {
	stem := strings.TrimSuffix(filepath.Base(f.file), filepath.Ext(f.file))
	return strings.EqualFold(stem, skeletonFileName(method, ""))
}

// withoutMethods are the commands that need no method, or that look for plugins themselves.
var withoutMethods = []string{
	"bench data", "bench query", "bench db", "bench version", "bench export", "bench help", "bench completion",
	"bench methods check", "bench methods new", "bench " + isolatedVerb,
}

const isolatedVerb = "cell"

func needsMethods(c *cobra.Command) bool {
	return c.HasParent() && !slices.ContainsFunc(withoutMethods, func(path string) bool {
		return strings.HasPrefix(c.CommandPath()+" ", path+" ")
	})
}

// findPlugins lists the files that may be plugins: first the named files, then those in the folders, each once.
func (a *app) findPlugins() error {
	if a.found != nil {
		return nil
	}
	seen := map[string]bool{}
	add := func(from string, files ...string) {
		for _, file := range files {
			full, err := filepath.Abs(file)
			if target, failed := filepath.EvalSymlinks(full); failed == nil {
				full = target
			}
			if err == nil && !seen[full] {
				seen[full] = true
				a.found = append(a.found, &foundPlugin{file: file, from: from})
			}
		}
	}
	add(fromFlag, a.named...)
	for _, dir := range filepath.SplitList(os.Getenv("BENCH_PLUGINS")) {
		files, err := external.Candidates(dir)
		if err != nil {
			return usage("BENCH_PLUGINS: %w", err)
		}
		add("$BENCH_PLUGINS", files...)
	}
	usual := a.pluginFolder()
	if _, err := os.Stat(usual); err != nil {
		return nil
	}
	files, err := external.Candidates(usual)
	add("plugins/", files...)
	return usageError(err)
}

// pluginFolder is the folder beside the database.
func (a *app) pluginFolder() string { return filepath.Join(filepath.Dir(a.db), "plugins") }

// know asks plugins what they are, until each of the named methods is known under the protocol. It first asks the
// plugins whose files are named like these methods, also like those of the program, since a plugin whose name is taken
// must be said to be skipped. Then it asks the other plugins. Without names it asks every plugin.
func (a *app) know(protocol string, methods []string) error {
	if err := a.findPlugins(); err != nil {
		return err
	}
	if slices.Contains(methods, pluginGroup) {
		methods = nil
	}
	called := func(f *foundPlugin) bool { return slices.ContainsFunc(methods, f.isFileOf) }
	if err := a.ask(called); err != nil || methods != nil && a.knows(protocol, methods) {
		return err
	}
	return a.ask(func(*foundPlugin) bool { return true })
}

// knowIfAllowed is know for a command that can do without plugins.
func (a *app) knowIfAllowed(protocol string, methods []string) error {
	if lacking() != "" && !a.yes {
		return nil
	}
	return a.know(protocol, methods)
}

// knows reports whether every name is that of a method or a group of the protocol.
func (a *app) knows(named string, methods []string) bool {
	exp := &plan.Experiment{Protocol: &protocol.Protocol{}, Registry: a.reg}
	if named != "" {
		var err error
		if exp, err = a.experiment(named); err != nil {
			return true // asking has not helped
		}
	}
	return !slices.ContainsFunc(exp.MethodNames(methods), func(name string) bool {
		_, err := exp.Registry.Lookup(name)
		return err != nil
	})
}

// ask starts plugins that were not asked yet, several at a time, asks each what it is, and makes the registry of the
// program's methods and the usable plugins. A plugin of --plugin that cannot be used is an error. Others are skipped
// with a line, but for files that are no plugins.
func (a *app) ask(which func(*foundPlugin) bool) error {
	var asked []*foundPlugin
	var files []string
	for _, f := range a.found {
		if f.in == nil && f.fault == nil && which(f) {
			asked, files = append(asked, f), append(files, f.file)
		}
	}
	if asked == nil {
		return nil
	}
	if err := a.mayStart(files...); err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for _, f := range asked {
		g.Go(func() error {
			f.in, f.fault = external.Load(context.Background(), f.file, a.pluginOptions())
			return nil
		})
	}
	_ = g.Wait()
	a.endStrays()
	if err := a.register(); err != nil {
		return err
	}
	for _, f := range asked {
		switch {
		case f.usable() && f.in.Describes().Network && !a.network:
			a.say("%s asks for the network and runs without; --allow-network gives it", f.in.Spec().Name)
		case f.fault != nil && !errors.Is(f.fault, external.ErrNoPlugin) && !a.isPart(f.file):
			a.say("skipped: %s", wording.FirstLine(f.fault.Error()))
		}
	}
	return nil
}

// register makes the registry of the program's methods and the usable plugins. A named plugin that cannot be used is an
// error.
func (a *app) register() error {
	a.reg = a.own
	var here []string
	for _, f := range a.found {
		if f.usable() {
			name := f.in.Spec().Name
			switch there, taken := a.reg.Taken(name); {
			case there.Name != "" && strings.EqualFold(taken, name):
				f.fault = fmt.Errorf("plugin %s: its method is named %s, as one that is here already (%s); give it "+
					"another name", f.file, there.Name, there.Source)
			case taken != "":
				f.fault = fmt.Errorf("plugin %s: the name of its method, %+q, looks like %s, which is here already; "+
					"give it another name", f.file, name, taken)
			default:
				a.reg = a.reg.With(f.in.Spec())
				here = append(here, name)
			}
		}
		if f.fault != nil && f.from == fromFlag {
			return usageError(f.fault)
		}
	}
	if _, err := a.reg.Lookup(pluginGroup); err != nil && here != nil {
		a.reg = a.reg.WithGroups(map[string][]string{pluginGroup: here})
	}
	return nil
}

// knowPlugins asks all plugins what they are. It is an error if none can be used.
func (a *app) knowPlugins(protocol string) error {
	err := a.know(protocol, nil)
	if _, here := a.reg.Groups()[pluginGroup]; err == nil && !here {
		err = usage("--methods %s: no plugin is here that can be used; `bench methods new NAME` writes one",
			pluginGroup)
	}
	return err
}

// isPart reports whether a file belongs to another plugin, such as a module beside that plugin.
func (a *app) isPart(file string) bool {
	return slices.ContainsFunc(a.found, func(f *foundPlugin) bool {
		return f.usable() && filepath.Dir(f.file) == filepath.Dir(file) &&
			slices.Contains(f.in.Describes().Files, filepath.Base(file))
	})
}

// pluginOfMethod returns the plugin that serves a method, nil for none. A process for isolated cells asks the plugin
// then.
func (a *app) pluginOfMethod(method string) *foundPlugin {
	if i := slices.IndexFunc(a.methods, func(m string) bool { return strings.EqualFold(m, method) }); i >= 0 {
		f := a.found[i]
		if f.in == nil && f.fault == nil {
			options := a.pluginOptions()
			if f.fault = strictjson.Unmarshal([]byte(a.declared[i]), &options.Files); f.fault == nil {
				f.in, f.fault = external.Load(context.Background(), f.file, options)
			}
		}
		return f
	}
	for _, f := range a.found {
		if f.usable() && strings.EqualFold(f.in.Spec().Name, method) {
			return f
		}
	}
	return nil
}

// methodOfPlugin is runner.InProcess.Plugin of a process for isolated cells.
func (a *app) methodOfPlugin(method string) (registry.Spec, error) {
	switch f := a.pluginOfMethod(method); {
	case f == nil:
		return a.own.Lookup(method)
	case f.fault != nil:
		return registry.Spec{}, f.fault
	default:
		return f.in.Spec(), nil
	}
}

// namedPlugin returns the plugin with this file name or method name.
func (a *app) namedPlugin(name string) (*foundPlugin, error) {
	if _, err := os.Stat(name); err == nil {
		return &foundPlugin{file: name, from: fromFlag}, nil
	}
	if err := a.findPlugins(); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(a.found, func(f *foundPlugin) bool { return f.isFileOf(name) }); i >= 0 {
		return a.found[i], nil
	}
	if err := a.know("", []string{name}); err != nil {
		return nil, err
	}
	if f := a.pluginOfMethod(name); f != nil {
		return f, nil
	}
	var found []string
	for _, f := range a.found {
		if found = append(found, f.file); f.usable() {
			found[len(found)-1] = f.in.Spec().Name
		}
	}
	slices.Sort(found)
	return nil, usage("there is no file %s and no plugin of that name; found are: %s", name,
		cmp.Or(strings.Join(found, ", "), "none"))
}

// startPlugin starts a process if the method is a plugin's. If that fails, the fit reports the error.
func (a *app) startPlugin(ctx context.Context, method string) {
	if f := a.pluginOfMethod(method); f != nil && f.usable() {
		_ = f.in.Start(ctx)
	}
}

// settlePlugin returns when the processes that served a cell of a plugin's method have ended.
func (a *app) settlePlugin(method string) {
	if f := a.pluginOfMethod(method); f != nil && f.usable() {
		f.in.Settle()
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

// lacking says what no sandbox of this machine keeps from a plugin, "" for nothing. Tests replace it.
var lacking = sandbox.Missing

// mayStart refuses plugins where the kernel cannot keep them in a sandbox and the user has not said --yes. It makes
// this process the parent of what they leave.
func (a *app) mayStart(files ...string) error {
	if lacks := lacking(); lacks != "" && !a.yes {
		return usage("%s: plugins need --yes on this machine, which cannot keep them in a sandbox: %s",
			strings.Join(files, ", "), lacks)
	}
	a.adopts = processes.Adopt() == nil
	return nil
}

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
	if a.isolated {
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

func (a *app) pluginOptions() external.Options {
	data := int64(0)
	if !a.isolated && a.memory > 0 {
		data = runner.LargestData(a.memory) // as a worker has, since no keeper limits these processes
	}
	return external.Options{
		AllowRead: a.allowRead, Hidden: a.hidden(), Network: a.network,
		Fork: a.isolated, // in a worker, the keeper ends all processes below it
		Data: data,
	}
}

func newPluginsCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "plugins",
		Short: "Ask the plugins that are found what they are, and say why one cannot be used",
		Args:  takes(),
	}
	permissionFlags(a, c)
	return a.lists(c, func(_ *cobra.Command, _ []string, l *listing) error {
		if err := a.know("", nil); err != nil {
			return err
		}
		l.header = []string{"file", "found_by", "method", "version", "tasks", "fault"}
		l.less = []string{"found_by", "version", "tasks"}
		var err error
		for _, f := range a.found {
			if f.usable() {
				spec := f.in.Spec()
				l.add(f.file, f.from, spec.Name, spec.Version, spec.Tasks.String(), "")
				continue
			}
			if !errors.Is(f.fault, external.ErrNoPlugin) {
				err = exitError{code: exitIncomplete}
			}
			l.add(f.file, f.from, "", "", "", wording.FirstLine(f.fault.Error()))
		}
		return err
	})
}

func newPluginCheckCommand(a *app) *cobra.Command {
	var limit time.Duration
	c := &cobra.Command{
		Use:   "check PLUGIN",
		Short: "Test a plugin: one line for each thing that a method must do",
		Args:  takes("PLUGIN"),
		RunE:  func(c *cobra.Command, args []string) error { return runMethodsCheck(a, c, args[0], limit) },
	}
	c.Flags().DurationVar(&limit, "timeout", check.Limit,
		"limit for all checks together; longer for slow methods and busy machines")
	permissionFlags(a, c)
	return c
}

func runMethodsCheck(a *app, c *cobra.Command, name string, limit time.Duration) error {
	f, err := a.namedPlugin(name)
	if err != nil {
		return err
	}
	if err := a.mayStart(f.file); err != nil {
		return err
	}
	failed, skipped, total, stopped := 0, 0, 0, ""
	err = check.Run(c.Context(), f.file, check.Options{Plugin: a.pluginOptions(), Canary: tryCanary, Limit: limit},
		func(r check.Result) {
			if total++; total == 1 && r.Failure == "" { // the plugin runs
				a.say("the checks of %s may take %v together (--timeout)", f.file, limit)
			}
			mark, said := "ok", r.Detail
			switch {
			case r.Stopped:
				mark, stopped = "stop", r.Advice
			case r.Skipped:
				mark = "skip"
				skipped++
			case r.Failure != "":
				failed++
				if mark, said = "FAIL", wording.FirstLine(r.Failure); !strings.Contains(said, "--allow-read") {
					said += ". What to do: " + r.Advice // else the failure says it
				}
			}
			fmt.Fprintf(a.out, "%-5s %-22s %s\n", mark, wording.Spelled(r.Name), wording.Spelled(said))
		})
	if err != nil {
		return usageError(err)
	}
	if stopped != "" {
		a.say("stopped after %s; %s", plural(total-1, "check"), stopped)
	}
	if failed > 0 {
		a.say("%d of %s failed", failed, plural(total, "check"))
	}
	if failed > 0 || stopped != "" {
		return exitError{code: exitIncomplete}
	}
	if skipped > 0 {
		a.say("%s passed, and %d skipped", plural(total-skipped, "check"), skipped)
		return nil
	}
	a.say("%s passed", plural(total, "check"))
	return nil
}

// pluginEndings are the endings of plugins of one file, by language. There is a template for each.
var pluginEndings = map[string]string{"python": ".py", "r": ".R", "sh": ".sh"}

func skeletonFileName(name, ending string) string {
	return strings.ToLower(strings.ReplaceAll(name, "-", "_")) + ending
}

func runMethodsNewPlugin(a *app, name, ending, dir string) error {
	if err := checkFreeName(a, name); err != nil {
		return err
	}
	path := filepath.Join(cmp.Or(dir, a.pluginFolder()), skeletonFileName(name, ending))
	if err := isFreePlugin(path); err != nil {
		return err
	}
	class := letters(name)
	class = strings.ToUpper(class[:1]) + class[1:]
	if err := writeSkeletons(a, []skeletonFile{{path, "plugin" + ending}}, map[string]string{"Name": name,
		"Class": class}); err != nil {
		return err
	}
	a.printPlugin(path, name, []string{"binary"}, dir != "")
	return nil
}

// printPlugin says how to use a new plugin. It needs a flag if it does not lie where every command looks.
func (a *app) printPlugin(path, name string, tasks []string, elsewhere bool) {
	other, sets := "SVM", "wine,sonar"
	if len(tasks) == 1 && tasks[0] == "regression" {
		other, sets = "RF", "year-prediction"
	}
	run := []string{"run"}
	if elsewhere {
		run = append(run, "--plugin", path)
	}
	run = append(run, "--methods", name+","+other, "--datasets", sets)
	here := a.invocation("", "", 0)
	a.say("Try it with: %s\nRun it with: %s", here.Other("methods", "check", path), here.Other(run...))
}

// tryCanary trains a method twice on half of a small data set, which other checks have shown to the method as a whole:
// once with the true labels, once with labels that contradict them. Each time the method predicts the other half. If
// its predictions are right the second time too, it knows the labels from elsewhere, and the check fails.
func tryCanary(ctx context.Context, spec registry.Spec) (string, error) {
	const rows = 200
	task := spec.Tasks & -spec.Tasks // the first of its tasks
	all := toydata.Easy(task, rows, 4, 1)
	var halves [2][]int
	for i := range rows {
		halves[i%2] = append(halves[i%2], i)
	}
	train, test := toydata.Rows(all, halves[0]), toydata.Rows(all, halves[1])
	contrary := train
	everyRow := make([]int, rows/2)
	for i := range everyRow {
		everyRow[i] = i
	}
	contrary.Y = runner.CanaryLabels(rand.New(rand.NewPCG(1, 1)), task, train.Y, [][]int{everyRow})
	var p [2]float64
	for i, d := range []registry.Data{train, contrary} {
		m, err := spec.Fit(ctx, registry.Env{Seed: 1}, d, nil)
		if err != nil {
			return "", err
		}
		shape := test.Shape()
		scores := make([]float64, shape.N*shape.Outputs())
		if err := m.Score(ctx, test.X, scores); err != nil {
			return "", err
		}
		p[i] = runner.CanaryP(task, test.Classes, test.Y, scores)
	}
	if p[0] <= runner.CanaryLevel && p[1] <= runner.CanaryLevel {
		return "", fmt.Errorf("right about rows whose labels it was not given, also where its training labels "+
			"contradict them (p = %.0e)", p[1])
	}
	return fmt.Sprintf("with labels that contradict the truth it is right by chance, p = %.2g", p[1]), nil
}
