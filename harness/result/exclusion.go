package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/wording"
)

// An Exclusion names cells of a request that are not computed, and says why.
type Exclusion struct {
	Protocol, Dataset string
	Method            string // "" for every method of the request
	Split             int    // 0 for every split of the request
	Why               Why
}

// Why says why cells are not computed.
type Why struct {
	Kind    ExclusionKind
	Seconds float64 // predicted for one cell on one core, where a limit is exceeded
	Bytes   int64   // predicted memory of one cell with its data set, where a limit is exceeded
	// Text depends on Kind. It is the exceeded option with its value ("--max-cell 30m"), what is wrong with a set that
	// cannot be split, the splits that come with a set, or how a plugin declares further tasks.
	Text string
}

// An ExclusionKind is a kind of reason.
type ExclusionKind int

// Cells that are excluded for one of the first three reasons do not exist. No request counts them.
const (
	WrongTask   ExclusionKind = iota + 1 // the method does not solve the set's task
	TakesNoGaps                          // the set keeps its missing values, and the method takes none
	FewerSplits                          // the set has fewer splits of its own

	NoData       // the set's files are missing
	Unsplittable // the protocol cannot split the set
	TooLong      // longer than --max-cell
	TooLarge     // more memory than --memory
	OverBudget   // the set did not fit into --budget
	Decided      // the verdict of a comparison did not need them: see Stop
)

// ForecastError is the factor within which nine of ten predicted times are (TestNearestCells of package plan). A cell
// is TooLong only if its prediction exceeds the limit by more than this.
const ForecastError = 2.5

// Over returns the reason of a cell that an option with its value leaves out: "--max-cell 30m", "--memory 8.0 GiB" or
// the text of a Stop.
func Over(option string, seconds float64, bytes int64) Why {
	kind := TooLong
	switch {
	case strings.HasPrefix(option, "--memory"):
		kind = TooLarge
	case strings.HasPrefix(option, untilDecided):
		kind = Decided
	}
	return Why{Kind: kind, Seconds: seconds, Bytes: bytes, Text: option}
}

// Counted reports whether the cells count among those that the request asks for.
func (e Exclusion) Counted() bool { return e.Why.Kind >= NoData }

// OfKinds returns the exclusions of some kinds, nil if there are none.
func OfKinds(all []Exclusion, kinds ...ExclusionKind) []Exclusion {
	var out []Exclusion
	for _, e := range all {
		if slices.Contains(kinds, e.Why.Kind) {
			out = append(out, e)
		}
	}
	return out
}

// prediction returns what a cell over a limit was predicted to need, with its unit.
func (w Why) prediction() string {
	if w.Kind == TooLarge {
		return wording.Bytes(w.Bytes)
	}
	return wording.Seconds(w.Seconds)
}

// beyond says by how much a time must exceed its limit.
func (w Why) beyond() string {
	if w.Kind != TooLong {
		return ""
	}
	return fmt.Sprintf(", more than %v times as long", ForecastError)
}

// String says why a cell over a limit has no result, and what computes it.
func (w Why) String() string {
	if stop, ok := w.Stop(); ok {
		return "not run, since " + stop.why() + "; --continue runs it"
	}
	option, _, _ := strings.Cut(w.Text, " ")
	return fmt.Sprintf("skipped by %s, predicted %s a cell%s; a larger %s runs it", w.Text, w.prediction(), w.beyond(),
		option)
}

// Explain says in words what is excluded and why: one line for each reason, in the order of the kinds.
func Explain(all []Exclusion) []string {
	groups, keys := map[Why][]Exclusion{}, []Why(nil)
	for _, e := range all {
		key := Why{Kind: e.Why.Kind, Text: e.Why.Text}
		if key.Kind == FewerSplits {
			key.Text = ""
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], e)
	}
	slices.SortStableFunc(keys, func(a, b Why) int { return cmp.Compare(a.Kind, b.Kind) })
	var lines []string
	for _, key := range keys {
		lines = append(lines, key.line(groups[key]))
	}
	return lines
}

func (w Why) line(cells []Exclusion) string {
	sets := namesOf(cells, func(e Exclusion) string { return e.Dataset })
	pairs := namesOf(cells, func(e Exclusion) string { return e.Method + " on " + e.Dataset })
	switch w.Kind {
	case WrongTask:
		return "not run, since the method does not solve the set's task: " + pairs + w.Text
	case TakesNoGaps:
		return `not run, since the set says impute = "none" and the method takes no missing values: ` + pairs
	case FewerSplits:
		own := func(e Exclusion) string { return e.Dataset + " has " + e.Why.Text + " of its own" }
		return "sets with fewer splits than asked for: " + namesOf(cells, own)
	case NoData:
		return "no data for " + sets
	case Unsplittable:
		return "left out: " + w.Text
	case Decided:
		return "not needed for the verdict: " + wording.Count(len(cells), "cell")
	case OverBudget:
		return fmt.Sprintf("beyond %s: %s on %s", w.Text, wording.Count(len(cells), "cell"), sets)
	}
	return fmt.Sprintf("skipped: %s over %s%s (%s)", wording.Count(len(cells), "cell"), w.Text, w.beyond(),
		heaviest(cells))
}

// namesOf lists each name once, in the order in which the names come.
func namesOf(cells []Exclusion, name func(Exclusion) string) string {
	var names []string
	seen := map[string]bool{}
	for _, e := range cells {
		if n := name(e); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// heaviest names the most expensive pairs of a method and a set, and what a cell of each needs, such as "KRR-GD on
// bankmarketing: 370h each, GK on occupancy: 3h each".
func heaviest(cells []Exclusion) string {
	const mostPairs = 3
	cells = slices.SortedStableFunc(slices.Values(cells), func(a, b Exclusion) int {
		return cmp.Or(-cmp.Compare(a.Why.Seconds, b.Why.Seconds), -cmp.Compare(a.Why.Bytes, b.Why.Bytes))
	})
	var parts []string
	seen := map[string]bool{}
	for _, e := range cells {
		pair := e.Method + " on " + e.Dataset
		if !seen[pair] && len(parts) < mostPairs {
			parts = append(parts, fmt.Sprintf("%s: %s each", pair, e.Why.prediction()))
		}
		seen[pair] = true
	}
	if more := len(seen) - len(parts); more > 0 {
		parts = append(parts, wording.Count(more, "more pair"))
	}
	return strings.Join(parts, ", ")
}
