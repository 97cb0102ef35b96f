package doc

import "fmt"

// A Plot lays its drawing out for a width in units. The values drawn and the size of letters are the same at
// every width. Places, heights and the number of names change.
type Plot func(width float64) Drawing

// Widths of paper in units.
const (
	Millimetre  = 100 / 25.4       // a unit is 1/100 inch
	ColumnWidth = 84 * Millimetre  // of a paper in two columns
	PageWidth   = 174 * Millimetre // of both
)

// A Drawing is shapes on a sheet, as plain data. Package render turns it into SVG, PDF and PNG.
// Coordinates are in units of 1/100 inch; x goes to the right and y downwards. A letter of text is about ten
// units high.
type Drawing struct {
	Width, Height float64
	Marks         []Mark // later ones lie over earlier ones
}

// A Mark is one shape of a drawing.
type Mark struct {
	Shape  Shape
	Role   Role    // the meaning of the mark, which gives its colour
	X, Y   float64 // a line's start, a box's corner, else the mark's place
	X2, Y2 float64 // a line's end, a box's other corner
	Size   float64 // a dot's, diamond's or triangle's radius
	Text   string  // of a word
	Anchor Anchor  // of a word
	Tip    string  // explains the mark; "" for none
}

// Shape is what a mark is drawn as.
type Shape int

const (
	Line Shape = iota
	Dot
	Diamond
	Triangle
	Box
	Word // its baseline is at Y
)

// Role is the meaning of a mark. Layouts give each role a colour of its own, which readers can distinguish in
// light and dark, in print, and if they see few colours.
type Role string

const (
	Name    Role = "name"   // a method or a set, in the colour of text
	Head    Role = "head"   // a bold word above others
	Tick    Role = "tick"   // small and soft: numbers of an axis
	Axis    Role = "axis"   // lines around the values
	Grid    Role = "grid"   // lines behind the values
	Value   Role = "value"  // one of many values, see-through
	Mean    Role = "mean"   // what sums values up, in the accent's colour
	Range   Role = "range"  // around it, a pale accent
	Band    Role = "band"   // a pale area behind the values
	Paper   Role = "paper"  // an area behind words, in the colour of paper
	Rest    Role = "rest"   // one of many in the background
	Printed Role = "quoted" // not ours: printed elsewhere
	Strong  Role = "strong" // heavy lines in the colour of text
	Thin    Role = "thin"   // thin lines in the colour of text
)

// SeriesRoles is how many roles Series has.
const SeriesRoles = 7

// Series is the role of the i-th line of values, from 0 on. Each has its own colour and dashes. Lines beyond
// SeriesRoles are in the background.
func Series(i int) Role {
	if i >= SeriesRoles {
		return Rest
	}
	return Role(fmt.Sprint("series", i+1))
}

// FieldRoles is how many roles Field has.
const FieldRoles = 7

// Field is the role of an area of a function's values: from 0, the lowest, to FieldRoles-1, with the colour between
// the two ends in the middle.
func Field(level int) Role { return Role(fmt.Sprint("field", level+1)) }

// Anchor is the part of a word that lies at its place.
type Anchor int

const (
	Start Anchor = iota
	Middle
	End
)

// Line adds a line.
func (d *Drawing) Line(role Role, x, y, x2, y2 float64) {
	d.Marks = append(d.Marks, Mark{Shape: Line, Role: role, X: x, Y: y, X2: x2, Y2: y2})
}

// Box adds a rectangle.
func (d *Drawing) Box(role Role, x, y, x2, y2 float64, tip string) {
	d.Marks = append(d.Marks, Mark{Shape: Box, Role: role, X: x, Y: y, X2: x2, Y2: y2, Tip: tip})
}

// Dot adds a dot.
func (d *Drawing) Dot(role Role, x, y, radius float64, tip string) {
	d.Marks = append(d.Marks, Mark{Shape: Dot, Role: role, X: x, Y: y, Size: radius, Tip: tip})
}

// Diamond adds a diamond.
func (d *Drawing) Diamond(role Role, x, y, radius float64, tip string) {
	d.Marks = append(d.Marks, Mark{Shape: Diamond, Role: role, X: x, Y: y, Size: radius, Tip: tip})
}

// Triangle adds a triangle whose base is below.
func (d *Drawing) Triangle(role Role, x, y, radius float64, tip string) {
	d.Marks = append(d.Marks, Mark{Shape: Triangle, Role: role, X: x, Y: y, Size: radius, Tip: tip})
}

// Word adds a text on one line.
func (d *Drawing) Word(role Role, x, y float64, anchor Anchor, text string) {
	d.Marks = append(d.Marks, Mark{Shape: Word, Role: role, X: x, Y: y, Anchor: anchor, Text: text})
}
