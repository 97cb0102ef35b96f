package render

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// everyMark is a drawing with a mark of every shape and role, and a name that every format must escape.
func everyMark(name string) doc.Figure {
	d := doc.Drawing{Width: 120, Height: 90}
	for role := range styles {
		d.Line(role, 1, 2, 30, 40)
		d.Box(role, 10, 10, 20, 30, name)
		d.Dot(role, 50, 50, 3, name)
		d.Diamond(role, 60, 60, 4, "")
		d.Triangle(role, 70, 60, 4, name)
		for _, anchor := range []doc.Anchor{doc.Start, doc.Middle, doc.End} {
			d.Word(role, 60, 80, anchor, name)
		}
	}
	return doc.Figure{Title: name, Alt: name, Plot: func(float64) doc.Drawing { return d }}
}

func written(t testing.TB, format Format, f doc.Figure) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := format.Write(&out, f, 0); err != nil {
		t.Fatalf("%s: %v", format.Name, err)
	}
	return out.Bytes()
}

// Every role has a look, and every format holds what it must to be opened.
func TestFigureFormats(t *testing.T) {
	f := everyMark("GBRFF_2 & <b>50 %")
	for _, format := range FigureFormats() {
		out := written(t, format, f)
		switch format.Name {
		case "png":
			image := must.Get(png.Decode(bytes.NewReader(out)))(t)
			want := math.Ceil(120 * float64(unit) * dotsPerInch / 72)
			must.Near(t, float64(image.Bounds().Dx()), want, 1, "the PNG is")
			dark := 0
			for x := range image.Bounds().Dx() {
				for y := range image.Bounds().Dy() {
					if r, _, _, _ := image.At(x, y).RGBA(); r < 0x4000 {
						dark++
					}
				}
			}
			if dark < 500 {
				t.Errorf("%d dark dots on the PNG", dark)
			}
		case "pdf":
			must.Be(t, bytes.HasPrefix(out, []byte("%PDF-")), true, "the PDF begins with", out[:8])
			must.Be(t, bytes.Contains(out, []byte("%%EOF")), true, "the PDF begins with", out[:8])
			must.Be(t, bytes.Contains(out, []byte("Liberation")), true, "the PDF begins with", out[:8])
		}
	}
}

// On paper letters have 7 to 9 points, and drawings take them for as wide as they are, or a little wider.
func TestLettersOnPaper(t *testing.T) {
	for _, size := range []float64{usualSize, tickSize} {
		if points := float64(unit) * size; points < 7 || points > 9 {
			t.Errorf("letters of %v points", points)
		}
	}
	face := fonts().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, unit*usualSize)
	for _, text := range []string{"GBRFF-random", "RFF-SQL-MKL-JOINT", "mean test accuracy (%)", "illicit", "WWW@",
		"0.0625 [-1.2, 3.4]", "~{}|^`\\"} {
		if got, want := plot.TextWidth(text), float64(face.Width(text)/unit); got < want || got > 1.06*want {
			t.Errorf("%s is %v wide, taken for %v", text, want, got)
		}
	}
}

// A PNG file says how large it is on paper, and see-through white is white in a PDF file.
func TestSizeAndWhiteOfFiles(t *testing.T) {
	i := slices.IndexFunc(FigureFormats(), func(f Format) bool { return f.Name == "png" })
	out := written(t, FigureFormats()[i], everyMark("x"))
	at := bytes.Index(out, []byte("pHYs"))
	if at < 0 || binary.BigEndian.Uint32(out[at+4:]) != 11811 || out[at+12] != 1 { // 300 dots an inch of 25.4 mm
		t.Errorf("the resolution is %q", out[at:at+13])
	}
	if r, g, b, a := straight(color.NRGBA{255, 255, 255, 51}).RGBA(); r != 0xffff || g != 0xffff || b != 0xffff ||
		a != 0x3333 {
		t.Errorf("white is %x %x %x %x", r, g, b, a)
	}
}

// Whatever the names, an SVG file is well-formed and holds every word.
func TestSVGIsWellFormed(t *testing.T) {
	i := slices.IndexFunc(FigureFormats(), func(f Format) bool { return f.Name == "svg" })
	rapid.Check(t, func(r *rapid.T) {
		f := everyMark(rapid.String().Draw(r, "name"))
		clean := doc.OneLine(f.Title)
		decoder := xml.NewDecoder(bytes.NewReader(written(t, FigureFormats()[i], f)))
		words := 0
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				r.Fatal(err)
			}
			if text, ok := token.(xml.CharData); ok && string(text) == clean {
				words++
			}
		}
		if clean != "" && words < 3*len(styles) {
			r.Fatalf("%d times %q in the file", words, clean)
		}
	})
}

// Files of figures have names of their own, whatever the titles.
func TestFigureNames(t *testing.T) {
	mark := func(float64) doc.Drawing { return doc.Drawing{} }
	d := doc.Document{Report: "grid", Blocks: []doc.Block{doc.Figure{Title: "A/../b", Plot: mark},
		doc.Figure{Title: "a b", Plot: mark}, doc.Figure{Title: "ä", Name: "c d", Plot: mark},
		doc.Figure{Title: "empty"}}}
	var names []string
	for _, n := range FigureNames(d) {
		names = append(names, n.Name)
	}
	must.Be(t, strings.Join(names, " "), "grid-a-b grid-a-b-2 grid-c-d", "names")
	if got := FigureNames(doc.Document{Report: "cd", Blocks: d.Blocks[:1]}); got[0].Name != "cd" {
		t.Errorf("a lone figure is named %s", got[0].Name)
	}
}

// TestOutlines: vgpdf takes the bytes of letters beyond ASCII for other letters, so that their outlines are drawn. They
// are as wide as the letters.
func TestOutlines(t *testing.T) {
	face := style{}.face()
	for _, text := range []string{"Net-\u00c4\u00d6", "\u03bb\u03bd"} {
		left, right := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
		for _, part := range outlines(face, text, vg.Point{}) {
			left, right = min(left, part.Pos.X), max(right, part.Pos.X)
		}
		if w := face.Width(text); left < 0 || left > w/10 || right > w || right < 0.9*w {
			t.Errorf("%q from %v to %v, and its letters are %v wide", text, left, right, w)
		}
	}
	for _, f := range FigureFormats() {
		if f.Name == "pdf" {
			must.Be(t, bytes.Contains(written(t, f, everyMark("\u00c4\u03bb")), []byte("Liberation")), false, "a font")
		}
	}
}
