package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// ownEstimator is an estimator of two classes in the manner of scikit-learn, whose `rounds` changes nothing.
const ownEstimator = `import numpy as np
from helper import gram

print("at import")

class Ridge:
    def __init__(self, penalty=1.0, rounds=10, verbose=1):
        self.penalty, self.rounds, self.verbose = penalty, rounds, verbose
    def get_params(self, deep=True):
        return {"penalty": self.penalty, "rounds": self.rounds, "verbose": self.verbose}
    def set_params(self, **given):
        vars(self).update(given)
        return self
    def fit(self, X, y):
        self.w = np.linalg.solve(gram(X) + self.penalty * np.eye(X.shape[1]), X.T @ (2 * y - 1))
    def decision_function(self, X):
        return X @ self.w
`

// TestMethodFromEstimator: a command makes a method of an estimator that stands in a user's file. The other commands find this method, check it
// and run it. The command guesses the method's grid and tasks, and says so. A change of a file that the estimator's file imports changes the
// method's version.
func TestMethodFromEstimator(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	python := testenv.Python(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bench := func(good bool, args ...string) string {
		t.Helper()
		c := exec.Command("bench", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "BENCH_PYTHON="+python, "BENCH_DATA="+filepath.Join(dir, "data"), "BENCH_PLUGINS=", "BENCH_KNOWN_PLUGINS="+filepath.Join(dir, "known"))
		out, err := c.CombinedOutput()
		if (err == nil) != good {
			t.Fatalf("bench %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	contains := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in\n%s", part, text)
			}
		}
	}
	write("my.py", ownEstimator)
	write("helper.py", "def gram(X):\n    return X.T @ X\n")

	contains(bench(true, "methods", "new", "Mine", "--from", "my.py:Ridge"),
		"Its tasks are binary: a small fit for multiclass does not end in scores.", `The grid is guessed, from the defaults of the parameters: {"penalty": [0.1, 1.0, 10.0]}`)
	bench(true, "methods", "check", "Mine", "--timeout", "1h")
	contains(bench(true, "run", "--methods", "Mine,CART", "--datasets", "swiss", "--splits", "1", "--keep", "none"), "complete 2/2")
	contains(bench(true, "query", "SELECT DISTINCT point FROM evaluations WHERE method = 'Mine' ORDER BY point"), `{"penalty":0.1}`, `{"penalty":1}`, `{"penalty":10}`)
	imported := exec.Command(python, "-c", "import bench_mine")
	imported.Dir = dir
	if out, err := imported.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("an import of the plugin does something: %v\n%s", err, out)
	}
	write("helper.py", "def gram(X):\n    return X.T @ X * 1\n")
	contains(bench(true, "run", "--methods", "Mine", "--datasets", "swiss", "--splits", "1", "--keep", "none"), "0 stored already")

	if testenv.Thorough(t) { // an estimator is fitted some dozen times for its tasks
		write("my.py", strings.Replace(ownEstimator, "class Ridge:", "class Ridge:\n    grid = {'penalty': [3.0]}", 1))
		contains(bench(true, "methods", "new", "Own", "--from", "my.py:Ridge"), `The grid is Ridge.grid: {"penalty": [3.0]}`)
		contains(bench(true, "methods", "new", "skKNN", "--from", "sklearn.neighbors:KNeighborsClassifier"), `"n_neighbors": [2, 5, 10]`)
	}

	contains(bench(false, "methods", "new", "Other", "--from", "my.py:Rigde"), "cannot import name 'Rigde'")
	contains(bench(false, "methods", "new", "Other", "--from", "none.py:Ridge"), "none.py")
	contains(bench(false, "methods", "new", "Other", "--from", "my.py"), "FILE.py:NAME or MODULE:NAME")
	contains(bench(false, "methods", "new", "sklearn", "--from", "sklearn.svm:SVC"), "hide the module sklearn")
	contains(bench(false, "methods", "new", "Mine", "--from", "my.py:Ridge"), "is there already")
	if left, err := filepath.Glob(filepath.Join(dir, "*other*")); err != nil || left != nil {
		t.Errorf("files are left of what failed: %v", left)
	}
}
