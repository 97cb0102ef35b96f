package externaltrees

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// A madeCase is files of one model, and what the library that wrote them says of the rows of a set: the sums of trees,
// predictions, and classes. Or the files are refused for a reason.
type madeCase struct {
	Name, Set, Task, Refused string
	Files, Columns           []string
	Margins, Predictions     []float64
	Labels                   []int
	sets                     map[string][][]*float64
	library                  string
}

// TestFilesOfLibraries reads the model files of three versions of each library that scripts/oracle/model_files.py made.
func TestFilesOfLibraries(t *testing.T) {
	packed := must.Get(os.Open("testdata/models.tar.gz"))(t)
	defer packed.Close()
	count := map[string]int{}
	testMade(t, must.Get(gzip.NewReader(packed))(t), count)
	if len(count) != 6 || count["lightgbm-3.3.5"] < 200 || count["xgboost-1.7.6"] < 200 {
		t.Errorf("there are cases of %v", count)
	}
}

// TestFilesMadeAnew makes the files anew and reads them, with the libraries of each interpreter that BENCH_MODELS
// names, with colons between them, else with those of BENCH_PEERS.
func TestFilesMadeAnew(t *testing.T) {
	testenv.OnlyThorough(t)
	pythons := cmp.Or(os.Getenv("BENCH_MODELS"), os.Getenv("BENCH_PEERS"))
	if pythons == "" {
		t.Skip("BENCH_MODELS and BENCH_PEERS are not set: no Python with LightGBM, XGBoost and pandas")
	}
	for python := range strings.SplitSeq(pythons, ":") {
		c := exec.CommandContext(t.Context(), python, "-W", "ignore", "../../scripts/oracle/model_files.py")
		c.Stderr = os.Stderr
		count := map[string]int{}
		testMade(t, bytes.NewReader(must.Get(c.Output())(t)), count)
		if len(count) == 0 {
			t.Errorf("%s has neither LightGBM nor XGBoost", python)
		}
		t.Logf("%s: cases %v", python, count)
	}
}

// testMade tests the cases of an archive, and counts those of each library.
func testMade(t *testing.T, archive io.Reader, count map[string]int) {
	t.Helper()
	files, cases := map[string][]byte{}, []madeCase(nil)
	for in := tar.NewReader(archive); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.Do(t, err)
		files[head.Name] = must.Get(io.ReadAll(in))(t)
		if path.Base(head.Name) == "cases.json" {
			var library struct {
				Sets  map[string][][]*float64
				Cases []madeCase
			}
			must.Do(t, json.Unmarshal(files[head.Name], &library))
			for _, c := range library.Cases {
				c.sets, c.library = library.Sets, path.Dir(head.Name)
				cases = append(cases, c)
			}
		}
	}
	for _, c := range cases {
		count[c.library]++
		for _, name := range c.Files {
			file := files[c.library+"/"+name]
			if len(file) == 0 {
				t.Fatalf("%s: no file %s", c.library, name)
			}
			if c.Refused != "" {
				c.testRefused(t, name, file)
			} else {
				c.testScores(t, name, file)
			}
		}
	}
}

// testRefused: the file is refused when it is read, or when its features are looked for.
func (c madeCase) testRefused(t *testing.T, name string, file []byte) {
	t.Helper()
	m, err := Read(file, 1<<26)
	if err == nil {
		shape := registry.Shape{N: 1, D: m.features, Task: m.objective.tasks[0], Classes: max(2, m.groups)}
		_, err = m.Match(shape, strings.Fields("a b c k m"))
	}
	if err == nil || !strings.Contains(err.Error(), c.Refused) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s %s: error %v, want %q", c.library, name, err, c.Refused)
	}
}

// testScores compares the sums, the scores and the classes with those of the library. XGBoost's sums are equal: they
// are taken in single precision and in its order. Its predictions come from functions in single precision, within 4e-7
// of these here. LightGBM adds in double precision and in the order of the trees, as leaves does; leaves divides each
// tree by their number for an average, and LightGBM the sum.
func (c madeCase) testScores(t *testing.T, name string, file []byte) {
	t.Helper()
	tolerance, ofPredictions := 0.0, 4e-7
	if strings.HasPrefix(c.library, "lightgbm") {
		tolerance, ofPredictions = 1e-14, 1e-14
	}
	m, err := Read(file, 1<<26)
	if err != nil {
		t.Errorf("%s %s: %v", c.library, name, err)
		return
	}
	x := matrixOf(c.sets[c.Set])
	n, d := x.Dims()
	groups := len(c.Margins) / n
	columns := c.Columns
	if columns == nil {
		columns = strings.Fields("v w x y z")
	}
	task := tasks[c.Task]
	if _, err = m.Match(registry.Shape{N: n, D: d, Task: task, Classes: max(2, groups)}, columns); err != nil {
		t.Errorf("%s %s: %v", c.library, name, err)
		return
	}
	scores, err := m.Scores(x)
	if err != nil || len(scores) != len(c.Margins) {
		t.Errorf("%s %s: %d scores of %d, error %v", c.library, name, len(scores), len(c.Margins), err)
		return
	}
	want, within := c.Margins, tolerance
	if task == registry.Regression {
		want, within = c.Predictions, ofPredictions
		m.objective.link = plain
		for i, sum := range must.Get(m.Scores(x))(t) {
			c.near(t, name, "sum", i, sum, c.Margins[i], tolerance)
		}
	}
	for i, s := range scores {
		if task != registry.Binary || want[i] != 0 || s >= 0 { // a sum of 0 is of the first class
			c.near(t, name, "score", i, s, want[i], within)
		}
	}
	for i, label := range c.Labels {
		of := scores[i*groups : (i+1)*groups]
		got := slices.Index(of, slices.Max(of))
		if groups == 1 && of[0] >= 0 {
			got = 1
		}
		must.Be(t, got, label, c.library, name, i, of)
	}
}

var tasks = map[string]registry.Task{
	"binary": registry.Binary, "multiclass": registry.Multiclass, "regression": registry.Regression,
}

func (c madeCase) near(t *testing.T, file, what string, i int, got, want, within float64) {
	t.Helper()
	must.Near(t, got, want, within*math.Max(1, math.Abs(want)), c.library, file, what, i)
}
