package render

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"log"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/internal/system/scarcity"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/doc"
	fonthint "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// Write writes a figure, laid out for a width in units, 0 for its usual one. Texts are made harmless first.
func (f Format) Write(w io.Writer, figure doc.Figure, width float64) error {
	clean := doc.Document{Blocks: []doc.Block{figure}}.Clean().Blocks[0].(doc.Figure)
	return f.draw(w, clean.Plot(cmp.Or(width, usualWidth(figure))), clean.Alt)
}

// usualWidth is the width of a page for a figure by itself, and the width of a column for details, which are side
// by side.
func usualWidth(f doc.Figure) float64 {
	if f.Detail {
		return doc.ColumnWidth
	}
	return doc.PageWidth
}

// A NamedFigure is a figure of a document and a name for its files.
type NamedFigure struct {
	Name   string
	Figure doc.Figure
}

// FigureNames lists the figures of a document that hold anything: named after the report, and after
// their own names or titles where there are several. No two names are equal, whatever the titles.
func FigureNames(d doc.Document) []NamedFigure {
	var out []NamedFigure
	for _, b := range d.Clean().Blocks {
		if f, ok := b.(doc.Figure); ok && f.Plot != nil {
			out = append(out, NamedFigure{d.Report, f})
		}
	}
	taken := map[string]int{}
	for i, n := range out {
		name := n.Name
		if len(out) > 1 {
			name += "-" + fileName(cmp.Or(n.Figure.Name, n.Figure.Title))
		}
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, i+1)
		}
		out[i].Name = name
	}
	return out
}

// fileName makes from a title a name that every file system accepts.
func fileName(title string) string {
	keep := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return ' '
	}
	return wording.FileName(strings.ToLower(strings.Join(strings.Fields(strings.Map(keep, title)), "-")))
}

// A style is how marks of a role look on light paper.
type style struct {
	stroke, fill color.NRGBA // fully transparent for none
	width        float64     // of lines
	size         float64     // of text; 0 for the usual one
	bold         bool        // of text
	dash         []float64   // of lines: drawn, left out and so on; nil for a line without gaps
}

var (
	ink    = color.NRGBA{0x1c, 0x1e, 0x21, 0xff}
	soft   = color.NRGBA{0x5d, 0x62, 0x68, 0xff}
	hair   = color.NRGBA{0xd9, 0xdb, 0xd8, 0xff}
	accent = color.NRGBA{0x17, 0x50, 0x7e, 0xff}
	down   = color.NRGBA{0xbe, 0x5c, 0x0c, 0xff}
)

// Sizes of letters in units, 7 and 7.6 points on paper.
const (
	usualSize = 10.5
	tickSize  = 9.8
)

// styles are the styles of the page (page.css) in its light colours. The colours of series are the palette of Okabe
// and Ito, which readers who see few colours can distinguish. Dashes distinguish series without colours.
var styles = map[doc.Role]style{
	doc.Name:    {fill: ink},
	doc.Head:    {fill: ink, bold: true},
	doc.Tick:    {fill: soft, size: tickSize},
	doc.Axis:    {stroke: soft, width: 0.8},
	doc.Grid:    {stroke: hair, width: 1},
	doc.Value:   {fill: alpha(ink, 0.38)},
	doc.Mean:    {stroke: accent, fill: accent, width: 2},
	doc.Range:   {stroke: alpha(accent, 0.5), fill: alpha(accent, 0.22), width: 1},
	doc.Printed: {stroke: down, fill: alpha(color.NRGBA{0xfd, 0xfd, 0xfc, 0xff}, 0.6), width: 1.3},
	doc.Strong:  {stroke: ink, fill: ink, width: 3},
	doc.Thin:    {stroke: ink, width: 0.8},
	doc.Band:    {fill: alpha(soft, 0.16)},
	doc.Paper:   {fill: alpha(color.NRGBA{0xff, 0xff, 0xff, 0xff}, 0.8)},
	doc.Rest:    {stroke: alpha(soft, 0.5), fill: alpha(soft, 0.6), width: 0.8},

	doc.Field(0): area(0x6b, 0xae, 0xd6),
	doc.Field(1): area(0xa6, 0xcf, 0xe8),
	doc.Field(2): area(0xd6, 0xe8, 0xf4),
	doc.Field(3): area(0xf7, 0xf7, 0xf7),
	doc.Field(4): area(0xfd, 0xe6, 0xd0),
	doc.Field(5): area(0xfd, 0xc2, 0x8c),
	doc.Field(6): area(0xfa, 0x95, 0x4a),

	doc.Series(0): series(0x00, 0x72, 0xb2),
	doc.Series(1): series(0xd5, 0x5e, 0x00, 7, 3),
	doc.Series(2): series(0x00, 0x9e, 0x73, 2, 2),
	doc.Series(3): series(0xcc, 0x79, 0xa7, 9, 3, 2, 3),
	doc.Series(4): series(0xe6, 0x9f, 0x00, 4, 2),
	doc.Series(5): series(0x56, 0xb4, 0xe9, 12, 4),
	doc.Series(6): series(0x1c, 0x1e, 0x21, 6, 2, 1.5, 2, 1.5, 2),
}

