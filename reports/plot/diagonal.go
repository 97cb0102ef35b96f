package plot

import "github.com/kernelboosting/bench/reports/doc"

// Diagonal draws points, at least one, on two axes of one scale, with the line on which both coordinates are equal. x and y name the
// axes.
func Diagonal(points []Point, x, y string, percent bool) doc.Drawing {
	const width, height, left, bottom, top = 340.0, 320.0, 40.0, 286.0, 18.0
	values := []float64{}
	for _, p := range points {
		values = append(values, p.X, p.Y)
	}
	ticks, texts := Axis{Percent: percent}.ticks(values)
	low, high := ticks[0], ticks[len(ticks)-1]
	across := Scale{Low: low, High: high, From: left, To: width - 14}
	up := Scale{Low: low, High: high, From: bottom, To: top}
	d := doc.Drawing{Width: width, Height: height}
	for i, v := range ticks {
		d.Line(doc.Grid, across.At(v), top, across.At(v), bottom)
		d.Line(doc.Grid, left, up.At(v), across.To, up.At(v))
		d.Word(doc.Tick, across.At(v), bottom+13, doc.Middle, texts[i])
		d.Word(doc.Tick, left-5, up.At(v)+3, doc.End, texts[i])
	}
	d.Line(doc.Axis, across.At(low), up.At(low), across.At(high), up.At(high))
	d.Word(doc.Name, (left+across.To)/2, height-4, doc.Middle, x)
	d.Word(doc.Name, 0, 9, doc.Start, y)
	for _, p := range points {
		role := doc.Value
		if p.Y > p.X {
			role = doc.Mean
		}
		d.Dot(role, across.At(p.X), up.At(p.Y), 3, p.Tip)
	}
	return d
}
