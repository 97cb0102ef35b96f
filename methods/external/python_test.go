package external_test

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/external"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// python returns testenv.Python, and skips under the race detector.
func python(t testing.TB) string {
	t.Helper()
	testenv.NotUnderRace(t)
	return testenv.Python(t)
}

func example(t testing.TB, name string) *external.Plugin {
	return load(t, filepath.Join("python", "examples", name), external.Options{Python: python(t)})
}

// TestExamplesConform: three shipped plugins, real libraries among them, pass what every method passes.
func TestExamplesConform(t *testing.T) {
	examples := []string{"svc.py", "xgboost_plugin.py", "stumpboost.py"}
	if !testenv.Thorough(t) {
		examples = []string{"stumpboost.py"}
	}
	for _, name := range examples {
		t.Run(name, func(t *testing.T) { conform.Run(t, example(t, name).Spec()) })
	}
}

// TestExamplesLearn: the other shipped plugins, a few lines around an estimator each, learn within the sandbox what is
// easy, for each of their tasks. Scoring with kNN asks threadpoolctl for the libraries of the process.
func TestExamplesLearn(t *testing.T) {
	if !testenv.Thorough(t) {
		t.Skip("make thorough runs it")
	}
	for _, name := range []string{"logistic.py", "knn.py", "nystroem.py", "forest.py", "histgb.py",
		"lightgbm_plugin.py", "mlp.py", "ebm.py", "catboost_plugin.py", "chimeraboost_plugin.py",
		"perpetual_plugin.py"} {
		options := external.Options{Python: python(t)}
		if name == "catboost_plugin.py" {
			options.AllowRead = []string{"/proc"} // as its first lines say
		}
		s := load(t, filepath.Join("python", "examples", name), options).Spec()
		for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
			if s.Tasks&task == 0 {
				continue
			}
			d := toydata.Easy(task, 100, 3, 1)
			m, err := s.Fit(t.Context(), registry.Env{Seed: 1}, d, nil)
			if err != nil {
				t.Errorf("%s, %s: %v", name, task, err)
				continue
			}
			scores := make([]float64, 100*d.Shape().Outputs())
			if err := m.Score(t.Context(), d.X, scores); err != nil {
				t.Errorf("%s, %s: %v", name, task, err)
			} else if good := toydata.Goodness(d, scores); good < 0.8 {
				t.Errorf("%s, %s: right %.2f", name, task, good)
			}
		}
	}
}

// TestWeightsFromAFile: the plugins of networks that were trained before take their weights, here random numbers, from
// a file beside them, which counts for their version. Without the file they say so.
func TestWeightsFromAFile(t *testing.T) {
	interpreter := python(t)
	for _, name := range []string{"tabicl", "tabpfn"} {
		t.Run(name, func(t *testing.T) {
			if exec.Command(interpreter, "-c", "import "+name).Run() != nil {
				t.Skipf("%s has no %s", interpreter, name)
			}
			dir := t.TempDir()
			file, weights := filepath.Join(dir, "mine.py"), filepath.Join(dir, name+".ckpt")
			plugin := must.Get(os.ReadFile(filepath.Join("python", "examples", name+"_plugin.py")))(t)
			must.Do(t, os.WriteFile(file, plugin, 0o644))
			options, versions := external.Options{Python: interpreter}, map[string]bool{}
			must.Say(t, must.Err(external.Load(t.Context(), file, options)), name+".ckpt")
			for _, seed := range []string{"1", "2"} {
				must.Get(exec.Command(interpreter, "testdata/weights.py", name, weights, seed).Output())(t)
				s := load(t, file, options).Spec()
				versions[s.Version] = true
				fitAndScore(t, t.Context(), s, sample(20, 2), "{}")
			}
			must.Be(t, len(versions), 2, "versions")
		})
	}
}

// script loads a plugin in Python with the given text.
func script(t *testing.T, text string) (*external.Plugin, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.py")
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	p, err := external.Load(t.Context(), file, external.Options{Python: python(t)})
	if err == nil {
		t.Cleanup(p.Close)
	}
	return p, err
}

//go:embed testdata/loud.py
var loud string

