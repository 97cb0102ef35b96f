// Package reports turns finished runs into documents a paper or a reviewer can use. [All] lists the
// reports.
//
// The way of a number has three steps: a typed row (package frame reads it from the store), a
// document (the report's Build), and a layout (package render). Tables hold exact rationals until
// the last decimal; rank functions are in reports/stats, the papers' printed values in
// harness/experiments.
//
// The command line gives a report the flags of all reports, every format, a file and a terminal.
package reports

import (
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/table"
)

// All returns the reports.
func All() []frame.Report {
	return []frame.Report{
		{Name: "accuracy", Aliases: []string{"table2"}, Protocol: "table2", Flags: table.Accuracy,
			Summary: "Mean accuracy and standard deviation per data set and method, with average ranks"},
		{Name: "ranks", Build: table.Ranks, Summary: "Average ranks of the methods, with their spread over splits"},
		{Name: "leaderboard", Flags: compare.Leaderboard,
			Summary: "Who leads: a row a method, which of them may be the best, and intervals of their ranks"},
		{Name: "tests", Flags: compare.Tests,
			Summary: "Tests over data sets: do the methods rank alike, and which pairs differ?"},
		{Name: "cd", Flags: compare.Diagram,
			Summary: "Diagram of critical differences: average ranks, and bars where no difference is significant"},
		{Name: "pairs", Build: table.Pairs,
			Summary: "Data sets won, tied and lost between any two methods, and scatters of their means"},
		{Name: "times", Build: curves.Times,
			Summary: "What methods cost and how good they are, and which are on the front"},
		{Name: "grid", Build: table.Grid, Folds: true,
			Summary: "Which grid points were chosen, and where the choice sits on the grid's edge"},
		{Name: "curves", Build: curves.Curves,
			Summary: "Average ranks as splits are added, and the metric after each round"},
		{Name: "sweep", Flags: curves.Sweep,
			Summary: "Results as one quantity changes: landmarks, features, training rows"},
		{Name: "scaling", Build: curves.Scaling,
			Summary: "Results, times and memory as sets grow, and what was predicted"},
		{Name: "why", Build: table.Why, Folds: true, Args: "[PROTOCOL] DATASET METHOD", Select: table.SelectCell,
			Summary: "Everything behind one number: splits, grid points, code, queries"},
		{Name: "compare", Flags: compare.Compare, Verb: true, Args: "METHOD [OTHER...]", Select: compare.Select,
			Summary: "Is a method better than others, and how sure is that?"},
	}
}
