package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
	"github.com/spf13/pflag"
)

// slower is how many times the processor time of another method a method must take to be called slower: times of the
// same cells on a busy machine differ by less.
const slower = 1.25

// alarmFlag adds --fail-if, which says what a comparison must find against the method to be a failure.
func alarmFlag(flags *pflag.FlagSet) *[]string {
	values, asked := []string{"worse", "slower", "inconclusive"}, new([]string)
	flags.Func("fail-if", "exit code 3 if METHOD is significantly worse than another one, over data sets or on one "+
		"(worse), takes a quarter more processor time (slower), or if a verdict is inconclusive or not testable "+
		"(inconclusive); several with commas between them", func(text string) error {
		*asked = strings.Split(strings.ToLower(text), ",")
		for _, a := range *asked {
			if !slices.Contains(values, a) {
				return fmt.Errorf("%q is not one of %s", a, strings.Join(values, ", "))
			}
		}
		return nil
	})
	return asked
}

// alarm is what the page finds of what an alarm asks, a sentence for each that came true; "" for nothing.
func (p *Page) alarm(asked []string) (string, error) {
	var came []string
	var unknown error
	for _, a := range asked {
		var found []string
		for i := range p.pairs {
			text, err := p.finds(&p.pairs[i], a)
			if unknown = cmp.Or(unknown, err); text != "" {
				found = append(found, text)
			}
		}
		if found != nil {
			came = append(came, fmt.Sprintf("--fail-if %s came true: %s", a, strings.Join(found, "; ")))
		}
	}
	if came != nil {
		return strings.Join(came, "; "), nil
	}
	return "", unknown
}

// finds is what an alarm asks of one other method, if it is so.
func (p *Page) finds(q *evidence.Pair, asked string) (string, error) {
	sets := q.Named(evidence.Worse)
	switch {
	case asked == "slower":
		return p.slower(q)
	case asked == "inconclusive" && (q.Verdict == evidence.Inconclusive || q.Verdict == evidence.Untestable):
		return fmt.Sprintf("%s against %s: %s", p.method, p.other(q), q.Verdict), nil
	case asked == "worse" && q.Verdict == evidence.Worse:
		return fmt.Sprintf("%s is %s than %s", p.method, q.Verdict, p.other(q)), nil
	case asked == "worse" && sets != nil:
		return fmt.Sprintf("%s is %s than %s on %s", p.method, evidence.Worse, p.other(q), frame.Listed(sets)), nil
	case asked == "worse" && q.Verdict == evidence.Untestable && !slices.ContainsFunc(q.Sets, tested):
		return "", fmt.Errorf("--fail-if worse cannot come true: over data sets %s against %s is not testable, and no "+
			"set has the %d splits that a test takes", p.method, p.other(q), stats.FewestSplits)
	}
	return "", nil
}

// slower compares the processor times of a cell, as the leaderboard has them.
func (p *Page) slower(q *evidence.Pair) (string, error) {
	cells := curves.PerCell(p.Table)
	times := cells.Seconds
	if cells.Yardsticks != nil {
		times = cells.Yardsticks
	}
	ours, known := times[p.method]
	theirs, also := times[p.other(q)]
	switch {
	case !known || !also:
		return "", fmt.Errorf("%w of times: no data set that counts has processor times of %s and of %s on one kind "+
			"of processor; --datasets names the sets that count",
			frame.ErrNoResults, p.method, p.other(q))
	case ours > slower*theirs:
		return fmt.Sprintf("a cell of %s takes %.3g times the processor time of %s, over %s", p.method, ours/theirs,
			p.other(q), frame.Count(len(cells.Sets), "set")), nil
	}
	return "", nil
}
