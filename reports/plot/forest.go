package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
)

// A ForestRow is a line of a forest plot.
type ForestRow struct {
	Label               string
	Estimate, Low, High float64 // a difference and its interval; NaN for none
	Text                string  // at the right, such as "-0.4 [-1.2, 0.4]"
	Summary             bool    // the line sums up the lines above it
}

// ForestOptions are the words and the region of practical equivalence of a forest plot.
type ForestOptions struct {
	Axis string // what the estimates are, with their unit
	// half the width of the region of practical equivalence, which is around zero; 0 or NaN for none
	Rope          float64
	RopeText      string // what that region is called in the legend
	Interval      string // what the intervals are, such as "95 % interval"
	Single        string // what a row without Summary is, such as "one data set"
	Summary       string // what a summary is, such as "mean over data sets"
	Worse, Better string // what negative and positive differences mean, such as "LGBM ahead"
}

const (
	forestLine  = 13.0  // height of a row
	forestAxis  = 110.0 // least width of the axis
	forestReach = 3.0   // the axis reaches at most this many times as far for intervals as for estimates
)

// Forest draws at least one row, from the top to the bottom: a square at each estimate with a line for its interval,
// and a diamond for a summary. A line is at zero, and the region of practical equivalence is shaded. An interval that
// would leave the estimates no room ends in an arrow at the edge of the axis. A row without an interval shows only its
// estimate, and a row without an estimate only its words.
func Forest(rows []ForestRow, f ForestOptions) doc.Plot {
	return func(width float64) doc.Drawing {
		var labels, texts []string
		for _, r := range rows {
			labels, texts = append(labels, r.Label), append(texts, r.Text)
		}
		right := widest(texts)
		labels = clipped(labels, width-forestAxis-right-30)
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		const top = 6.0
		bottom := top + forestLine*float64(len(rows)) + 3
		low, high := f.reach(rows)
		ticks, decimals := ticksWithin(low, high)
		numbers := tickTexts(ticks, decimals)
		s.x = Scale{Low: low, High: high, From: widest(labels) + 12, To: width - right - max(14, widest(numbers)/2)}
		if f.rope() {
			s.Box(doc.Band, s.x.At(max(s.x.Low, -f.Rope)), top, s.x.At(min(s.x.High, f.Rope)), bottom, "")
		}
		s.bottomTicks(s.x, ticks, numbers, top, bottom)
		s.Line(doc.Thin, s.x.At(0), top, s.x.At(0), bottom)
		s.Line(doc.Axis, s.x.From, bottom, s.x.To, bottom)
		outside := false
		for i, r := range rows {
			outside = s.forestRow(r, labels[i], top+forestLine*float64(i)+8) || outside
		}
		f.belowAxis(s, bottom)
		legend(&s.Drawing, f.keys(rows, outside))
		return s.Drawing
	}
}

func (f ForestOptions) rope() bool { return f.Rope > 0 && !math.IsInf(f.Rope, 0) }

