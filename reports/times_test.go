package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"pgregory.net/rapid"
)

// run is a finished run that took some processor time on a processor.
func timesRun(set, method string, split, correct int, seconds float64, cpu string) store.Row {
	r := sample.OK(set, method, split, correct, 100)
	r.CPUSeconds, r.Environment = &seconds, &result.Environment{ProgramVersion: "v1", CPU: cpu}
	return r
}

// By hand: a takes (1+3)/2 = 2 s on s1 and 10 on s2, 6 a cell and 14 in all; b the same time and better; c is
// cheaper and worse.
func TestTimesByHand(t *testing.T) {
	d := sample.Build(t, named("times"), sample.Of(2,
		timesRun("s1", "a", 1, 80, 1, "x"), timesRun("s1", "a", 2, 82, 3, "x"), timesRun("s2", "a", 1, 70, 10, "x"),
		timesRun("s2", "a", 2, 70, 10, "x"),
		timesRun("s1", "b", 1, 90, 2, "x"), timesRun("s1", "b", 2, 90, 2, "x"), timesRun("s2", "b", 1, 70, 10, "x"),
		timesRun("s2", "b", 2, 70, 10, "x"),
		timesRun("s1", "c", 1, 50, 1, "x"), timesRun("s1", "c", 2, 50, 1, "x"), timesRun("s2", "c", 1, 50, 1, "x"),
		timesRun("s2", "c", 2, 50, 1, "x")))
	var got []string
	for _, r := range sample.Records(t, d, "times") {
		got = append(got, fmt.Sprint(r["method"], " ", r["cell_cpu_seconds"], " ", r["all_cpu_seconds"], " ",
			r["mean"], " ", r["front"]))
	}
	must.Be(t, strings.Join(got, "; "), "c 1 4 50 true; a 6 24 75.5 false; b 6 24 80 true")
}

// Times of another processor are not mixed in, and the notes say so; without a set that is timed for every method
// there is no page.
func TestProcessors(t *testing.T) {
	rows := []store.Row{timesRun("s1", "a", 1, 80, 1, "x"), timesRun("s1", "b", 1, 80, 2, "x"),
		timesRun("s2", "a", 1, 80, 1, "x"), timesRun("s2", "b", 1, 80, 900, "y")}
	d := sample.Build(t, named("times"), sample.Of(2, rows...))
	r := sample.Records(t, d, "times")
	must.Be(t, fmt.Sprint(r[0]["datasets"], r[1]["cell_cpu_seconds"]), "[s1] 2", "times over")
	notes := strings.Join(d.Notes, "\n")
	must.Hold(t, notes, "Times are over the sets that every method has times of: s1.",
		"Times are those on x; cells computed on y have none here.")
	must.Say(t, must.Err(sample.Make(t, named("times"), sample.Of(2, rows[2:]...))),
		"no data set has processor times of every method on one kind of processor")
}

// Where every machine has a yardstick, times are in it, and the drawing says what it is. Methods of several machines
// have places in the drawing and no front. By hand: 1 s is 2 yardsticks of 0.5 s and 4 of 0.25 s.
func TestFrontInYardsticks(t *testing.T) {
	var rows []store.Row
	for _, set := range []string{"s1", "s2", "s3"} {
		rows = append(rows, timesRun(set, "a", 1, 80, 1, "x"), timesRun(set, "b", 1, 90, 2, "x"))
	}
	for i := range rows {
		rows[i].Environment.Yardstick = result.Yardstick{Seconds: 0.6, Low: 0.5, High: 0.7}
	}
	at := func(d doc.Document) (out string) {
		for _, r := range sample.Records(t, d, "times") {
			out += fmt.Sprint(r["method"], " ", r["cell_yardsticks"], " ", r["front"], " ", r["front_share"], "; ")
		}
		return out
	}
	words := func(d doc.Document) (out string) {
		for _, m := range d.Blocks[0].(doc.Figure).Plot(doc.PageWidth).Marks {
			out += m.Text + "; "
		}
		return out
	}
	one := sample.Build(t, named("times"), sample.Of(1, rows...))
	must.Be(t, at(one), "a 2 true 1; b 4 true 1; ")
	must.Hold(t, words(one), "processor time of a cell (yardsticks); ", "on the front; ", "best for its time; ",
		"A yardstick is the processor time of a piece of work that is the same on every machine: 500 ms on x")
	for i := range rows[:2] {
		rows[i].Environment.Yardstick = result.Yardstick{Seconds: 0.25, Low: 0.25, High: 0.25}
	}
	several := sample.Build(t, named("times"), sample.Of(1, rows...))
	must.Be(t, at(several), "a 2.6666666666666665 false <nil>; b 5.333333333333333 false <nil>; ")
	must.Hold(t, strings.Join(several.Notes, " "), "No front is drawn: the times are of 2 machines")
	if text := words(several); strings.Contains(text, "front") || strings.Contains(text, "best for") {
		t.Errorf("a front across machines: %s", text)
	}
}