// TestPrintsDoNoHarm: what a method prints, from C and from a process that it starts too, is not in the way, and its
// input is not that of the protocol. Nor are modules that were made, and come from no file.
func TestPrintsDoNoHarm(t *testing.T) {
	p := must.Get(script(t, loud))(t)
	fitAndScore(t, t.Context(), p.Spec(), sample(10, 2), "{}")
}

//go:embed testdata/pooled.py
var pooled string

// TestProcessesOfPython: a method may have processes of its own, which import the script again, and talk to them by
// pipes. Pools need semaphores that all programs share, which are refused with what to do.
func TestProcessesOfPython(t *testing.T) {
	p := must.Get(script(t, pooled))(t)
	d := sample(10, 2)
	for i, v := range fitAndScore(t, t.Context(), p.Spec(), d, "{}") {
		must.Be(t, v, 6*d.X.At(i, 0), "score", i)
	}
	for pool, want := range []string{1: "use threads, or Process with Pipe", 2: "(the sandbox: locks, pools and",
		3: "(the sandbox: locks, pools and", 4: "(the sandbox: locks, pools and",
		5: "; a plugin reads its own"} {
		if pool > 0 {
			must.Say(t, must.Err(p.Spec().Fit(t.Context(), env, d, fmt.Appendf(nil, `{"pool":%d}`, pool))), want)
		}
	}
}

//go:embed testdata/strict.py
var strict string

// TestErrorsOfPython: an exception is an error with its end of the trace, and the process lives on.
func TestErrorsOfPython(t *testing.T) {
	p := must.Get(script(t, strict))(t)
	for setting, want := range map[string]string{
		`{"c": -1}`: "ValueError: c = -1.0 is negative", `{"c": 9}`: "SystemExit: too much",
		`{"c": 0}`: "scores of the shape (10, 2) for 10 rows",
	} {
		m, err := p.Spec().Fit(t.Context(), env, sample(10, 2), []byte(setting))
		if err == nil {
			err = m.Score(t.Context(), sample(10, 2).X, make([]float64, 10))
		}
		if err == nil || !strings.Contains(err.Error(), want) || setting == `{"c": -1}` &&
			!strings.Contains(err.Error(), "mine.py") {
			t.Errorf("%s: %v", setting, err)
		}
	}
	fitAndScore(t, t.Context(), p.Spec(), sample(10, 2), "{}")
	must.Be(t, len(p.Processes()), 1)
}