// reach returns the ends of the axis. They enclose, with a margin, zero, the region of practical equivalence, the
// estimates and the intervals of summaries. Of other intervals they enclose what is at most forestReach times as far
// from zero as these.
func (f ForestOptions) reach(rows []ForestRow) (low, high float64) {
	include := func(v, least, most float64) {
		if v = max(least, min(most, v)); !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if f.rope() {
		low, high = -f.Rope, f.Rope
	}
	for _, r := range rows {
		include(r.Estimate, math.Inf(-1), math.Inf(1))
	}
	for _, r := range rows {
		if r.Summary {
			include(r.Low, math.Inf(-1), math.Inf(1))
			include(r.High, math.Inf(-1), math.Inf(1))
		}
	}
	reach := forestReach * max(high, -low)
	if reach == 0 {
		reach = math.Inf(1)
	}
	for _, r := range rows {
		include(r.Low, -reach, reach)
		include(r.High, -reach, reach)
	}
	if high-low < 1e-9 { // all differences are zero
		low, high = -1, 1
	}
	spare := 0.03 * (high - low)
	return low - spare, high + spare
}

// ticksWithin returns four to nine round numbers within low and high, zero among them, and the decimals that they need.
func ticksWithin(low, high float64) ([]float64, int) {
	for exponent := int(math.Ceil(math.Log10(high - low))); ; exponent-- {
		for _, digit := range []float64{5, 2, 1} {
			step := digit * math.Pow(10, float64(exponent))
			first, last := math.Ceil(low/step), math.Floor(high/step)
			if last-first < 3 {
				continue
			}
			var ticks []float64
			for k := first; k <= last; k++ {
				ticks = append(ticks, k*step)
			}
			return ticks, max(0, -exponent)
		}
	}
}

// forestRow draws a row whose middle is at y, and reports whether its interval goes on beyond an end of the axis.
func (s *sheet) forestRow(r ForestRow, name string, y float64) (outside bool) {
	role := doc.Name
	if r.Summary {
		role = doc.Head
	}
	s.Word(role, 0, y+3.5, doc.Start, name)
	s.Word(doc.Tick, s.Width, y+3.5, doc.End, r.Text)
	if math.IsNaN(r.Estimate) || math.IsInf(r.Estimate, 0) {
		return false
	}
	if low, high := max(r.Low, s.x.Low), min(r.High, s.x.High); low <= high { // not where either is NaN
		s.Line(doc.Mean, s.x.At(low), y, s.x.At(high), y)
		for _, end := range []struct {
			beyond   bool
			at, back float64
		}{{r.Low < s.x.Low, s.x.From, 4}, {r.High > s.x.High, s.x.To, -4}} {
			if end.beyond {
				s.Line(doc.Mean, end.at, y, end.at+end.back, y-3)
				s.Line(doc.Mean, end.at, y, end.at+end.back, y+3)
				outside = true
			}
		}
	}
	tip := fmt.Sprintf("%s: %g", r.Label, r.Estimate)
	if !math.IsNaN(r.Low + r.High) {
		tip += fmt.Sprintf(" (%g to %g)", r.Low, r.High)
	}
	if at := s.x.At(r.Estimate); r.Summary {
		s.Diamond(doc.Mean, at, y, 5, tip)
	} else {
		s.Box(doc.Mean, at-2, y-2, at+2, y+2, tip)
	}
	return outside
}

// belowAxis writes the title of the axis and, below it, what differences on either side of zero mean.
func (f ForestOptions) belowAxis(s *sheet, bottom float64) {
	s.bottomTitle(f.Axis, (s.x.From+s.x.To)/2, bottom)
	zero := s.x.At(0)
	worse, better := "< "+f.Worse, f.Better+" >"
	end := max(zero-6, tickWidth(worse))
	start := max(zero+6, end+12)
	s.Height += lineHeight
	if most := s.Width - tickWidth(better); start > most { // moved to the left, or on a line of its own
		start, end = most, max(tickWidth(worse), min(end, most-12))
	}
	s.Word(doc.Tick, end, s.Height-5, doc.End, worse)
	if start < end+12 {
		s.Height += lineHeight
	}
	s.Word(doc.Tick, start, s.Height-5, doc.Start, better)
}

func (f ForestOptions) keys(rows []ForestRow, outside bool) []key {
	has := func(summary bool) bool {
		return slices.ContainsFunc(rows, func(r ForestRow) bool {
			return r.Summary == summary && !math.IsNaN(r.Estimate)
		})
	}
	var keys []key
	if has(false) {
		keys = append(keys, key{func(d *doc.Drawing, x, y float64) {
			d.Box(doc.Mean, x-2, y-2, x+2, y+2, "")
		}, f.Single})
	}
	if has(true) {
		keys = append(keys, key{diamondKey(doc.Mean, 5), f.Summary})
	}
	if slices.ContainsFunc(rows, func(r ForestRow) bool { return !math.IsNaN(r.Low + r.High) }) {
		keys = append(keys, key{lineKey(doc.Mean), f.Interval})
	}
	if outside {
		keys = append(keys, key{func(d *doc.Drawing, x, y float64) {
			d.Line(doc.Mean, x-6, y, x+6, y)
			d.Line(doc.Mean, x+6, y, x+2, y-3)
			d.Line(doc.Mean, x+6, y, x+2, y+3)
		}, "the interval goes on beyond the axis"})
	}
	if f.rope() {
		keys = append(keys, key{boxKey(doc.Band), f.RopeText})
	}
	return keys
}
