package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/canary"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/methods/external/check"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

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
			l.add(f.file, f.from, "", "", "", firstLine(f.fault.Error()))
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
	failed, total, stopped := 0, 0, ""
	err = check.Run(c.Context(), f.file, check.Options{Plugin: a.pluginOptions(), Canary: tryCanary, Limit: limit},
		func(r check.Result) {
			total++
			mark, said := "ok", r.Detail
			switch {
			case r.Stopped:
				mark, stopped = "stop", r.Advice
			case r.Skipped:
				mark = "skip"
			case r.Failure != "":
				failed++
				mark, said = "FAIL", firstLine(r.Failure)+". What to do: "+r.Advice
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
	a.say("%s passed", plural(total, "check"))
	return nil
}

// pluginEndings are the endings of plugins of one file, by language. There is a template for each.
var pluginEndings = map[string]string{"python": ".py", "r": ".R", "sh": ".sh"}

// skeletonFileName is what the file of a new plugin is called.
func skeletonFileName(name, ending string) string {
	return strings.ToLower(strings.ReplaceAll(name, "-", "_")) + ending
}

// runMethodsNewPlugin writes a plugin of one file.
func runMethodsNewPlugin(a *app, name, ending, dir string) error {
	if err := checkFreeName(a, name); err != nil {
		return err
	}
	path := filepath.Join(cmp.Or(dir, a.pluginFolder()), skeletonFileName(name, ending))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return usage("%s is there already; choose another name or --dir", path)
	}
	class := letters(name)
	class = strings.ToUpper(class[:1]) + class[1:]
	if err := writeSkeletons(a, []skeletonFile{{path, "plugin" + ending}}, map[string]string{"Name": name,
		"Class": class}); err != nil {
		return err
	}
	a.err.printPlugin(path, name, dir != "")
	return nil
}

// printPlugin says how to use a new plugin. It needs a flag if it does not lie where every command looks.
func (m *messages) printPlugin(path, name string, elsewhere bool) {
	flag := ""
	if elsewhere {
		flag = " --plugin " + path
	}
	m.say("Try it with: bench methods check %s\nRun it with: bench run%s --methods %s,SVM --datasets wine,sonar", path,
		flag, name)
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
	contrary.Y = canary.Labels(rand.New(rand.NewPCG(1, 1)), task, train.Y, [][]int{everyRow})
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
		p[i] = canary.P(task, test.Classes, test.Y, scores)
	}
	if p[0] <= canary.Level && p[1] <= canary.Level {
		return "", fmt.Errorf("right about rows whose labels it was not given, also where its training labels "+
			"contradict them (p = %.0e)", p[1])
	}
	return fmt.Sprintf("with labels that contradict the truth it is right by chance, p = %.2g", p[1]), nil
}