func area(red, green, blue uint8) style {
	return style{fill: color.NRGBA{red, green, blue, 0xff}}
}

func series(red, green, blue uint8, dash ...float64) style {
	c := color.NRGBA{red, green, blue, 0xff}
	return style{stroke: c, fill: c, width: 1.5, dash: dash}
}

func alpha(c color.NRGBA, a float64) color.NRGBA {
	c.A = uint8(255*a + 0.5)
	return c
}

// svgFile writes a drawing as a file of its own, with its colours.
func svgFile(w io.Writer, d doc.Drawing, alt string) error {
	var css strings.Builder
	used := map[doc.Role]bool{}
	for _, m := range d.Marks {
		used[m.Role] = true
	}
	for _, role := range slices.Sorted(maps.Keys(used)) {
		s := styles[role]
		fmt.Fprintf(&css, ".%s{fill:%s;stroke:%s;stroke-width:%g", role, cssColor(s.fill), cssColor(s.stroke), s.width)
		if s.size > 0 {
			fmt.Fprintf(&css, ";font-size:%gpx", s.size)
		}
		if s.bold {
			css.WriteString(";font-weight:bold")
		}
		css.WriteString("}")
		if s.dash != nil {
			fmt.Fprintf(&css, "line.%s{stroke-dasharray:%s}", role, strings.Trim(fmt.Sprint(s.dash), "[]"))
		}
	}
	body := svg(d, alt)
	head := fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" width="%.2fmm" height="%.2fmm" font-family="Helvetica,Arial,`+
			`sans-serif" font-size="%g" `,
		d.Width/doc.Millimetre, d.Height/doc.Millimetre, usualSize)
	body = head + strings.TrimPrefix(body, "<svg ")
	end := strings.Index(body, ">\n") + 2
	// A white background keeps the drawing readable on a dark page.
	_, err := fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s<style>%s</style>\n<rect "+
		"width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s\n", body[:end], css.String(), body[end:])
	return err
}

func cssColor(c color.NRGBA) string {
	if c.A == 0 {
		return "none"
	}
	return fmt.Sprintf("rgba(%d,%d,%d,%.3g)", c.R, c.G, c.B, float64(c.A)/255)
}

// fonts are read once: a cache of the Liberation fonts, which come with the program.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// unit is the unit of drawings in points of 1/72 inch.
const unit = vg.Length(0.72)

// pdfFile embeds fonts, for which the library needs a temporary folder. Where there is none it logs and panics.
func pdfFile(w io.Writer, d doc.Drawing, _ string) (err error) {
	logged := log.Writer()
	log.SetOutput(io.Discard)
	defer func() {
		log.SetOutput(logged)
		why := recover()
		if text, _ := why.(string); strings.HasPrefix(text, "vgpdf: could not generate font data") {
			err = scarcity.Refused(fmt.Errorf("PDF figures need a temporary folder (TMPDIR): %s", text))
		} else if why != nil {
			panic(why)
		}
	}()
	c := vgpdf.New(unit*vg.Length(d.Width), unit*vg.Length(d.Height))
	c.EmbedFonts(true)
	paint(c, d)
	_, err = c.WriteTo(w)
	return err
}

// dotsPerInch of PNG files: sharp on screens and in print, three dots a unit.
const dotsPerInch = 300

func pngFile(w io.Writer, d doc.Drawing, _ string) error {
	c := vgimg.NewWith(vgimg.UseWH(unit*vg.Length(d.Width), unit*vg.Length(d.Height)), vgimg.UseDPI(dotsPerInch))
	paint(c, d)
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&out); err != nil {
		return err
	}
	_, err := w.Write(slices.Insert(out.Bytes(), endOfPNGHead, resolution()...))
	return err
}

// endOfPNGHead is where a PNG file's signature and first chunk end.
const endOfPNGHead = 8 + 4 + 4 + 13 + 4

// resolution is the chunk of a PNG file that says how large the image is on paper. Without the chunk LaTeX and word
// processors guess.
func resolution() []byte {
	const dotsPerMetre = dotsPerInch * 1000 / 25.4
	body := []byte("pHYs")
	for range 2 { // across and down
		body = binary.BigEndian.AppendUint32(body, uint32(math.Round(dotsPerMetre)))
	}
	body = append(body, 1) // a metre
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
}

