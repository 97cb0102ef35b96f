package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// chosen are the records of the choices of A against B.
func chosen(t testing.TB, in sample.Input, args ...string) []map[string]any {
	t.Helper()
	return sample.Records(t, sample.Build(t, named("compare"), in, append([]string{"A", "B"}, args...)...), "choices")
}

// drawn is methods A and B on sets of 100 test rows, where A is better by so many rows on average.
func drawn(seed uint64, sets int, by, deviation float64) sample.Input {
	stream := rand.New(rand.NewPCG(seed, 1))
	a, b := make([][]int, sets), make([][]int, sets)
	for s := range sets {
		gain := by + deviation*stream.NormFloat64()
		for range 4 {
			b[s] = append(b[s], 70+int(3*stream.NormFloat64()))
			a[s] = append(a[s], b[s][len(b[s])-1]+int(gain+stream.NormFloat64()))
		}
	}
	in := two(a, b)
	for s := range sets { // later sets are smaller
		in.Known[fmt.Sprintf("s%02d", s)] = sample.Set{Entry: catalogue.Entry{Rows: 900 - s}}
	}
	return in
}

// TestChoicesAreThePages: the verdict under each choice of cells, metric and region is that of the page which a user
// gets who asks for this choice.
func TestChoicesAreThePages(t *testing.T) {
	verdicts := map[any]bool{}
	for seed := range uint64(6) {
		in := drawn(seed, 9, float64(seed)/2, 1.2)
		got := chosen(t, in)
		counts := map[string]int{}
		for _, c := range got {
			choice, same, flags := c["choice"].(string), in, []string{}
			kind, value, _ := strings.Cut(choice, " ")
			switch {
			case kind == "without":
				same.Exclude = []string{value}
			case choice == "on the smaller half of the sets":
				same.Exclude = []string{"s00", "s01", "s02", "s03"}
			case choice == "on the larger half of the sets":
				same.Exclude = []string{"s05", "s06", "s07", "s08"}
			case strings.HasPrefix(choice, "with splits "):
				same.Splits = map[string][]int{"1-2": {1, 2}, "3-4": {3, 4}}[strings.TrimPrefix(choice, "with splits ")]
				same.Rows = slices.Clone(in.Rows)
			case strings.HasPrefix(choice, "with a region of "):
				flags = []string{"--equivalence", strings.Fields(strings.TrimPrefix(choice, "with a region of "))[0]}
			case choice == "by balanced accuracy" || choice == "by F1 score":
				flags = []string{"--metric", map[string]string{"b": "balanced_accuracy", "F": "f1"}[value[:1]]}
			default:
				counts[choice]++
				continue
			}
			counts[kind]++
			pair := sample.Records(t, sample.Build(t, named("compare"), same, append([]string{"A", "B"}, flags...)...),
				"pairs")[0]
			verdicts[pair["verdict"]] = true
			must.Be(t, c["verdict"], pair["verdict"], "seed", seed, choice, c)
			must.Be(t, fmt.Sprint(c["adjusted_p"], c["equivalence_p"], c["estimated_gain"], c["sets"]),
				fmt.Sprint(pair["adjusted_p"], pair["equivalence_p"], pair["typical_gain"], pair["sets"]), "seed", seed,
				choice, c)
		}
		want := map[string]int{"without": 9, "with": 4, "by": 2, "as above": 1, "by the mean over sets": 1,
			"by the median over sets": 1, "on": 2}
		must.Be(t, counts, want, "seed", seed)
	}
	if len(verdicts) < 3 {
		t.Errorf("only the verdicts %v occurred", verdicts)
	}
}

