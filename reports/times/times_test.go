package times

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// run is a finished run that took some processor time on a processor.
func run(set, method string, split, correct int, seconds float64, cpu string) store.Row {
	r := sample.OK(set, method, split, correct, 100)
	r.CPUSeconds, r.Environment = &seconds, &store.Environment{ProgramVersion: "v1", CPU: cpu}
	return r
}

func input(rows ...store.Row) sample.Input {
	in := sample.Input{Known: map[string]sample.Set{}, Rows: rows}
	in.Protocol.Splits = 2
	for _, r := range rows {
		if _, ok := in.Known[r.Dataset]; !ok {
			in.Known[r.Dataset] = sample.Set{}
			in.Protocol.Datasets = append(in.Protocol.Datasets, r.Dataset)
		}
	}
	return in
}

func build(t testing.TB, in sample.Input) doc.Document {
	t.Helper()
	d, err := Build(in.Frame(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// By hand: a takes (1+3)/2 = 2 s on s1 and 10 on s2, 6 a cell and 14 in all; b the same time and better; c is cheaper and worse.
func TestByHand(t *testing.T) {
	d := build(t, input(
		run("s1", "a", 1, 80, 1, "x"), run("s1", "a", 2, 82, 3, "x"), run("s2", "a", 1, 70, 10, "x"), run("s2", "a", 2, 70, 10, "x"),
		run("s1", "b", 1, 90, 2, "x"), run("s1", "b", 2, 90, 2, "x"), run("s2", "b", 1, 70, 10, "x"), run("s2", "b", 2, 70, 10, "x"),
		run("s1", "c", 1, 50, 1, "x"), run("s1", "c", 2, 50, 1, "x"), run("s2", "c", 1, 50, 1, "x"), run("s2", "c", 2, 50, 1, "x")))
	var got []string
	for _, r := range sample.Records(t, d, "times") {
		got = append(got, fmt.Sprint(r["method"], " ", r["cell_cpu_seconds"], " ", r["all_cpu_seconds"], " ", r["mean"], " ", r["front"]))
	}
	if want := "c 1 4 50 true; a 6 24 75.5 false; b 6 24 80 true"; strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
}

// Times of another processor are not mixed in, and the notes say so; without a set that is timed for every method there is no page.
func TestProcessors(t *testing.T) {
	rows := []store.Row{run("s1", "a", 1, 80, 1, "x"), run("s1", "b", 1, 80, 2, "x"), run("s2", "a", 1, 80, 1, "x"), run("s2", "b", 1, 80, 900, "y")}
	d := build(t, input(rows...))
	r := sample.Records(t, d, "times")
	if got := fmt.Sprint(r[0]["datasets"], r[1]["cell_cpu_seconds"]); got != "[s1] 2" {
		t.Errorf("times over %s", got)
	}
	notes := strings.Join(d.Notes, "\n")
	for _, want := range []string{"Times are over the sets that every method has times of: s1.", "Times are those on x; cells computed on y have none here."} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes\n%s\nlack %s", notes, want)
		}
	}
	if _, err := Build(input(rows[2:]...).Frame(t), Options{}); err == nil || !strings.Contains(err.Error(), "no data set has processor times of every method on one kind of processor") {
		t.Errorf("error %v", err)
	}
}

// A method is on the front just if no other one is at least as good in no more time, and better in one.
func TestFront(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var rows []store.Row
		for m := range rapid.IntRange(1, 8).Draw(r, "methods") {
			rows = append(rows, run("s", fmt.Sprint("m", m), 1, rapid.IntRange(50, 55).Draw(r, "correct"), float64(rapid.IntRange(1, 5).Draw(r, "seconds")), "x"))
		}
		all := sample.Records(t, build(t, input(rows...)), "times")
		for _, a := range all {
			beaten := false
			for _, b := range all {
				good, cheap := b["mean"].(float64)-a["mean"].(float64), a["cell_cpu_seconds"].(float64)-b["cell_cpu_seconds"].(float64)
				beaten = beaten || good >= 0 && cheap >= 0 && good+cheap > 0
			}
			if a["front"] == beaten {
				r.Fatalf("%v of %v", a, all)
			}
		}
	})
}