// TestEstimatorsDecide: the counts of 40 estimators and more are those of their own predict, whatever the order and the
// type of their labels, and what is none of the labels is an error. The wrappers of the table need NumPy alone; the
// estimators of scikit-learn are tried where BENCH_PEERS names a Python that has it.
func TestEstimatorsDecide(t *testing.T) {
	interpreter, args := os.Getenv("BENCH_PEERS"), []string{"testdata/estimators.py", "sklearn"}
	want := "103 estimators\n"
	if interpreter == "" {
		interpreter, args, want = "python3", args[:1], "52 estimators\n"
		if exec.Command(interpreter, "-c", "import numpy").Run() != nil {
			interpreter = testenv.Python(t)
		}
	}
	c := exec.Command(interpreter, args...)
	c.Env = append(os.Environ(), "PYTHONPATH=python", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	out, err := c.CombinedOutput()
	must.Do(t, err)
	must.Be(t, string(out), want)
}

// TestRefusedPython: mistakes of a script are said when it is loaded.
func TestRefusedPython(t *testing.T) {
	const own = "from benchplugin import serve\nclass Own:\n  def __init__(self, C=1.0): self.C = C\n  def fit(self, " +
		"X, y): return self\n  def decision_function(self, X): return X[:, 0]\n"
	for text, want := range map[string]string{
		"import nothing_of_the_kind": "No module named 'nothing_of_the_kind'",
		"from benchplugin import serve\nfrom sklearn.svm import SVC\nserve(SVC(), grid={'CC': [1]})": "" +
			"the method has no parameter CC",
		"from benchplugin import serve\nserve(3)": "int has no fit, so that it is no method",
		"from benchplugin import serve\nfrom sklearn.preprocessing import StandardScaler\nserve(StandardScaler())": "" +
			"StandardScaler has no predict, so that it is no method",
		own + "serve(Own, grid={'C': []})":             "the grid of C is empty",
		own + "serve(Own, grid={'C': 'rbf'})":          "the grid of C is 'rbf'; write a list of values",
		own + "serve(Own, grid={'C': 1})":              "the grid of C is 1; write a list of values",
		own + "serve(Own, grid=[{'C': [1]}])":          "write a dictionary: a list of values for each parameter",
		own + "serve(Own, grid={'D': [1]})":            "the constructor has no parameter D",
		own + "serve(Own, defaults={'C': (50,)})":      "the default (50,) of C is not a number, a string",
		own + "serve(Own, grid={'C': [float('nan')]})": "is not finite",
		own + "serve(Own, grid={'C': [[1]]})":          "not a number, a string",
	} {
		if _, err := script(t, text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line with %q", text, err, want)
		}
	}
}

// TestRealsStayReal: where a parameter takes numbers and texts, 1.0 reaches the method as a real number, since to some
// methods 1 means something else (max_features of scikit-learn's forests).
func TestRealsStayReal(t *testing.T) {
	p := must.Get(script(t, "from benchplugin import serve\nclass Own:\n  def __init__(self, part='all', n=None): "+
		"self.kinds = 10 * isinstance(part, float) + isinstance(n, float)\n  def fit(self, X, y): return self\n  def "+
		"decision_function(self, X): return 0 * X[:, 0] + self.kinds\n"+
		"serve(Own, grid={'part': [0.5, 1.0], 'n': [None, 1]})"))(t)
	must.Be(t, fitAndScore(t, t.Context(), p.Spec(), sample(10, 2), `{"part": 1, "n": 1}`)[0], 10.0, "real, integer")
}

// TestImportedFilesCount: what a script imports from beside itself is part of its version.
func TestImportedFilesCount(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("mine.py", "from benchplugin import serve\nimport helper\nserve(helper.Method)\n")
	write("helper.py", "class Method:\n    def fit(self, X, y): pass\n    def decision_function(self, X): return "+
		"X[:, 0]\n")
	p := load(t, filepath.Join(dir, "mine.py"), external.Options{Python: python(t)})
	d := p.Describes()
	if len(d.Files) != 1 || d.Files[0] != "helper.py" {
		t.Errorf("%v", d.Files)
	}
	first := p.Spec().Version
	write("helper.py", "class Method:\n    def fit(self, X, y): pass\n    def decision_function(self, X): return "+
		"-X[:, 0]\n")
	if second := load(t, filepath.Join(dir, "mine.py"),
		external.Options{Python: python(t)}).Spec().Version; second == first {
		t.Errorf("version %s after a change of helper.py", second)
	}
}

// TestNeighboursHideNoModule: plugins that are named as modules of Python or of a library hide these neither from the
// plugins beside them nor from themselves, and a script's own modules are still found, also by way of a link.
func TestNeighboursHideNoModule(t *testing.T) {
	dir, linked := t.TempDir(), t.TempDir()
	const text = "import json, locale, random, numpy.linalg\nimport helper\nfrom benchplugin import serve\n" +
		"locale.getlocale, json.loads, random.random\nassert __name__ == '__main__'\nserve(helper.Method, name=%q)\n"
	const method = "class Method:\n    def fit(self, X, y): pass\n    def decision_function(self, X): return X[:, 0]\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "helper.py"), []byte(method), 0o644))
	for _, name := range []string{"json", "locale", "random", "numpy", "mine"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name+".py"), fmt.Appendf(nil, text, "M"+name), 0o644))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "run.py"),
		fmt.Appendf([]byte("#!"+python(t)+" -u\n"), text, "Mrun"), 0o755))
	must.Do(t, os.Symlink(filepath.Join(dir, "mine.py"), filepath.Join(linked, "json.py")))
	for _, file := range []string{dir + "/json.py", dir + "/numpy.py", dir + "/mine.py", dir + "/run.py",
		linked + "/json.py"} {
		o := external.Options{Python: python(t)}
		if strings.HasSuffix(file, "run.py") {
			o.Python = ""
		}
		if strings.HasPrefix(file, linked) {
			o.AllowRead = []string{dir}
		}
		p := load(t, file, o)
		fitAndScore(t, t.Context(), p.Spec(), sample(10, 2), "{}")
		must.Be(t, len(p.Describes().Libraries) > 1, true, "numpy counts", p.Describes().Libraries)
	}
}

