package plot

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
)

// Geometry of the diagram, in units of a drawing.
const (
	rankAxis  = 44.0  // y of the axis
	rankWidth = 380.0 // of the axis
	rankLine  = 17.0  // between names
	rankBar   = 8.0   // between bars

	rankNumbers = 20 // methods up to which every rank of the axis has its number
)

// CriticalDifference draws the diagram of Demsar (2006, figure 1): methods on an axis of average ranks, the best at the left, with
// bars that join those not told apart. names and ranks are in increasing order of rank, at least two; bars holds the places of
// methods that a bar joins; cd is the length of the critical difference, shown above the axis, or NaN for none.
func CriticalDifference(names []string, ranks []float64, bars [][]int, cd float64) doc.Drawing {
	k := len(names)
	longest := 0
	for _, n := range names {
		longest = max(longest, utf8.RuneCountInString(n))
	}
	margin := LetterWidth*float64(longest+6) + 10 // of a name with its rank
	left := (k + 1) / 2                           // names on the left
	scale := Scale{Low: 1, High: float64(k), From: margin, To: margin + rankWidth}
	firstName := rankAxis + 16 + rankBar*float64(len(bars))
	d := doc.Drawing{Width: rankWidth + 2*margin, Height: firstName + rankLine*float64(left) + 4}

	d.Line(doc.Thin, scale.From, rankAxis, scale.To, rankAxis)
	for r := 1; r <= k; r++ {
		x := scale.At(float64(r))
		d.Line(doc.Thin, x, rankAxis-5, x, rankAxis)
		if k <= rankNumbers || r == 1 || r%5 == 0 { // more of them would run into one another
			d.Word(doc.Tick, x, rankAxis-9, doc.Middle, strconv.Itoa(r))
		}
	}
	if !math.IsNaN(cd) {
		end := scale.From + cd/(scale.High-scale.Low)*rankWidth
		d.Line(doc.Mean, scale.From, 12, end, 12)
		d.Line(doc.Mean, scale.From, 8, scale.From, 16)
		d.Line(doc.Mean, end, 8, end, 16)
		d.Word(doc.Tick, end+6, 15, doc.Start, "critical difference "+strconv.FormatFloat(cd, 'f', 2, 64))
	}
	for i, name := range names {
		x, text := scale.At(ranks[i]), strconv.FormatFloat(ranks[i], 'f', 2, 64)
		if i < left {
			y := firstName + rankLine*float64(i+1) - 6
			d.Line(doc.Thin, x, rankAxis, x, y)
			d.Line(doc.Thin, x, y, margin-6, y)
			d.Word(doc.Name, margin-10, y+4, doc.End, name+"  "+text)
			continue
		}
		y := firstName + rankLine*float64(k-i) - 6
		d.Line(doc.Thin, x, rankAxis, x, y)
		d.Line(doc.Thin, x, y, margin+rankWidth+6, y)
		d.Word(doc.Name, margin+rankWidth+10, y+4, doc.Start, text+"  "+name)
	}
	for i, bar := range bars {
		y := rankAxis + 10 + rankBar*float64(i)
		d.Line(doc.Strong, scale.At(ranks[bar[0]])-3, y, scale.At(ranks[bar[len(bar)-1]])+3, y)
	}
	return d
}
