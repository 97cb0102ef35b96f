package frame_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// edited is lacking without A, whose B was edited and run again on wine: there version 2 has the cells of
// version 1.
func edited() sample.Input {
	in := lacking()
	in.Rows = slices.DeleteFunc(in.Rows, func(r store.Row) bool {
		return r.Method == "A" || r.Split > 3 || r.Method == "B" && r.Dataset == "wine"
	})
	in.Protocol.Splits, in.Protocol.Order = 3, slices.Clone[[]string]
	for i := range in.Rows {
		in.Rows[i].MethodVersion = "1"
	}
	for s := 1; s <= 3; s++ {
		before, now := sample.OK("wine", "B", s, 1, 4), sample.OK("wine", "B", s, 3, 4)
		before.MethodVersion, now.MethodVersion, now.StartedAt = "1", "2+beef", "2026-02-01"
		in.Older, in.Rows = append(in.Older, before), append(in.Rows, now)
	}
	for i := range in.Rows { // tests of one set have as many rows for all
		if r := &in.Rows[i]; r.Dataset == "wine" && r.Method == "C" {
			*r = sample.OK("wine", "C", r.Split, 2, 4)
			r.MethodVersion = "1"
		}
	}
	return in
}

// TestOneColumnTwoVersions: a column that mixes versions says so, and before and after are side by side.
func TestOneColumnTwoVersions(t *testing.T) {
	in := edited()
	ft := table(t, in)
	want := "B: version 1 on own, sonar, version 2+beef on wine; `bench run --methods B` brings them to one version"
	must.Be(t, ft.Warnings, []string{want}, "warnings")
	must.Be(t, ft.Version("wine", "B"), "2+beef", "warnings")
	must.Be(t, ft.Version("own", "B"), "1", "warnings")

	in.Methods = []string{"b@1", "B@2", "C"}
	ft = table(t, in)
	means := func(set int) (out []string) {
		for _, e := range ft.Sets[set].Entries {
			out = append(out, frame.Text(e.Mean, 0))
		}
		return out
	}
	must.Be(t, fmt.Sprint(ft.Methods, means(0), ft.Warnings), "[B@1 C B@2] [25 50 75] []", "columns")
	if v, ok := ft.Pinned("B@2"); !ok || v.Version != "2+beef" || len(ft.Cells("sonar", "B@2")) != 0 ||
		!strings.Contains(ft.Sets[0].Entries[0].SQL, "method_version = '1'") {
		t.Errorf("B@2 is %v with %d cells on sonar; B@1 is asked for by %s", v, len(ft.Cells("sonar", "B@2")),
			ft.Sets[0].Entries[0].SQL)
	}
	if notes := strings.Join(ft.Notes(), "\n"); !strings.Contains(notes,
		"Partial, so without Mean and ranks: B@2 (1 of 3 data sets).\n") ||
		!strings.Contains(notes, "Cannot be run (this program has version  of B)") {
		t.Errorf("notes\n%s", notes)
	}

	in.Methods, in.Also = nil, []string{"B@1"}
	if ft = table(t, in); !slices.Equal(ft.Methods, []string{"B@1", "B", "C"}) &&
		!slices.Equal(ft.Methods, []string{"B", "B@1", "C"}) {
		t.Errorf("with all that is stored B@1 gives %v", ft.Methods)
	}
	must.Be(t, in.Run.Command([]string{"B", "C"}, nil, nil, false), "bench run --methods B,C", "command")
}

// TestVersionsThatAreNotStored: what is asked for must be one stored version.
func TestVersionsThatAreNotStored(t *testing.T) {
	in := edited()
	other := sample.OK("sonar", "B", 1, 1, 2)
	other.MethodVersion = "2+dead"
	in.Older = append(in.Older, other)
	for asked, want := range map[string]string{
		"B@3": `no stored version of B begins with "3"; stored are 1, 2+dead, 2+beef`,
		"B@2": `several stored versions of B begin with "2": 2+dead, 2+beef; write more of one`,
		"D@1": "nothing of D is stored under protocol table2, at any version",
	} {
		in.Methods = []string{asked, "C"}
		_, err := in.Read(t.Context())
		request := new(frame.RequestError)
		must.Be(t, errors.As(err, &request), true, asked)
		must.Be(t, err.Error(), want, asked)
	}
	in.Methods = []string{"B@2+b", "B@2+beef"}
	must.Say(t, must.Err(in.Read(t.Context())), "is named twice")
}

// TestUnnumberedVersions: of a plugin that numbers no version NAME@2 is the second that ran.
func TestUnnumberedVersions(t *testing.T) {
	in := edited()
	for _, rows := range [][]store.Row{in.Older, in.Rows} {
		for i, r := range rows {
			if r.Method == "B" {
				rows[i].MethodVersion = map[string]string{"1": "1+dead", "2+beef": "1+beef"}[r.MethodVersion]
			}
		}
	}
	in.Methods = []string{"B@1", "B@2", "C"}
	ft := table(t, in)
	first, _ := ft.Pinned("B@1")
	second, _ := ft.Pinned("B@2")
	must.Be(t, first.Version, "1+dead", "B@1 is")
	must.Be(t, second.Version, "1+beef", "B@1 is")
	in.Methods = []string{"B@3", "C"}
	must.Say(t, must.Err(in.Read(t.Context())), `no stored version of B begins with "3"; stored are 1+dead, 1+beef`)
}

// TestMetricsOfProbabilities: methods without them and cells stored before are left out, and the notes say so.
func TestMetricsOfProbabilities(t *testing.T) {
	in := sample.Input{Known: map[string]sample.Set{"wine": {}, "sonar": {}}}
	in.Protocol.Splits, in.Protocol.Datasets = 2, []string{"wine", "sonar"}
	in.Protocol.Order = func([]string) []string { return []string{"A", "B", "C"} }
	for _, d := range in.Protocol.Datasets {
		for split := 1; split <= 2; split++ {
			a, b := sample.OK(d, "A", split, 1, 2), sample.OK(d, "B", split, 1, 2)
			if d == "wine" || split == 1 {
				a.Score.LogLoss, a.Score.Brier, a.Score.ECE = new(0.25), new(0.25), new(0.25)
			}
			in.Rows = append(in.Rows, a, b, sample.Failed(d, "C", split, result.Failed, "why"))
		}
	}
	f := in.Frame(t)
	got := must.Get(f.Table("brier"))(t)
	if !slices.Equal(got.Methods, []string{"A"}) || len(got.Sets) != 2 || got.Sets[0].Finished() != 2 ||
		got.Sets[1].Finished() != 1 {
		t.Errorf("the table has methods %v and sets %+v", got.Methods, got.Sets)
	}
	for _, want := range []string{
		"No brier of methods whose scores are not declared as probabilities: B, C.",
		"Left out, 1 cell of A stored without brier; `bench run --rerun A` computes them again.",
	} {
		must.Have(t, got.Notes(), want)
	}
	in.Methods = []string{"B"}
	f = in.Frame(t)
	if _, err := f.Table("brier"); !errors.Is(err, frame.ErrNoResults) ||
		!strings.Contains(err.Error(), "not declared as probabilities: B.") {
		t.Errorf("a table of B alone: %v", err)
	}
}
