package cmd_test

import (
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// manyRows has 99,000 training rows, or three times as many, and few rows to test, so that what grows with the training rows
// decides. Several seeds repeat the refit and the test, so that the garbage of one repetition is there when the next one begins.
const manyRows = `splits = 1
datasets = ["linear-100000", "linear-300000"]

[semantics]
test_fraction = 0.01
folds = 0
method_seed = 1
method_seeds = 3
standardise = true

[methods]
CART     = { grid = [{ name = "max_depth", values = [2] }] }
KNN      = { grid = [{ name = "neighbours", values = [5] }] }
LDA      = { grid = [{ name = "shrinkage", values = [0.01] }] }
LGBM     = { params = { rounds = 20 }, grid = [{ name = "num_leaves", values = [15] }] }
Logistic = { grid = [{ name = "c", values = [1.0] }] }
EIGENPRO = { params = { landmarks = 500, epochs = 1 }, grid = [{ name = "gamma", values = [0.05] }] }
FALKON   = { params = { landmarks = 500, max_iter = 2 }, grid = [{ name = "gamma", values = [0.05] }] }
NYSTROEM = { params = { landmarks = 50 }, grid = [{ name = "gamma", values = [0.05] }] }
RKS      = { params = { features = 20 }, grid = [{ name = "sigma", values = [3.0] }] }
XGB      = { params = { rounds = 5 }, grid = [{ name = "max_depth", values = [4] }] }
`

var declaredBytes = regexp.MustCompile(`linear-[0-9]+: ([0-9.]+) MiB`)

// TestDeclaredMemoryIsEnough: an isolated cell whose --memory is what the plan declares is not ended for want of memory.
func TestDeclaredMemoryIsEnough(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	if runtime.GOOS != "linux" {
		t.Skip("cells are isolated on Linux only")
	}
	methods := []string{"CART", "EIGENPRO", "FALKON", "KNN", "LDA", "LGBM", "Logistic", "NYSTROEM", "RKS", "XGB"}
	p := newProcess(t)
	p.write(t, "many.toml", manyRows)
	run := func(method string, more ...string) (code int, said string) {
		set := "linear-100000"
		if method == "Logistic" {
			set = "linear-300000" // where copies of the rows once took more than the keeper allows
		}
		args := []string{"run", "--protocol", "many.toml", "--datasets", set, "--methods", method, "--max-cell", "0"}
		c := p.command(t, append(args, more...)...)
		return c.code(), c.said.String()
	}
	for _, method := range methods {
		_, said := run(method, "--memory", "1B")
		found := declaredBytes.FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("%s: no declared memory in %q", method, said)
		}
		mib := must.Get(strconv.ParseFloat(found[1], 64))(t)
		const room = 1 // MiB: the declared bytes are printed rounded
		given := fmt.Sprintf("%dMiB", int(math.Ceil(mib+room)))
		if code, said := run(method, "--isolate", "--memory", given); code != 0 {
			t.Errorf("%s declares %s MiB and ends with exit %d within %s: %s\n%s", method, found[1], code, given, p.errors(t), said)
		}
	}
}
