package frame

import (
	"cmp"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
)

// An Invocation says how to write `bench run` so that it uses the report's protocol, database and data.
type Invocation struct {
	Protocol string // argument of --protocol: a name or the path of a TOML file; "" for the default
	Splits   int    // number of the protocol's splits, which are run without --splits
	Database string // argument of --db; "" for the default
	Data     string // argument of --data; "" for the default

	// names of methods by the head of their column, where the head is another text: NAME@VERSION
	methods map[string]string
}

// Command writes the command that runs methods on sets (names or TOML files). Without methods and sets it
// runs everything in the protocol; nil splits are the protocol's.
func (v Invocation) Command(methods, sets []string, splits []int, retry bool) string {
	args, names := []string{"bench", "run"}, []string(nil)
	for _, m := range methods {
		AppendUnique(&names, cmp.Or(v.methods[m], m))
	}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if methods == nil && sets == nil {
		args = append(args, "--all")
	}
	add("--methods", commaList(names))
	add("--datasets", commaList(sets))
	add(v.OfSplits(splits))
	args = append(args, v.where()...)
	if retry {
		args = append(args, "--retry")
	}
	return CommandLine(args...)
}

// Other writes another command of bench for the same protocol, database and data.
func (v Invocation) Other(args ...string) string {
	return CommandLine(slices.Concat([]string{"bench"}, args, v.where())...)
}

// Why writes the command that shows what is behind a number: its protocol is an argument, and no flag.
func (v Invocation) Why(protocol, set, method string) string {
	protocol, v.Protocol = cmp.Or(v.Protocol, protocol), ""
	return v.Other("report", "why", protocol, set, method)
}

func (v Invocation) where() []string {
	var args []string
	for _, a := range [][2]string{{"--protocol", v.Protocol}, {"--db", v.Database}, {"--data", v.Data}} {
		if a[1] != "" {
			args = append(args, a[0], a[1])
		}
	}
	return args
}

// OfSplits spells --splits or --split and its argument, which is empty for the protocol's own splits.
func (v Invocation) OfSplits(splits []int) (flag, value string) {
	first := FromOne(splits)
	switch {
	case splits == nil || first && len(splits) == v.Splits:
		return "", ""
	case first:
		return "--splits", Ranges(splits[len(splits)-1:])
	}
	text := strings.ReplaceAll(Ranges(splits), ", ", ",")
	if strings.Contains(text, ",") || len(splits) == 1 {
		return "--split", text
	}
	return "--splits", text
}

// FromOne reports whether numbers are 1, 2, 3 and so on.
func FromOne(numbers []int) bool {
	for i, n := range numbers {
		if n != i+1 {
			return false
		}
	}
	return true
}

// commaList joins names for a flag that takes a list. The flag reads the list as a line
// of CSV, so a path with a comma is quoted.
func commaList(names []string) string {
	if len(names) == 0 {
		return ""
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Write(names) // a strings.Builder takes everything
	w.Flush()
	return strings.TrimSuffix(out.String(), "\n")
}

// CommandLine joins arguments so that a POSIX shell reads them back as they are.
func CommandLine(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = shellQuote(a)
	}
	return strings.Join(quoted, " ")
}

func shellQuote(s string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_@%+=:,./-", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !safe(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// setCommands sets the commands that compute what is missing.
func (t *Table) setCommands() {
	for i, c := range t.Changed {
		t.Changed[i].Command = t.runAgain(map[string]bool{c.Dataset: true})
	}
	t.FullCommand = t.command(func(m Missing) []int { return m.Splits })
	compared := map[string][]int{} // by counted set
	for _, s := range t.CountedSets() {
		compared[s.Name] = s.Splits
	}
	t.Completes = t.command(func(m Missing) []int {
		if slices.Contains(t.Whole(), m.Method) {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(m.Splits), func(s int) bool {
			return !slices.Contains(compared[m.Dataset], s)
		})
	})
}

// runAgain returns the command that runs the table's cells of sets whose data changed, "" if none of them can be run.
func (t *Table) runAgain(names map[string]bool) string {
	return t.command(func(m Missing) []int {
		if names[m.Dataset] && (m.Kind == Failed || m.Kind == Outdated) {
			return m.Splits
		}
		return nil
	})
}

// command returns the command that computes missing splits, "" if none of them can run. It names the methods, sets
// and splits that some cell lacks. All cells of these belong to the table, and stored ones are not run again, so
// the command computes nothing else.
func (t *Table) command(of func(Missing) []int) string {
	methods, names, splits, retry := map[string]bool{}, map[string]bool{}, map[int]bool{}, false
	for _, m := range t.Missing {
		if !m.Runs {
			continue
		}
		changed := slices.ContainsFunc(t.Changed, func(c Change) bool { return c.Dataset == m.Dataset })
		for _, s := range of(m) {
			methods[m.Method], names[m.Dataset], splits[s] = true, true, true
			retry = retry || m.Kind == Failed && !changed
		}
	}
	if len(names) == 0 {
		return ""
	}
	columns := slices.DeleteFunc(slices.Clone(t.Methods), func(m string) bool { return !methods[m] })
	return t.Frame.Run.Command(columns, t.arguments(names), slices.Sorted(maps.Keys(splits)), retry)
}

// arguments lists those of the table's sets that are in names, nil for all, as arguments of --datasets.
func (t *Table) arguments(names map[string]bool) []string {
	var out []string
	for _, d := range t.datasets {
		if names == nil || names[d.Name] {
			out = append(out, cmp.Or(d.File, d.Name))
		}
	}
	return out
}
