package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
)

// Geometry of the diagram, in units of a drawing.
const (
	rankAxis  = 44.0 // y of the axis
	rankCD    = 18.0 // room above the axis for the critical difference
	rankLine  = 15.0 // distance between names at one side
	rankBar   = 8.0  // distance between bars
	rankLeast = 0.3  // least share of the width for the axis, if names are at both sides

	mostAtSides = 16 // methods, if their names are at both sides
	mostBars    = 6  // bars below the axis

	listTop  = 52.0  // y of the first line of a list
	listLine = 12.5  // distance between its lines
	listBar  = 6.5   // distance between its bars
	listAxis = 100.0 // least width of its axis

	rankNumbers = 20   // the most methods for which every rank on the axis may have its number
	rankNumber  = 16.0 // room for a number
)

const rankTitle = "average rank"

// CriticalDifference draws the diagram of Demsar (2006, figure 1): methods on an axis of average ranks, the
// best at the left, with bars that join methods without a significant difference. names and ranks are sorted by rank,
// and there are at least two. Each of bars holds the ascending indexes of the methods that a bar joins, and bars of the
// best methods are first. cd is the length of the critical difference, which is drawn above the axis, or NaN for
// none. note is a sentence of the legend, such as why there are no bars: without it, methods that no bar joins are read
// as different. It is "" for none.
//
// With many methods, many bars or long names there is no room for names at both sides. Then the methods are a list with
// one method on each line, and the bars are at its right. The legend counts bars that have no room.
func CriticalDifference(names []string, ranks []float64, bars [][]int, cd float64, note string) doc.Plot {
	return func(width float64) doc.Drawing {
		r := ranking{names: names, ranks: ranks, bars: bars, cd: cd, note: note, Drawing: doc.Drawing{Width: width}}
		side := TextWidth(rankTitle)
		for i := range names {
			side = max(side, TextWidth(names[i]+" "+r.text(i)))
		}
		side += 12
		if len(names) > mostAtSides || len(bars) > mostBars || width-2*side < rankLeast*width {
			r.list()
		} else {
			r.sides(side)
		}
		if math.IsNaN(cd) {
			r.raise(rankCD)
		}
		return r.Drawing
	}
}

// A ranking is a diagram of critical differences that is being drawn.
type ranking struct {
	doc.Drawing
	names []string
	ranks []float64
	bars  [][]int
	cd    float64
	note  string
	scale Scale
}

// raise moves all marks up. It removes the room above the axis if no critical difference is drawn there.
func (r *ranking) raise(by float64) {
	for i := range r.Marks {
		r.Marks[i].Y -= by
		r.Marks[i].Y2 -= by
	}
	r.Height -= by
}

func (r *ranking) text(i int) string { return strconv.FormatFloat(r.ranks[i], 'f', 2, 64) }

func (r *ranking) axis(from, to float64) {
	k := max(len(r.names), int(math.Ceil(slices.Max(r.ranks)))) // more methods than are drawn may have ranks
	r.scale = Scale{Low: 1, High: float64(k), From: from, To: to}
	r.Line(doc.Thin, from, rankAxis, to, rankAxis)
	r.Word(doc.Tick, from-10, rankAxis, doc.End, rankTitle)
	every, distance := 1, (to-from)/float64(k-1)
	if k > rankNumbers || distance < rankNumber {
		every = 5
	}
	if 5*distance < rankNumber {
		every = 10
	}
	for rank := 1; rank <= k; rank++ {
		x := r.scale.At(float64(rank))
		r.Line(doc.Thin, x, rankAxis-5, x, rankAxis)
		if rank == 1 || rank%every == 0 {
			r.Word(doc.Tick, x, rankAxis-9, doc.Middle, strconv.Itoa(rank))
		}
	}
	if math.IsNaN(r.cd) {
		return
	}
	r.Word(doc.Tick, from-10, 15, doc.End, "CD = "+strconv.FormatFloat(r.cd, 'f', 2, 64))
	end := from + r.cd/(r.scale.High-r.scale.Low)*(to-from)
	if end > r.Width-2 {
		r.Word(doc.Tick, from, 15, doc.Start, "(longer than the axis)")
		return
	}
	r.Line(doc.Mean, from, 12, end, 12)
	r.Line(doc.Mean, from, 8, from, 16)
	r.Line(doc.Mean, end, 8, end, 16)
}

