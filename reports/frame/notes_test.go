package frame_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// missing is a table of eight methods on twenty sets, and one more with the only run.
func missing() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{}}
	var methods []string
	for i := range 8 {
		methods = append(methods, fmt.Sprintf("M%d", i+1))
	}
	in.Protocol.Splits, in.Run.Splits = 20, 20
	in.Protocol.Order = func([]string) []string { return methods }
	for i := range 20 {
		name := fmt.Sprintf("s%02d", i+1)
		in.Protocol.Datasets = append(in.Protocol.Datasets, name)
		in.Known[name] = sample.Set{}
		for _, m := range methods { // a failure is a run, so that the set is not left to the command
			in.Rows = append(in.Rows, sample.Failed(name, m, 20, result.Failed, "singular matrix"))
		}
	}
	return in
}

// However many cells lack something, the table says so in one line a reason.
func TestOneLineAReason(t *testing.T) {
	in := missing()
	ft := table(t, in)
	if got := ft.Reasons(); len(got) != 2 || got[1].Runs != 3040 || got[1].Text != "Not run" ||
		got[1].Where != "every method on 20 data sets (splits 1-19)" {
		t.Errorf("reasons %+v", got)
	}

	// Each cell fails on another split, with two reasons, and is run no further.
	in.Rows = nil
	for i, d := range in.Protocol.Datasets {
		for j, m := range in.Protocol.Order(nil) {
			r := sample.Failed(d, m, 1+(i+3*j)%20, result.Failed, "singular matrix")
			if j == 0 {
				r.Status, r.Error = result.Timeout, "no result within 1s"
			}
			in.Rows = append(in.Rows, r)
		}
	}
	ft = table(t, in)
	var got []string
	for _, r := range ft.Reasons() {
		got = append(got, fmt.Sprintf("%s: %d", r.Text, r.Runs))
	}
	must.Be(t, got, []string{"Timeout (no result within 1s): 20", "Failed (singular matrix): 140", "Not run: 3040"},
		"reasons")
	want := "Failed (singular matrix): 140 cells, of 7 methods on 20 data sets; `--format json` " +
		"lists each."
	must.Have(t, ft.Notes(), want)
}

// Cells that nothing can fill differ from those that were not run, and a set of which
// nothing can be run is not left to a command.
func TestImpossibleCells(t *testing.T) {
	in := missing()
	in.Tasks = map[string]registry.Task{"M1": registry.Binary, "M2": registry.Binary}
	set := in.Known["s03"]
	set.Entry.Task = registry.Multiclass
	in.Known["s03"] = set
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Dataset == "s03" })
	ft := table(t, in)
	must.Have(t, ft.Notes(), "Cannot be run (the method does not solve multiclass sets): M1, M2 on s03 (splits 1-20).")
	must.Be(t, ft.NothingStored(), []string{"s03"}, "left to the command")
	for _, m := range in.Protocol.Order(nil) {
		in.Tasks[m] = registry.Binary
	}
	if ft = table(t, in); ft.NothingStored() != nil || strings.Contains(ft.FullCommand, "s03") {
		t.Errorf("s03 is left to %q, and no method solves it", ft.FullCommand)
	}
}

// A run is finished for one metric and not for another that was not stored of it; no command asks
// for it again.
func TestAMetricThatIsNotStored(t *testing.T) {
	in := lacking()
	only(&in, "sonar", "C")
	for i := range in.Rows {
		if in.Rows[i].Split > 3 {
			in.Rows[i].Score = result.Score{N: 2} // as if an older release had stored it
		}
	}
	ft := table(t, in)
	must.Have(t, ft.Notes(), "No accuracy is stored: C on sonar (splits 4-5).")
	must.Be(t, ft.FullCommand, "", "command")
}

