package reports_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// boardOf is the board of an input; method is "" for the leader.
func boardOf(t testing.TB, in sample.Input, method string) (frame.Table, *evidence.Evidence, *compare.Board) {
	t.Helper()
	table := must.Get(in.Frame(t).Table(""))(t)
	o := evidence.Options{Method: method, Level: 0.05, Region: evidence.UsualRegion(table.Metric)}
	ev := must.Get(evidence.Compare(&table, o))(t)
	asked := slices.Index(table.Methods, method)
	if method == "" {
		asked, _ = evidence.Ends(&table)
	}
	return table, ev, must.Get(compare.Rank(&table, ev, asked))(t)
}

// scores is rows of one split of 100 test rows; -1 is no run.
func scores(methods []string, correct ...[]int) sample.Input {
	var rows []store.Row
	for s, row := range correct {
		for m, n := range row {
			if n >= 0 {
				rows = append(rows, timesRun(fmt.Sprint("s", s), methods[m], 1, n, float64((m+1)*(s+1)), "x"))
			}
		}
	}
	in := sample.Of(1, rows...)
	in.Protocol.Order = func([]string) []string { return methods }
	return in
}

// TestSharedBestMean: who shares the best mean is named, and no other.
func TestSharedBestMean(t *testing.T) {
	for want, correct := range map[string][2]int{"A and B have the best mean. A is ": {80, 80},
		"B has the best mean. It is ": {80, 81}} {
		var rows [][]int
		for s := range 8 {
			rows = append(rows, []int{correct[0] + s, correct[1] + s, 70})
		}
		f := scores([]string{"A", "B", "C"}, rows...).Frame(t)
		board := compare.Leaderboard(pflag.NewFlagSet("", pflag.ContinueOnError))
		d := must.Get(board(new(must.Get(f.Table(""))(t))))(t)
		must.Hold(t, strings.Join(said(d), "\n"), want)
	}
}

// By hand: means of the field are 80 and 70, so that A gains 4 and -3, B -1 and 3, C -3 and 0. A partial method
// is below, with its gain over the same field on the set that it has.
func TestLeaderboardByHand(t *testing.T) {
	in := scores([]string{"A", "B", "P", "C"}, []int{84, 79, 90, 77}, []int{67, 73, -1, 70})
	_, _, b := boardOf(t, in, "")
	var lines []string
	for _, r := range b.Rows {
		rank := "-"
		if r.Rank != nil {
			rank = r.Rank.RatString()
		}
		lines = append(lines, fmt.Sprintf("%s %s wins %s rank %s of %d %v", r.Method, r.Gain.RatString(),
			r.Wins.RatString(), rank, r.Have, r.Whole))
	}
	want := []string{"B 1 wins 3/4 rank 3/2 of 2 true", "A 1/2 wins 1/2 rank 2 of 2 true",
		"C -3/2 wins 1/4 rank 5/2 of 2 true", "P 10 wins 1 rank - of 1 false"}
	must.Be(t, lines, want, "rows")
	must.Be(t, b.Field, 3, "rows")
	// t_0.975 with one degree of freedom is 12.706; the gains of B have the standard error 2.
	if g := b.Rows[0].Gains; math.Abs(g.Low-(1-2*12.7062)) > 1e-3 || math.Abs(g.High-(1+2*12.7062)) > 1e-3 {
		t.Errorf("interval %v", g)
	}
	// Wilson's interval of 3/4 of 2 has the middle (3/4 + z^2/4) / (1 + z^2/2) = 0.5856.
	if w := b.Rows[0].WinRates; math.Abs(w.Low+w.High-2*0.58558) > 1e-4 || w.Low < 0.1 || w.High > 1 {
		t.Errorf("the interval of a share is %v", w)
	}
}

// A method on few sets takes no set from the others, and one that everybody lacks does not count.
func TestPartial(t *testing.T) {
	in := scores([]string{"A", "B", "P"}, []int{84, 79, 90}, []int{67, 73, -1}, []int{67, 73, -1}, []int{-1, -1, 80})
	_, _, b := boardOf(t, in, "")
	if !slices.Equal(b.Sets, []string{"s0", "s1", "s2"}) || b.Field != 2 || b.Rows[2].Method != "P" ||
		b.Coverage(b.Rows[2]) != "1 of 3" {
		t.Errorf("board %+v", b)
	}
}

