package plot

import (
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Bar is a named number, zero or more.
type Bar struct {
	Name  string
	Value float64
}

// Bars draws a histogram, at least one bar, in the order given, with the numbers above the bars.
func Bars(bars []Bar) doc.Drawing {
	const width, height, bottom, top = 340.0, 110.0, 22.0, 14.0
	d := doc.Drawing{Width: width, Height: height}
	most, letters := 1.0, 0
	for _, b := range bars {
		most, letters = max(most, b.Value), max(letters, utf8.RuneCountInString(b.Name))
	}
	step := width / float64(len(bars))
	base := height - bottom
	every := 1 + int(LetterWidth*float64(letters)/step) // names that would overlap are left out
	for i, b := range bars {
		left, right := step*float64(i)+0.12*step, step*float64(i+1)-0.12*step
		y := base - b.Value/most*(base-top)
		if b.Value > 0 {
			d.Box(doc.Range, left, y, right, base, b.Name+": "+number(b.Value))
			d.Word(doc.Tick, (left+right)/2, y-3, doc.Middle, number(b.Value))
		}
		if i%every == 0 {
			d.Word(doc.Tick, (left+right)/2, base+13, doc.Middle, b.Name)
		}
	}
	d.Line(doc.Axis, 0, base, width, base)
	return d
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