// A reason may be as long as a method makes it; the table cuts it and says so.
func TestLongReasonsAreCut(t *testing.T) {
	in := missing()
	in.Rows = append(in.Rows, sample.Failed("s01", "M1", 1, result.Failed, strings.Repeat("é", 100_000)))
	ft := table(t, in)
	notes := strings.Join(ft.Notes(), "\n")
	if !strings.Contains(notes, "of 100000 characters") || len(notes) > 10_000 {
		t.Errorf("the notes have %d bytes and should name the length of the reason", len(notes))
	}
}

// TestSkippedByARun: what a run left out is noted with what it would need, and the command that completes the table
// leaves it out too.
func TestSkippedByARun(t *testing.T) {
	in := lacking()
	only(&in, "wine", "B")
	left := func(split int, option string, seconds float64, bytes int64) result.Exclusion {
		return result.Exclusion{Protocol: "table2", Dataset: "wine", Method: "B", Split: split,
			Why: result.Over(option, seconds, bytes)}
	}
	in.Left = []result.Exclusion{
		left(2, "--max-cell 30m", 370*3600, 1<<30),
		left(3, "--max-cell 30m", 370*3600, 1<<30),
		left(1, "--max-cell 1s", 1, 1), // stored since
	}
	got := table(t, in)
	const skipped = "kipped by --max-cell 30m, predicted 370h a cell, more than 2.5 times as long; " +
		"a larger --max-cell runs it"
	want := []frame.Reason{{Text: "S" + skipped, Runs: 2, Where: "B on wine (splits 2-3)"}}
	must.Be(t, got.Reasons(), want, "reasons")
	must.Be(t, got.FullCommand, "", "reasons")
	want2 := "3 of 5 splits; s" + skipped + ": splits 2-3"
	must.Be(t, got.Lacks("wine", "B"), want2, "the gap is described as")
	if records := sample.Records(t, doc.Document{Blocks: got.MissingRecords()}, "missing"); len(records) != 1 ||
		records[0]["status"] != "skipped" {
		t.Errorf("records %v", records)
	}
	in.Left[1] = left(3, "--memory 18 GiB", 370*3600, 45<<30)
	got = table(t, in)
	if reasons := got.Reasons(); len(reasons) != 2 || !strings.Contains(reasons[1].Text,
		"by --memory 18 GiB, predicted 45 GiB a cell") {
		t.Errorf("reasons %+v", reasons)
	}
	in.Left = in.Left[:1]
	if got = table(t, in); got.FullCommand != "bench run --methods B --datasets wine --split 3" {
		t.Errorf("the command is %q", got.FullCommand)
	}
}

// However many sets and methods are concerned, a table has few notes and warnings, and none is long.
func TestNotesAreShort(t *testing.T) {
	in := missing()
	for i, d := range in.Protocol.Datasets {
		set := in.Known[d]
		set.Now = &frame.Data{Fingerprint: "new", File: d + ".csv"}
		in.Known[d] = set
		for j, m := range in.Protocol.Order(nil) {
			r := sample.OK(d, m, 1, 1, 2)
			r.Warnings = []result.Warning{{Text: "stopped early", Times: 2}}
			r.Split += (i + j) % 7
			other := sample.OK(d, m, 10, 1, 2)
			other.Fingerprint, other.StartedAt = "older", "2025-01-01"
			in.Rows = append(in.Rows, r, other)
		}
	}
	in.Protocol.Datasets = append(in.Protocol.Datasets, "empty 1", "empty 2")
	in.Known["empty 1"], in.Known["empty 2"] = sample.Set{}, sample.Set{}
	ft := table(t, in)
	must.Be(t, len(ft.Warnings), 2, "warnings")
	must.Begin(t, ft.Warnings[0], "The rows of 20 data sets are of the data as it was read then; their files changed "+
		"since: bench run --methods M1,")
	must.Be(t, ft.Warnings[1], "Left out, 160 cells of 8 methods on 20 data sets: run on other data than the cells "+
		"that are shown.", "warnings")
	notes := ft.Notes()
	if len(notes) > 8 || !slices.Contains(notes, "Without results: empty 1, empty 2.") {
		t.Errorf("%d notes: %q", len(notes), notes)
	}
	for _, n := range notes {
		if text, _, _ := strings.Cut(n, "bench run"); len(text) > 250 {
			t.Errorf("a note of %d characters: %s", len(n), n)
		}
	}
}

