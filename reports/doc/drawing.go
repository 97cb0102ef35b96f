package doc

// A Drawing is shapes on a sheet: plain data, which package render turns into SVG, PDF, PNG and TikZ. Coordinates are in units
// of which a letter of text is about ten high; x goes to the right and y downwards.
type Drawing struct {
	Width, Height float64
	Marks         []Mark // later ones lie over earlier ones
}

// A Mark is one shape of a drawing.
type Mark struct {
	Shape  Shape
	Role   Role    // what it shows, which decides how it looks
	X, Y   float64 // a line's start, a box's corner, else the mark's place
	X2, Y2 float64 // a line's end, a box's other corner
	Size   float64 // a dot's or diamond's radius
	Text   string  // of a word
	Anchor Anchor  // of a word
	Tip    string  // says what the mark is; "" for none
}

// Shape is what a mark is drawn as.
type Shape int

const (
	Line Shape = iota
	Dot
	Diamond
	Box
	Word // its baseline is at Y
)

// Role is what a mark shows. Layouts give every role a colour that is told from the others in light and dark, in print and by
// readers who see few colours.
type Role string

const (
	Name    Role = "name"   // a method or a set, in the colour of text
	Tick    Role = "tick"   // small and soft: numbers of an axis
	Axis    Role = "axis"   // lines around the values
	Grid    Role = "grid"   // lines behind the values
	Value   Role = "value"  // one of many values, see-through
	Mean    Role = "mean"   // what sums values up, in the accent's colour
	Range   Role = "range"  // around it, a pale accent
	Printed Role = "quoted" // not ours: printed elsewhere
	Strong  Role = "strong" // heavy lines in the colour of text
	Thin    Role = "thin"   // thin lines in the colour of text
)

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

// Word adds a text on one line.
func (d *Drawing) Word(role Role, x, y float64, anchor Anchor, text string) {
	d.Marks = append(d.Marks, Mark{Shape: Word, Role: role, X: x, Y: y, Anchor: anchor, Text: text})
}
