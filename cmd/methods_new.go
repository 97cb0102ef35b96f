package cmd

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"github.com/spf13/cobra"
)

//go:embed skeleton/*.tmpl
var skeletons embed.FS

var methodName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// ourModule is the path of the module that a method in a checkout belongs to.
const ourModule = "github.com/kernelboosting/bench"

func newMethodsNewCommand(a *app) *cobra.Command {
	var dir, lang, from string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the skeleton of a new method, or make one of an estimator in Python",
		Args:  takes("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			ending, oneFile := pluginEndings[lang]
			switch {
			case from != "":
				return runMethodsNewFrom(c.Context(), a, args[0], from, dir)
			case oneFile:
				return runMethodsNewPlugin(a, args[0], ending, dir)
			}
			return runMethodsNew(a, args[0], dir, lang == "go-plugin")
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder to write to (default as above)")
	oneOf(c, &lang, "lang", "go", "language: go, go-plugin, python, r or sh", "go", "go-plugin", "python", "r", "sh")
	c.Flags().StringVar(&from, "from", "", "an estimator or class in Python that becomes the method: FILE.py:NAME or "+
		"MODULE:NAME")
	beforehand(c, func() error {
		if from != "" && c.Flags().Changed("lang") {
			return usage("--from is an estimator or class in Python; leave out --lang")
		}
		return nil
	})
	permissionFlags(a, c)
	return c
}

func checkFreeName(a *app, name string) error {
	if !methodName.MatchString(name) {
		return usage("method name %q: use letters, digits, - and _, a letter first", name)
	}
	if err := wording.CheckName(name); err != nil {
		return usageError(err)
	}
	switch there, taken := a.reg.Taken(name); {
	case there.Name != "":
		return usage("a method is named %s already (%s)", there.Name, there.Source)
	case taken != "":
		return usage("method name %q: %s stands for several methods here; choose another", name, taken)
	}
	return nil
}

// isFree refuses a path at which there is something.
func isFree(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return usage("%s is there already; choose another name or --dir", path)
	case !errors.Is(err, fs.ErrNotExist):
		return usageError(err)
	}
	return nil
}

// isFreePlugin is isFree for a plugin of one file: files of all languages have a method of their name.
func isFreePlugin(path string) error {
	for _, ending := range pluginEndings {
		if err := isFree(strings.TrimSuffix(path, filepath.Ext(path)) + ending); err != nil {
			return err
		}
	}
	return nil
}

// A goModule is the module that a folder belongs to; the zero value means none.
type goModule struct {
	root, path string
	knowsUs    bool // its go.mod names our module
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// moduleOf finds the module of a folder, which need not exist yet.
func moduleOf(dir string) (goModule, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return goModule{}, err
	}
	for {
		text, err := files.Read(filepath.Join(full, "go.mod"), 1<<20)
		if m := moduleLine.FindSubmatch(text); m != nil {
			return goModule{root: full, path: string(m[1]), knowsUs: bytes.Contains(text, []byte(ourModule))}, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return goModule{}, err
		}
		if filepath.Dir(full) == full {
			return goModule{}, nil
		}
		full = filepath.Dir(full)
	}
}

// letters is a name without what a class or a package cannot have in its name.
func letters(name string) string { return strings.NewReplacer("-", "", "_", "").Replace(name) }

// runMethodsNew writes a package with a method and, if plugin is set, a program that serves it.
func runMethodsNew(a *app, name, dir string, plugin bool) error {
	if err := checkFreeName(a, name); err != nil {
		return err
	}
	pkg := letters(strings.ToLower(name))
	if token.IsKeyword(pkg) {
		return usage("method name %q: %s is a word of the Go language and cannot name a package", name, pkg)
	}
	if plugin {
		dir = cmp.Or(dir, pkg)
	}
	module, err := moduleOf(cmp.Or(dir, "."))
	switch {
	case err != nil:
		return err
	case module.path == "" && dir == "":
		return usage("a method in Go belongs to a module and there is no go.mod here; run `go mod init " +
			"example.com/mine` first, or use --lang python")
	case dir == "" && module.path == ourModule:
		dir = filepath.Join("methods", pkg)
	case dir == "":
		dir = pkg
	}
	if there, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(there) > 0 {
		return usage("%s holds Go files already; choose another name or --dir", dir)
	}
	files := []skeletonFile{{filepath.Join(dir, pkg+".go"), "method.go"}, {filepath.Join(dir, pkg+"_test.go"),
		"method_test.go"}}
	imported, err := importPath(module, dir)
	if err != nil {
		return err
	}
	main := filepath.Join(module.root, "main.go")
	_, err = os.Stat(main)
	needsMain := module.path != "" && module.path != ourModule && errors.Is(err, fs.ErrNotExist)
	if needsMain {
		files = append(files, skeletonFile{shortPath(main), "main.go"})
	}
	served := filepath.Join(dir, "plugin", "main.go")
	if plugin {
		files = append(files, skeletonFile{served, "served.go"})
	}
	values := map[string]string{"Name": name, "Package": pkg, "Import": imported}
	if err := writeSkeletons(a, files, values); err != nil {
		return err
	}
	a.err.printHowToRegister(pkg, dir, imported, module, needsMain)
	if plugin {
		a.say("As a plugin: go build -o %s ./%s", filepath.ToSlash(filepath.Join(a.pluginFolder(), name)),
			filepath.ToSlash(filepath.Dir(served)))
	}
	return nil
}

