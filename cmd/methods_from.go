package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
)

// A pythonObject is an estimator or a class that a Python file or an installed module has.
type pythonObject struct {
	folder string // of the file; "" for an installed module
	module string
	name   string
}

var pythonName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parsePythonObject reads FILE.py:NAME or MODULE:NAME.
func parsePythonObject(from string) (pythonObject, error) {
	where, name, found := strings.Cut(from, ":")
	if !found || !pythonName.MatchString(name) {
		return pythonObject{}, usage("--from %q: name an estimator or a class as FILE.py:NAME or MODULE:NAME, such "+
			"as my.py:RFBoost or sklearn.svm:SVC", from)
	}
	if !strings.HasSuffix(where, ".py") {
		for _, part := range strings.Split(where, ".") {
			if !pythonName.MatchString(part) {
				return pythonObject{}, usage("--from %q: %q is no module of Python and no file that ends in .py", from,
					where)
			}
		}
		return pythonObject{module: where, name: name}, nil
	}
	if _, err := os.Stat(where); err != nil {
		return pythonObject{}, usage("--from %q: %w", from, err)
	}
	o := pythonObject{folder: filepath.Dir(where), module: strings.TrimSuffix(filepath.Base(where), ".py"), name: name}
	if !pythonName.MatchString(o.module) {
		return pythonObject{}, usage("--from %q: Python cannot import a file of that name; use letters, digits and "+
			"_, a letter first", from)
	}
	return o, nil
}

// runMethodsNewFrom writes a plugin that serves an existing estimator. The plugin of a file lies beside the file, since
// a plugin reads its own folder. A link in the folder of plugins lets bench find it.
func runMethodsNewFrom(ctx context.Context, a *app, name, from, dir string) error {
	if err := checkFreeName(a, name); err != nil {
		return err
	}
	o, err := parsePythonObject(from)
	if err != nil {
		return err
	}
	link := filepath.Join(cmp.Or(dir, a.pluginFolder()), skeletonFileName(name, ".py"))
	file := link
	if o.folder != "" {
		file = filepath.Join(o.folder, "bench_"+skeletonFileName(name, ".py"))
	} else if root, _, _ := strings.Cut(o.module, "."); strings.EqualFold(root+".py", filepath.Base(file)) {
		return usage("a plugin %s would hide the module %s from itself; choose another name", file, root)
	}
	for _, path := range []string{file, link} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return usage("%s is there already; choose another name or --dir", path)
		}
	}
	if err := writeWrapper(ctx, a, file, name, o); err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	return linkPlugin(a, link, file, name, dir != "")
}

// writeWrapper writes a plugin with guessed settings. It asks the plugin for its parameters and writes the guess into
// the file, for the user to see and change. If the plugin cannot be used, no file is left.
func writeWrapper(ctx context.Context, a *app, file, name string, o pythonObject) error {
	asked := func(grid, tasks string) (external.Description, error) {
		d, err := askWrapper(ctx, a, file, map[string]string{"Name": name, "Module": o.module, "Object": o.name,
			"Grid": grid, "Tasks": tasks})
		if err != nil {
			os.Remove(file)
		}
		return d, err
	}
	all, err := asked("", "")
	if err != nil {
		return err
	}
	guess := `"guess"`
	grid := guess
	if len(all.Grid) > 0 {
		grid = "" // the estimator's own grid
		a.say("The grid is %s.grid: %s", o.name, pythonGrid(all.Grid, all.Parameters))
	}
	d, err := asked(grid, guess)
	if err != nil {
		return err
	}
	tasks := ""
	if len(d.Tasks) < len(all.Tasks) {
		tasks = fmt.Sprintf(`["%s"]`, strings.Join(d.Tasks, `", "`))
		refused := slices.DeleteFunc(slices.Clone(all.Tasks), func(t string) bool {
			return slices.Contains(d.Tasks, t)
		})
		a.say("Its tasks are %s: a small fit for %s does not end in scores.", strings.Join(d.Tasks, ", "),
			strings.Join(refused, ", "))
	}
	if grid == guess {
		if grid = pythonGrid(d.Grid, d.Parameters); len(d.Grid) > 0 {
			a.say("The grid is guessed, from the defaults of the parameters: %s. Look at it in %s.", grid, file)
		} else {
			a.say("No number among the parameters of %s changes what it learns, so that its grid is a single point. "+
				"Write one into %s.", o.name, file)
		}
	}
	_, err = asked(grid, tasks)
	return err
}

// askWrapper writes a plugin from the template and asks the plugin what it is.
func askWrapper(ctx context.Context, a *app, file string, values map[string]string) (external.Description, error) {
	text, err := fillSkeleton(skeletonFile{file, "wrapper.py"}, values)
	if err == nil {
		err = writeSource(a, file, text)
	}
	if err == nil {
		err = a.mayStart(file)
	}
	if err != nil {
		return external.Description{}, err
	}
	p, err := external.Load(ctx, file, a.pluginOptions())
	if err != nil {
		return external.Description{}, usageError(err)
	}
	defer p.Close()
	return p.Describes(), nil
}

// linkPlugin makes a link by which every command finds a plugin, and says how to use the plugin.
func linkPlugin(a *app, link, file, name string, named bool) error {
	if link != file {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		folder, err1 := filepath.EvalSymlinks(filepath.Dir(link))
		folder, err2 := filepath.Abs(folder)
		full, err3 := filepath.Abs(file)
		to, err4 := filepath.Rel(folder, full)
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil {
				return err
			}
		}
		if err := os.Symlink(to, link); err != nil {
			return fmt.Errorf("%s was written, and no link to it can be made: %w; name the plugin by --plugin %s", file,
				err, file)
		}
		fmt.Fprintln(a.out, link)
		a.say("%s is the plugin, for you to change; %s is a link to it, by which every command finds it.", file, link)
	}
	a.err.printPlugin(link, name, named)
	return nil
}

// pythonGrid writes a grid as a Python dictionary. A parameter that takes real numbers has them with a point.
func pythonGrid(axes registry.Grid, parameters []registry.Parameter) string {
	whole := map[string]bool{}
	for _, p := range parameters {
		whole[p.Name] = p.Integer || p.Mixed
	}
	var out []string
	for _, axis := range axes {
		var values []string
		for _, v := range axis.Values {
			values = append(values, pythonValue(v, whole[axis.Name]))
		}
		out = append(out, fmt.Sprintf("%q: [%s]", axis.Name, strings.Join(values, ", ")))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func pythonValue(v any, whole bool) string {
	switch v {
	case nil:
		return "None"
	case true:
		return "True"
	case false:
		return "False"
	}
	if s, is := v.(string); is {
		return fmt.Sprintf("%q", s)
	}
	text := fmt.Sprint(v)
	if !whole && !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
