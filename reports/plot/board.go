package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
)

// A BoardRow is the line of a method in the drawing of a leaderboard.
type BoardRow struct {
	Name  string
	Rank  float64 // the average rank; NaN for none
	Ranks [2]int  // ends of the interval of its rank; 0 for none
	Best  bool    // the method may be the best
	Time  string  // at the right; "" for none
	Note  string  // why there is no rank
}

// BoardOptions are the words of the drawing.
type BoardOptions struct {
	Field int    // how many methods have a rank
	Time  string // what times are, above them; "" where no row has one
	// the legend: an interval, a method that may be the best, another method, and further sentences
	Interval, Best, Other string
	More                  []string
}

const (
	boardLine = 12.5 // height of a row
	boardTop  = 14.0 // room for the words above the rows
	boardAxis = 70.0 // least width of the axis

	boardNames = 50.0 // least room for names; where there is less, there are no times
)

// Board draws a line for each method, from the top to the bottom: the average rank as a number and as a mark on the
// axis of ranks, the interval of the rank as a line, and the time of the method. A diamond marks a method that may be
// the best, a dot any other one.
func Board(rows []BoardRow, o BoardOptions) doc.Plot {
	return func(width float64) doc.Drawing {
		var names, times []string
		for _, r := range rows {
			names, times = append(names, r.Name), append(times, r.Time)
		}
		right, number := max(widest(times), tickWidth(o.Time))+10, TextWidth("00.00")+10
		room := func() float64 { return width - boardAxis - right - number - 12 } // for names
		timed := room() >= boardNames
		if !timed {
			right = 4
		}
		names = clipped(names, room())
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		bottom := boardTop + boardLine*float64(len(rows)) + 2
		from := max(widest(names)+number, tickWidth(rankTitle)) + 12
		s.x = Scale{Low: 1, High: float64(max(2, o.Field)), From: from, To: width - right - 6}
		ticks := rankTicks(o.Field)
		s.bottomTicks(s.x, ticks, tickTexts(ticks, 0), boardTop, bottom)
		s.Line(doc.Axis, s.x.From-6, bottom, s.x.To+6, bottom)
		s.Word(doc.Tick, from-10, boardTop-5, doc.End, rankTitle)
		if timed {
			s.Word(doc.Tick, width, boardTop-5, doc.End, o.Time)
		}
		for i, r := range rows {
			if !timed {
				r.Time = ""
			}
			s.boardRow(r, names[i], boardTop+boardLine*(float64(i)+0.5), from)
		}
		s.bottomTitle(fmt.Sprintf("rank among %d methods; 1 is the best", o.Field), (s.x.From+s.x.To)/2, bottom)
		legend(&s.Drawing, o.keys(rows))
		return s.Drawing
	}
}

// rankTicks are 1, the multiples of 5 up to a number of methods, or of 10 where there are many, and that number.
func rankTicks(methods int) []float64 {
	every, ticks := 5, []float64{1}
	switch {
	case methods < 8:
		every = 1
	case methods > 60:
		every = 10 * (1 + methods/200)
	}
	for rank := 2; rank <= methods; rank++ {
		if rank%every == 0 || rank == methods {
			ticks = append(ticks, float64(rank))
		}
	}
	return ticks
}

// boardRow draws a row whose middle is at y. The axis begins at from.
func (s *sheet) boardRow(r BoardRow, name string, y, from float64) {
	s.Word(doc.Name, 0, y+3.5, doc.Start, name)
	s.Word(doc.Name, s.Width, y+3.5, doc.End, r.Time)
	if math.IsNaN(r.Rank) {
		s.Box(doc.Paper, from-5, y-5, from-3+tickWidth(r.Note), y+6, "")
		s.Word(doc.Tick, from-4, y+3.5, doc.Start, r.Note)
		return
	}
	text := strconv.FormatFloat(r.Rank, 'f', 2, 64)
	s.Word(doc.Name, from-10, y+3.5, doc.End, text)
	role := doc.Rest
	if r.Best {
		role = doc.Mean
	}
	tip := fmt.Sprintf("%s: average rank %s", r.Name, text)
	if r.Ranks[1] > 0 {
		low, high := s.x.At(float64(r.Ranks[0])), s.x.At(float64(r.Ranks[1]))
		s.Line(role, low, y, high, y)
		s.Line(role, low, y-2.5, low, y+2.5)
		s.Line(role, high, y-2.5, high, y+2.5)
		tip += fmt.Sprintf(", interval %d to %d", r.Ranks[0], r.Ranks[1])
	}
	if at := s.x.At(r.Rank); r.Best {
		s.Diamond(role, at, y, 4, tip)
	} else {
		s.Dot(doc.Thin, at, y, 2.5, tip)
	}
}

func (o BoardOptions) keys(rows []BoardRow) []key {
	has := func(is func(BoardRow) bool) bool { return slices.ContainsFunc(rows, is) }
	var keys []key
	if has(func(r BoardRow) bool { return r.Best }) {
		keys = append(keys, key{diamondKey(doc.Mean, 4), o.Best})
	}
	if has(func(r BoardRow) bool { return !r.Best && !math.IsNaN(r.Rank) }) {
		keys = append(keys, key{dotKey(doc.Thin, 2.5), o.Other})
	}
	if has(func(r BoardRow) bool { return r.Ranks[1] > 0 }) {
		keys = append(keys, key{lineKey(doc.Rest), o.Interval})
	}
	for _, text := range o.More {
		keys = append(keys, key{nil, text})
	}
	return keys
}
