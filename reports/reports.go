// Package reports turns finished runs into documents a paper or a reviewer can use. [All] lists the
// reports.
//
// The way of a number has three steps: a typed row (package frame reads it from the store), a
// document (the report's Build), and a layout (package render). Tables hold exact rationals until
// the last decimal; rank functions are in reports/stats, the papers' printed values in
// harness/published.
//
// A report is a report.Report: its help, and a Build that makes a doc.Document of a frame.Table. It has a line
// here. The command line gives it the flags of all reports, every format, a file and a terminal.
package reports

import (
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/report"
	"github.com/kernelboosting/bench/reports/table"
)

// All returns the reports.
func All() []report.Report {
	return []report.Report{
		table.Accuracy,
		table.Ranks,
		compare.Leaderboard,
		compare.Tests,
		compare.Diagram,
		table.Pairs,
		curves.Times,
		table.Grid,
		curves.Curves,
		curves.Sweep,
		curves.Scaling,
		table.Why,
		compare.Compare,
	}
}