// A straight colour is a colour for vgpdf, which expects the channels of a transparent colour as they are. image/color
// multiplies them by the opacity, and white would become grey.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	const full = 0x101 // from 8 to 16 bits
	return full * uint32(s.R), full * uint32(s.G), full * uint32(s.B), full * uint32(s.A)
}

// paint draws on a canvas whose y goes upwards.
func paint(c vg.Canvas, d doc.Drawing) {
	at := func(x, y float64) vg.Point { return vg.Point{X: unit * vg.Length(x), Y: unit * vg.Length(d.Height-y)} }
	_, pdf := c.(*vgpdf.Canvas)
	ink := func(colour color.NRGBA) {
		if pdf {
			c.SetColor(straight(colour))
		} else {
			c.SetColor(colour)
		}
	}
	shape := func(s style, p vg.Path) {
		if s.fill.A > 0 {
			ink(s.fill)
			c.Fill(p)
		}
		if s.stroke.A > 0 {
			ink(s.stroke)
			c.SetLineWidth(unit * vg.Length(s.width))
			c.Stroke(p)
		}
	}
	for _, m := range d.Marks {
		s := styles[m.Role]
		switch m.Shape {
		case doc.Line:
			var p vg.Path
			p.Move(at(m.X, m.Y))
			p.Line(at(m.X2, m.Y2))
			s.fill.A = 0
			c.SetLineDash(doc.Map(s.dash, func(d float64) vg.Length { return unit * vg.Length(d) }), 0)
			shape(s, p)
			c.SetLineDash(nil, 0)
		case doc.Box, doc.Diamond, doc.Triangle:
			var p vg.Path
			for i, q := range corners(m) {
				if i == 0 {
					p.Move(at(q[0], q[1]))
				} else {
					p.Line(at(q[0], q[1]))
				}
			}
			p.Close()
			shape(s, p)
		case doc.Dot:
			var p vg.Path
			centre, radius := at(m.X, m.Y), unit*vg.Length(m.Size)
			p.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
			p.Arc(centre, radius, 0, 2*3.141592653589793)
			p.Close()
			shape(s, p)
		case doc.Word:
			ink(s.fill)
			paintWord(c, m, s, at(m.X, m.Y))
		}
	}
}

// face is the font of words, whose letters are as wide as those that drawings are laid out for.
func (s style) face() font.Face {
	size := cmp.Or(s.size, usualSize)
	return fonts().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, unit*vg.Length(size))
}

// paintWord writes a word at its place, in the colour of the canvas.
func paintWord(c vg.Canvas, m doc.Mark, s style, place vg.Point) {
	face := s.face()
	place.X -= face.Width(m.Text) * vg.Length(m.Anchor) / 2 // Start, Middle, End
	if _, pdf := c.(*vgpdf.Canvas); pdf && strings.ContainsFunc(m.Text, func(r rune) bool { return r > '~' }) {
		c.Fill(outlines(face, m.Text, place)) // vgpdf would take the bytes of such letters for other letters
		return
	}
	c.FillString(face, place, m.Text)
	if s.bold { // by a second stroke: vgpdf does not find bold fonts that it embeds
		place.X += 0.4 * unit
		c.FillString(face, place, m.Text)
	}
}

// outlines are the outlines of the letters of a text at a place.
func outlines(face font.Face, text string, place vg.Point) (out vg.Path) {
	var buffer sfnt.Buffer
	letters := face.Face // in units of an em of whole points
	em := fixed.I(int(letters.UnitsPerEm()))
	scale := face.Font.Size / vg.Length(em)
	for _, r := range text {
		glyph, err := letters.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		at := func(p fixed.Point26_6) vg.Point { // whose y goes downwards
			return vg.Point{X: place.X + scale*vg.Length(p.X), Y: place.Y - scale*vg.Length(p.Y)}
		}
		segments, _ := letters.LoadGlyph(&buffer, glyph, em, nil)
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					out.Close()
				}
				out.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				out.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				out.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				out.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			out.Close()
		}
		advance, _ := letters.GlyphAdvance(&buffer, glyph, em, fonthint.HintingNone)
		place.X += scale * vg.Length(advance)
	}
	return out
}

func corners(m doc.Mark) [][2]float64 {
	x, y, r := m.X, m.Y, m.Size
	switch m.Shape {
	case doc.Box:
		return [][2]float64{{x, y}, {m.X2, y}, {m.X2, m.Y2}, {x, m.Y2}}
	case doc.Diamond:
		return [][2]float64{{x, y - r}, {x + r, y}, {x, y + r}, {x - r, y}}
	}
	return [][2]float64{{x, y - r}, {x + 0.87*r, y + 0.5*r}, {x - 0.87*r, y + 0.5*r}}
}
