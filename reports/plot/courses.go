package plot

import (
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Course is a line of Courses: what holds along it.
type Course struct {
	Name string
	From float64 // where it begins
	// Parts follow each other. The kind of a part is its place in the list of kinds.
	Parts []CoursePart
	Stop  float64 // where it could have ended
	End   int     // the kind at its end
}

// A CoursePart is a part of a course, up to a place on the axis.
type CoursePart struct {
	To   float64
	Kind int
}

// A CourseKind says how the parts of a kind look, and what they mean. They take the height of a row from Top to Bottom,
// which are from -4 to 4, so that kinds differ by more than colour.
type CourseKind struct {
	Role        doc.Role
	Text        string
	Top, Bottom float64
}

// draw draws a part of the kind in a row whose middle is at y.
func (k CourseKind) draw(d *doc.Drawing, from, to, y float64, name string) {
	d.Box(k.Role, from, y+k.Top, to, y+k.Bottom, name)
}

const courseLine = 12.5 // the height of a row

// Courses draws a bar for each course, from the top to the bottom, with a mark at its stop, and a box at the right for
// its end. stop and end are what the legend calls them. The axis begins at 0.
func Courses(courses []Course, kinds []CourseKind, x Axis, stop, end string) doc.Plot {
	return func(width float64) doc.Drawing {
		var names []string
		most := 0.0
		for _, c := range courses {
			names, most = append(names, c.Name), max(most, c.Parts[len(c.Parts)-1].To)
		}
		names = clipped(names, 0.36*width)
		ticks, texts := x.ticks([]float64{0, most})
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		top := s.topTitle("")
		bottom := top + courseLine*float64(len(courses)) + 2
		s.x = Scale{High: most, From: widest(names) + 8, To: width - 22}
		ticks = slices.DeleteFunc(ticks, func(v float64) bool { return v > most })
		s.bottomTicks(s.x, ticks, texts[:len(ticks)], top, bottom)
		s.Word(doc.Tick, width, top-5, doc.End, end)
		var used []int
		for i, c := range courses {
			y := top + courseLine*(float64(i)+0.5) + 1
			s.Word(doc.Name, 0, y+3.5, doc.Start, names[i])
			from := c.From
			for _, p := range c.Parts {
				kinds[p.Kind].draw(&s.Drawing, s.x.At(from), s.x.At(p.To), y, c.Name+": "+kinds[p.Kind].Text)
				from, used = p.To, append(used, p.Kind)
			}
			kinds[c.End].draw(&s.Drawing, width-14, width-4, y, c.Name+": "+kinds[c.End].Text)
			s.Line(doc.Strong, s.x.At(c.Stop), y-5, s.x.At(c.Stop), y+5)
		}
		s.Line(doc.Axis, s.x.From, bottom, s.x.To, bottom)
		s.bottomTitle(x.Title, (s.x.From+s.x.To)/2, bottom)
		var keys []key
		for k, kind := range kinds {
			if slices.Contains(used, k) {
				keys = append(keys, key{func(d *doc.Drawing, x, y float64) {
					kind.draw(d, x-7, x+7, y, "")
				}, kind.Text})
			}
		}
		legend(&s.Drawing, append(keys, key{func(d *doc.Drawing, x, y float64) {
			d.Line(doc.Strong, x, y-5, x, y+5)
		}, stop}))
		return s.Drawing
	}
}
