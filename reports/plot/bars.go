package plot

import (
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Bar is a named number, zero or more.
type Bar struct {
	Name  string
	Value float64
}

// Bars draws a histogram of at least one bar, in the given order, with the number of each bar above it. Where there is no
// room for all numbers only the highest bar has its number, as a scale. The titles say what the names and the numbers are.
func Bars(bars []Bar, x, y string) doc.Plot {
	return func(width float64) doc.Drawing {
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		top := s.topTitle(y) + 9
		base := top + 76
		most, highest := 1.0, 0
		var names, numbers []string
		for i, b := range bars {
			most, names, numbers = max(most, b.Value), append(names, b.Name), append(numbers, number(b.Value))
			if b.Value > bars[highest].Value {
				highest = i
			}
		}
		names = clipped(names, width/2)
		step := width / float64(len(bars))
		all := widest(numbers) < step
		every := 1 + int((widest(names)+6)/step) // names that would overlap are left out
		for i, b := range bars {
			left, right := step*float64(i)+0.12*step, step*float64(i+1)-0.12*step
			up := base - b.Value/most*(base-top)
			if b.Value > 0 {
				s.Box(doc.Range, left, up, right, base, b.Name+": "+number(b.Value))
				if all || i == highest {
					half := tickWidth(number(b.Value)) / 2
					s.Word(doc.Tick, max(half, min((left+right)/2, width-half)), up-3, doc.Middle, number(b.Value))
				}
			}
			if i%every == 0 {
				half := tickWidth(names[i]) / 2
				s.Word(doc.Tick, max(half, min((left+right)/2, width-half)), base+13, doc.Middle, names[i])
			}
		}
		s.Line(doc.Axis, 0, base, width, base)
		s.bottomTitle(x, width/2, base)
		return s.Drawing
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