// A method is on the front just if no other one is at least as good in no more time, and better in one.
func TestFront(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var rows []store.Row
		for m := range rapid.IntRange(1, 8).Draw(r, "methods") {
			rows = append(rows, timesRun("s", fmt.Sprint("m", m), 1, rapid.IntRange(50, 55).Draw(r, "correct"),
				float64(rapid.IntRange(1, 5).Draw(r, "seconds")), "x"))
		}
		all := sample.Records(t, sample.Build(t, named("times"), sample.Of(2, rows...)), "times")
		for _, a := range all {
			beaten := false
			for _, b := range all {
				good, cheap := b["mean"].(float64)-a["mean"].(float64),
					a["cell_cpu_seconds"].(float64)-b["cell_cpu_seconds"].(float64)
				beaten = beaten || good >= 0 && cheap >= 0 && good+cheap > 0
			}
			if a["front"] == beaten {
				r.Fatalf("%v of %v", a, all)
			}
		}
	})
}

// By hand: a is cheaper and better on s1 and s2 and b on s3, by much, so that b is alone ahead where s3 is drawn
// often enough; c never is on the front, being dearer and worse everywhere. Of three draws s3 is none of them in 8
// of 27 cases, where a is alone on the front.
func TestFrontOfResampledSets(t *testing.T) {
	var rows []store.Row
	for k, set := range []string{"s1", "s2", "s3"} {
		a, b := 80, 70
		if k == 2 {
			a, b = 40, 90
		}
		rows = append(rows, timesRun(set, "a", 1, a, float64(100-a), "x"),
			timesRun(set, "b", 1, b, float64(100-b), "x"), timesRun(set, "c", 1, 30, 200, "x"))
	}
	d := sample.Build(t, named("times"), sample.Of(2, rows...))
	share := map[any]float64{}
	for _, r := range sample.Records(t, d, "times") {
		share[r["method"]] = r["front_share"].(float64)
	}
	if a := share["a"]; a < 8./27-0.04 || a > 8./27+0.04 || share["b"] != 1-a || share["c"] != 0 {
		t.Errorf("shares %v, want about 8/27, 19/27 and 0", share)
	}
	text := d.Blocks[1].(doc.Prose).Paragraphs[0]
	must.Begin(t, text, "Shares of 2000 draws of 3 data sets from these, with replacement, in which a method is on "+
		"the front: b 0.")
	must.Be(t, strings.HasSuffix(text, "; 1 other method below 0.05."), true)
	if two := sample.Records(t, sample.Build(t, named("times"), sample.Of(2, rows[:6]...)),
		"times")[0]["front_share"]; two != nil {
		t.Errorf("two sets are resampled: %v", two)
	}
}

// By hand: of the mean times 1.5, 2.5, .., 5.5 of five splits over two sets the quartiles are 2.5 and 4.5; four
// splits have none. The interval is without what a set does to all methods: they differ by 10 on both sets, and
// it has no width.
func TestUncertaintyOfTimesAndMeans(t *testing.T) {
	var rows []store.Row
	for split := 1; split <= 5; split++ {
		x := float64(split)
		rows = append(rows, timesRun("s1", "a", split, 60, x, "x"), timesRun("s2", "a", split, 90, x+1, "x"),
			timesRun("s1", "b", split, 50, 9, "x"), timesRun("s2", "b", split, 80, 9, "x"))
	}
	in := sample.Of(2, rows...)
	in.Protocol.Splits = 5
	a := sample.Records(t, sample.Build(t, named("times"), in), "times")[0]
	if a["method"] != "a" || a["lower_cpu_seconds"] != 2.5 || a["upper_cpu_seconds"] != 4.5 || a["half_width"] != 0.0 {
		t.Errorf("%v", a)
	}
	in = sample.Of(2, rows[:16]...)
	in.Protocol.Splits = 4
	if a := sample.Records(t, sample.Build(t, named("times"), in),
		"times")[0]; a["lower_cpu_seconds"] != nil {
		t.Errorf("quartiles of four splits: %v", a)
	}
}
