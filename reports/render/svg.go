package render

import (
	"fmt"
	"html"
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
	dots := func(i int) bool { // marks i and i+1 are dots of one role, of which drawings have thousands
		plain := func(m doc.Mark) bool { return m.Shape == doc.Dot && m.Tip == "" }
		return i >= 0 && i+1 < len(d.Marks) && plain(d.Marks[i]) && plain(d.Marks[i+1]) &&
			d.Marks[i].Role == d.Marks[i+1].Role
	}
	for i, m := range d.Marks {
		switch {
		case !dots(i-1) && dots(i):
			fmt.Fprintf(&out, `<g class="%s">`, m.Role)
			fallthrough
		case dots(i - 1):
			fmt.Fprintf(&out, `<circle cx="%s" cy="%s" r="%s"/>`, coordinate(m.X), coordinate(m.Y), coordinate(m.Size))
			if !dots(i) {
				out.WriteString("</g>\n")
			}
		default:
			out.WriteString(svgMark(m))
			out.WriteByte('\n')
		}
	}
	out.WriteString("</svg>")
	return out.String()
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

// place writes a point with at most one decimal.
func place(p [2]float64) string { return coordinate(p[0]) + "," + coordinate(p[1]) }