// The leaderboard says of which methods the best one is sought, which sets do not count, and how often it is wrong:
// with a method that was named, verdicts and ranks are of two families.
func TestBoardSaysWhatItIsOf(t *testing.T) {
	in := sample.Paper()
	for focus, want := range map[string]string{
		"": "Kinds of statements: ranks with verdicts, the confidence set of the best and equivalences. If " +
			"differences are symmetric over data sets, a page has a false one of a kind with a probability of at " +
			"most 0.05, and of any kind of at most 0.15.",
		"GBRFF2": "Kinds of statements: ranks, verdicts, the confidence set of the best and equivalences. If " +
			"differences are symmetric over data sets, a page has a false one of a kind with a probability of at " +
			"most 0.05, and of any kind of at most 0.2.",
	} {
		d := sample.Build(t, named("leaderboard"), in, "--focus", focus)
		must.Have(t, d.Blocks[1].(doc.Table).Legend, want)
		must.Hold(t, strings.Join(d.Notes, "\n"), "Generated data sets, not in Mean or ranks: circles, swiss.")
	}
	var sets [][]int
	for i := range 8 {
		sets = append(sets, []int{84, 79, []int{90, -1}[i%2]})
	}
	d := sample.Build(t, named("leaderboard"), scores([]string{"A", "B", "P"}, sets...))
	must.Hold(t, d.Blocks[0].(doc.Prose).Paragraphs[1], "The best method of those with all sets may be A ")
	must.Hold(t, d.Blocks[0].(doc.Prose).Paragraphs[0], "A has the best mean of the methods with all data sets. It is ")
	computes := func(b doc.Block) bool { _, code := b.(doc.Code); return code }
	must.Be(t, slices.ContainsFunc(d.Blocks, computes), true, "a command for what P lacks")
	d = sample.Build(t, named("leaderboard"), scores([]string{"A", "B", "P"}, sets...), "--focus", "P")
	must.Be(t, slices.ContainsFunc(d.Blocks, computes), false, "on its sets P lacks nothing")
}

// Equal methods may both be the best.
func TestEqualMethods(t *testing.T) {
	_, _, b := boardOf(t, scores([]string{"A", "B"}, slices.Repeat([][]int{{80, 80}}, 8)...), "")
	must.Hold(t, b.Candidates(), "The best method may be any of all 2 methods")
}

// What must hold of any board: gains of the field add up to nothing, the share of wins is the average rank in
// another unit, the order is that of the means, and nobody is found to be better than a leader that the data chose.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		methods, sets := rapid.IntRange(2, 6).Draw(r, "methods"), rapid.IntRange(1, 12).Draw(r, "sets")
		var names []string
		for m := range methods {
			names = append(names, fmt.Sprint("M", m))
		}
		var rows [][]int
		for range sets {
			var row []int
			for m := range methods {
				row = append(row, 50+4*m+rapid.IntRange(-8, 8).Draw(r, "correct"))
			}
			rows = append(rows, row)
		}
		_, _, b := boardOf(t, scores(names, rows...), "")
		sum := new(big.Rat)
		for i, row := range b.Rows {
			sum.Add(sum, row.Gain)
			if i > 0 && row.Gain.Cmp(b.Rows[i-1].Gain) > 0 {
				r.Fatalf("row %d is out of order", i)
			}
			wins := new(big.Rat).Sub(big.NewRat(int64(methods), 1), row.Rank)
			if wins.Quo(wins, big.NewRat(int64(methods-1), 1)).Cmp(row.Wins) != 0 {
				r.Fatalf("%s wins %v with rank %v", row.Method, row.Wins, row.Rank)
			}
			if row.Ranks[1] > 0 && (row.Ranks[0] < 1 || row.Ranks[1] > methods || row.Ranks[0] > row.Ranks[1]) {
				r.Fatalf("%s has ranks %v", row.Method, row.Ranks)
			}
		}
		must.Be(r, sum.Sign(), 0, "gains add up to")
	})
}

// A row says what evidence finds, from the side of its method.
func TestVerdicts(t *testing.T) {
	in := sample.Paper()
	for _, method := range []string{"", "GFC"} {
		table, ev, b := boardOf(t, in, method)
		for _, r := range b.Rows {
			want, _ := ev.Between(r.Place, b.Asked)
			if r.Place == b.Asked {
				if r.Against != nil || b.Word(r) != map[bool]string{true: "itself", false: "leads"}[b.Named] {
					t.Errorf("%s: %q", r.Method, b.Word(r))
				}
				continue
			}
			must.Be(t, r.Against.Verdict, want.Verdict)
			must.Be(t, r.Against.Mean.Cmp(want.Mean), 0)
			must.Be(t, table.Methods[r.Against.A], r.Method)
		}
	}
}

