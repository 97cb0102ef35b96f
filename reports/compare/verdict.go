package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

const (
	few       = 3 // the most other methods with sentences at the top
	mostNamed = 6 // the most methods or pairs that a sentence names; a table names all
)

// Sentences are the verdicts: those at the top of the page, and those among the details, one for each other method.
func (p *Page) Sentences() (first, rest []string) {
	each, notes := doc.Map(p.pairs, func(q evidence.Pair) string { return p.sentence(&q) }), p.Registrations()
	if len(each) == 1 {
		return slices.Concat([]string{p.Preliminary() + each[0] + p.larger}, p.robustness(), p.looks(), notes), nil
	}
	if first = append([]string{p.Summary() + p.larger}, p.looks()...); len(each) <= few {
		return slices.Concat(first, each, notes), nil
	}
	return append(first, notes...), each
}

// Line is the verdict in one line: with one other method with the size of the difference, with several for each verdict
// the methods that have it.
func (p *Page) Line() string {
	if len(p.pairs) > 1 {
		found := doc.Map(p.families(), func(e *evidence.Evidence) string { text, _ := p.verdicts(e); return text })
		return fmt.Sprintf("%s%s%s is %s.%s", p.Preliminary(), p.where(), p.method, strings.Join(found, "; "), p.larger)
	}
	q := &p.pairs[0]
	text := fmt.Sprintf("%s%s against %s: %s", p.Preliminary(), p.method, p.other(q), q.Verdict)
	if len(q.Gains) > 0 {
		text += ", " + p.typicalText(q)
	}
	if i := p.interval(q.TypicalInterval()); !math.IsNaN(i.Low) {
		text += fmt.Sprintf(" (%.4g %% interval %s to %s)", 100*(1-p.o.Level), p.signed(i.Low), p.signed(i.High))
	}
	over := frame.Count(len(q.Gains), "set")
	if of, lack := p.lacks(q); len(lack) > 0 {
		over = fmt.Sprintf("%d of %s", len(q.Gains), frame.Count(of, "set"))
	}
	return text + " over " + over + "." + p.larger
}

// Preliminary says that most comparisons on a set use fewer splits than the protocol has, the smallest number of
// splits, or that all comparisons use one data set. Splits may be missing because they did not run or were not
// requested. With a difference it says what looks after each split find by chance (BenchmarkLooks of evidence).
func (p *Page) Preliminary() string {
	if p.asksStop {
		return p.stop.Text() + " The numbers that follow are of the splits so far. "
	}
	planned, sets, looks := max(len(p.Splits), p.Frame.Protocol.Splits), 0, ""
	var splits []int
	for i := range p.pairs {
		if p.pairs[i].Adjusted < p.o.Level {
			looks = "Who looks after each split finds a difference of equal methods at some look on 9 to 16 % of the " +
				"pages, if the level is 0.05. "
		}
		for _, s := range p.pairs[i].Sets {
			if !s.Set.Draws && slices.Contains(p.pairs[i].Over, s.Set.Name) {
				splits = append(splits, len(s.Splits))
			}
		}
		sets = max(sets, len(p.pairs[i].Sets))
	}
	if splits == nil {
		splits = []int{planned}
	}
	slices.Sort(splits)
	least := fmt.Sprintf("%d of %s", splits[0], frame.Count(planned, "split"))
	few := splits[len(splits)/2] < planned
	switch {
	case few && sets == 1:
		return "Preliminary, from " + least + " and on 1 data set. "
	case few:
		return "Preliminary, from " + least + ". " + looks
	case sets == 1:
		return "Preliminary, on 1 data set. "
	case splits[0] < planned:
		return "From at least " + least + " of a set. "
	}
	return ""
}

// summary says in one sentence for each family the findings over data sets for each other method.
func (p *Page) summary() string {
	var out []string
	who := p.method
	switch leaders := evidence.Leaders(p.Table); {
	case p.o.Chosen && len(leaders) > 1:
		who = frame.Listed(leaders) + " have the best mean" + p.OfWhole() + ". " + who
	case p.o.Chosen:
		who += " has the best mean" + p.OfWhole() + ". It"
	}
	for _, family := range p.families() {
		text, kind := p.verdicts(family)
		out = append(out, fmt.Sprintf("%s is %s (%sWilcoxon's signed-rank test over data sets, adjusted for %s; "+
			"level %v).", who, text, kind, family.Family(), p.o.Level))
		who = p.method
	}
	return p.where() + strings.Join(out, " ")
}

