package runner_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods"
)

const small = `splits = 1
datasets = ["balance", "balance-multiclass"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true
rounds = [1, 2]
[methods]
GBRFF1 = { params = { rounds = 5 }, grid = [{ name = "beta", values = [0.1] }] }
GBRFF2 = { params = { rounds = 5 }, grid = [{ name = "lambda", values = [0.0] }] }
LGBM = { params = { rounds = 5 }, grid = [{ name = "lambda", values = [0.0] }] }
RF = { params = { trees = 5 }, grid = [] }
`

// gapped describes a file with gaps, also in dates, in three ways, and adds the sets to a catalogue.
func gapped(t *testing.T, c *catalogue.Catalogue) (names []string) {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("a,b,when,colour,class\n")
	for i := range 90 {
		a, b := fmt.Sprint(i*37%90), fmt.Sprint(float64(i*53%90)/7)
		if i%7 == 2 {
			a = "?"
		}
		if i%5 == 1 {
			b = "NA"
		}
		when := fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i%28)
		if i%9 == 4 {
			when = "NA"
		}
		fmt.Fprintf(&text, "%s,%s,%s,%s,%d\n", a, b, when, []string{"red", "blue", "NA"}[i%3], (i*37%90/23+i%2)%2)
	}
	sets := map[string]string{"gaps.csv": text.String()}
	for _, how := range []string{`"median"`, "\"mean\"\nindicator = true", `"none"`} {
		name := fmt.Sprint("gaps-", len(names))
		names = append(names, name)
		sets[name+".toml"] = fmt.Sprintf("name = %q\nfile = \"gaps.csv\"\nlabel = \"class\"\n"+
			"categorical = \"colour\"\n"+
			"dates = \"when\"\nmissing = [\"?\", \"NA\"]\nimpute = %s\n", name, how)
	}
	for name, text := range sets {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, name := range names {
		must.Get(c.Add(filepath.Join(dir, name+".toml")))(t)
	}
	return names
}

// specs plans cells of methods with saved models.
func specs(t *testing.T) (out []runner.CellSpec, data catalogue.Directory) {
	t.Helper()
	p := must.Get(protocol.Parse("small", []byte(small)))(t)
	data = catalogue.Directory{Root: t.TempDir()}
	h := plan.Experiment{Protocol: p, Registry: methods.All(), Catalogue: catalogue.Builtin(), Data: data,
		Keep: runner.KeepModels}
	sets := append(slices.Clone(p.Datasets), gapped(t, h.Catalogue)...)
	plan := must.Get(h.Plan(t.Context(), plan.Request{Methods: []string{"GBRFF1", "GBRFF2", "LGBM", "RF"},
		Datasets: sets, Splits: []int{1}}, nil, nil))(t)
	said := result.Explain(result.OfKinds(plan.Excluded, result.TakesNoGaps))
	if len(said) != 1 || !strings.HasSuffix(said[0], "takes no missing values: GBRFF1 on gaps-2, GBRFF2 on gaps-2, RF "+
		"on gaps-2") {
		t.Errorf("left out: %q", said)
	}
	for _, c := range plan.Cells {
		out = append(out, c.Spec)
	}
	return out, data
}

// TestASpecIsAValue: what comes back from JSON is the same cell, and gives the same run bit
// for bit in another runner.
func TestASpecIsAValue(t *testing.T) {
	cells, data := specs(t)
	for _, c := range cells {
		text := must.Get(json.Marshal(c))(t)
		var again runner.CellSpec
		must.Do(t, json.Unmarshal(text, &again))
		if !reflect.DeepEqual(again, c) {
			t.Fatalf("%s comes back as another cell:\n%+v\n%+v", c.Cell, again, c)
		}
		one := must.Get((&runner.InProcess{Registry: methods.All(), Data: data}).Run(t.Context(), c))(t)
		two := must.Get((&runner.InProcess{Registry: methods.All(), Data: data}).Run(t.Context(), again))(t)
		if one.Status != result.OK || one.ScoresHash != two.ScoresHash || !reflect.DeepEqual(one.Score, two.Score) ||
			!reflect.DeepEqual(one.Stages, two.Stages) {
			t.Errorf("%s: %s %q, %+v and %+v", c.Cell, one.Status, one.Error, one.Score, two.Score)
		}
	}
}

// TestRunnersRefuseWhatTheyCannotRun: a cell that was planned by another program.
func TestRunnersRefuseWhatTheyCannotRun(t *testing.T) {
	cells, data := specs(t)
	r := &runner.InProcess{Registry: methods.All(), Data: data}
	for what, change := range map[string]func(c *runner.CellSpec){
		"method":   func(c *runner.CellSpec) { c.Cell.Method = "none" },
		"version":  func(c *runner.CellSpec) { c.Inputs.MethodVersion = "0" },
		"protocol": func(c *runner.CellSpec) { c.Inputs.ProtocolHash = "0" },
		"data":     func(c *runner.CellSpec) { c.Inputs.Fingerprint = "0" },
		"set":      func(c *runner.CellSpec) { c.Set.TOML = "name = 3" },
	} {
		c := cells[0]
		change(&c)
		if run, err := r.Run(t.Context(), c); err == nil {
			t.Errorf("a cell with another %s gives %s", what, run.Status)
		}
	}
}

// TestKeptModelsPredict the stored scores of the test rows, bit for bit, from rows in the
// units of the file.
func TestKeptModelsPredict(t *testing.T) {
	cells, data := specs(t)
	for _, c := range cells {
		run, err := (&runner.InProcess{Registry: methods.All(), Data: data}).Run(t.Context(), c)
		if err != nil || run.Status != result.OK || run.Model == nil {
			t.Fatalf("%s: %s %s %v", c.Cell, run.Status, run.Error, err)
		}
		spec := must.Get(methods.All().Lookup(c.Cell.Method))(t)
		if _, err := runner.NewPredictor(spec, result.Run{Planned: result.Planned{Task: run.Task,
			MethodVersion: "of another time"}, Model: run.Model}); err == nil {
			t.Errorf("%s: a model of another version is loaded", c.Cell)
		}
		p := must.Get(runner.NewPredictor(spec, result.Run{Planned: result.Planned{Task: run.Task,
			MethodVersion: run.MethodVersion}, Model: run.Model}))(t)
		e := must.Get(c.Set.Entry())(t)
		set := must.Get(read.Load(t.Context(), data, e))(t)
		rows := must.Get(split.Splitter{TestFraction: 0.3, Folds: 2}.Split(set, 1))(t)
		scores := must.Get(p.Scores(t.Context(), datasets.Rows(set.X, rows.Test)))(t)
		must.Be(t, result.HashScores(scores), run.ScoresHash, c.Cell)
		correct := 0
		for i, row := range rows.Test {
			class := int(set.Y[row])
			if set.Classes == 2 {
				class = (class + 1) / 2
			}
			if p.Label(scores[i*p.Outputs():(i+1)*p.Outputs()]) == set.Labels[class] {
				correct++
			}
		}
		must.Be(t, correct, *run.Score.Correct, c.Cell)
		must.Be(t, slices.Equal(p.Dates(), set.Dates), true, "the features with days", c.Cell)
	}
}