// There is a column of times only where there is a time.
func TestNoTimes(t *testing.T) {
	for _, known := range []bool{true, false} {
		in := scores([]string{"A", "B"}, []int{84, 79}, []int{67, 73}, []int{67, 73})
		for i := range in.Rows {
			if !known {
				in.Rows[i].CPUSeconds = nil
			}
		}
		d := sample.Build(t, named("leaderboard"), in)
		for _, block := range d.Blocks {
			if shown, ok := block.(doc.Table); ok {
				timed := slices.ContainsFunc(shown.Head, func(c doc.Column) bool { return c.Name == "a cell" })
				must.Be(t, timed, known, "with times")
				must.Be(t, len(shown.Sections[0][0].Entries), len(shown.Head), "with times")
			}
		}
	}
}

// By hand: on a machine whose yardstick takes 2 ms, a cell of 10 ms is 5 yardsticks; on one whose yardstick takes 4 ms,
// a cell of 60 ms is 15. The mean of A over both sets is 10 yardsticks, although no processor computed both. If one
// machine has no yardstick, times are seconds of the processor of most cells.
func TestTimesInYardsticks(t *testing.T) {
	in := sample.Of(1, timesRun("s1", "A", 1, 80, 0.010, "x"), timesRun("s1", "B", 1, 70, 0.020, "x"),
		timesRun("s2", "A", 1, 80, 0.060, "y"), timesRun("s2", "B", 1, 70, 0.001, "y"))
	for i, ms := range []float64{2, 2, 4, 4} {
		in.Rows[i].Environment.Cores = 2
		in.Rows[i].Environment.Yardstick = result.Yardstick{Seconds: ms / 500, Low: ms / 1000, High: ms / 100}
	}
	times := func() (legend string, out []string) {
		d := sample.Build(t, named("leaderboard"), in)
		shown := d.Blocks[1].(doc.Table)
		for _, row := range shown.Sections[0] {
			out = append(out, row.Entries[len(shown.Head)-1].Text)
		}
		return strings.Join(shown.Legend, " "), out
	}
	legend, got := times()
	must.Be(t, got, []string{"10.0", "5.12"})
	must.Hold(t, legend, "in yardsticks, a data set counting once (2 sets)",
		"2 ms on x with 2 cores and 4 ms on y")
	row := sample.Records(t, sample.Build(t, named("leaderboard"), in), "leaderboard")[1]
	must.Be(t, row["cell_yardsticks"], any(5.125))
	in.Rows[3].Environment.Yardstick = result.Yardstick{}
	in.Rows[2].Environment = in.Rows[0].Environment
	in.Rows[2].CPUSeconds = new(60.0)
	legend, got = times()
	must.Be(t, got, []string{"0.0s", "0.0s"}, "of the set that x computed")
	must.Hold(t, legend, "Time: mean processor time of a cell on x, a data set counting once (1 set). It is in "+
		"seconds, since the yardstick of a machine of these cells is not known")
}

// One method alone leads nobody.
func TestAlone(t *testing.T) {
	must.Say(t, must.Err(sample.Make(t, named("leaderboard"), scores([]string{"A"}, []int{84}))), "one method alone")
}

// A set on which the named method has no run is left out, with a note, and its other sets decide: A and B are whole. A
// set on which it failed stays, so that the method is partial. The short form has the same rows.
func TestFocus(t *testing.T) {
	in := scores([]string{"A", "B", "C"}, []int{80, 70, 60}, []int{80, 70, 60}, []int{-1, 70, 60})
	board := func(args ...string) (d doc.Document, rows []string) {
		d = sample.Build(t, named("leaderboard"), in, append(args, "--focus", "A")...)
		for _, r := range slices.Concat(d.Blocks[1].(doc.Table).Sections...) {
			rows = append(rows, r.Name+" "+r.Entries[0].Text)
		}
		return d, rows
	}
	d, rows := board()
	must.Hold(t, strings.Join(d.Notes, " "), "Left out, since A has no result there: s2.")
	must.Be(t, len(d.Blocks[1].(doc.Table).Sections), 1)
	must.Be(t, rows[0][:2], "A ")
	_, rows = board("--short")
	must.Be(t, rows, []string{"A 1", "B 2", "C 3"})
	in.Rows = append(in.Rows, sample.Failed("s2", "A", 1, result.Failed, "no solution"))
	d, rows = board()
	must.Lack(t, strings.Join(d.Notes, " "), "Left out, since A")
	must.Be(t, rows[2][:2], "A ", "partial, at the end")
	d, _ = board("--short")
	must.Hold(t, said(d)[1], "A has no place: on 1 of 3 data sets it lacks splits that the methods with a place have.")
}