// where says where a method of one's own is among the others: against the mean of the field, and how many methods it is
// significantly better and worse than. It is "" for another method, and with fewer than two others.
func (p *Page) where() string {
	if p.Evidence.Field == nil || p.method != p.Evidence.Method {
		return ""
	}
	q := p.Evidence.Field
	text := fmt.Sprintf("%s%s against %s: %s", p.method, p.named(), p.other(q), q.Verdict)
	if len(q.Gains) > 1 {
		text += fmt.Sprintf(", typical difference %s (%s), p %s", p.typicalText(q), p.typicalRange(q),
			frame.PRelation(q.Signed.P))
	}
	better, worse := p.Evidence.Found(q.A, len(p.Methods))
	text += fmt.Sprintf(". It is better than at least %d and worse than at least %d of %d methods", better, worse,
		len(p.pairs))
	if whole := len(p.Whole()); q.A < whole {
		text += fmt.Sprintf(" (rank %s of %d)", ranks(p.Evidence.Ranks()[q.A], " to "), whole)
	}
	return text + ". "
}

func (p *Page) families() (out []*evidence.Evidence) {
	for i := range p.pairs {
		frame.AppendUnique(&out, p.Evidence.Of(&p.pairs[i]))
	}
	slices.SortStableFunc(out, func(a, b *evidence.Evidence) int { // registered ones first
		return cmp.Compare(len(a.Registered), len(b.Registered))
	})
	return out
}

// verdicts are the verdicts of a family with the methods that have them, and the kind of the family.
func (p *Page) verdicts(family *evidence.Evidence) (text, kind string) {
	names := map[evidence.Verdict][]string{}
	for i := range p.pairs {
		if q := &p.pairs[i]; p.Evidence.Of(q) == family {
			names[q.Verdict] = append(names[q.Verdict], p.other(q))
			if kind = p.kind(q); kind != "" {
				kind += "; "
			}
		}
	}
	phrases := map[evidence.Verdict]string{evidence.Better: "than", evidence.Worse: "than", evidence.Equivalent: "to"}
	var parts []string
	for _, r := range evidence.Rules {
		if list := names[r.Verdict]; len(list) > 0 {
			parts = append(parts, string(r.Verdict)+" "+cmp.Or(phrases[r.Verdict], "against")+" "+p.brief(list))
		}
	}
	return strings.Join(parts, "; "), kind
}

// brief names methods. It counts them where they are many or all other methods.
func (p *Page) brief(names []string) string {
	switch {
	case len(names) == len(p.pairs) && len(names) > few:
		return fmt.Sprintf("all %d other methods", len(names))
	case len(names) > mostNamed:
		return fmt.Sprintf("%d of %d other methods", len(names), len(p.pairs))
	}
	return frame.Listed(names)
}

// sentence is the verdict on one other method: the finding, the size of the typical difference, on how many sets the
// method is ahead, and the mean.
func (p *Page) sentence(q *evidence.Pair) string {
	var b strings.Builder
	kind, among, family, n := p.kind(q), "", p.Evidence.Of(q), len(q.Gains)
	if kind != "" {
		kind = " (" + kind + ")"
	}
	fmt.Fprintf(&b, "%s against %s%s%s: %s", p.method, p.other(q), kind, p.coverage(q), q.Verdict)
	if family.Compared() > 1 {
		among = fmt.Sprintf(" among %d comparisons", family.Compared())
	}
	if n == 0 {
		b.WriteString(", since no set of the main group has a common split")
	} else if q.Verdict == evidence.Untestable {
		sets := frame.Count(n, "set")
		if same := zeros(q.Gains); same > 0 && slices.ContainsFunc(family.Pairs, func(other evidence.Pair) bool {
			return len(other.Gains) <= n && !math.IsNaN(other.Adjusted)
		}) {
			sets = fmt.Sprintf("%s, %d of them with equal means,", sets, same)
		}
		fmt.Fprintf(&b, ", since %s%s; %d sets are enough", TooFew(family, n, sets), among, family.Enough)
	}
	b.WriteString(".")
	if n > 1 {
		fmt.Fprintf(&b, " Typical difference %s (%s), %s. %s. Mean %s.", p.typicalText(q), p.typicalRange(q), p.ps(q),
			p.counts(q), p.mean(q))
	} else if n == 1 {
		fmt.Fprintf(&b, " The difference is %s%s.", frame.Signed(p.Difference(q.Mean), p.OverDecimals()), p.unit)
	}
	b.WriteString(p.versions(q) + p.singles(q))
	return b.String()
}

