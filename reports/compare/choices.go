package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A choice is what an author could as well have chosen, all else as it is, and the verdict that follows, by the tests
// and at the level of the page.
type choice struct {
	name     string // continues "The verdict holds"
	table    *frame.Table
	region   evidence.Region
	pair     evidence.Pair
	estimate *big.Rat // of the size of the difference
	half     bool     // half of the sets
}

// asks reports whether two choices are one question: the same differences on the same sets, and the same region.
func (c *choice) asks(other choice) bool {
	return c.region.String() == other.region.String() && slices.Equal(c.pair.Over, other.pair.Over) &&
		slices.EqualFunc(c.pair.Gains, other.pair.Gains, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}

// mostTurned is the most choices that the verdict's sentence names; the table names all.
const mostTurned = 3

// choose computes the verdict under other choices, one at a time, on a page of two methods. The first choice is that
// of the page. What a run decided about all of its splits (takeStop) is no choice: all choices are of stored splits.
func (p *Page) choose() error {
	switch n := len(p.Methods); {
	case n > 2 && p.o.Choices:
		return fmt.Errorf("--choices is for two methods, and the table has %d; name one other method", n)
	case n > 2:
		return nil
	}
	name := "as above"
	if p.asksStop {
		name = "of the splits so far"
	}
	if err := p.under(name, p.Table, p.region); err != nil || p.choices == nil {
		return err
	}
	for _, part := range []func() error{p.byMetric, p.byRegion, p.byEstimate, p.bySets, p.bySplits} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// under adds the choice of another table or region. A question that was asked before is no other choice, and a table
// without a set that both methods have has no answer.
func (p *Page) under(name string, t *frame.Table, region evidence.Region) error {
	here := *t
	here.Tried = nil // other versions change no verdict
	us := slices.Index(here.Methods, p.method)
	if us < 0 || len(here.Methods) < 2 {
		return nil
	}
	ev, err := evidence.Compare(&here, evidence.Options{Method: p.method, Level: p.o.Level, Region: region})
	if err != nil {
		return err
	}
	pair, ok := ev.Between(us, 1-us)
	c := choice{name: name, table: &here, region: region, pair: pair, estimate: pair.Typical()}
	if ok && len(pair.Gains) > 0 && !slices.ContainsFunc(p.choices, c.asks) {
		p.choices = append(p.choices, c)
	}
	return nil
}

// remade adds the choice of a table by another metric, or of some of the splits (frame.Table.Under).
func (p *Page) remade(name, metric string, splits []int) error {
	t, err := p.Under(metric, splits)
	if errors.Is(err, frame.ErrNoResults) {
		return nil
	}
	if err != nil {
		return err
	}
	return p.under(name, &t, p.region)
}

// byMetric chooses other metrics: those in percent in place of one in percent, and else those that are not. A region
// without a percent sign has the unit of one metric, so that only percentage points go from one to another.
func (p *Page) byMetric() error {
	for _, m := range metric.All() {
		if m.Percent == p.Metric.Percent && (m.Percent || p.region.Relative || !p.region.Exists()) {
			if err := p.remade("by "+m.Title, m.Name, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Page) byRegion() error {
	if !p.region.Exists() {
		return nil
	}
	regions := []evidence.Region{p.region, p.region, evidence.UsualRegion(p.Metric)}
	regions[0].Width = new(big.Rat).Mul(p.region.Width, big.NewRat(1, 2))
	regions[1].Width = new(big.Rat).Add(p.region.Width, p.region.Width)
	for _, r := range regions {
		if r.Exists() {
			if err := p.under("with a region of "+r.Text(p.Metric), p.Table, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Page) byEstimate() error {
	for _, e := range []struct {
		name string
		of   func([]*big.Rat) *big.Rat
	}{{"by the mean over sets", stats.Mean},
		{"by the median over sets", func(gains []*big.Rat) *big.Rat { return stats.NewSpread(gains).Median }}} {
		c := p.choices[0]
		c.name, c.estimate = e.name, e.of(c.pair.Gains)
		c.pair.Verdict = c.pair.Estimated(e.of, p.o.Level)
		p.choices = append(p.choices, c)
	}
	return nil
}

// bySets leaves out each set of the comparison, and chooses the half of the sets with fewer rows, and that with more.
func (p *Page) bySets() error {
	over := p.choices[0].pair.Over
	part := func(name string, kept []string) error {
		t := p.Part(p.Methods, kept)
		return p.under(name, &t, p.region)
	}
	for i, set := range over {
		if err := part("without "+set, slices.Delete(slices.Clone(over), i, i+1)); err != nil {
			return err
		}
	}
	rows := map[string]int{}
	for _, s := range p.Sets {
		rows[s.Name] = cmp.Or(s.Rows, s.TrainRows+s.TestRows)
	}
	sorted := slices.SortedStableFunc(slices.Values(over), func(a, b string) int { return rows[a] - rows[b] })
	half := (len(over) + 1) / 2
	before := len(p.choices)
	err := cmp.Or(part("on the smaller half of the sets", sorted[:half]),
		part("on the larger half of the sets", sorted[len(over)-half:]))
	for i := before; i < len(p.choices); i++ {
		p.choices[i].half = true
	}
	return err
}

func (p *Page) bySplits() error {
	var splits []int
	for _, s := range p.choices[0].pair.Sets {
		splits = append(splits, s.Splits...)
	}
	slices.Sort(splits)
	splits = slices.Compact(splits)
	half := len(splits) / 2
	if half == 0 {
		return nil
	}
	for _, part := range [][]int{splits[:half], splits[half:]} {
		if err := p.remade("with splits "+frame.Ranges(part), p.Metric.Name, part); err != nil {
			return err
		}
	}
	return nil
}

// same says whether the verdict is that of the page; "" where that is not known: no result could be significant, or
// half of the sets show neither a difference nor an equivalence, which need not be there for lack of sets.
func (p *Page) same(c *choice) string {
	switch v := c.pair.Verdict; {
	case v == evidence.Untestable, c.half && v == evidence.Inconclusive:
		return ""
	case v == p.choices[0].pair.Verdict:
		return "yes"
	}
	return "no"
}

// robustness says under how many choices the verdict holds, and which ones turn it; nothing where none does.
func (p *Page) robustness() []string {
	count, turned := map[string]int{}, []string{}
	for i := range p.choices {
		c := &p.choices[i]
		same := p.same(c)
		if count[same]++; same == "no" {
			turned = append(turned, "not "+c.name)
		}
	}
	if len(turned) == 0 || p.asksStop || p.same(&p.choices[0]) == "" {
		return nil
	}
	holds := count["yes"] - 1
	of := holds + len(turned)
	if more := len(turned) - mostTurned; more > 1 {
		turned = append(turned[:mostTurned], fmt.Sprintf("not under %d more", more))
	}
	text := fmt.Sprintf("The verdict holds under %d of %d other choices: %s.", holds, of, strings.Join(turned, ", "))
	if !p.o.Choices {
		text += " `--choices` shows them."
	}
	return []string{text}
}

func (p *Page) choiceTable() doc.Table {
	out := doc.Table{Heading: "Under other choices", Label: "choices", Corner: "Choice", Detail: !p.o.Choices,
		Caption: fmt.Sprintf("%s against %s under other choices", p.method, p.other(&p.pairs[0]))}
	out.Head = []doc.Column{{Name: "verdict", Kind: doc.Words}, {Name: "same"},
		{Name: "diff.", Long: "difference", Kind: doc.Signed}, {Name: "p"}, {Name: "sets"}}
	for i := range p.choices {
		c := &p.choices[i]
		same := p.same(c)
		out.Add(c.name, doc.Entry{Text: string(c.pair.Verdict)}, doc.Entry{Text: cmp.Or(same, frame.Absent),
			Best: same == "no"}, doc.Entry{Text: frame.Signed(c.table.Difference(c.estimate), c.table.OverDecimals())},
			doc.Entry{Text: frame.PValue(c.pair.Adjusted)}, doc.Entry{Text: fmt.Sprint(len(c.pair.Gains))})
	}
	out.Legend = []string{
		"Each row changes one choice and keeps all others: the metric, the region (the difference that does not " +
			"matter), mean or median in place of the typical difference, the sets, or the splits. Difference: ours " +
			"less theirs.",
		"Same: the verdict is that of the first row. There is no answer where no result could be significant, or " +
			"where half of the sets show nothing, which may be for lack of sets.",
		"Choices are further analyses of the same results. Do not pick one by its verdict."}
	if p.asksStop {
		out.Legend = append(out.Legend, "The run ended early, and its verdict is about all planned splits. These "+
			"verdicts are of the splits so far, which the run chose for its own question. `bench run --continue` "+
			"runs the rest.")
	}
	if p.pairs[0].Registered != nil {
		out.Legend = append(out.Legend, "The first row is the registered comparison. The others are exploratory.")
	}
	return out
}

// choiceRecords has a row a choice. Gains are in favour of the method.
func (p *Page) choiceRecords() doc.Records {
	out := doc.Records{Name: "choices"}
	for i := range p.choices {
		c := &p.choices[i]
		out.Put("protocol", p.Protocol, "metric", c.table.Metric.Name, "method", p.method, "other",
			p.other(&p.pairs[0]), "choice", c.name, "sets", len(c.pair.Gains), "estimated_gain", c.estimate,
			"adjusted_p", c.pair.Adjusted, "equivalence_p", c.pair.Equivalence, "verdict", string(c.pair.Verdict),
			"same", p.same(c))
	}
	return out
}
