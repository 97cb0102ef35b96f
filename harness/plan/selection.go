package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/wording"
)

// MethodNames replaces the name of a group by the group's methods, and the name of a sweep's series by the series'
// variants. Other names stay as they are; nil stays nil.
func (e *Experiment) MethodNames(names []string) []string {
	groups := e.Registry.Groups()
	return e.Protocol.Expand(members(names, func(name string) ([]string, bool) {
		for g, of := range groups {
			if strings.EqualFold(g, name) {
				return of, true
			}
		}
		return nil, false
	}))
}

// SetNames replaces the name of a group of c by the group's sets, and the name of a protocol by the protocol's
// sets. Other names and paths stay as they are; nil stays nil.
func SetNames(c *catalogue.Catalogue, names []string) []string {
	return members(names, func(name string) ([]string, bool) {
		for _, of := range protocol.Names() {
			if strings.EqualFold(of, name) {
				if p, err := protocol.Load(of); err == nil {
					return p.Datasets, true
				}
			}
		}
		return c.Group(name)
	})
}

// members replaces the names of groups by the members of the groups, which group returns. A member that groups
// bring occurs once. A name that the user wrote twice stays twice, since a caller reports it. Names of empty groups
// mean nothing, where nil means all.
func members(names []string, group func(name string) ([]string, bool)) []string {
	if names == nil {
		return nil
	}
	out := []string{}
	brought := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		of, isGroup := group(name)
		if !isGroup {
			of = []string{name}
		}
		for _, member := range of {
			if isGroup && slices.Contains(out, member) || brought[member] {
				continue
			}
			brought[member] = isGroup
			out = append(out, member)
		}
	}
	return out
}

// Excluded returns the methods and the sets that names stand for, in their proper spelling. A name is that of a
// method, of a set, of a group of methods or sets, or one of stored. stored lists results' methods or sets that
// this program does not know. Any other name is an error that suggests a similar name.
func (e *Experiment) Excluded(names, stored []string) ([]string, error) {
	var out []string
	for _, name := range SetNames(e.Catalogue, e.MethodNames(names)) {
		at := slices.IndexFunc(stored, func(s string) bool { return strings.EqualFold(s, name) })
		if spec, err := e.Registry.Lookup(name); err == nil {
			out = append(out, spec.Name)
		} else if set, err := e.Catalogue.Lookup(name); err == nil {
			out = append(out, set.Name)
		} else if at >= 0 {
			out = append(out, stored[at])
		} else {
			known := slices.Concat(e.Registry.Names(), slices.Sorted(maps.Keys(e.Registry.Groups())),
				e.Catalogue.Names(), e.Catalogue.GroupNames())
			hint := "`bench methods list` and `bench data list` list the names"
			if meant := wording.Suggest(name, known); meant != nil {
				hint = "did you mean " + strings.Join(meant, " or ") + "?"
			}
			return nil, fmt.Errorf("no method, data set or group is named %q; %s", name, hint)
		}
	}
	return out, nil
}

// Splits reads the options --splits (first) and --split (these); at most one may be given. first is "20" for
// splits 1 to 20, or a range "4-6". these lists splits and ranges, such as "7,10-12". If both are empty, Splits
// returns nil.
func Splits(first, these string) ([]int, error) {
	switch {
	case first != "" && these != "":
		return nil, fmt.Errorf("--splits %s and --split %s: give one; --splits 7 is the first seven, --split 7 the "+
			"seventh alone", first, these)
	case strings.Contains(first, ","):
		return nil, fmt.Errorf("--splits %s: write single splits with --split %[1]s", first)
	case first != "":
		from, to, err := splitRange(first)
		if err == nil && !strings.Contains(first, "-") {
			from = 1
		}
		if err != nil {
			return nil, fmt.Errorf("--splits %w", err)
		}
		return numbers(from, to), nil
	case these == "":
		return nil, nil
	}
	var out []int
	for _, part := range strings.Split(these, ",") {
		from, to, err := splitRange(part)
		if err != nil {
			return nil, fmt.Errorf("--split %w", err)
		}
		out = append(out, numbers(from, to)...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func numbers(from, to int) []int {
	var out []int
	for s := from; s <= to; s++ {
		out = append(out, s)
	}
	return out
}

// splitRange reads "7" as 7 to 7, and "4-6".
func splitRange(text string) (from, to int, err error) {
	if n, err := fmt.Sscanf(text, "%d-%d", &from, &to); n != 2 || err != nil || fmt.Sprintf("%d-%d", from, to) != text {
		if n, err := fmt.Sscanf(text, "%d", &to); n != 1 || err != nil || fmt.Sprint(to) != text {
			return 0, 0, errors.New(text + ` is not understood: write --splits 20 for the first 20, --splits 4-6 for ` +
				`a range, --split 5,7 for these`)
		}
		from = to
	}
	if from < 1 || to < from || to > 1_000_000 {
		return 0, 0, fmt.Errorf("%s: not a range of numbers from 1 to 1000000", text)
	}
	return from, to, nil
}
