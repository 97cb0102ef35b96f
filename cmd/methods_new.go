package cmd

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed skeleton/method.go.tmpl
var methodSkeleton string

//go:embed skeleton/method_test.go.tmpl
var methodTestSkeleton string

//go:embed skeleton/main.go.tmpl
var mainSkeleton string

var methodName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// ourModule is the path of the module that a method in a checkout belongs to.
const ourModule = "github.com/kernelboosting/bench"

func newMethodsNewCommand(a *app) *cobra.Command {
	var dir, lang, from string
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write the skeleton of a new method, or make one of an estimator in Python",
		Long: `new writes a method that works (ridge regression on the labels, to be replaced by
yours) and says what to do with it. In a checkout of this repository it is a package
methods/NAME with its test; in a Go module of your own a package NAME, its test, and
a main.go if there is none. With --lang python, r or sh it is one file in plugins/
beside the database, where every command finds it; nothing needs to be installed but
the language. With --lang go-plugin the package has a program NAME/plugin beside it,
which serves it as a plugin. See docs/how-to/adding-a-method.md.

--from makes a method of an estimator that exists, in a Python file of yours or in an
installed module. It runs that file once, in the sandbox of plugins. Where the estimator
has no attribute grid, values around the defaults of its numbers are tried on small data,
and those that change what it learns are written as a grid, for you to look at.`,
		Example: `  bench methods new MyBoost                    in a Go module, this repository's or your own
  bench methods new MyBoost --lang python      plugins/myboost.py
  bench methods new RFBoost --from my.py:RFBoost
  bench methods new SVC --from sklearn.svm:SVC`,
		Args:        takes("NAME"),
		Annotations: notMethods,
		RunE: func(c *cobra.Command, args []string) error {
			if from != "" {
				return a.newFrom(c.Context(), args[0], from, dir)
			}
			switch lang {
			case "", "go":
				return a.newMethod(args[0], dir)
			case "go-plugin":
				return a.newGoPlugin(args[0], dir)
			}
			return a.newPlugin(args[0], lang, dir)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder to write to (default: see above)")
	c.Flags().StringVar(&lang, "lang", "go", "language: go, go-plugin, python, r or sh")
	_ = c.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions([]string{"go", "go-plugin", "python", "r", "sh"}, cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringVar(&from, "from", "", "estimator or class in Python that becomes the method: FILE.py:NAME or MODULE:NAME")
	c.MarkFlagsMutuallyExclusive("lang", "from")
	return c
}

// freeName refuses a name that no method can have or that a method already has.
func (a *app) freeName(name string) error {
	if !methodName.MatchString(name) {
		return usage("method name %q: use letters, digits, - and _, a letter first", name)
	}
	if s, err := a.reg.Lookup(name); err == nil {
		return usage("a method is named %s already (%s)", s.Name, s.Source)
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
		text, err := os.ReadFile(filepath.Join(full, "go.mod"))
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

func (a *app) newMethod(name, dir string) error {
	if err := a.freeName(name); err != nil {
		return err
	}
	pkg := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if token.IsKeyword(pkg) {
		return usage("method name %q: %s is a word of the Go language and cannot name a package", name, pkg)
	}
	module, err := moduleOf(cmp.Or(dir, "."))
	switch {
	case err != nil:
		return err
	case module.path == "" && dir == "":
		return usage("a method in Go belongs to a module and there is no go.mod here; run `go mod init example.com/mine` first, or use --lang python")
	case dir == "" && module.path == ourModule:
		dir = filepath.Join("methods", pkg)
	case dir == "":
		dir = pkg
	}
	if there, err := filepath.Glob(filepath.Join(dir, "*.go")); err != nil || len(there) > 0 {
		return usage("%s holds Go files already; choose another name or --dir", dir)
	}
	files := []skeletonFile{
		{filepath.Join(dir, pkg+".go"), methodSkeleton}, {filepath.Join(dir, pkg+"_test.go"), methodTestSkeleton},
	}
	main := filepath.Join(module.root, "main.go")
	imported, err := importPath(module, dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(main); module.path != "" && module.path != ourModule && errors.Is(err, fs.ErrNotExist) {
		if here, err := os.Getwd(); err == nil {
			if near, err := filepath.Rel(here, main); err == nil {
				main = near
			}
		}
		files = append(files, skeletonFile{main, mainSkeleton})
	}
	if err := a.writeSkeletons(files, map[string]string{"Name": name, "Package": pkg, "Import": imported}, 0o644); err != nil {
		return err
	}
	a.tellHowToRegister(pkg, dir, imported, module, len(files) == 3)
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

func (a *app) tellHowToRegister(pkg, dir, imported string, m goModule, mainWritten bool) {
	switch {
	case m.path == ourModule:
		fmt.Fprintf(a.err, "To register it, add two lines to methods/all.go, the import and the method:\n\t%q\n\t%s.Spec(),\n", imported, pkg)
	case !mainWritten:
		fmt.Fprintf(a.err, "To register it, import %q in your main and add it to the registry: methods.All().With(%s.Spec())\n", imported, pkg)
	}
	if m.path == "" {
		fmt.Fprintln(a.err, "There is no go.mod here: begin your module with `go mod init example.com/mine`.")
	}
	if m.path != ourModule && !m.knowsUs {
		fmt.Fprintf(a.err, "Where bench is, your module does not know yet. With a checkout of it in FOLDER:\n\tgo mod edit -replace %s=FOLDER\n\tgo mod tidy\n", ourModule)
	}
	path := filepath.ToSlash(dir)
	if !filepath.IsAbs(dir) {
		path = "./" + path
	}
	fmt.Fprintf(a.err, "Test it with: go test %s\n", path)
	if m.path != ourModule {
		fmt.Fprintln(a.err, "Run it with: go run . run --methods NAMES --datasets NAMES")
	}
}

// A skeletonFile is a file to be written from a template.
type skeletonFile struct{ path, text string }

// writeSkeletons writes all files or, if one cannot be made, none, and prints their names.
func (a *app) writeSkeletons(files []skeletonFile, values map[string]string, mode fs.FileMode) error {
	var texts [][]byte
	for _, f := range files {
		text, err := fillSkeleton(f, values)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	for i, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.path, texts[i], mode); err != nil {
			return err
		}
		fmt.Fprintln(a.out, f.path)
	}
	return nil
}

// fillSkeleton fills in a template, and formats it if it is Go.
func fillSkeleton(f skeletonFile, values map[string]string) ([]byte, error) {
	var filled bytes.Buffer
	if err := template.Must(template.New("skeleton").Parse(f.text)).Execute(&filled, values); err != nil {
		return nil, err
	}
	if filepath.Ext(f.path) != ".go" {
		return filled.Bytes(), nil
	}
	return format.Source(filled.Bytes())
}
