package frame_test

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"
)

// table is the input's table of accuracies.
func table(t testing.TB, in sample.Input) frame.Table {
	t.Helper()
	return must.Get(in.Frame(t).Table(""))(t)
}

// lacking is a table of three methods on three sets, five splits: A lacks all of own, B lacks splits
// 2 and 3 of wine, everything else is there.
func lacking() sample.Input {
	in := sample.Input{Known: map[string]sample.Set{"wine": {}, "own": {File: "sets/own.toml"}, "sonar": {}}}
	in.Protocol.Splits, in.Protocol.Datasets = 5, []string{"wine", "own", "sonar"}
	in.Protocol.Order = func([]string) []string { return []string{"A", "B", "C"} }
	in.Run = frame.Invocation{Splits: 5}
	for _, d := range in.Protocol.Datasets {
		for _, m := range []string{"A", "B", "C"} {
			for s := 1; s <= 5; s++ {
				if d == "own" && m == "A" || d == "wine" && m == "B" && (s == 2 || s == 3) {
					continue
				}
				in.Rows = append(in.Rows, sample.OK(d, m, s, 1, 2))
			}
		}
	}
	return in
}

// only asks for one cell of lacking.
func only(in *sample.Input, dataset, method string) {
	in.Datasets, in.Methods = []string{dataset}, []string{method}
}

// failed turns the run of C on sonar, split 4, into a failure.
func failed(in *sample.Input) {
	i := slices.IndexFunc(in.Rows, func(r store.Row) bool {
		return r.Dataset == "sonar" && r.Method == "C" && r.Split == 4
	})
	in.Rows[i] = sample.Failed("sonar", "C", 4, result.Failed, "why")
}

// change lets the files of a set hold other data than they did.
func change(in *sample.Input, dataset string) {
	in.Known[dataset] = sample.Set{Now: &frame.Data{Fingerprint: "new", File: "x.csv"}}
}

// The command is the cheapest that completes the table, and can be pasted.
func TestFullCommand(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*sample.Input)
		want   string
	}{
		"several": {func(*sample.Input) {}, "bench run --methods A,B --datasets wine,sets/own.toml"},
		"splits of the middle": {func(in *sample.Input) { only(in, "wine", "B") },
			"bench run --methods B --datasets wine --splits 2-3"},
		"one split": {func(in *sample.Input) {
			only(in, "wine", "B")
			in.Splits = []int{1, 3}
		}, "bench run --methods B --datasets wine --split 3"},
		"the first split": {func(in *sample.Input) {
			in.Datasets, in.Methods, in.Splits = []string{"own"}, []string{"A", "B"}, []int{1}
		}, "bench run --methods A --datasets sets/own.toml --splits 1"},
		"splits apart": {func(in *sample.Input) {
			in.Datasets, in.Methods, in.Splits = []string{"own"}, []string{"A", "B"}, []int{4, 1, 3}
		}, "bench run --methods A --datasets sets/own.toml --split 1,3-4"},
		"more splits than the protocol's": {func(in *sample.Input) {
			in.Datasets, in.Methods = []string{"own"}, []string{"A", "B"}
			in.Protocol.Splits, in.Run.Splits = 3, 3
		}, "bench run --methods A --datasets sets/own.toml --splits 5"},
		"a failure": {func(in *sample.Input) {
			only(in, "sonar", "C")
			failed(in)
		}, "bench run --methods C --datasets sonar --split 4 --retry"},
		"a failure on other data": {func(in *sample.Input) {
			only(in, "sonar", "C")
			failed(in)
			change(in, "sonar")
		}, "bench run --methods C --datasets sonar"},
		"impossible": {func(in *sample.Input) {
			in.Tasks = map[string]registry.Task{"A": registry.Multiclass}
		}, "bench run --methods B --datasets wine --splits 2-3"},
		"changed data": {func(in *sample.Input) {
			only(in, "sonar", "C")
			change(in, "sonar")
		}, "bench run --methods C --datasets sonar"},
		"nothing": {func(in *sample.Input) { only(in, "sonar", "C") }, ""},
		"everything around it": {func(in *sample.Input) {
			in.Datasets, in.Methods = []string{"own"}, []string{"A", "B"}
			in.Known["own"] = sample.Set{File: "my data/it's, mine.toml"}
			in.Run = frame.Invocation{Splits: 5, Protocol: "short protocol.toml", Database: "$HOME/r.db",
				Data: "~/data"}
		},
			`bench run --methods A --datasets '"my data/it'\''s, mine.toml"' ` +
				`--protocol 'short protocol.toml' --db '$HOME/r.db' --data '~/data'`},
	} {
		in := lacking()
		c.change(&in)
		must.Be(t, table(t, in).FullCommand, c.want, name)
	}
}

