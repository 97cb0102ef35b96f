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

// By hand: a is ahead after the first split, b from the second on, so that the order is that of all three from two
// splits on.
func TestCurvesByHand(t *testing.T) {
	var rows []store.Row
	for split, correct := range [][2]int{{80, 70}, {70, 90}, {80, 80}} {
		rows = append(rows, sample.OK("s", "a", split+1, correct[0], 100),
			sample.OK("s", "b", split+1, correct[1], 100))
	}
	d := sample.Build(t, named("curves"), sample.Of(3, rows...))
	var got []string
	for _, r := range sample.Records(t, d, "stability") {
		got = append(got, fmt.Sprint(r["splits"], r["method"], r["exact"]))
	}
	must.Be(t, strings.Join(got, " "), "1a1 1b2 2a2 2b1 3a2 3b1")
	must.Be(t, d.Blocks[1].(doc.Prose).Paragraphs[0], "The order of the methods is the one of all 3 splits from 2 "+
		"splits on.")
}

// With all splits the ranks are those of report ranks.
func TestLastIsReportRanks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		splits := rapid.IntRange(1, 6).Draw(r, "splits")
		var rows []store.Row
		for _, set := range []string{"s1", "s2", "s3"} {
			for _, m := range []string{"a", "b", "c"} {
				for k := range splits {
					rows = append(rows, sample.OK(set, m, k+1, rapid.IntRange(60, 64).Draw(r, "correct"), 100))
				}
			}
		}
		in := sample.Of(splits, rows...)
		d := sample.Build(t, named("ranks"), in)
		want := map[any]any{}
		for _, x := range sample.Records(t, d, "ranks") {
			if x["convention"] == "Average rank" {
				want[x["method"]] = x["rank"]
			}
		}
		for _, x := range sample.Records(t, sample.Build(t, named("curves"), in), "stability") {
			if x["splits"] == splits && x["rank"] != want[x["method"]] {
				r.Fatalf("%v has rank %v of all splits, in report ranks %v", x["method"], x["rank"], want[x["method"]])
			}
		}
	})
}

// Stages are averaged over splits, round by round; without stages and ranks there is nothing to show.
func TestStages(t *testing.T) {
	var rows []store.Row
	for split := 1; split <= 2; split++ {
		r := sample.OK("s", "a", split, 90, 100)
		for round, correct := range map[int]int{10: 60 + 10*split, 20: 80} {
			r.Stages = append(r.Stages, result.Stage{Round: round, Score: result.Score{N: 100, Correct: &correct}})
		}
		rows = append(rows, r)
	}
	d := sample.Build(t, named("curves"), sample.Of(2, rows...))
	var got []string
	for _, r := range sample.Records(t, d, "stages") {
		got = append(got, fmt.Sprint(r["round"], ":", r["splits"], ":", r["mean"]))
	}
	must.Be(t, strings.Join(got, " "), "10:2:75 20:2:80")
	if f := d.Blocks[0].(doc.Figure); f.Title != "s" || f.Plot == nil {
		t.Errorf("figure %+v", f)
	}
	must.Say(t, must.Err(sample.Make(t, named("curves"), sample.Of(1, sample.OK("s", "a", 1, 90, 100)))),
		"there are no ranks of two methods, and no run has stages")
}
