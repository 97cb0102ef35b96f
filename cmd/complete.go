package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// listCompletion completes the last name of a comma-separated list. The earlier names stay in front, since a shell compares
// the whole word, and are not offered again.
func listCompletion(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before, last := "", word
		if i := strings.LastIndexByte(word, ','); i >= 0 {
			before, last = word[:i+1], word[i+1:]
		}
		given := strings.Split(strings.ToLower(before), ",")
		var out []cobra.Completion
		for _, n := range names {
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
