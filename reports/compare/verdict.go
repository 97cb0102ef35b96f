package compare

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// verdicts are the first lines of the page: one sentence for all other methods where there are several, then one for each.
func (p *page) verdicts() []string {
	var lines []string
	if len(p.pairs) > 1 {
		lines = append(lines, p.summary())
	}
	for i := range p.pairs {
		lines = append(lines, p.sentence(&p.pairs[i]))
	}
	return lines
}

// summary says which of the other methods the one in question is found to differ from over data sets.
func (p *page) summary() string {
	var over, under, neither []string
	for i := range p.pairs {
		switch q := &p.pairs[i]; q.overSets(p.o.Level) {
		case better:
			over = append(over, q.other)
		case worse:
			under = append(under, q.other)
		default:
			neither = append(neither, q.other)
		}
	}
	var parts []string
	if len(over) > 0 {
		parts = append(parts, "is better than "+listed(over))
	}
	if len(under) > 0 {
		parts = append(parts, "is worse than "+listed(under))
	}
	if len(neither) > 0 {
		parts = append(parts, "is not told apart from "+listed(neither))
	}
	return fmt.Sprintf("Over data sets %s %s (Wilcoxon's signed-rank test with Holm's correction, level %v).", p.method, listed(parts), p.o.Level)
}

// overSets is what the signed-rank test finds over data sets.
func (q *pair) overSets(level float64) verdict {
	switch order := q.wilcoxon.Plus; {
	case !q.tested():
		return untested
	case !(q.adjusted < level):
		return open
	case order.Cmp(q.wilcoxon.Minus) > 0:
		return better
	}
	return worse
}

// sentence is the verdict on one other method.
func (p *page) sentence(q *pair) string {
	var b strings.Builder
	tested := len(q.sets) - q.count(untested)
	fmt.Fprintf(&b, "%s against %s: ", p.method, q.other)
	switch {
	case tested == 0:
		b.WriteString("no set has two common splits to test on")
	default:
		fmt.Fprintf(&b, "better on %d of %s, worse on %s", q.count(better), frame.Count(tested, "set"), numberOrNone(q.count(worse)))
		if n := q.count(equivalent); n > 0 {
			fmt.Fprintf(&b, ", practically equivalent on %d", n)
		}
		if n := q.count(open); n > 0 {
			fmt.Fprintf(&b, ", not told apart on %d", n)
		}
	}
	if q.tested() {
		fmt.Fprintf(&b, "; over %s p = %s (Wilcoxon", frame.Count(len(q.gains), "set"), frame.PValue(q.adjusted))
		if len(p.pairs) > 1 {
			b.WriteString(" with Holm")
		}
		b.WriteString(")")
		if len(q.gains) < fewestSets && p.o.Level <= 0.05 {
			fmt.Fprintf(&b, ", where fewer than %d sets cannot show a difference", fewestSets)
		}
	}
	if q.posterior != nil {
		fmt.Fprintf(&b, "; on a new set better with probability %s, %s %s, worse %s",
			frame.Probability(q.posterior.Above), p.within(), frame.Probability(q.posterior.Within), frame.Probability(q.posterior.Below))
	}
	b.WriteString(".")
	return b.String()
}

// within names the region of practical equivalence.
func (p *page) within() string {
	if p.o.Rope.Sign() == 0 {
		return "equal"
	}
	return fmt.Sprintf("practically equivalent (within %s%s)", decimal(p.o.Rope), p.unitOf(p.o.Rope))
}

func (p *page) unitOf(x *big.Rat) string {
	if p.unit != "" && x.Cmp(big.NewRat(1, 1)) == 0 {
		return " point"
	}
	return p.unit
}

// needs says what more evidence would decide what is open.
func (p *page) needs() []string {
	lines := []string{fmt.Sprintf(
		"Counted as if each difference were real and as large as seen, for a power of %v at level %v of one test by itself. A plan for more runs, no evidence: what was seen is itself uncertain.", p.o.Power, p.o.Level)}
	for i := range p.pairs {
		q := &p.pairs[i]
		var parts []string
		if q.tested() && q.overSets(p.o.Level) == open {
			parts = append(parts, over(q.needed))
		}
		parts = append(parts, splitsNeeded(q)...)
		if len(parts) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s.", q.other, strings.Join(parts, "; ")))
		}
	}
	if len(lines) == 1 {
		return []string{"Nothing is left open."}
	}
	return lines
}

// over says how many sets would decide.
func over(n stats.Needed) string {
	switch {
	case !n.Reachable:
		return "over sets the differences go either way, so that no number of such sets would decide"
	case n.More == 0:
		return fmt.Sprintf("over sets %d would do and are there: it is this sample, or the correction for several methods, that does not decide", n.Count)
	}
	return fmt.Sprintf("over sets %d in all would decide, %d more", n.Count, n.More)
}

// splitsNeeded sorts the open sets of a pair by what would decide them.
func splitsNeeded(q *pair) []string {
	var some, never []string
	for _, s := range q.sets {
		switch {
		case s.verdict != open:
		case !s.needed.Reachable:
			never = append(never, s.set.Name)
		case s.needed.More > 0:
			some = append(some, fmt.Sprintf("%s (%d)", s.set.Name, s.needed.Count))
		}
	}
	var parts []string
	if len(some) > 0 {
		parts = append(parts, "more splits would decide "+strings.Join(some, ", "))
	}
	if len(never) > 0 {
		parts = append(parts, "no number of splits, only more rows, would decide "+strings.Join(never, ", "))
	}
	return parts
}

// limits say what a reader may miss, and why.
var limits = []string{
	"Splits are not counted as data sets. Those of one set share most of their training rows, so that a difference in one of them comes again in the others: " +
		"20 splits of a set hold far less evidence than 20 sets, and an ordinary t-test over them finds differences that are not there. " +
		"The variance of a mean over splits is therefore that of Nadeau and Bengio (2003), (1/n + test rows / training rows) s^2.",
	"P-values are adjusted for what stands on this page. Whoever tries many variants and shows the best one must adjust for all of them.",
}

// notes say what the page does not hold.
func (p *page) notes() []string {
	if len(p.alone) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Without a split that %s has finished too: %s.", p.method, strings.Join(p.alone, ", "))}
}

// listed writes names as a sentence does.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func numberOrNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// decimal writes an exact value with as few decimals as it needs, at most six.
func decimal(x *big.Rat) string {
	s := x.FloatString(6)
	s = strings.TrimRight(s, "0")
	return strings.TrimSuffix(s, ".")
}
