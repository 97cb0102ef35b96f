package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/reports/evidence"
)

// versions says of which version the comparison is, for a method with results of several versions on its sets.
func (p *Page) versions(q *evidence.Pair) string {
	base := func(column string) string {
		v, _ := p.Pinned(column)
		return cmp.Or(v.Method, column)
	}
	other, besides, text := p.other(q), "", ""
	if base(p.method) == base(other) {
		besides = " besides " + other
	}
	if n := q.Versions.Ours; n.Of > 1 {
		text += fmt.Sprintf(" %s of %d versions of %s on these sets%s.", ordinal(n.Number), n.Of, base(p.method),
			besides)
	}
	if n := q.Versions.Theirs; n.Of > 1 {
		text += fmt.Sprintf(" %s of %d versions of %s.", ordinal(n.Number), n.Of, base(other))
	}
	return text
}

// looks says what the p for all versions does not cover; nil where no method has several.
func (p *Page) looks() []string {
	if !slices.ContainsFunc(p.pairs, func(q evidence.Pair) bool { return !math.IsNaN(q.Versions.P) }) {
		return nil
	}
	return []string{"The p for the best of several versions holds for changes that were made without a look at these " +
		"sets. If results on these sets decided which changes stayed, a false verdict is about twice as probable as " +
		"the level says, even by this p. Results on fresh sets confirm a version honestly."}
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th.
func ordinal(n int) string {
	if last := n % 10; last < 4 && n/10%10 != 1 {
		return fmt.Sprint(n, []string{"th", "st", "nd", "rd"}[last])
	}
	return fmt.Sprint(n, "th")
}
