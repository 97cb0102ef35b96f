package reports_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// chose is a finished run that chose a grid point, which had the given correct answers in its two folds of ten rows.
func chose(set string, split, point int, correct [2]int) store.Row {
	r := sample.OK(set, "m", split, 80, 100)
	r.GridHash, r.Selected = "g", &point
	for i := range 2 {
		wrong := 0
		r.Folds = append(r.Folds, result.Evaluation{GridIndex: point, Fold: i,
			Score: result.Score{N: 10, Correct: &correct[i]}},
			result.Evaluation{GridIndex: point + 1, Fold: i, Score: result.Score{N: 10, Correct: &wrong}})
	}
	return r
}

func input(rows ...store.Row) sample.Input {
	in := sample.Input{Known: map[string]sample.Set{"s": {}, "u": {}}, Rows: rows,
		Grids: map[string][]json.RawMessage{}}
	in.Protocol.Splits, in.Protocol.Datasets = 2, []string{"s", "u"}
	for _, p := range []string{`{"c":10,"kind":"x","t":5}`, `{"c":10,"kind":"y","t":5}`, `{"c":9,"kind":"x","t":5}`,
		`{"c":9,"kind":"y","t":5}`, `{"c":0.1,"kind":"x","t":5}`, `{"c":0.1,"kind":"y","t":5}`} {
		in.Grids["g"] = append(in.Grids["g"], json.RawMessage(p))
	}
	return in
}

// By hand: parameters that do not vary are no axes, numbers are in order, and the least and the largest number are
// edges.
func TestGridByHand(t *testing.T) {
	d := sample.Build(t, named("grid"), input(chose("s", 1, 0, [2]int{9, 10}), chose("s", 2, 1, [2]int{8, 9}),
		chose("u", 1, 2, [2]int{7, 7}), chose("u", 2, 5, [2]int{7, 7})))
	var got []string
	for _, r := range sample.Records(t, d, "choices") {
		if r["splits"] != 0 {
			got = append(got, fmt.Sprint(r["dataset"], " ", r["parameter"], "=", r["value"], " ", r["place"], "/",
				r["places"], " ", r["splits"]))
		}
	}
	want := `s c=10 3/3 2; u c=0.1 1/3 1; u c=9 2/3 1; s kind="x" 1/2 1; s kind="y" 2/2 1; ` +
		`u kind="x" 1/2 1; u kind="y" 2/2 1`
	must.Be(t, strings.Join(got, "; "), want)
	edges := strings.Join(d.Blocks[0].(doc.Prose).Paragraphs[1:], " ")
	must.Be(t, edges, "m, c = 0.1, the least of 3 values: u (1 of 2). m, c = 10, the largest of 3 values: s (2 of 2).",
		"edges")
	// Folds: s (95 + 85)/2 = 90, u 70, so 80 over sets; test 80.
	folds := sample.Records(t, d, "folds")[0]
	must.Be(t, fmt.Sprint(folds["datasets"], " ", folds["folds"], " ", folds["test"], " ", folds["flattery"]),
		"2 80 80 0", "folds and test")
}

func TestNothing(t *testing.T) {
	in := input(chose("s", 1, 0, [2]int{9, 10}))
	in.Grids["g"] = in.Grids["g"][:1]
	must.Say(t, must.Err(sample.Make(t, named("grid"), in)), "no method of the table has a grid of several points")
	in.Grids["g"] = []json.RawMessage{json.RawMessage("torn")}
	must.Say(t, must.Err(sample.Make(t, named("grid"), in)), "a grid point of m on s: ")
}

// TestRegretByHand: three points on two splits of a set; the folds choose the second and the first.
func TestRegretByHand(t *testing.T) {
	tested := func(r store.Row, correct ...int) store.Row {
		for _, c := range correct {
			r.GridTests = append(r.GridTests, result.Score{N: 100, Correct: &c})
		}
		*r.Score.Correct = correct[*r.Selected]
		return r
	}
	in := input(tested(chose("s", 1, 1, [2]int{9, 10}), 70, 80, 90), tested(chose("s", 2, 0, [2]int{8, 9}), 85, 86,
		60), chose("u", 1, 2, [2]int{7, 7}))
	in.Grids["g"] = in.Grids["g"][:3]
	d := sample.Build(t, named("grid"), in)
	rows := sample.Records(t, d, "regret")
	if len(rows) != 1 {
		t.Fatalf("%d rows: u has no tests of its points", len(rows))
	}
	// Chosen (80 + 85)/2 = 82.5; best (90 + 86)/2 = 88; one: 77.5, 83, 75.
	r := rows[0]
	must.Be(t, fmt.Sprint(r["dataset"], r["method"], r["splits"], " ", r["chosen"], " ", r["best"], " ", r["regret"],
		" ", r["one"], " ", r["one_regret"], " ", r["one_point"]), `sm2 82.5 88 5.5 83 0.5 {"c":10,"kind":"y","t":5}`,
		"regret")
	// Of errors the least is best.
	d = sample.Build(t, named("grid"), in, "--metric", "error")
	if r = sample.Records(t, d, "regret")[0]; fmt.Sprint(r["chosen"], " ", r["best"], " ", r["regret"], " ",
		r["one_regret"]) != "17.5 12 5.5 0.5" {
		t.Errorf("regret of errors: %v", r)
	}
}
