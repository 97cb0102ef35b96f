package plot

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

// Ticks enclose the values, are few, and stay in 0..100 when the values do.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0, 100).Draw(t, "low")
		high := rapid.Float64Range(low, 100).Draw(t, "high")
		ticks, decimals := Ticks(low, high, true)
		first, last := ticks[0], ticks[len(ticks)-1]
		const slack = 1e-6 // a tick encloses a value that is beyond it by rounding alone
		if len(ticks) < 2 || len(ticks) > 6 || first > low+slack || last < high-slack || first < 0 ||
			last > 100+slack || decimals > 2 {
			t.Fatalf("ticks of %v..%v: %v with %d decimals", low, high, ticks, decimals)
		}
	})
}

// Values that are no percentages may have any size and sign.
func TestTicksOfAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{1e-9, 1e-3, 1, 1e4, 1e12}).Draw(t, "scale")
		low := scale * rapid.Float64Range(-1, 1).Draw(t, "low")
		high := low + scale*rapid.Float64Range(0, 1).Draw(t, "width")
		ticks, _ := Ticks(low, high, false)
		first, last := ticks[0], ticks[len(ticks)-1]
		slack := 1e-8*(last-first) + 1e-15*scale
		if len(ticks) < 2 || len(ticks) > 6 || first > low+slack || last < high-slack {
			t.Fatalf("ticks of %v..%v: %v", low, high, ticks)
		}
	})
}

// A line is below a name alone, and below no other word: not below the number beside it, nor below another name that
// begins with it.
func TestUnderlined(t *testing.T) {
	texts := []string{"Mine", "2.75 Mine", "Mine 2.75", "Mine, accuracy (%)", "Mine higher", "Mi..", "Mine2", "mean"}
	plot := Underlined(func(width float64) doc.Drawing {
		d := doc.Drawing{Width: width}
		for i, text := range texts {
			d.Word(doc.Name, 100, float64(20*i), doc.Anchor(i%3), text)
		}
		return d
	}, []string{"Mine"}, "Underlined: one's own.")
	d, length, lines := plot(doc.PageWidth), TextWidth("Mine"), map[float64]float64{}
	for _, m := range d.Marks {
		if m.Shape == doc.Line {
			lines[m.Y-2] = m.X
			want := map[bool]float64{true: TextWidth("Mi"), false: length}[m.Y == 102]
			must.Near(t, m.X2-m.X, want, 1e-9, "a line of", m.Y)
		}
	}
	if len(lines) != 6 || math.Abs(lines[20]-(100-TextWidth("2.75 Mine")/2+TextWidth("2.75 "))) > 1e-9 {
		t.Errorf("lines below %v", lines)
	}
	if last := d.Marks[len(d.Marks)-1]; last.Text != "Underlined: one's own." || last.Y > d.Height {
		t.Errorf("the legend is %+v", last)
	}
}
