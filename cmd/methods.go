package cmd

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

func newMethodsCommand(a *app) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "methods",
		Short: "List the methods, show one, start a new one, look at trained models",
	})
	c.AddCommand(newMethodsListCommand(a), newMethodsShowCommand(a), newMethodsNewCommand(a),
		newMethodsExportCommand(a), newMethodsImportancesCommand(a), newMethodsDumpCommand(a), newMethodsPredictCommand(a), newMethodsScoreCommand(a))
	return c
}

func newMethodsListCommand(a *app) *cobra.Command {
	var layout string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the registered methods",
		Args:  takes(),
		RunE: func(*cobra.Command, []string) error {
			l := listing{header: []string{"method", "version", "tasks", "grid_points", "summary", "source"}}
			for _, s := range a.reg.All() {
				points, err := s.Settings(exampleShape(s), s.DefaultGrid(), nil)
				if err != nil {
					return err
				}
				l.add(s.Name, s.Version, s.Tasks.String(), len(points), s.Summary, s.Source)
			}
			return l.write(a.out, layout)
		},
	}
	formatFlag(c, &layout)
	return c
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
	var protocol, layout string
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show a method's parameters, grid and capabilities",
		Args:              takes("NAME"),
		ValidArgsFunction: cobra.FixedCompletions(a.reg.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			h, err := a.harness(protocol)
			if err != nil {
				return err
			}
			s, err := h.Registry.Lookup(args[0])
			if err != nil {
				return exitError{exitUsage, err}
			}
			return a.showMethod(s, h.Protocol, layout)
		},
	}
	c.Flags().StringVar(&protocol, "protocol", "table2", "protocol whose grid is shown")
	formatFlag(c, &layout)
	return c
}

func (a *app) showMethod(s registry.Spec, p *protocol.Protocol, layout string) error {
	l := listing{header: []string{"what", "value"}}
	l.add("name", s.Name)
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
		values := make([]string, len(axis.Values))
		for i, v := range axis.Values {
			values[i] = plain(v)
		}
		text := strings.Join(values, ", ")
		if axis.Per != "" {
			text += " (each divided by the number of " + axis.Per + "s)"
		}
		l.add("grid "+axis.Name, text)
	}
	points, err := p.Settings(s, "", exampleShape(s))
	if err != nil {
		return exitError{exitUsage, err}
	}
	l.add("grid points in "+p.Name, len(points))
	l.add("shares work over the grid", s.HasPath())
	l.add("models can be saved", s.HasLoad())
	l.add("models have trees", s.HasTrees())
	return l.write(a.out, layout)
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

//go:embed skeleton/method.go.tmpl
var methodSkeleton string

//go:embed skeleton/method_test.go.tmpl
var methodTestSkeleton string

var methodName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

func newMethodsNewCommand(a *app) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the skeleton of a new method and its test",
		Long: `new writes a package that holds a working method (ridge regression on the
labels, to be replaced by yours) and its test, and says which line registers it.
See docs/adding-a-method.md.`,
		Example: `  bench methods new MyBoost                 in this repository: methods/myboost
  bench methods new MyBoost --dir ./mine    elsewhere`,
		Args: takes("NAME"),
		RunE: func(_ *cobra.Command, args []string) error { return a.newMethod(args[0], dir) },
	}
	c.Flags().StringVar(&dir, "dir", "", "directory of the new package (default methods/NAME in lower case)")
	return c
}

func (a *app) newMethod(name, dir string) error {
	if !methodName.MatchString(name) {
		return usage("method name %q: use letters, digits, - and _, a letter first", name)
	}
	if s, err := a.reg.Lookup(name); err == nil {
		return usage("a method is named %s already (%s)", s.Name, s.Source)
	}
	pkg := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if token.IsKeyword(pkg) {
		return usage("method name %q: %s is a word of the Go language and cannot name a package", name, pkg)
	}
	inRepository := dir == ""
	if inRepository {
		dir = filepath.Join("methods", pkg)
	}
	if there, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(there) > 0 {
		return usage("%s holds Go files already; choose another name or --dir", dir)
	}
	sources := map[string][]byte{}
	for file, text := range map[string]string{pkg + ".go": methodSkeleton, pkg + "_test.go": methodTestSkeleton} {
		source, err := fillSkeleton(text, map[string]string{"Name": name, "Package": pkg})
		if err != nil {
			return err
		}
		sources[file] = source
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range []string{pkg + ".go", pkg + "_test.go"} {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, sources[file], 0o644); err != nil {
			return err
		}
		fmt.Fprintln(a.out, path)
	}
	a.tellHowToRegister(pkg, dir, inRepository)
	return nil
}

func (a *app) tellHowToRegister(pkg, dir string, inRepository bool) {
	if inRepository {
		fmt.Fprintf(a.err, "To register it, add two lines to methods/all.go, the import and the method:\n\t\"github.com/kernelboosting/bench/methods/%s\"\n\t%s.Spec(),\n", pkg, pkg)
	} else {
		fmt.Fprintf(a.err, "To register it, import the package in your main and add it to the registry: methods.All().With(%s.Spec())\n", pkg)
	}
	path := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) {
		path = "./" + path
	}
	fmt.Fprintf(a.err, "Test it with: go test %s\n", path)
}

// fillSkeleton fills in a template and formats the result.
func fillSkeleton(text string, values map[string]string) ([]byte, error) {
	var filled bytes.Buffer
	if err := template.Must(template.New("skeleton").Parse(text)).Execute(&filled, values); err != nil {
		return nil, err
	}
	return format.Source(filled.Bytes())
}