// TestFindingsWarn: what was found of a method is above every table that shows cells of the version and the data
// that it was found of, once a method.
func TestFindingsWarn(t *testing.T) {
	in := lacking()
	row := sample.OK("wine", "A", 1, 1, 2)
	leak := store.Finding{Kind: store.Leak, Method: "A", MethodVersion: row.MethodVersion, Dataset: "wine",
		Fingerprint: row.Fingerprint, Split: 3, Details: "50 of 53 rows, p = 2e-13"}
	other, sonar, state := leak, leak, leak
	other.MethodVersion = "of long ago"
	sonar.Dataset = "sonar"
	sonar.Fingerprint = sample.OK("sonar", "A", 1, 1, 2).Fingerprint
	state.Kind, state.Method, state.Details = store.State, "B", "n_correct was 3, is 4"
	in.Found = []store.Finding{leak, other, sonar, state}
	got := table(t, in).Warnings
	if len(got) < 2 || !strings.HasPrefix(got[0], "leak: A is right about test rows of wine, sonar ") ||
		!strings.Contains(got[0], "wine, split 3: 50 of 53 rows, p = 2e-13") ||
		!strings.HasPrefix(got[1], "state: results of B on wine depend on ") {
		t.Errorf("warnings %q", got)
	}
	in.Found = []store.Finding{other}
	in.Methods = []string{"B", "C"}
	for _, w := range table(t, in).Warnings {
		must.Lack(t, w, "leak")
	}
}

// TestPartialMethods: in lacking A lacks own and C lacks nothing; what a method lacks is noted with the command.
func TestPartialMethods(t *testing.T) {
	in := lacking()
	in.Rows = append(in.Rows, sample.OK("wine", "B", 2, 1, 2), sample.OK("wine", "B", 3, 1, 2)) // B has all, too
	got := table(t, in)
	must.Be(t, fmt.Sprint(got.Methods, got.Whole(), got.Counted, got.Coverage(2)), "[B C A] [B C] [wine own sonar] 2",
		"methods")
	want := "Partial, so without Mean and ranks: A (2 of 3 data sets). To complete what can be run: `bench run " +
		"--methods A --datasets sets/own.toml`."
	must.Have(t, got.Notes(), want)
	for i, means := range got.Means() {
		must.Be(t, len(means), 2, "set", i)
	}
	if splits := got.CommonSplits(); len(splits) != 5 || len(got.ValuesAt(5)[2]) != 2 {
		t.Errorf("common splits %v", splits)
	}

	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Method == "B" && r.Dataset != "sonar" })
	got = table(t, in) // A has wine and sonar, B sonar, C all: two of three have wine and sonar
	if fmt.Sprint(got.Whole(), got.Counted) != "[A C] [wine sonar]" || got.CheckRanked() != nil {
		t.Errorf("whole are %v over %v", got.Whole(), got.Counted)
	}
	in.Methods = []string{"B", "C"}
	got = table(t, in)
	if fmt.Sprint(got.Whole(), got.Counted) != "[B C] [sonar]" || got.CheckComparable() != nil {
		t.Errorf("of two methods whole are %v over %v", got.Whole(), got.Counted)
	}
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Method == "C" && r.Dataset == "sonar" })
	got = table(t, in)
	err := got.CheckComparable()
	must.Is(t, err, frame.ErrNoResults)
	must.Hold(t, err.Error(), "C alone has all of 2 data sets, so that there are no ranks; name fewer methods, data "+
		"sets or splits with --methods, --datasets or --splits")
}

