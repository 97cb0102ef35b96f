package reports_test

import (
	"encoding/csv"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/reports"
	"pgregory.net/rapid"
)

// lacking is a table of three methods on three sets, five splits: A lacks all of
// own, B lacks splits 2 and 3 of wine, everything else is there.
func lacking() reports.Table2Input {
	in := reports.Table2Input{Protocol: "p", Methods: []string{"A", "B", "C"}, Splits: 5,
		Datasets: []reports.Dataset{{Name: "wine"}, {Name: "own", File: "sets/own.toml"}, {Name: "sonar"}}}
	for _, d := range in.Datasets {
		for _, m := range in.Methods {
			for s := 1; s <= 5; s++ {
				if d.Name == "own" && m == "A" || d.Name == "wine" && m == "B" && (s == 2 || s == 3) {
					continue
				}
				in.Runs = append(in.Runs, reports.Run{Dataset: d.Name, Method: m, Split: s, Status: reports.StatusOK, Correct: 1, Test: 2})
			}
		}
	}
	return in
}

// The command is the cheapest that completes the table, and can be pasted.
func TestRunMissing(t *testing.T) {
	only := func(dataset, method string, in *reports.Table2Input) {
		in.Datasets = slices.DeleteFunc(in.Datasets, func(d reports.Dataset) bool { return d.Name != dataset })
		in.Methods = []string{method}
		in.Runs = slices.DeleteFunc(in.Runs, func(r reports.Run) bool { return r.Dataset != dataset || r.Method != method })
	}
	for name, c := range map[string]struct {
		change func(*reports.Table2Input)
		v      reports.Invocation
		want   string
	}{
		"several": {func(in *reports.Table2Input) {}, reports.Invocation{Splits: 5},
			"bench run --methods A,B --datasets wine,sets/own.toml"},
		"splits of the middle": {func(in *reports.Table2Input) { only("wine", "B", in) }, reports.Invocation{Splits: 5},
			"bench run --methods B --datasets wine --splits 2-3"},
		"one split": {func(in *reports.Table2Input) {
			only("wine", "B", in)
			in.Selected = []int{1, 3}
		}, reports.Invocation{Splits: 5}, "bench run --methods B --datasets wine --splits 3-3"},
		"the first split": {func(in *reports.Table2Input) {
			only("own", "A", in)
			in.Selected = []int{1}
		}, reports.Invocation{Splits: 5}, "bench run --methods A --datasets sets/own.toml --splits 1"},
		"splits apart": {func(in *reports.Table2Input) {
			only("own", "A", in)
			in.Selected = []int{1, 3, 4}
		}, reports.Invocation{Splits: 5}, "bench run --methods A --datasets sets/own.toml --splits 1,3-4"},
		"more splits than the protocol's": {func(in *reports.Table2Input) { only("own", "A", in) }, reports.Invocation{Splits: 3},
			"bench run --methods A --datasets sets/own.toml --splits 5"},
		"a failure": {func(in *reports.Table2Input) {
			only("sonar", "C", in)
			in.Runs[3].Status = "failed"
		}, reports.Invocation{Splits: 5}, "bench run --methods C --datasets sonar --splits 4-4 --retry"},
		"a failure on other data": {func(in *reports.Table2Input) {
			only("sonar", "C", in)
			in.Runs[3].Status = "failed"
			in.Changed = []reports.Change{{Dataset: "sonar"}}
		}, reports.Invocation{Splits: 5}, "bench run --methods C --datasets sonar"},
		"impossible": {func(in *reports.Table2Input) { in.Impossible = []reports.Impossible{{"own", "A", "not so"}} }, reports.Invocation{Splits: 5},
			"bench run --methods B --datasets wine --splits 2-3"},
		"changed data": {func(in *reports.Table2Input) {
			only("sonar", "C", in)
			in.Changed = []reports.Change{{Dataset: "sonar"}}
		}, reports.Invocation{Splits: 5}, "bench run --methods C --datasets sonar"},
		"nothing": {func(in *reports.Table2Input) { only("sonar", "C", in) }, reports.Invocation{Splits: 5}, ""},
		"everything around it": {func(in *reports.Table2Input) {
			only("own", "A", in)
			in.Datasets[0].File = "my data/it's, mine.toml"
		}, reports.Invocation{Splits: 5, Protocol: "short protocol.toml", Database: "$HOME/r.db", Data: "~/data"},
			`bench run --methods A --datasets '"my data/it'\''s, mine.toml"' --protocol 'short protocol.toml' --db '$HOME/r.db' --data '~/data'`},
	} {
		in := lacking()
		c.change(&in)
		if got := in.RunMissing(c.v); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// What a shell and the flags read from the command is a set of cells that holds
// every cell the table lacks and nothing outside it; and leaving any method, set or
// split out would leave a cell out.
func TestRunMissingIsCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := reports.Table2Input{Protocol: "p", Methods: []string{"A", "B b", `C"'`}, Splits: 3,
			Datasets: []reports.Dataset{{Name: "x"}, {Name: "y", File: `a, "b".toml`}}}
		type cell struct {
			dataset, method string
			split           int
		}
		lacks := map[cell]bool{}
		for _, d := range in.Datasets {
			for _, m := range in.Methods {
				for s := 1; s <= in.Splits; s++ {
					name := d.Name
					if d.File != "" {
						name = d.File
					}
					switch rapid.IntRange(0, 3).Draw(t, "cell") {
					case 0:
						lacks[cell{name, m, s}] = true
						continue
					case 1:
						lacks[cell{name, m, s}] = true
						in.Runs = append(in.Runs, reports.Run{Dataset: d.Name, Method: m, Split: s, Status: "failed"})
					default:
						in.Runs = append(in.Runs, reports.Run{Dataset: d.Name, Method: m, Split: s, Status: reports.StatusOK, Correct: 1, Test: 1})
					}
				}
			}
		}
		methods, sets, splits := asked(t, in.RunMissing(reports.Invocation{Splits: 3}))
		used := map[string]bool{}
		for c := range lacks {
			if !slices.Contains(methods, c.method) || !slices.Contains(sets, c.dataset) || !slices.Contains(splits, c.split) {
				t.Fatalf("the command does not run %v: %v %v %v", c, methods, sets, splits)
			}
			used[c.method], used[c.dataset], used[strconv.Itoa(c.split)] = true, true, true
		}
		if len(used) != len(methods)+len(sets)+len(splits) {
			t.Fatalf("the command asks for %v %v %v, needed are %v", methods, sets, splits, used)
		}
	})
}

