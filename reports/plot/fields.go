package plot

import (
	"math"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Field is a function of two features on a rectangle, with points on it.
type Field struct {
	Title  string
	X, Y   [2]float64  // the rectangle
	Values [][]float64 // at the middles of equal cells: rows from the bottom, each row from the left
	// Values above and below zero differ in colour. If Signed is false, colours go from the least value to the largest.
	Signed bool

	Points []FieldPoint
	Marks  []FieldPoint // drawn larger, the last one in another colour; their Class has no meaning
}

// A FieldPoint is an example of one of two classes, 0 and 1.
type FieldPoint struct {
	X, Y  float64
	Class int
}

// Fields draws at least one field, as many side by side as the width has room for. classes are the names of the two
// classes. marked says in the legend what the marks are; "" if there are none.
func Fields(fields []Field, classes [2]string, marked string) doc.Plot {
	return func(width float64) doc.Drawing {
		const least, gap = 118.0, 10.0
		columns := max(1, min(len(fields), int((width+gap)/(least+gap))))
		lines := (len(fields) + columns - 1) / columns
		columns = (len(fields) + lines - 1) / lines // lines of equal length where that is possible
		side := (width - gap*float64(columns-1)) / float64(columns)
		d := doc.Drawing{Width: width}
		top := 0.0
		for i := 0; i < len(fields); i += columns {
			bottom := top
			for k, f := range fields[i:min(i+columns, len(fields))] {
				bottom = max(bottom, f.draw(&d, float64(k)*(side+gap), top, side))
			}
			top = bottom + gap
		}
		d.Height = top - gap
		var keys []key
		if len(fields[0].Points) > 0 {
			keys = append(keys, key{dotKey(doc.Series(0), 2.2), classes[0]}, key{func(d *doc.Drawing, x, y float64) {
				d.Triangle(doc.Series(1), x, y, 2.8, "")
			}, classes[1]})
		}
		if marked != "" {
			keys = append(keys, key{diamondKey(doc.Printed, 4), marked})
		}
		legend(&d, keys)
		return d
	}
}

// draw draws a field in a column of the given width that begins at left, and returns the lower end of the field.
// Both axes have the same scale, unless the field would be very flat or very high.
func (f Field) draw(d *doc.Drawing, left, top, width float64) float64 {
	lines := wrap(f.Title, width)
	for i, line := range lines {
		d.Word(doc.Tick, left, top+sheetTitle+lineHeight*float64(i), doc.Start, line)
	}
	top += lineHeight*float64(len(lines)) + 4
	shape := (f.Y[1] - f.Y[0]) / (f.X[1] - f.X[0])
	height := width * math.Min(1.2, math.Max(0.6, shape))
	x := Scale{Low: f.X[0], High: f.X[1], From: left, To: left + width}
	y := Scale{Low: f.Y[0], High: f.Y[1], From: top + height, To: top}
	level := f.levels()
	rows, columns := float64(len(f.Values)), float64(len(f.Values[0]))
	for r, values := range f.Values {
		for c := 0; c < len(values); { // neighbours of one colour are drawn as one box
			from, l := c, level(values[c])
			for c < len(values) && level(values[c]) == l {
				c++
			}
			below := 0.4 // boxes overlap a little, so that no edges show between them
			if r == 0 {
				below = 0
			}
			d.Box(doc.Field(l), left+width*float64(from)/columns, top+height*(1-float64(r)/rows)+below,
				left+width*float64(c)/columns, top+height*(1-float64(r+1)/rows), "")
		}
	}
	for _, p := range f.Points {
		if p.Class == 0 {
			d.Dot(doc.Series(0), x.At(p.X), y.At(p.Y), 1.4, "")
		} else {
			d.Triangle(doc.Series(1), x.At(p.X), y.At(p.Y), 1.8, "")
		}
	}
	for i, p := range f.Marks {
		role := doc.Rest
		if i == len(f.Marks)-1 {
			role = doc.Printed
		}
		d.Diamond(role, x.At(p.X), y.At(p.Y), 4, "")
	}
	return top + height
}

// levels returns the function from a value to the number of its role, which doc.Field takes.
func (f Field) levels() func(float64) int {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range f.Values {
		for _, v := range row {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	const half = doc.FieldRoles / 2
	if f.Signed {
		most := math.Max(math.Abs(low), math.Abs(high))
		return func(v float64) int {
			if v == 0 || most == 0 {
				return half
			}
			steps := int(math.Min(half-1, math.Floor(math.Abs(v)/most*half)))
			if v < 0 {
				return half - 1 - steps
			}
			return half + 1 + steps
		}
	}
	return func(v float64) int {
		if low == high {
			return 0
		}
		return int(math.Min(doc.FieldRoles-1, math.Floor((v-low)/(high-low)*doc.FieldRoles)))
	}
}
