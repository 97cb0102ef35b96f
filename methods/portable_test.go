package methods_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "rewrite the hashes of scores and counts")

// shapes are the rows and features of the data. Of slow methods the first alone is compared where not make thorough or
// make portable asks for all, and by -short, for emulated processors.
var (
	shapes = [][2]int{{61, 5}, {100, 13}, {45, 40}}
	slow   = strings.Fields("EERF GBRFF GBRFF-random GMKL KRR-GD LKRF RFF-MKL RFF-MKL-JOINT RFF-SKL RFF-SQL-MKL " +
		"RFF-SQL-MKL-JOINT RFRBoost RFRBoost-greedy RKS")
)

// TestScoresAreTheSameBits fits each method at points of its whole grid and compares a hash of all scores with
// the one in the file, whose lines are method, version, task, shape, hash. The processor and the build must not matter.
func TestScoresAreTheSameBits(t *testing.T) {
	if testenv.Race {
		t.Skip("slow under the race detector; make test runs it without")
	}
	type fit struct {
		spec registry.Spec
		task registry.Task
		n, d int
	}
	var fits []fit
	for _, spec := range methods.All().All() {
		for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
			if spec.Tasks&task == 0 {
				continue
			}
			for i, shape := range shapes {
				if i == 0 || !part(t) || !slices.Contains(slow, spec.Name) {
					fits = append(fits, fit{spec, task, shape[0], shape[1]})
				}
			}
		}
	}
	lines := make([]string, len(fits))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range fits {
		group.Go(func() error {
			hash, err := scoresHash(t.Context(), f.spec, f.task, f.n, f.d)
			lines[i] = fmt.Sprintf("%s %s %s %dx%d %016x", f.spec.Name, f.spec.Version, f.task, f.n, f.d, hash)
			return err
		})
	}
	must.Do(t, group.Wait())
	comparePinned(t, "testdata/scores.txt", lines, !part(t))
}

// part reports whether a part is compared: slow methods on one of the shapes, counts on one of the sets.
func part(t *testing.T) bool { return testing.Short() || !testenv.Thorough(t) && !*update }

// comparePinned compares with the lines of a file, which -update writes; without all there may be more in the file.
func comparePinned(t *testing.T, file string, lines []string, all bool) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	raw := must.Get(os.ReadFile(file))(t)
	want := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		want[strings.TrimSpace(line)] = true
	}
	for _, line := range lines {
		if !want[line] {
			t.Errorf("%q is not in %s. If a method is meant to give other numbers, raise its version and run this "+
				"test with -update", line, file)
		}
	}
	if all && len(want) != len(lines) {
		t.Errorf("%s holds %d lines for %d here; run this test with -update", file, len(want), len(lines))
	}
}

// scoresHash is of the scores of models with settings spread over spec's grid, for n rows of d features.
func scoresHash(ctx context.Context, spec registry.Spec, task registry.Task, n, d int) (uint64, error) {
	const seed = 1
	settings := 6
	switch {
	case strings.HasSuffix(spec.Name, "-MKL") || strings.HasSuffix(spec.Name, "-JOINT"):
		settings = 1 // the group lasso takes seconds a fit in builds without vector kernels
	case spec.Name == "RFF-SKL" || spec.Name == "KRR-GD" || spec.Name == "GBRFF":
		settings = 2
	}
	hash := fnv.New64a()
	env := registry.Env{Seed: seed, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	train, test := noisy(task, n, d, 1), noisy(task, 100, d, 2)
	all, err := spec.Settings(train.Shape(), spec.DefaultGrid(), nil)
	if err != nil {
		return 0, err
	}
	step := max(1, len(all)/settings)
	for i := step / 2; i < len(all); i += step {
		model, err := spec.Fit(ctx, env, train, all[i])
		if err != nil {
			fmt.Fprintln(hash, "no model") // its words may hold a number
			continue
		}
		scores := make([]float64, len(test.Y)*train.Shape().Outputs())
		if err := model.Score(ctx, test.X, scores); err != nil {
			return 0, fmt.Errorf("%s %s: %w", spec.Name, all[i], err)
		}
		if err := binary.Write(hash, binary.LittleEndian, scores); err != nil {
			return 0, err
		}
	}
	return hash.Sum64(), nil
}

// noisy returns n rows of d normals and a target that bends with the first three. Conversions keep the compiler from
// fusing products and sums.
func noisy(task registry.Task, n, d int, seed uint32) registry.Data {
	draws := rng.New(seed)
	data := registry.Data{Task: task, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range n {
		x := data.X.RawRowView(i)
		value := float64(x[0]*x[1]) + float64(0.5*x[2]) + float64(0.5*draws.Norm())
		switch task {
		case registry.Binary:
			data.Classes, data.Y[i] = 2, -1
			if value > 0.2 {
				data.Y[i] = 1
			}
		case registry.Multiclass:
			data.Classes = 3
			switch {
			case value > 0.5:
				data.Y[i] = 2
			case value > -0.4:
				data.Y[i] = 1
			}
		default:
			data.Y[i] = value
		}
	}
	return data
}
