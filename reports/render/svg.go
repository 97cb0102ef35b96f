package render

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
)

// svg writes a drawing as one element that takes its colours from classes, which are the roles of
// the marks; alt says what is drawn.
func svg(d doc.Drawing, alt string) string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n", coordinate(d.Width),
		coordinate(d.Height), html.EscapeString(alt))
	plain := func(m doc.Mark) bool { return m.Shape == doc.Dot && m.Role == doc.Value && m.Tip == "" }
	for i := 0; i < len(d.Marks); i++ {
		m, end := d.Marks[i], i
		for end < len(d.Marks) && plain(d.Marks[end]) && d.Marks[end].Size == m.Size {
			end++
		}
		if end-i > 1 {
			out.WriteString(svgDots(d.Marks[i:end]))
			i = end - 1
		} else {
			out.WriteString(svgMark(m))
		}
		out.WriteByte('\n')
	}
	out.WriteString("</svg>")
	return out.String()
}

// svgDots draws values, of which drawings have thousands: a dot is the round ends of a line without a length, and a
// path has the dots that do not overlap. So dots that overlap are darker, as if each were an element.
func svgDots(dots []doc.Mark) string {
	var layers [][]doc.Mark
	for _, m := range dots {
		free := func(layer []doc.Mark) bool {
			return !slices.ContainsFunc(layer, func(o doc.Mark) bool { return math.Hypot(m.X-o.X, m.Y-o.Y) < 2*m.Size })
		}
		at := slices.IndexFunc(layers, free)
		if at < 0 {
			at, layers = len(layers), append(layers, nil)
		}
		layers[at] = append(layers[at], m)
	}
	out := fmt.Sprintf(`<g class="dots" stroke-width="%s">`, coordinate(2*dots[0].Size))
	for _, layer := range layers {
		out += `<path d="`
		for _, m := range layer {
			out += "M" + coordinate(m.X) + " " + coordinate(m.Y) + "h0"
		}
		out += `"/>`
	}
	return out + "</g>"
}

func svgMark(m doc.Mark) string {
	x, y := coordinate(m.X), coordinate(m.Y)
	switch m.Shape {
	case doc.Line:
		return fmt.Sprintf(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, m.Role, x, y, coordinate(m.X2),
			coordinate(m.Y2))
	case doc.Word:
		anchor := map[doc.Anchor]string{doc.Middle: ` text-anchor="middle"`, doc.End: ` text-anchor="end"`}[m.Anchor]
		return fmt.Sprintf(`<text class="%s" x="%s" y="%s"%s%s>%s</text>`, m.Role, x, y, anchor, textLength(m),
			html.EscapeString(m.Text))
	case doc.Box:
		return svgTip(fmt.Sprintf(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"`,
			m.Role, coordinate(min(m.X, m.X2)), coordinate(min(m.Y, m.Y2)), coordinate(max(m.X, m.X2)-min(m.X, m.X2)),
			coordinate(max(m.Y, m.Y2)-min(m.Y, m.Y2))), "rect", m.Tip)
	case doc.Diamond, doc.Triangle:
		points := strings.Join(doc.Map(corners(m), place), " ")
		return svgTip(fmt.Sprintf(`<polygon class="%s" points="%s"`, m.Role, points), "polygon", m.Tip)
	default:
		return svgTip(fmt.Sprintf(`<circle class="%s" cx="%s" cy="%s" r="%s"`, m.Role, x, y, coordinate(m.Size)),
			"circle", m.Tip)
	}
}

// textLength keeps a long text within its drawing where a browser has fonts with wider letters.
func textLength(m doc.Mark) string {
	if len(m.Text) < 12 {
		return ""
	}
	face := styles[m.Role].face()
	width := float64(face.Width(m.Text) / unit)
	return fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, coordinate(width))
}

// svgTip ends an element, around its tip if there is one.
func svgTip(element, name, tip string) string {
	if tip == "" {
		return element + "/>"
	}
	return fmt.Sprintf("%s><title>%s</title></%s>", element, html.EscapeString(tip), name)
}

// coordinate writes a number with at most one decimal.
func coordinate(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func place(p [2]float64) string { return coordinate(p[0]) + "," + coordinate(p[1]) }
