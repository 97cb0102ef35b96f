package frame_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// regression is of the protocol of lacking with more sets: some of regression by the catalogue or by
// what is stored, one of them without a run.
func regression() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{
		"iris": {}, "glass": {Entry: catalogue.Entry{Task: registry.Multiclass}},
		"year": {Entry: catalogue.Entry{Task: registry.Regression}},
		"mine": {File: "sets/mine.toml", Now: &frame.Data{Fingerprint: "new", File: "mine.csv"}},
	}, Tasks: map[string]registry.Task{"B": registry.Binary}}
	in.Protocol.Splits, in.Protocol.Datasets, in.Run = 2, []string{"iris", "glass", "year"},
		frame.Invocation{Splits: 2, Protocol: "my p.toml"}
	mpg, houses := sample.Numbers("mpg", "A", 1, 0.5), sample.Failed("houses", "C", 2, result.Failed, "why")
	houses.Task = "regression"
	in.Rows = []store.Row{sample.OK("iris", "A", 1, 1, 2), sample.OK("mine", "B", 1, 1, 2), mpg, houses}
	return in
}

// Sets without the metric are left out and named whether their cells failed, finished or were never
// run; the commands name the files of own sets.
func TestSetsWithoutTheMetric(t *testing.T) {
	in := regression()
	ft := table(t, in)
	left, why := ft.OtherTasks(), "the target is a number (regression)"
	if len(left.Keys) != 1 || !slices.Equal(left.Of[why], []string{"year", "houses", "mpg"}) {
		t.Errorf("left out: %v", left)
	}
	var names []string
	for _, s := range ft.Sets {
		names = append(names, s.Name)
	}
	must.Be(t, names, []string{"iris", "glass", "mine"}, "the table has sets")
	must.Be(t, ft.Methods, []string{"A", "B"}, "the table has sets")
	must.Be(t, ft.FullCommand, "bench run --methods A,B --datasets iris,glass,sets/mine.toml --protocol 'my p.toml'",
		"command")
	again := frame.Change{Dataset: "mine", File: "mine.csv", Was: "f", Is: "new",
		Command: "bench run --methods B --datasets sets/mine.toml --splits 1 --protocol 'my p.toml'"}
	must.Be(t, ft.Changed, []frame.Change{again}, "changed")
	must.Be(t, ft.NothingStored(), []string{"glass"}, "left to the command")

	numbers := must.Get(in.Frame(t).Table("rmse"))(t)
	must.Have(t, numbers.Notes(), "Left out, since the target is a class and has no rmse: iris, glass, mine.")
	if len(numbers.Sets) != 3 || numbers.Sets[2].Entries[1].Mean.FloatString(1) != "0.5" {
		t.Errorf("the table of rmse has %+v", numbers.Sets)
	}
	numbers = must.Get(in.Frame(t).Table("mcc"))(t)
	must.Have(t, numbers.Notes(), "Left out, since the task is multiclass and has no mcc: glass.")
}