// importPath returns what names the package of a folder within its module.
func importPath(m goModule, dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil || m.path == "" {
		return "YOUR/MODULE/" + filepath.ToSlash(dir), err
	}
	below, err := filepath.Rel(m.root, full)
	if err != nil || below == "." {
		return m.path, err
	}
	return m.path + "/" + filepath.ToSlash(below), nil
}

func (m *messages) printHowToRegister(pkg, dir, imported string, module goModule, mainWritten bool) {
	switch {
	case module.path == ourModule:
		m.say("To register it, add two lines to methods/all.go, the import and the method:\n\t%q\n\t%s.Spec(),",
			imported, pkg)
	case !mainWritten:
		m.say("To register it, import %q in your main and add it to the registry: methods.All().With(%s.Spec())",
			imported, pkg)
	}
	if module.path == "" {
		m.say("There is no go.mod here: begin your module with `go mod init example.com/mine`.")
	}
	if module.path != ourModule && !module.knowsUs {
		m.say("Where bench is, your module does not know yet. With a checkout of it in FOLDER:\n\tgo mod edit "+
			"-replace %s=FOLDER\n\tgo mod tidy", ourModule)
	}
	path := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) {
		path = "./" + path
	}
	m.say("Test it with: go test %s", path)
	if module.path != ourModule {
		m.say("Run it with: go run . run --methods NAMES --datasets NAMES")
	}
}

// A skeletonFile is a file to be written from a template of the folder skeleton.
type skeletonFile struct{ path, template string }

// writeSkeletons writes files or, if a template cannot be filled in, none, and prints their names.
func writeSkeletons(a *app, files []skeletonFile, values map[string]string) error {
	var texts [][]byte
	for _, f := range files {
		text, err := fillSkeleton(f, values)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	for i, f := range files {
		if err := writeSource(a, f.path, texts[i]); err != nil {
			return err
		}
		fmt.Fprintln(a.out, f.path)
	}
	return nil
}

func writeSource(a *app, path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return a.write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// fillSkeleton fills in a template, and formats it if it is Go.
func fillSkeleton(f skeletonFile, values map[string]string) ([]byte, error) {
	var filled bytes.Buffer
	t, err := template.ParseFS(skeletons, "skeleton/"+f.template+".tmpl")
	if err == nil {
		err = t.Execute(&filled, values)
	}
	if err != nil || filepath.Ext(f.path) != ".go" {
		return filled.Bytes(), err
	}
	return format.Source(filled.Bytes())
}

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
	if err := isFree(file); err != nil {
		return err
	}
	if err := isFreePlugin(link); err != nil {
		return err
	}
	ctx, stop := a.untilSignal(ctx)
	defer stop()
	tasks, err := writeWrapper(ctx, a, file, name, o)
	if ctx.Err() != nil {
		return exitError{exitInterrupted, errors.New("interrupted; no file is written")}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	if err := linkPlugin(a, link, file); err != nil {
		return err
	}
	a.printPlugin(link, name, tasks, dir != "")
	return nil
}

// writeWrapper writes a plugin with guessed settings. It asks the plugin for its parameters and writes the guess into
// the file, for the user to see and change, and returns the tasks of the plugin. If the plugin cannot be used, no file
// is left.
func writeWrapper(ctx context.Context, a *app, file, name string, o pythonObject) ([]string, error) {
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
		return nil, err
	}
	guess := `"guess"`
	grid := guess
	if len(all.Grid) > 0 {
		grid = "" // the estimator's own grid
		a.say("The grid is %s.grid: %s", o.name, pythonGrid(all.Grid, all.Parameters))
	}
	d, err := asked(grid, guess)
	if err != nil {
		return nil, err
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
			a.say("On a small set no number among the parameters of %s was seen to change what it learns, so that its "+
				"grid is a single point. Write one into %s.", o.name, file)
		}
	}
	d, err = asked(grid, tasks)
	return d.Tasks, err
}

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

// linkPlugin makes a link by which every command finds a plugin.
func linkPlugin(a *app, link, file string) error {
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
		a.say("%s is the plugin, for you to change; %s is a link to it.", file, link)
	}
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
