package curtail

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/render"
)

var update = flag.Bool("update", false, "draw docs/explanation/decided.svg")

// course runs all cells of a comparison in the order of the rule, and notes where the rule stops.
func (f table) course(one, other string, kinds []evidence.Verdict) plot.Course {
	s, value := New(f.plan(1)), f.of(one, other)
	c := plot.Course{Name: one + ", " + other}
	for next := s.First(); len(next) > 0; {
		for _, split := range next {
			s.Add(split.Set, value(split))
		}
		at, kind, n := float64(s.Done()), slices.Index(kinds, s.now()[0]), len(c.Parts)
		if n == 0 {
			c.From = at
		} else {
			c.Parts[n-1].To = at
		}
		if n == 0 || c.Parts[n-1].Kind != kind {
			c.Parts = append(c.Parts, plot.CoursePart{To: at, Kind: kind})
		}
		forecast := s.Look()
		if forecast.Decided && c.Stop == 0 {
			c.Stop = at
			s.draws = 1 // the order of the rest is of no matter
		}
		c.End, next = kind, s.Next(forecast)
	}
	return c
}

// TestPicture: the picture of the documents is that of the program as it is; -update draws it.
func TestPicture(t *testing.T) {
	if !*update {
		testenv.OnlyThorough(t)
	}
	kinds := []evidence.Verdict{evidence.Better, evidence.Uncertain, evidence.Inconclusive, evidence.Equivalent,
		evidence.Worse}
	looks := []plot.CourseKind{{Role: doc.Field(6), Top: -4}, {Role: doc.Field(5), Top: -2},
		{Role: doc.Band, Top: -1, Bottom: 1}, {Role: doc.Value, Top: -3, Bottom: 3}, {Role: doc.Field(0), Bottom: 4}}
	for i := range looks {
		looks[i].Text = string(kinds[i])
	}
	f := readTable(t, small)
	var pairs [][2]string
	for i, one := range f.methods {
		for _, other := range f.methods[i+1:] {
			pairs = append(pairs, [2]string{one, other})
		}
	}
	var courses []plot.Course
	for _, i := range rng.New(1).Permutation(len(pairs))[:20] {
		courses = append(courses, f.course(pairs[i][0], pairs[i][1], kinds))
	}
	slices.SortStableFunc(courses, func(a, b plot.Course) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Stop, b.Stop))
	})
	figure := doc.Figure{Title: "When a comparison is decided", Alt: "Bars of 20 comparisons: the verdict by the " +
		"cells that have run, where the run stops, and the verdict of all cells",
		Plot: plot.Courses(courses, looks, plot.Axis{Title: "cells of the method that have run"}, "the run stops",
			"all cells")}
	var svg bytes.Buffer
	format := render.FigureFormats()[slices.IndexFunc(render.FigureFormats(), func(f render.FigureFormat) bool {
		return f.Name == "svg"
	})]
	if err := format.Write(&svg, figure, doc.PageWidth); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(testenv.Root(), "docs", "explanation", "decided.svg")
	if *update {
		if err := os.WriteFile(path, svg.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if drawn, err := os.ReadFile(path); err != nil || !bytes.Equal(drawn, svg.Bytes()) {
		t.Errorf("%s is another picture (%v); `go test ./reports/curtail -run TestPicture -update` draws it", path, err)
	}
}