// asked reads a command as a shell and the flags do.
func asked(t *rapid.T, command string) (methods, sets []string, splits []int) {
	if command == "" {
		return nil, nil, nil
	}
	args := words(t, command)
	splits = []int{1, 2, 3}
	for i, a := range args {
		switch a {
		case "--methods", "--datasets":
			list, err := csv.NewReader(strings.NewReader(args[i+1])).Read()
			if err != nil {
				t.Fatalf("%s: %v", args[i+1], err)
			}
			if a == "--methods" {
				methods = list
			} else {
				sets = list
			}
		case "--splits":
			splits = readSplits(args[i+1])
		}
	}
	return methods, sets, splits
}

// readSplits is harness.ParseSplits for small numbers, written once more.
func readSplits(s string) []int {
	var out []int
	parts := strings.Split(s, ",")
	for _, part := range parts {
		from, to, isRange := strings.Cut(part, "-")
		first, _ := strconv.Atoi(from)
		last := first
		if isRange {
			last, _ = strconv.Atoi(to)
		} else if len(parts) == 1 {
			first = 1
		}
		for k := first; k <= last; k++ {
			out = append(out, k)
		}
	}
	return out
}

// words splits a command line at blanks outside single quotes.
func words(t interface{ Fatalf(string, ...any) }, line string) []string {
	var out []string
	word, quoted, escaped := "", false, false
	for _, r := range line {
		switch {
		case escaped:
			word, escaped = word+string(r), false
		case r == '\'':
			quoted = !quoted
		case r == '\\' && !quoted:
			escaped = true
		case r == ' ' && !quoted:
			out, word = append(out, word), ""
		default:
			word += string(r)
		}
	}
	if quoted || escaped {
		t.Fatalf("%s: a quote stays open", line)
	}
	return append(out, word)
}

// A real shell reads the arguments back as they were.
func TestCommandLine(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	args := []string{"printf", `%s\0`, "", "plain-1.2_x/y:z@%+=,", "two words", "it's", `"`, "$HOME `id` $(id)", "*?[a]", "~", "a\nb\tc", "ä±", "!", "&&|;<>#", `\`}
	out, err := exec.Command(sh, "-c", reports.CommandLine(args...)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, args[2:]) {
		t.Errorf("sh reads %q, want %q", got, args[2:])
	}
}