func zeros(gains []*big.Rat) (n int) {
	for _, g := range gains {
		if g.Sign() == 0 {
			n++
		}
	}
	return n
}

// TooFew says why comparisons over a number of sets are not testable; of names these sets in words. If one comparison
// alone could be significant, then all comparisons of a family could be, provided that their results agree. Where they
// are not testable, their results do not agree.
func TooFew(ev *evidence.Evidence, sets int, of string) string {
	if sets < evidence.Enough(1, ev.Level) {
		return "no result of " + of + " can be significant"
	}
	return "even the least p of " + of + " is not significant"
}

// lacks counts the data sets of the main group that have results, and lists those of them on which two methods are not
// compared.
func (p *Page) lacks(q *evidence.Pair) (of int, lack []string) {
	for _, s := range p.Table.Sets {
		if s.Group == frame.GroupMain && s.Finished() > 0 {
			if of++; !slices.Contains(q.Over, s.Name) {
				lack = append(lack, s.Name)
			}
		}
	}
	return of, lack
}

// coverage is a part of a verdict. It says on how many data sets two methods are compared. Of the data sets on which
// they are not compared, it says on how many a cell of one method failed. It is "" if they are compared on all data
// sets.
func (p *Page) coverage(q *evidence.Pair) string {
	of, lack := p.lacks(q)
	var why []string
	if lack == nil || len(q.Gains) == 0 {
		return ""
	}
	for _, m := range []string{p.method, p.other(q)} {
		failed := 0
		for _, set := range lack {
			if p.FailedOn(set, m) {
				failed++
			}
		}
		if failed > 0 {
			why = append(why, fmt.Sprintf("%s failed on %d", m, failed))
		}
	}
	return fmt.Sprintf(", on %d of %s (%s)", len(q.Gains), frame.Count(of, "set"),
		cmp.Or(strings.Join(why, ", "), "no failure on the others"))
}

func (p *Page) typicalText(q *evidence.Pair) string {
	return frame.Signed(p.Difference(q.Typical()), p.OverDecimals()) + p.unit
}

// typicalRange is the interval of the typical difference. Next to p-values that are adjusted for several comparisons
// it says that it is not.
func (p *Page) typicalRange(q *evidence.Pair) string {
	i := p.interval(q.TypicalInterval())
	switch {
	case len(q.Gains) > stats.MostExact:
		return fmt.Sprintf("without an interval, since there are more than %d sets", stats.MostExact)
	case math.IsNaN(i.Low):
		return fmt.Sprintf("too few sets for a %.4g %% interval", 100*(1-p.o.Level))
	}
	alone := ""
	if q.B >= 0 && p.Evidence.Of(q).Compared() > 1 {
		alone = " of this comparison alone"
	}
	return fmt.Sprintf("%.4g %% interval %s to %s%s, over %s", 100*(1-p.o.Level), p.signed(i.Low), p.signed(i.High),
		alone, frame.Count(len(q.Gains), "set"))
}

func (p *Page) ps(q *evidence.Pair) string {
	text, adjusted := "p "+frame.PRelation(q.Signed.P), ""
	if math.IsNaN(q.Adjusted) {
		return text
	}
	if p.Evidence.Of(q).Compared() > 1 {
		adjusted = "adjusted "
		text += ", adjusted p " + frame.PRelation(q.Adjusted)
	}
	if !math.IsNaN(q.Versions.P) {
		text += fmt.Sprintf(", p for the best of %d versions %s", q.Versions.Compared(), frame.PRelation(q.Versions.P))
	}
	if !math.IsNaN(q.Equivalence) {
		text += "; " + adjusted + "p of equivalence " + frame.PRelation(q.Equivalence)
	}
	return text
}

func (p *Page) counts(q *evidence.Pair) string {
	by := ""
	if p.region.Exists() {
		by = " by more than " + p.region.Text(p.Metric)
	}
	return fmt.Sprintf("Ahead%s on %d of %s, behind on %d", by, q.Ahead, frame.Count(len(q.Gains), "set"), q.Behind)
}

// mean describes the mean difference, and names a set on which it hangs. No test asserts it.
func (p *Page) mean(q *evidence.Pair) string {
	i := p.interval(q.MeanInterval())
	text := fmt.Sprintf("%s%s (%s to %s)", frame.Signed(p.Difference(q.Mean), p.OverDecimals()), p.unit,
		p.signed(i.Low), p.signed(i.High))
	if set, without, ok := q.Carrier(); ok {
		text += fmt.Sprintf("; without %s %s", set, frame.Signed(p.Difference(without), p.OverDecimals()))
	}
	if q.Disagree() {
		text += "; mean and typical difference point to different sides"
	}
	return text
}

