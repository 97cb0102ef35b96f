package compare

import (
	"fmt"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// effects are the sizes of differences for which power is computed: in points, or in standard deviations over
// sets where the metric is not in percent.
func (p *Page) effects() []float64 {
	if p.Metric.Percent {
		return []float64{0.5, 1, 2, 5}
	}
	return []float64{0.25, 0.5, 1, 2}
}

// power says which differences these data sets can find. It uses several sizes and not the observed
// difference, which is itself uncertain.
func (p *Page) power() (doc.Table, error) {
	level := p.o.Level
	if p.Evidence.Over > 0 {
		level *= p.Evidence.Share() / float64(p.Evidence.Over) // the level of the first step of Holm's procedure
	}
	out := doc.Table{Heading: "What so many data sets can find", Caption: "Power over data sets, and data sets needed", Label: "power", Corner: "Against", Detail: true}
	unit := p.unit
	if unit == "" {
		unit = " deviations"
	}
	out.Head = []doc.Column{{Name: "sets"}, {Name: "dev.", Long: "deviation over sets"}}
	for _, group := range []string{"power", "sets needed"} {
		for _, e := range p.effects() {
			out.Head = append(out.Head, doc.Column{Name: strconv.FormatFloat(e, 'g', -1, 64), Group: group})
		}
	}
	for i := range p.pairs {
		q := &p.pairs[i]
		if len(q.Gains) < 2 {
			continue
		}
		deviation := q.Deviation()
		row := []string{strconv.Itoa(len(q.Gains)), frame.Number(deviation, p.Decimals())}
		var needed []string
		for _, e := range p.effects() {
			if !p.Metric.Percent {
				e *= deviation
			}
			row = append(row, frame.Probability(stats.Power(len(q.Gains), e, deviation, level)))
			n, err := stats.SetsNeeded(e, deviation, level, p.o.Power)
			if err != nil {
				return out, err
			}
			text := strconv.Itoa(n)
			if n == 0 {
				text = fmt.Sprintf(">%d", stats.MostNeeded)
			}
			needed = append(needed, text)
		}
		out.Add(p.other(q), doc.Texts(append(row, needed...)...)...)
	}
	out.Legend = []string{fmt.Sprintf("For true mean differences of so many%s: the probability that a two-sided t-test over the sets at hand finds it at level %.2g, that of one comparison on this page, and the sets that find it with probability %v.", unit, level, p.o.Power)}
	return out, nil
}