// TestDeclaredLibraries: the version of a method names the libraries that it declares, or else those that its own files
// import themselves, wherever in them. What these import in turn, Python's modules and what is not there do not count.
func TestDeclaredLibraries(t *testing.T) {
	const serve = "from benchplugin import serve\nclass Own:\n    def fit(self, X, y): return self\n    def " +
		"decision_function(self, X): return X[:, 0]\n"
	interpreter := python(t)
	for _, c := range []struct {
		name, script string
		want         []string // names of libraries
		fault        string
	}{
		{name: "of its own", script: serve + "serve(Own)", want: []string{"benchplugin"}},
		{name: "imported", script: serve + "import numpy.linalg, json, os.path\nfrom math import pi\nserve(Own)",
			want: []string{"benchplugin", "numpy"}},
		{name: "by what it imports", script: serve + "from sklearn import svm\nserve(Own)",
			want: []string{"benchplugin", "sklearn"}},
		{name: "in a function", script: serve +
			"def later():\n    import scipy.special\ntry:\n    import no_such_library\nexcept ImportError:\n    " +
			"pass\nserve(Own)", want: []string{"benchplugin", "scipy"}},
		{name: "not loaded, under another name", script: serve + "def later():\n    import sklearn.svm\nserve(Own)",
			want: []string{"benchplugin", "sklearn"}},
		{name: "beside it", script: serve + "import helper, helped.part\nserve(Own)",
			want: []string{"benchplugin", "joblib", "scipy"}},
		{name: "declared", script: serve + "import numpy\nserve(Own, libraries=['scikit-learn', 'scipy'])",
			want: []string{"benchplugin", "scikit-learn", "scipy"}},
		{name: "none", script: serve + "import numpy\nserve(Own, libraries=[])", want: []string{"benchplugin"}},
		{name: "absent", script: serve + "serve(Own, libraries=['no-such-library'])",
			fault: "the version of 'no-such-library' is not known here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"mine.py": c.script, "helper.py": "import joblib",
				"helped/__init__.py": "", "helped/part.py": "from . import other",
				"helped/other.py": "from scipy import special"} {
				must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			p, err := external.Load(t.Context(), filepath.Join(dir, "mine.py"), external.Options{Python: interpreter})
			if err == nil {
				t.Cleanup(p.Close)
			}
			if c.fault != "" {
				must.Say(t, err, c.fault)
				return
			}
			must.Do(t, err)
			_, named := registry.Libraries(p.Spec().Version)
			must.Be(t, slices.Sorted(maps.Keys(named)), c.want, "version", p.Spec().Version)
			for name, version := range named {
				if name != "benchplugin" && version != installed(t, name) {
					t.Errorf("%s %s; pip says %s", name, version, installed(t, name))
				}
			}
		})
	}
}

// installed asks Python for the version of a package that pip installed.
func installed(t *testing.T, name string) string {
	if name == "sklearn" {
		name = "scikit-learn"
	}
	out, err := exec.Command(python(t), "-c",
		"import sys; from importlib.metadata import version; print(version(sys.argv[1]), end='')", name).Output()
	must.Do(t, err)
	return string(out)
}

// TestInstalls: the package is one that pip installs, with NumPy alone.
func TestInstalls(t *testing.T) {
	testenv.OnlyThorough(t)
	interpreter := python(t)
	into := t.TempDir()
	source := filepath.Join(t.TempDir(), "python") // pip builds in the folder
	must.Do(t, os.CopyFS(source, os.DirFS("python")))
	c := exec.Command(interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input",
		"--no-deps", "--target", into, source)
	if out, err := c.CombinedOutput(); err != nil {
		if os.Getenv("CI") != "true" && strings.Contains(string(out), "No matching distribution found for setuptools") {
			t.Skip("pip cannot reach the package index to get setuptools")
		}
		t.Fatalf("%v\n%s", err, out)
	}
	c = exec.Command(interpreter, "-c", "import benchplugin; print(benchplugin.__file__, benchplugin.__version__)")
	c.Env = append(os.Environ(), "PYTHONPATH="+into)
	if out, err := c.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), into) ||
		!strings.HasSuffix(string(out), " 1.1\n") {
		t.Errorf("%v %s", err, out)
	}
}
