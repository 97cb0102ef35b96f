package wording

import (
	"slices"
	"strings"
)

// Suggest returns those of the known names that are near to what was typed, ignoring
// case, in their order; nil if none is. Of many it returns the nearest ones, the nearest first.
func Suggest(typed string, known []string) []string {
	var out []string
	for _, name := range known {
		if isNear(strings.ToLower(typed), strings.ToLower(name)) {
			out = append(out, name)
		}
	}
	if most := 5; len(out) > most {
		edits := func(name string) int { return editDistance(strings.ToLower(typed), strings.ToLower(name)) }
		slices.SortStableFunc(out, func(a, b string) int { return edits(a) - edits(b) })
		out = out[:most]
	}
	return out
}

// isNear reports whether a contains b, or b a, or few edits turn one into the other,
// or they have the same letters in another order.
func isNear(a, b string) bool {
	if min(len(a), len(b)) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	edits := editDistance(a, b)
	return edits < len(b) && edits <= max(1, len(b)/4) || sortedLetters(a) == sortedLetters(b)
}

func sortedLetters(s string) string {
	letters := []byte(s)
	slices.Sort(letters)
	return string(letters)
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(change, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
