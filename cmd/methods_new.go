package cmd

import (
	"bytes"
	"cmp"
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
	"strings"
	"text/template"

	"github.com/kernelboosting/bench/internal/system/files"
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
	c.MarkFlagsMutuallyExclusive("lang", "from")
	permissionFlags(a, c)
	return c
}

// checkFreeName refuses a name that no method can have or that a method already has.
func checkFreeName(a *app, name string) error {
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
