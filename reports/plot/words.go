package plot

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
)

// helvetica holds the widths of the letters from space to ~ in thousandths of their size. Arial and Liberation Sans
// have letters of the same widths.
var helvetica = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
	556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667,
	944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500,
	722, 500, 500, 500, 334, 260, 334, 584,
}

// TextWidth is the width of a name in units of a drawing, with a little to spare: fonts of other machines may be wider.
func TextWidth(text string) float64 {
	const size, spare = 10.5, 1.03
	width := 0.0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			width += helvetica[r-' ']
		case r < 0x2e80: // for example letters with accents
			width += 600
		default:
			width += 1000
		}
	}
	return width / 1000 * size * spare
}

func tickWidth(text string) float64 { return 9.8 / 10.5 * TextWidth(text) }

func widest(names []string) float64 {
	w := 0.0
	for _, n := range names {
		w = max(w, TextWidth(n))
	}
	return w
}

func clipped(names []string, width float64) []string {
	out := slices.Clone(names)
	for i, name := range names {
		letters := []rune(name)
		for len(letters) > 1 && TextWidth(out[i]) > width {
			letters = letters[:len(letters)-1]
			out[i] = string(letters) + ".."
		}
	}
	return out
}

// wrap breaks a text in small type into lines of at most some width, between words. A word that is wider has a line
// of its own.
func wrap(text string, width float64) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && tickWidth(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// lineHeight is the distance between lines of words.
const lineHeight = 12.0

// named is a word about a name: the name alone, beside a number, or with what an axis, a legend or a side says of it.
var named = regexp.MustCompile(`^([0-9.]+ +)?(.+?)( +[0-9.]+|,.*|:.*| higher.*| ahead.*|\.\.)?$`)

// Underlined draws a line below some names in a plot. If there is one, the legend says what the line means.
func Underlined(plot doc.Plot, names []string, meaning string) doc.Plot {
	return func(width float64) doc.Drawing {
		d := plot(width)
		before := len(d.Marks)
		for _, m := range d.Marks {
			parts := named.FindStringSubmatch(m.Text)
			if m.Shape != doc.Word || parts == nil || !slices.ContainsFunc(names, func(own string) bool {
				return own == parts[2] || parts[3] == ".." && strings.HasPrefix(own, parts[2])
			}) {
				continue
			}
			width := TextWidth
			if m.Role == doc.Tick {
				width = tickWidth
			}
			from := m.X - width(m.Text)*float64(m.Anchor)/2 + width(parts[1])
			d.Line(doc.Thin, from, m.Y+2, from+width(parts[2]), m.Y+2)
		}
		if len(d.Marks) > before {
			d.Height -= 5 // the room below a legend
			legend(&d, []key{{nil, meaning}})
		}
		return d
	}
}

// A key says in a legend what a mark means. draw makes the mark, at most 16 wide, with its middle at a place. If draw
// is nil, the key is a text without a mark.
type key struct {
	draw func(d *doc.Drawing, x, y float64)
	text string
}

// legend writes keys below a drawing, as many on a line as the width has room for. The drawing becomes higher by these
// lines.
func legend(d *doc.Drawing, keys []key) {
	const sample, gap = 20.0, 14.0
	x, y := 0.0, d.Height+12
	for _, k := range keys {
		indent := 0.0
		if k.draw != nil {
			indent = sample
		}
		if x > 0 && x+indent+tickWidth(k.text) > d.Width {
			x, y = 0, y+lineHeight
		}
		if k.draw != nil {
			k.draw(d, x+8, y-3.5)
		}
		last := ""
		for i, line := range wrap(k.text, d.Width-indent) {
			if i > 0 {
				x, y = 0, y+lineHeight
			}
			d.Word(doc.Tick, x+indent, y, doc.Start, line)
			last = line
		}
		x += indent + tickWidth(last) + gap
	}
	if len(keys) > 0 {
		d.Height = y + 5
	}
}

// These functions return the function draw of a key.
func dotKey(role doc.Role, radius float64) func(*doc.Drawing, float64, float64) {
	return func(d *doc.Drawing, x, y float64) { d.Dot(role, x, y, radius, "") }
}

func lineKey(role doc.Role) func(*doc.Drawing, float64, float64) {
	return func(d *doc.Drawing, x, y float64) { d.Line(role, x-6, y, x+8, y) }
}

// upKey says what the intervals of points are.
func upKey(text string) key {
	return key{func(d *doc.Drawing, x, y float64) { d.Line(doc.Thin, x, y-5, x, y+5) }, text}
}

func diamondKey(role doc.Role, radius float64) func(*doc.Drawing, float64, float64) {
	return func(d *doc.Drawing, x, y float64) { d.Diamond(role, x, y, radius, "") }
}

func boxKey(role doc.Role) func(*doc.Drawing, float64, float64) {
	return func(d *doc.Drawing, x, y float64) { d.Box(role, x-7, y-4, x+7, y+4, "") }
}

// marker draws the mark of the i-th series. Marks of neighbouring series differ in shape, except for series in the
// background.
func marker(d *doc.Drawing, i int, x, y float64) {
	role, size := doc.Series(i), 3.0
	switch {
	case role == doc.Rest:
		d.Dot(role, x, y, 1.5, "")
	case i%4 == 0:
		d.Dot(role, x, y, size, "")
	case i%4 == 1:
		d.Box(role, x-size+0.4, y-size+0.4, x+size-0.4, y+size-0.4, "")
	case i%4 == 2:
		d.Triangle(role, x, y, size+1, "")
	default:
		d.Diamond(role, x, y, size+1, "")
	}
}

// A box is a rectangle of a drawing.
type box struct{ x, y, x2, y2 float64 }

func (b box) meets(o box) bool { return b.x < o.x2 && o.x < b.x2 && b.y < o.y2 && o.y < b.y2 }

// labelHeight is the height of a name with the room that it keeps free above and below.
const labelHeight = 11.0

// wordBox is the area of a name whose baseline starts at a place.
func wordBox(width, x, y float64) box { return box{x, y - labelHeight + 2.5, x + width, y + 2.5} }

// A label is the name of a point, which is at x, y.
type label struct {
	text string
	role doc.Role
	x, y float64
}

// The obstacles of a drawing are areas that a name must not cover (hard), and areas that it should not cover (soft).
type obstacles struct{ hard, soft []box }

// free reports whether a box covers nothing hard and, if soft is true, nothing soft.
func (c obstacles) free(b box, soft bool) bool {
	meets := func(o box) bool { return b.meets(o) }
	return !slices.ContainsFunc(c.hard, meets) && !(soft && slices.ContainsFunc(c.soft, meets))
}

// A placed label has an area, and a line to its point if the point is not next to it.
type placed struct {
	label
	box
	line    [4]float64
	further float64 // how much further it is from its point than a label next to the point
}

// writeNames writes labels within an area: next to their points where there is room, else at a distance, with a thin
// line to the point. It returns how many labels have no room. Labels in large type get their places first. Of labels in
// one type, those with the most neighbours do.
func (c obstacles) writeNames(d *doc.Drawing, area box, labels []label) (left int) {
	neighbours := func(l label) (n int) {
		for _, o := range labels {
			if math.Abs(o.x-l.x) < 40 && math.Abs(o.y-l.y) < 20 {
				n++
			}
		}
		return n
	}
	small := func(l label) int { return map[bool]int{true: 1}[l.role == doc.Tick] }
	labels = slices.Clone(labels)
	slices.SortStableFunc(labels, func(a, b label) int {
		return cmp.Or(small(a)-small(b), neighbours(b)-neighbours(a))
	})
	var all []placed
	for _, l := range labels {
		p, ok := c.findPlace(area, l, true)
		if !ok {
			p, ok = c.findPlace(area, l, false)
		}
		if !ok {
			continue
		}
		c.hard = append(c.hard, p.box)
		if p.further > 0 {
			c.hard = append(c.hard, along(p.line)...)
			d.Line(doc.Rest, p.line[0], p.line[1], p.line[2], p.line[3])
		}
		all = append(all, p)
	}
	for _, p := range all {
		d.Box(doc.Paper, p.box.x, p.box.y+1.5, p.x2, p.y2, "")
		d.Word(p.role, p.box.x, p.y2-2.5, doc.Start, p.text)
	}
	return len(labels) - len(all)
}

// findPlace finds the first free place for a label, from near to far. If soft is true, it accepts only a near place
// that covers no soft area.
func (c obstacles) findPlace(area box, l label, soft bool) (placed, bool) {
	width := TextWidth(l.text)
	if l.role == doc.Tick {
		width = tickWidth(l.text)
	}
	distances := []float64{0, 9, 18, 28, 40, 54, 70, 90, 115, 145}
	if soft {
		distances = distances[:4]
	}
	for _, r := range distances {
		for _, way := range [][2]float64{{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {-1, -1}, {1, 1}, {-1, 1},
			{1, -0.5}, {-1, -0.5}, {1, 0.5}, {-1, 0.5}} {
			x, y := l.x-width/2+way[0]*(width/2+6+r), l.y+3.5+way[1]*(10+r)
			if way[0] != 0 && way[1] != 0 { // a corner faces the point, which is further away than a side would be
				x, y = x-2*way[0], y-3*way[1]
			}
			p := placed{l, wordBox(width, x, y), [4]float64{l.x + 4*way[0], l.y + 4*way[1], l.x + way[0]*(5+r),
				l.y + way[1]*(r+4)}, r}
			if p.box.x < area.x || p.x2 > area.x2 || p.box.y < area.y || p.y2 > area.y2 || !c.free(p.box, soft) {
				continue
			}
			if r == 0 || !slices.ContainsFunc(along(p.line)[1:], func(b box) bool { return !c.free(b, false) }) {
				return p, true
			}
		}
	}
	return placed{}, false
}

// along returns boxes on a line from one place to another, one box every few units.
func along(line [4]float64) []box {
	const step = 3.0
	across, down := line[2]-line[0], line[3]-line[1]
	n := int(math.Hypot(across, down)/step) + 1
	var out []box
	for k := range n + 1 {
		at := float64(k) / float64(n)
		x, y := line[0]+at*across, line[1]+at*down
		out = append(out, box{x - 0.5, y - 0.5, x + 0.5, y + 0.5})
	}
	return out
}

// spread moves places on a line apart, as little as possible, so that neighbours have at least the given gap. The
// places stay within low and high if they fit. spread returns them in the order given.
func spread(places []float64, gap, low, high float64) []float64 {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	// After gap times its position is subtracted from each place, the places must not descend. This is isotonic
	// regression, which the pool-adjacent-violators algorithm solves: neighbours that descend form a pool, and all
	// members of a pool get their mean.
	type pool struct {
		mean float64
		n    int
	}
	var pools []pool
	for k, i := range order {
		p := pool{places[i] - gap*float64(k), 1}
		for len(pools) > 0 && pools[len(pools)-1].mean > p.mean {
			q := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			p = pool{(p.mean*float64(p.n) + q.mean*float64(q.n)) / float64(p.n+q.n), p.n + q.n}
		}
		pools = append(pools, p)
	}
	top := max(low, high-gap*float64(len(places)-1))
	out := make([]float64, len(places))
	k := 0
	for _, p := range pools {
		for range p.n {
			out[order[k]] = math.Min(math.Max(p.mean, low), top) + gap*float64(k)
			k++
		}
	}
	return out
}
