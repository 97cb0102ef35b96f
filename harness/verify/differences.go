package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
)

// A Difference is one value of a cell that differs between the stored and the computed run.
type Difference struct {
	What             string // for example `fold 2 of {"c":1}` or "test part"
	Stored, Computed string
}

// endDiffers is the What of a cell whose two runs ended with different status.
const endDiffers = "end"

// Differences returns where a computed run differs from the stored run of a cell: in its end, in a fold of a grid
// point, in the selected grid point, in a count of the test part or of a stage, or in the bits of the test scores. If
// one run came from a file without folds, or with those of the selected grid point alone, only the folds of that run
// are compared.
func Differences(stored, computed result.Run) []Difference {
	var out []Difference
	differs := func(what, a, b string) {
		if a != b {
			out = append(out, Difference{what, a, b})
		}
	}
	if computed.Status != stored.Status {
		differs(endDiffers, endOf(stored), endOf(computed))
		return out
	}
	differs("rows", fmt.Sprintf("%d for training, %d for the test", stored.TrainRows, stored.TestRows),
		fmt.Sprintf("%d for training, %d for the test", computed.TrainRows, computed.TestRows))
	stored, computed = inBoth(stored, computed)
	before, now := byFold(stored), byFold(computed)
	for g := range max(len(stored.Grid), len(computed.Grid)) {
		for f := range max(folds(stored), folds(computed)) {
			at := [2]int{g, f}
			if lacks(stored) && before[at] == nil || lacks(computed) && now[at] == nil {
				continue
			}
			differs(fmt.Sprintf("fold %d of %s", f+1, point(stored, &g)), counts(before[at]), counts(now[at]))
		}
	}
	differs("selected point", point(stored, stored.Selected), point(computed, computed.Selected))
	differs("test part", counts(&stored.Score), counts(&computed.Score))
	each(stored.Stages, computed.Stages, differs, func(i int, s result.Stage) (string, string) {
		return fmt.Sprintf("test part after round %d", s.Round), counts(&s.Score)
	})
	each(stored.GridTests, computed.GridTests, differs, func(g int, s result.Score) (string, string) {
		return "test part with " + point(stored, &g), counts(&s)
	})
	each(stored.SeedTests, computed.SeedTests, differs, func(k int, t result.SeedTest) (string, string) {
		return fmt.Sprintf("test part with seed %d of the cell", k+1), fmt.Sprintf("seed %d, %s, scores %s", t.Seed,
			counts(&t.Score), t.ScoresHash)
	})
	differs("bits of the test scores", stored.ScoresHash, computed.ScoresHash)
	return out
}

func endOf(r result.Run) string {
	if r.Error == "" {
		return string(r.Status)
	}
	return string(r.Status) + ": " + r.Error
}

// lacks reports whether a run came from a file that may lack folds, and lacks some.
func lacks(r result.Run) bool { return r.Imported != "" && (len(r.Folds) == 0 || r.Condensed()) }

func byFold(r result.Run) map[[2]int]*result.Score {
	out := map[[2]int]*result.Score{}
	for i, e := range r.Folds {
		out[[2]int{e.GridIndex, e.Fold}] = &r.Folds[i].Score
	}
	return out
}

// folds returns how many folds a run's grid points were evaluated on.
func folds(r result.Run) int {
	n := 0
	for _, e := range r.Folds {
		n = max(n, e.Fold+1)
	}
	return n
}

func point(r result.Run, index *int) string {
	if index == nil || *index < 0 || *index >= len(r.Grid) {
		return "none"
	}
	return string(r.Grid[*index])
}

// each compares two lists item by item. text names an item and writes it; an item that one list lacks is "none".
func each[T any](stored, computed []T, differs func(what, a, b string), text func(i int, v T) (what, written string)) {
	for i := range max(len(stored), len(computed)) {
		what, a, b := "", "none", "none"
		if i < len(stored) {
			what, a = text(i, stored[i])
		}
		if i < len(computed) {
			what, b = text(i, computed[i])
		}
		differs(what, a, b)
	}
}

// counts writes all values of a score, and reals with all their bits.
func counts(s *result.Score) string {
	if s == nil {
		return "none"
	}
	parts := []string{fmt.Sprintf("%d rows", s.N)}
	for _, f := range result.Fields() {
		switch v := f.Value(s).(type) {
		case int64:
			parts = append(parts, fmt.Sprintf("%s %d", f.Name, v))
		case float64:
			parts = append(parts, fmt.Sprintf("%s %v (%016x)", f.Name, v, math.Float64bits(v)))
		}
	}
	return strings.Join(parts, ", ")
}

// inBoth removes from the scores of two runs the values that no score of one of them has and scores of its task may
// lack: the program that computed that run did not know them yet. The given runs are not changed.
func inBoth(a, b result.Run) (result.Run, result.Run) {
	for _, r := range []*result.Run{&a, &b} {
		r.Folds, r.GridTests = slices.Clone(r.Folds), slices.Clone(r.GridTests)
		r.Stages, r.SeedTests = slices.Clone(r.Stages), slices.Clone(r.SeedTests)
	}
	for _, f := range result.Fields() {
		if f.Needs == 0 && has(&a, f) != has(&b, f) {
			a.EachScore(f.Clear)
			b.EachScore(f.Clear)
		}
	}
	return a, b
}

func has(r *result.Run, f result.Field) (found bool) {
	r.EachScore(func(s *result.Score) { found = found || f.Value(s) != nil })
	return found
}