// The error of an empty table says why, and its command makes what was asked for.
func TestNothingToShow(t *testing.T) {
	in := regression()
	in.Rows = in.Rows[2:3]
	only, number := in, in
	only.Datasets, only.Methods, only.Splits = []string{"mine", "iris"}, []string{"A"}, []int{3}
	number.Datasets = []string{"mpg"}
	for want, in := range map[string]sample.Input{
		"some_results.db holds no accuracies of protocol table2 for what was asked; `bench run --all --protocol 'my " +
			"p.toml'` makes them": in,
		"`bench run --methods A --datasets sets/mine.toml,iris --split 3 --protocol 'my p.toml'` makes them": only,
		"mpg: the target is a number (regression), and this table is of accuracies; --metric takes ":         number,
	} {
		_, err := in.Frame(t).Table("accuracy")
		request := new(frame.RequestError)
		if !errors.Is(err, frame.ErrNoResults) || !errors.As(err, &request) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestTheProtocolsMetric: what a protocol selects by is what its reports are of, unless another one is named.
func TestTheProtocolsMetric(t *testing.T) {
	in := regression()
	numbers := in
	numbers.Rows = in.Rows[2:3] // of regression
	for _, c := range []struct {
		in                    sample.Input
		protocols, asked, got string
	}{{in, "", "", "accuracy"}, {in, "mcc", "", "mcc"}, {in, "mcc", "error", "error"}, {numbers, "", "", "mse"},
		{numbers, "mae", "", "mae"}} {
		c.in.Protocol.Metric = c.protocols
		if got, err := c.in.Frame(t).Table(c.asked); err != nil || got.Metric.Name != c.got {
			t.Errorf("protocol's %q, asked for %q: the table is of %q (%v), want %q", c.protocols, c.asked,
				got.Metric.Name, err, c.got)
		}
	}
}

// What is asked for must exist, and once.
func TestUnknownRequests(t *testing.T) {
	for want, change := range map[string]func(*sample.Input){
		`no data set is named "wien"`: func(in *sample.Input) {
			in.Datasets = []string{"iris", "wien"}
		},
		"open no/such.toml: no such file": func(in *sample.Input) {
			in.Datasets = []string{"no/such.toml"}
		},
		`data set "iris" is named twice; name each once`: func(in *sample.Input) {
			in.Datasets = []string{"iris", "iris"}
		},
		`method "A" is named twice; name each once`: func(in *sample.Input) {
			in.Methods = []string{"A", "B", "A"}
		},
		`data set "mine" is named twice; name each once`: func(in *sample.Input) {
			in.Datasets = []string{"mine", "sets/mine.toml"}
		},
	} {
		in := regression()
		change(&in)
		_, err := in.Read(t.Context())
		request := new(frame.RequestError)
		must.Be(t, errors.As(err, &request), true, "error")
		must.Be(t, err.Error(), want, "error")
	}
	in := regression()
	in.Datasets = []string{"HOUSES"} // stored, and unknown to the catalogue
	must.Do(t, must.Err(in.Read(t.Context())))
}

// Stored runs that contradict each other make no table.
func TestContradictions(t *testing.T) {
	for want, change := range map[string]func(*store.Row){
		"run of B on wine, split 1: 3 test examples, but A has 2; the two did not use the " +
			"same split": func(r *store.Row) { r.TestRows = 3 },
		"run of B on wine, split 1: its counts are of no test of 0 rows": func(
			r *store.Row) {
			r.TestRows = 0
		},
		"run of B on wine, split 1: its counts are of no test of 2 rows": func(
			r *store.Row) {
			*r.Score.Correct = 3
		},
	} {
		in := lacking()
		i := slices.IndexFunc(in.Rows, func(r store.Row) bool {
			return r.Dataset == "wine" && r.Method == "B" && r.Split == 1
		})
		change(&in.Rows[i])
		if _, err := in.Frame(t).Table(""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A set of the user's that is not of the protocol is apart, below; one that the program can
// make itself is generated.
func TestGroups(t *testing.T) {
	in := lacking()
	in.Known["swiss"] = sample.Set{Entry: catalogue.Entry{Generated: true, Rows: 100}}
	in.Rows = append(in.Rows, sample.OK("swiss", "A", 1, 1, 2), sample.OK("gone", "A", 1, 1, 2))
	in.Protocol.Apart = []string{"sonar"}
	var got []string
	for _, s := range table(t, in).Sets {
		got = append(got, s.Name+" "+s.Group)
	}
	must.Be(t, got, []string{"wine main", "own main", "sonar apart", "gone apart", "swiss generated"}, "groups")
}

// A frame reads a database: what was put is read as values, and the folds where they are asked
// for.
func TestReadDatabase(t *testing.T) {
	db := must.Get(store.Open(t.Context(), filepath.Join(t.TempDir(), "r.db")))(t)
	defer db.Close()
	w := db.NewWriter(result.Environment{ProgramVersion: "v9", CPU: "cpu"}, nil)
	for split := 1; split <= 2; split++ {
		selected, correct, zero := 0, 20+split, 0.0
		must.Do(t, w.Put(result.Run{Planned: result.Planned{
			Key: fmt.Sprint(split), Protocol: "table2", Method: "A", Dataset: "iris", Split: split, Task: "multiclass",
			Grid: []json.RawMessage{json.RawMessage(`{}`)}, GridHash: "g",
		}, Status: result.OK, Selected: &selected, TrainRows: 2, TestRows: 30,
			Score: result.Score{N: 30, Correct: &correct}, FitSeconds: &zero, PredictSeconds: &zero,
			StartedAt: "2026-01-01T00:00:00Z",
			Folds:     []result.Evaluation{{Score: result.Score{N: 2, Correct: &selected}}}}))
	}
	must.Do(t, w.Close())
	in := regression()
	in.Protocol.Name, in.Registry, in.Sets, in.Folds = "table2", in, in, true
	in.Protocol.Order, in.Protocol.Sizes = slices.Clone[[]string], func(int, int) (int, int, error) { return 0, 0, nil }
	f, err := frame.Read(t.Context(), db, in.Source)
	if err != nil || len(f.Rows) != 2 || len(f.Rows[1].Folds) != 1 || f.Rows[1].Folds[0].Score.N != 2 {
		t.Fatalf("rows %+v, error %v", f.Rows, err)
	}
	ft := must.Get(f.Table(""))(t)
	if c := ft.Sets[0].Entries[0]; c.Mean.RatString() != "215/3" || c.Runs[1].Value.RatString() != "220/3" ||
		len(c.Runs) != 2 {
		t.Errorf("cell %+v, want 21 and 22 of 30", c)
	}
	if want := "bench v9 on cpu"; !slices.Equal(ft.Provenance.Environment, []string{want}) ||
		len(ft.Provenance.Queries) != 3 {
		t.Errorf("provenance %+v", ft.Provenance)
	}
}