func (r *ranking) sides(side float64) {
	k := len(r.names)
	left := (k + 1) / 2 // names on the left
	r.axis(side, r.Width-side)
	first := rankAxis + 16 + rankBar*float64(len(r.bars))
	r.Height = first + rankLine*float64(left) + 4
	for i, name := range r.names {
		x := r.scale.At(r.ranks[i])
		if i < left {
			y := first + rankLine*float64(i+1) - 6
			r.Line(doc.Thin, x, rankAxis, x, y)
			r.Line(doc.Thin, x, y, side-6, y)
			r.Word(doc.Name, side-10, y+4, doc.End, name+" "+r.text(i))
			continue
		}
		y := first + rankLine*float64(k-i) - 6
		r.Line(doc.Thin, x, rankAxis, x, y)
		r.Line(doc.Thin, x, y, r.scale.To+6, y)
		r.Word(doc.Name, r.scale.To+10, y+4, doc.Start, r.text(i)+" "+name)
	}
	for i, bar := range r.bars {
		y := rankAxis + 10 + rankBar*float64(i)
		at := func(place int) (float64, float64) { return r.scale.At(r.ranks[place]), y }
		r.join(bar, at, 3, 0)
	}
	r.legend(0)
}

// list draws one line for each method, the best at the top, and as many of the first bars as have room at the right.
func (r *ranking) list() {
	k := len(r.names)
	names := clipped(r.names, r.Width-listAxis-listBar-60)
	at := max(TextWidth(rankTitle), widest(names)+TextWidth("00.00")+8) + 12 // where the axis begins
	shown := max(1, min(len(r.bars), int((r.Width-at-listAxis-8)/listBar)))
	if len(r.bars) == 0 {
		shown = 0
	}
	to := r.Width - 10 - listBar*float64(shown)
	r.axis(at, to)
	r.Height = listTop + listLine*float64(k) + 2
	y := func(i int) float64 { return listTop + listLine*float64(i) + 4 }
	for i, name := range names {
		x := r.scale.At(r.ranks[i])
		r.Line(doc.Grid, at-6, y(i), r.Width, y(i))
		r.Line(doc.Rest, at-6, y(i), x, y(i))
		r.Dot(doc.Mean, x, y(i), 2.5, "")
		r.Word(doc.Name, at-16-TextWidth("00.00"), y(i)+3.5, doc.End, name)
		r.Word(doc.Name, at-10, y(i)+3.5, doc.End, r.text(i))
	}
	for i, bar := range r.bars[:shown] {
		x := to + 12 + listBar*float64(i)
		at := func(place int) (float64, float64) { return x, y(place) }
		r.join(bar, at, 0, 2)
	}
	r.legend(len(r.bars) - shown)
}

// join draws a bar from its first method to its last, and a little further at both ends. A bar that passes over a
// method that it does not join is a thin line instead, with dots at the methods that it joins.
func (r *ranking) join(bar []int, at func(place int) (x, y float64), dx, dy float64) {
	first, last := bar[0], bar[len(bar)-1]
	x, y := at(first)
	x2, y2 := at(last)
	if !gapped(bar) {
		r.Line(doc.Strong, x-dx, y-dy, x2+dx, y2+dy)
		return
	}
	r.Line(doc.Thin, x, y, x2, y2)
	for _, place := range bar {
		x, y := at(place)
		r.Dot(doc.Strong, x, y, 1.5, r.names[place])
	}
}

// gapped reports whether a bar passes over methods that it does not join.
func gapped(bar []int) bool { return bar[len(bar)-1]-bar[0] >= len(bar) }

// legend says what lines mean. left is the number of bars that have no room.
func (r *ranking) legend(left int) {
	var keys []key
	if !math.IsNaN(r.cd) {
		keys = append(keys, key{lineKey(doc.Mean), "critical difference (CD)"})
	}
	if len(r.bars) > 0 {
		keys = append(keys, key{lineKey(doc.Strong), "not significant"})
		if slices.ContainsFunc(r.bars, gapped) {
			keys = append(keys, key{dotKey(doc.Strong, 1.5), "not significant: those with a dot"})
		}
	}
	keys = append(keys, key{nil, "rank 1 is the best"})
	if r.note != "" {
		keys = append(keys, key{nil, r.note})
	}
	if left > 0 {
		keys = append(keys, key{nil, fmt.Sprintf("bars of lower places left out: %d", left)})
	}
	legend(&r.Drawing, keys)
}
