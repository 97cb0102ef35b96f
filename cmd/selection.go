package cmd

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/spf13/cobra"
)

// selection is the part of a protocol that a verb works on. Every verb has the same flags for it.
type selection struct {
	protocol                   string
	methods, datasets, exclude []string
	splits, split              string // --splits and --split
}

// add adds the flags. what says what the verb does, such as "run". of is the default of --protocol; "" means all stored
// protocols.
func (s *selection) add(a *app, c *cobra.Command, of string) {
	s.addProtocol(a, c, of)
	c.Flags().StringSliceVar(&s.methods, "methods", nil, "only these methods or groups ("+names(a.reg.Groups())+", plugins), in this order; of reports also NAME@VERSION, a stored version")
	_ = c.RegisterFlagCompletionFunc("methods", listCompletion(a.methodCompletions))
	s.addSets(a, c)
}

func (s *selection) addProtocol(a *app, c *cobra.Command, of string) {
	usual := ""
	if of == "" {
		usual = " (default all that are stored)"
	}
	c.Flags().StringVar(&s.protocol, "protocol", of, "protocol: "+strings.Join(protocol.Names(), ", ")+", one that the database holds, or a TOML file"+usual)
	_ = c.RegisterFlagCompletionFunc("protocol", cobra.FixedCompletions(protocol.Names(), cobra.ShellCompDirectiveDefault))
}

// addSets adds the flags of a verb whose arguments name its methods.
func (s *selection) addSets(a *app, c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&s.datasets, "datasets", nil, "only these data sets, groups ("+names(a.sets.Groups())+"), sets of a protocol by its name, or TOML files, in this order")
	flags.StringSliceVar(&s.exclude, "exclude", nil, "all but these methods, data sets or groups")
	flags.StringVar(&s.splits, "splits", "", "20 for the first 20 splits, 4-6 for a range")
	flags.StringVar(&s.split, "split", "", "these splits alone: 7 or 7,9")
	_ = c.RegisterFlagCompletionFunc("datasets", listCompletion(a.setsAndGroups))
	_ = c.RegisterFlagCompletionFunc("exclude", listCompletion(func() []string { return slices.Concat(a.methodCompletions(), a.setsAndGroups()) }))
}

// setsAndGroups returns the names of sets and groups, including those in the data directory.
func (a *app) setsAndGroups() []string {
	_ = a.knowAdded() // a completion cannot report an error
	return slices.Concat(a.sets.Names(), slices.Sorted(maps.Keys(a.sets.Groups())))
}

// completeSetsAndGroups completes one of several names of sets and groups.
func (a *app) completeSetsAndGroups(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.setsAndGroups(), cobra.ShellCompDirectiveNoFileComp
}

// completeSets completes the name or the TOML file of a set.
func (a *app) completeSets(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_ = a.knowAdded()
	return a.sets.Names(), cobra.ShellCompDirectiveDefault
}

func names(groups map[string][]string) string {
	return strings.Join(slices.Sorted(maps.Keys(groups)), ", ")
}

// completeMethods completes the name of a method. It asks for the names only then, since plugins are
// found after the flags were defined.
func (a *app) completeMethods(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.reg.Names(), cobra.ShellCompDirectiveNoFileComp
}

// methodCompletions returns the names of methods and groups, including plugins.
func (a *app) methodCompletions() []string {
	return slices.Concat(a.reg.Names(), slices.Sorted(maps.Keys(a.reg.Groups())))
}

// numbers reads --splits and --split. It returns nil if both are missing.
func (s selection) numbers() ([]int, error) {
	return asked(plan.Splits(s.splits, s.split))
}

// excluded returns the methods and data sets that --exclude names. A name may also be that of a stored method or set that
// this program does not know. If db is nil, such a name is an error.
func (a *app) excluded(ctx context.Context, h *plan.Experiment, s selection, db *store.DB) ([]string, error) {
	if s.exclude == nil {
		return nil, nil
	}
	var stored []string
	if db != nil {
		cells, err := db.Cells(ctx)
		if err != nil {
			return nil, unreadable(err)
		}
		for _, c := range cells {
			stored = append(stored, c.Method, c.Dataset)
		}
	}
	out, err := h.Excluded(s.exclude, stored)
	if err != nil {
		return nil, usage("--exclude: %w", err)
	}
	return out, nil
}

// completeArguments completes the methods of a report, or the [PROTOCOL] DATASET METHOD of one.
func (a *app) completeArguments(arguments string) cobra.CompletionFunc {
	return func(_ *cobra.Command, before []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		methods := a.reg.Names()
		if !strings.Contains(arguments, "DATASET") {
			return methods, cobra.ShellCompDirectiveNoFileComp
		}
		switch len(before) {
		case 0:
			return slices.Concat(protocol.Names(), a.sets.Names()), cobra.ShellCompDirectiveDefault
		case 1:
			if slices.Contains(protocol.Names(), before[0]) || strings.HasSuffix(before[0], ".toml") {
				return a.sets.Names(), cobra.ShellCompDirectiveDefault
			}
		}
		return methods, cobra.ShellCompDirectiveNoFileComp
	}
}

// listCompletion completes the last name of a comma-separated list. It asks for the names only then, since plugins are found
// after the flags were defined. The earlier names stay in front, since a shell compares
// the whole word, and are not offered again.
func listCompletion(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before, last := "", word
		if i := strings.LastIndexByte(word, ','); i >= 0 {
			before, last = word[:i+1], word[i+1:]
		}
		given := strings.Split(strings.ToLower(before), ",")
		var out []cobra.Completion
		for _, n := range names() {
			lower := strings.ToLower(n)
			if strings.HasPrefix(lower, strings.ToLower(last)) && !slices.Contains(given, lower) {
				out = append(out, before+n)
			}
		}
		directive := cobra.ShellCompDirectiveNoSpace
		if len(out) > 0 {
			directive |= cobra.ShellCompDirectiveNoFileComp
		}
		return out, directive
	}
}
