package reports

import (
	"encoding/csv"
	"slices"
	"strings"
)

// An Invocation says how `bench run` is spelled so that it works on the protocol,
// the database and the data that a report is of.
type Invocation struct {
	Protocol string // argument of --protocol: a name or the path of a TOML file; "" for the default
	Splits   int    // of the protocol: those that are run without --splits
	Database string // argument of --db; "" for the default
	Data     string // argument of --data; "" for the default
}

// run spells the command that runs methods on sets (names or TOML files). Without
// either it is that of everything in the protocol; nil splits are the protocol's.
func (v Invocation) run(methods, sets []string, splits []int, retry bool) string {
	args := []string{"bench", "run"}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	if methods == nil && sets == nil {
		args = append(args, "--all")
	}
	add("--methods", commaList(methods))
	add("--datasets", commaList(sets))
	add("--splits", v.splits(splits))
	add("--protocol", v.Protocol)
	add("--db", v.Database)
	add("--data", v.Data)
	if retry {
		args = append(args, "--retry")
	}
	return CommandLine(args...)
}

// splits spells the argument of --splits; it is empty for the protocol's own.
func (v Invocation) splits(splits []int) string {
	first := true // are they 1, 2, 3, ...
	for i, s := range splits {
		first = first && s == i+1
	}
	switch {
	case splits == nil || first && len(splits) == v.Splits:
		return ""
	case first:
		return ranges(splits[len(splits)-1:])
	case len(splits) == 1: // a lone number would be read as that many splits
		return ranges(splits) + "-" + ranges(splits)
	}
	return strings.ReplaceAll(ranges(splits), ", ", ",")
}

// commaList joins names for a flag that takes a list, which reads them as a line of
// CSV: a path with a comma is quoted in it.
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
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !safe(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// RunMissing returns the command that computes what a table of the input lacks, ""
// if it lacks nothing that can be run: the methods, the sets and the splits that
// some cell lacks. All cells of these are the table's, and stored ones are not run
// again, so it computes nothing else. A set whose data changed lacks all its cells.
func (in *Table2Input) RunMissing(v Invocation) string {
	have := map[cellKey]map[int]string{} // status by split
	for _, r := range in.Runs {
		key := cellKey{r.Dataset, r.Method}
		if have[key] == nil {
			have[key] = map[int]string{}
		}
		have[key][r.Split] = r.Status
	}
	methods, sets, splits, retry := map[string]bool{}, map[string]bool{}, map[int]bool{}, false
	for _, d := range in.Datasets {
		changed := slices.ContainsFunc(in.Changed, func(c Change) bool { return c.Dataset == d.Name })
		for _, m := range in.Methods {
			if in.impossible(d.Name, m) != "" {
				continue
			}
			for _, s := range in.planned() {
				status, stored := have[cellKey{d.Name, m}][s]
				if !changed && status == StatusOK {
					continue
				}
				methods[m], sets[d.Name], splits[s] = true, true, true
				retry = retry || stored && !changed
			}
		}
	}
	if len(sets) == 0 {
		return ""
	}
	return v.run(kept(in.Methods, methods), in.setArguments(sets), sortedKeys(splits), retry)
}

// RunAgain returns the command that runs the cells of a set that the input holds,
// "" if none of them can be run.
func (in *Table2Input) RunAgain(dataset string, v Invocation) string {
	methods, splits := map[string]bool{}, map[int]bool{}
	for _, r := range in.Runs {
		if r.Dataset == dataset && in.impossible(dataset, r.Method) == "" {
			methods[r.Method], splits[r.Split] = true, true
		}
	}
	if len(methods) == 0 {
		return ""
	}
	return v.run(kept(in.Methods, methods), in.setArguments(map[string]bool{dataset: true}), sortedKeys(splits), false)
}

// impossible says why no command fills a cell; "" if one does.
func (in *Table2Input) impossible(dataset, method string) string {
	for _, i := range in.Impossible {
		if i.Dataset == dataset && i.Method == method {
			return i.Why
		}
	}
	return ""
}

// setArguments lists those of the sets that are in names, nil for all, as arguments
// of --datasets, in the table's order.
func (in *Table2Input) setArguments(names map[string]bool) []string {
	var out []string
	for _, d := range in.Datasets {
		switch {
		case names != nil && !names[d.Name]:
		case d.File != "":
			out = append(out, d.File)
		default:
			out = append(out, d.Name)
		}
	}
	return out
}

// kept returns those of list that are in names.
func kept(list []string, names map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !names[s] })
}