// TestChoiceThatTurns: six of seven sets turn the verdict, by hand. With six sets of one sign p is 2/2^6 = 0.031. With
// seven sets, of which that with the least difference has the other sign, it is 2 * 2/2^7 = 0.031, and with six of
// these 0.0625. The choices are two metrics, two regions, mean, median and each set left out; all splits are equal.
func TestChoiceThatTurns(t *testing.T) {
	gains := []int{-1, 2, 3, 4, 5, 6, 7}
	rows := func(gains []int) sample.Input {
		a, b := make([][]int, len(gains)), make([][]int, len(gains))
		for s, g := range gains {
			for range 4 {
				a[s], b[s] = append(a[s], 70+g), append(b[s], 70)
			}
		}
		return two(a, b)
	}
	paragraphs := func(in sample.Input, args ...string) []string {
		t.Helper()
		d := sample.Build(t, named("compare"), in, append([]string{"A", "B"}, args...)...)
		return said(d)
	}
	said := strings.Join(paragraphs(rows(gains)), "\n")
	must.Hold(t, said, "significantly better", "The verdict holds under 7 of 13 other choices: not without s01, "+
		"not without s02, not without s03, not under 3 more. `--choices` shows them.")
	// Halves of four sets cannot be significant, and half of twelve may be inconclusive for lack of sets.
	twelve := rows([]int{-1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5})
	for _, c := range chosen(t, twelve) {
		if c["choice"] == "on the smaller half of the sets" &&
			(c["verdict"] != string(evidence.Inconclusive) || c["same"] != "") {
			t.Errorf("half of twelve sets: %v", c)
		}
	}
	if said := slices.Concat(paragraphs(rows([]int{5, 5, 5, 5, 5, 5, 5, 5})), paragraphs(twelve)); len(said) != 2 {
		t.Errorf("nothing turns the verdict, and the page says %v", said)
	}
	for _, c := range chosen(t, rows(gains)) {
		choice := c["choice"].(string)
		want := "yes"
		switch {
		case strings.HasPrefix(choice, "on the"):
			want = ""
		case strings.HasPrefix(choice, "without s") && choice != "without s00":
			want = "no"
		}
		if c["same"] != want || want == "" && c["verdict"] != string(evidence.Untestable) {
			t.Errorf("%s: %v", choice, c)
		}
	}
	table := func(args ...string) doc.Table {
		d := sample.Build(t, named("compare"), rows(gains), append([]string{"A", "B"}, args...)...)
		return d.Blocks[slices.IndexFunc(d.Blocks, func(b doc.Block) bool {
			table, ok := b.(doc.Table)
			return ok && table.Heading == "Under other choices"
		})].(doc.Table)
	}
	must.Be(t, table().Detail, true, "--choices shows the table, which else is a detail")
	must.Be(t, table("--choices").Detail, false, "--choices shows the table, which else is a detail")
}

// TestEstimates: mean and median beyond the region, within it and on the other side.
func TestEstimates(t *testing.T) {
	for _, c := range []struct {
		gains        []int
		mean, median evidence.Verdict
	}{
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, evidence.Better, evidence.Better},
		{[]int{1, 1, 1, 1, 1, 8, 8, 8}, evidence.Better, evidence.Uncertain},
		{[]int{2, 2, 2, 2, 2, 2, 2, -30}, evidence.Inconclusive, evidence.Inconclusive},
		{[]int{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, -60}, evidence.Uncertain, evidence.Better},
		{[]int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, evidence.Equivalent, evidence.Equivalent},
		{[]int{0, 0, 0, 0, 0, 0, 0, 0, 0, 39}, evidence.Inconclusive, evidence.Equivalent},
	} {
		a, b := make([][]int, len(c.gains)), make([][]int, len(c.gains))
		for s, g := range c.gains {
			a[s], b[s] = []int{61 + g, 61 + g}, []int{61, 61}
		}
		for _, r := range chosen(t, two(a, b)) {
			verdicts := map[any]evidence.Verdict{"by the mean over sets": c.mean, "by the median over sets": c.median}
			want := verdicts[r["choice"]]
			if want != "" && r["verdict"] != string(want) {
				t.Errorf("%v %s: %s and not %s", c.gains, r["choice"], r["verdict"], want)
			}
		}
	}
}

// TestChoicesAreOfTwo: the flag is refused for more methods.
func TestChoicesAreOfTwo(t *testing.T) {
	in := sample.Paper()
	must.Say(t, must.Err(sample.Make(t, named("compare"), in, "GFC", "--choices")),
		"--choices is for two methods, and the table has")
}
