package cmd

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

func newMethodsCommand(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "methods",
		Short: "List, show, check and write methods in any language; look at trained models",
	}, newMethodsListCommand(a), newMethodsShowCommand(a), newMethodsNewCommand(a), newPluginCheckCommand(a),
		newPluginsCommand(a),
		newMethodsExportCommand(a),
		newMethodsPredictCommand(a), newMethodsScoreCommand(a))
}

func newMethodsListCommand(a *app) *cobra.Command {
	return a.lists(&cobra.Command{Use: "list", Short: "List the registered methods", Args: takes()},
		func(_ *cobra.Command, _ []string, l *listing) error {
			l.header = []string{"method", "version", "tasks", "grid_points", "summary", "source"}
			l.less = []string{"source", "version", "grid_points"}
			for _, s := range a.reg.All() {
				points, err := s.Settings(exampleShape(s), s.DefaultGrid(), nil)
				if err != nil {
					return err
				}
				tasks := s.Tasks.String()
				if l.forPeople() && s.Tasks == registry.Binary|registry.Multiclass|registry.Regression {
					tasks = "all"
				}
				l.add(s.Name, s.Version, tasks, len(points), s.Summary, s.Source)
			}
			return a.noteNotAsked()
		})
}

// noteNotAsked names the plugins of folders, which a listing does not start.
func (a *app) noteNotAsked() error {
	if err := a.findPlugins(); err != nil {
		return err
	}
	var files []string
	for _, f := range a.found {
		if f.from != fromFlag {
			files = append(files, f.file)
		}
	}
	if files != nil {
		a.say("plugins, which were not started: %s; `bench methods plugins` asks them what they are",
			strings.Join(files, ", "))
	}
	return nil
}

// exampleShape is a problem of the method's first task, for listings.
func exampleShape(s registry.Spec) registry.Shape {
	task := s.Tasks & -s.Tasks
	sh := registry.Shape{Task: task, N: 100, D: 10, Classes: 2}
	if task == registry.Regression {
		sh.Classes = 0
	}
	return sh
}

func newMethodsShowCommand(a *app) *cobra.Command {
	var protocol string
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a method's parameters, grid and capabilities",
		Args:              takes("NAME"),
		ValidArgsFunction: completion(a.names("methods"), false),
	}
	protocolFlag(c, &protocol, defaultProtocol)
	permissionFlags(a, c)
	return a.lists(c, func(c *cobra.Command, args []string, l *listing) error {
		exp, s, err := a.methodOf(protocol, args[0])
		if err != nil {
			return err
		}
		return l.describeMethod(s, exp)
	})
}

func (l *listing) describeMethod(s registry.Spec, exp *plan.Experiment) error {
	p := exp.Protocol
	l.header = []string{"what", "value"}
	l.add("name", s.Name)
	if names := exp.Registry.Aliases(s.Name); len(names) > 0 {
		l.add("also called", strings.Join(names, ", "))
	}
	l.add("version", s.Version)
	l.add("source", s.Source)
	l.add("summary", s.Summary)
	l.add("tasks", s.Tasks.String())
	l.add("defaults", string(s.Defaults()))
	for _, p := range s.Parameters() {
		l.add("parameter "+p.Name, describedParameter{p, p.Allowed()})
	}
	if base := p.Base(s.Name); base != s.Name {
		l.add("variant of", base)
	}
	for _, axis := range p.Grid(s) {
		l.add("grid "+cmp.Or(axis.Name, "of several"), axisText(axis))
	}
	points, err := p.GridPoints(s, "", exampleShape(s))
	l.add("grid points in "+p.Name, len(points))
	for _, a := range abilities(s) {
		l.add(a.what, a.has)
	}
	return usageError(err)
}

// An ability is something that a method can do beyond training and scoring, and whether it can.
type ability struct {
	what string
	has  bool
}

func abilities(s registry.Spec) []ability {
	return []ability{
		{"shares work over the grid", s.HasPath()},
		{"models can be saved", s.Load != nil},
		{"models as LightGBM text", s.LightGBM},
		{"takes missing values", s.Gaps},
		{"scores stand for probabilities", s.Probability != nil},
	}
}

func axisText(axis registry.Axis) string {
	values := make([]string, len(axis.Values))
	for i, v := range axis.Values {
		values[i] = cmp.Or(plain(v), "null")
		if together, several := v.(map[string]any); several {
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(together)) {
				parts = append(parts, name+" "+plain(together[name]))
			}
			values[i] = "(" + strings.Join(parts, ", ") + ")"
		}
	}
	text := strings.Join(values, ", ")
	if axis.Per != "" {
		text += " (each divided by the number of " + axis.Per + "s)"
	}
	return text
}

// A describedParameter is a parameter as listings show it: a line for people, an object in JSON.
type describedParameter struct {
	registry.Parameter
	Allowed string `json:"allowed,omitempty"` // the range in words
}

func (p describedParameter) String() string {
	text := string(p.Default)
	if p.Allowed != "" {
		text += " (" + p.Allowed + ")"
	}
	if p.Means != "" {
		text += ": " + p.Means
	}
	return text
}