// singles names the single sets on which a difference is found.
func (p *Page) singles(q *evidence.Pair) string {
	var parts []string
	for _, v := range []evidence.Verdict{evidence.Better, evidence.Worse} {
		switch sets := q.Named(v); {
		case len(sets) > 5:
			parts = append(parts, fmt.Sprintf("%s on %d sets", v, len(sets)))
		case len(sets) > 0:
			parts = append(parts, string(v)+" on "+frame.Listed(sets))
		}
	}
	switch {
	case len(parts) > 0:
		return " Single sets: " + strings.Join(parts, "; ") + "."
	case slices.ContainsFunc(q.Sets, tested):
		return " On no single set is a difference significant and large enough to matter."
	case slices.ContainsFunc(q.Sets, func(s evidence.SetPair) bool { return !s.Set.Draws }):
		return fmt.Sprintf(" No single set has the %d splits that a test on it takes.", stats.FewestSplits)
	}
	return ""
}

func tested(s evidence.SetPair) bool { return s.Tested() }

// Rules are the verdicts with their rules, a sentence each.
func (p *Page) rules() []string {
	region := "zero"
	if p.region.Exists() {
		region = p.region.Text(p.Metric)
	}
	var out []string
	for _, r := range evidence.Rules {
		if p.region.Exists() || r.Verdict != evidence.Equivalent && r.Verdict != evidence.Uncertain {
			when := strings.ReplaceAll(r.When, "{region}", region)
			out = append(out, strings.ToUpper(string(r.Verdict[:1]))+string(r.Verdict[1:])+": "+when+".")
		}
	}
	return out
}

func (p *Page) limits() []string {
	family := p.Evidence.Family()
	if p.Evidence.Every && p.Evidence.Method != "" && p.Evidence.Compared() > 1 {
		family += ", since " + p.method + " has the best or the worst mean"
		if of := p.OfWhole(); of != "" {
			family += of + ", on the sets that it has"
		}
		family += ", which may be why it was named"
	}
	kinds := []string{"differences over data sets"}
	if p.Evidence.Field != nil {
		kinds = append(kinds, "the difference from the mean of the field")
	}
	if p.region.Exists() {
		kinds = append(kinds, "equivalences over data sets")
	}
	if p.Evidence.Sets > 0 {
		kinds = append(kinds, fmt.Sprintf("the %s on single sets (Holm's procedure)",
			frame.Count(p.Evidence.Sets, "test")))
	}
	kinds = append(kinds, registeredKinds(p.Evidence)...)
	registered := "No comparison of this page is registered (`bench run --against`): all of them are exploratory."
	if len(p.Evidence.Registered) > 0 {
		registered = "A registered comparison was written down before the first result of its method. Those of one " +
			"registration are a family of their own, which has the level for itself. Exploratory comparisons are " +
			"adjusted for all comparisons of the page."
	}
	return append(p.rules(),
		fmt.Sprintf("If differences are symmetric over data sets, a page has a false statement of a kind with a "+
			"probability of at most %v, ", p.o.Level)+
			fmt.Sprintf("and of any kind of at most %.4g. The kinds are %s. ", min(1, float64(len(kinds))*p.o.Level),
				frame.Listed(kinds))+
			"P-values over data sets are adjusted by flips of the signs of whole data sets (Westfall and Young "+
			"1993), for "+family+".",
		"The typical difference is the pseudo-median of the differences over data sets (Hodges and Lehmann 1963). "+
			"Its interval has the values that the test does not reject. The mean and its interval (Student's t) are "+
			"described and not tested.",
		"Tests on a single set take its rows to be independent. Repeated measurements of a patient, for example, "+
			"are not: describe the set with a group, and its splits and tests count groups in place of rows.",
		"Splits are not counted as data sets. The splits of one set share most of their training rows, so that a "+
			"difference in one split comes again in other splits: 20 splits of a set hold far less evidence than 20 "+
			"sets. The variance of a mean over splits is therefore that of Nadeau and Bengio (2003), (1/n + test "+
			"rows / training rows) s^2, for a set with groups (1/n + test groups / training groups) s^2.",
		"Whoever tries many variants, or many groups of methods and sets, and shows the best one must adjust for "+
			"all of them. "+registered)
}