// What a shell and the flags read from the command is a set of cells that holds every cell the table
// lacks and nothing outside it; and leaving any method, set or split out would leave a cell out.
func TestFullCommandIsCheapest(t *testing.T) {
	needsShell(t)
	rapid.Check(t, func(rt *rapid.T) {
		methods := []string{"A", "B b", `C"'`}
		in := sample.Input{Known: map[string]sample.Set{"x": {}, "y": {File: `a, "b".toml`}}}
		in.Protocol.Splits, in.Run.Splits, in.Protocol.Datasets = 3, 3, []string{"x", "y"}
		in.Protocol.Order = func([]string) []string { return methods }
		type cell struct {
			dataset, method string
			split           int
		}
		lacks := map[cell]bool{}
		for _, d := range in.Protocol.Datasets {
			for _, m := range methods {
				for s := 1; s <= 3; s++ {
					name := d
					if file := in.File(d); file != "" {
						name = file
					}
					switch rapid.IntRange(0, 3).Draw(rt, "cell") {
					case 0:
						lacks[cell{name, m, s}] = true
					case 1:
						lacks[cell{name, m, s}] = true
						in.Rows = append(in.Rows, sample.Failed(d, m, s, result.Failed, "why"))
					default:
						in.Rows = append(in.Rows, sample.OK(d, m, s, 1, 1))
					}
				}
			}
		}
		if len(in.Rows) == 0 {
			return // nothing to show
		}
		asks, sets, splits := asked(rt, table(t, in).FullCommand)
		used := map[string]bool{}
		for c := range lacks {
			if !slices.Contains(asks, c.method) || !slices.Contains(sets, c.dataset) ||
				!slices.Contains(splits, c.split) {
				rt.Fatalf("the command does not run %v: %v %v %v", c, asks, sets, splits)
			}
			used[c.method], used[c.dataset], used[strconv.Itoa(c.split)] = true, true, true
		}
		must.Be(rt, len(used), len(asks)+len(sets)+len(splits), "the command asks for")
	})
}

func needsShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
}

// asked reads a command as a shell and the flags do.
func asked(t *rapid.T, command string) (methods, sets []string, splits []int) {
	if command == "" {
		return nil, nil, nil
	}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.StringSliceVar(&methods, "methods", nil, "")
	flags.StringSliceVar(&sets, "datasets", nil, "")
	first, these := flags.String("splits", "", ""), flags.String("split", "", "")
	flags.Bool("retry", false, "")
	words, err := exec.Command("sh", "-c", `printf '%s\0' `+command).Output()
	if err == nil {
		err = flags.Parse(strings.Split(string(words), "\x00"))
	}
	splits, errSplits := plan.Splits(*first, *these)
	if err = errors.Join(err, errSplits); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if splits == nil {
		splits = []int{1, 2, 3}
	}
	return methods, sets, splits
}

// A real shell reads the arguments back as they were.
func TestCommandLine(t *testing.T) {
	needsShell(t)
	args := []string{"printf", `%s\0`, "", "plain-1.2_x/y:z@%+=,", "two words", "it's", `"`, "$HOME `id` $(id)",
		"*?[a]", "~", "a\nb\tc", "ä±", "!", "&&|;<>#", `\`}
	out := must.Get(exec.Command("sh", "-c", frame.CommandLine(args...)).Output())(t)
	must.Be(t, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), args[2:], "sh reads")
}