// TestMoreSplitsThanMost: what one method finished beyond the others is left out of its cell, and noted.
func TestMoreSplitsThanMost(t *testing.T) {
	in := lacking()
	in.Rows = append(in.Rows, sample.OK("sonar", "D", 1, 1, 2), sample.OK("sonar", "D", 2, 0, 2),
		sample.OK("sonar", "E", 1, 1, 2))
	in.Methods, in.Datasets = []string{"C", "D", "E"}, []string{"sonar"}
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool { return r.Method == "C" && r.Split > 1 })
	got := table(t, in)
	d := got.Sets[0].Entries[1]
	if len(got.Whole()) != 3 || d.Mean.RatString() != "50" || d.N != 1 || len(got.Cells("sonar", "D")) != 1 {
		t.Errorf("whole are %v; D has %v over %d splits, %d rows; want 50 over the one split that the others have",
			got.Whole(), d.Mean, d.N, len(got.Cells("sonar", "D")))
	}
	must.Have(t, got.Notes(), "Left out, since most methods have not finished these splits: D on sonar (split 2).")
}

// Seven variants with few sets take none from the others. A set with one of ten splits is not counted, and a set that
// the protocol does not name is shown apart; both are said, and how to count the latter.
func TestFewSetsAndFewSplits(t *testing.T) {
	var rows []store.Row
	for s := range 8 {
		name := fmt.Sprint("s", s)
		for m := range 10 {
			for split := 1; split <= 10; split++ {
				if m >= 3 && s >= 3 || s == 7 && split > 1 { // variants have three sets; the last set has one split
					continue
				}
				rows = append(rows, sample.OK(name, fmt.Sprint("M", m), split, 80+m, 100))
			}
		}
	}
	in := sample.Of(10, rows...)
	for _, m := range []string{"M0", "M1"} {
		for split := 1; split <= 10; split++ {
			in.Rows = append(in.Rows, sample.OK("mine", m, split, 90, 100))
		}
	}
	got := table(t, in)
	if len(got.Whole()) != 3 || fmt.Sprint(got.Counted) != "[s0 s1 s2 s3 s4 s5 s6]" || !got.Few(1) || got.Few(5) {
		t.Errorf("whole are %v over %v", got.Whole(), got.Counted)
	}
	few := "Not counted, since they have less than half of the usual 10 splits: s7 (1)."
	must.Have(t, got.Notes(), few)
	if slices.Contains(got.NotesOfPairs(), few) {
		t.Error("a pair has its own usual number of splits")
	}
	for _, notes := range [][]string{got.Notes(), got.NotesOfPairs()} {
		must.Have(t, notes, "Shown apart and not counted, since protocol "+got.Protocol+" does not name them: mine. "+
			"`--datasets "+got.Protocol+",mine` counts them.")
	}
}

// Why a method cannot run here names what computed its results.
func TestWhoComputedAnUnknownMethod(t *testing.T) {
	in := missing()
	in.Methods, in.Tasks = []string{"M1", "Gone"}, map[string]registry.Task{"Gone": 0}
	row := sample.OK("s01", "Gone", 1, 80, 100)
	row.MethodVersion, row.Environment = "1+python3.12.3", &result.Environment{ProgramVersion: "v9"}
	in.Rows = append(in.Rows, row)
	want := "Cannot be run (this program has no such method; its results were stored by bench v9 with version " +
		"1+python3.12.3)"
	ft := table(t, in)
	must.Be(t, slices.ContainsFunc(ft.Reasons(), func(r frame.Reason) bool { return r.Text == want }), true, "reasons",
		ft.Reasons(), want)
	// A run asks a plugin that ran here. One whose results were imported may be elsewhere.
	for from, runs := range map[string]bool{"": true, "reference": false} {
		last := &in.Rows[len(in.Rows)-1]
		last.MethodVersion, last.Imported = "1+3370ea89 benchplugin=1.1", from
		ft = table(t, in)
		must.Be(t, strings.Contains(ft.FullCommand, "Gone"), runs, from, ft.FullCommand)
	}
}

// A note whose list would be empty is left out.
func TestNoEmptyNotes(t *testing.T) {
	for _, in := range []sample.Input{sample.Paper(), sample.Small(), sample.Sixteen()} {
		got := table(t, in)
		for _, note := range append(got.Notes(), got.Warnings...) {
			must.Lack(t, note, ": .")
		}
	}
}
