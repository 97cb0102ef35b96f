// Package reports turns finished runs into documents a paper or a reviewer can use. [All] lists the
// reports, each a package of its own.
//
// The way of a number has three steps: a typed row (package frame reads it from the store), a
// document (the report's Build), and a layout (package render). Tables hold exact rationals until
// the last decimal; rank functions are in reports/stats, the papers' printed values in
// harness/published.
//
// A report is a package with a function Build(frame.Frame, Options) (doc.Document, error), a Report that names it
// and adds its flags, and a line here; the command line gives it every format, a file and a terminal.
package reports

import (
	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/cells"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/costs"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/ranking"
	"github.com/kernelboosting/bench/reports/report"
)

// All returns the reports.
func All() []report.Report {
	return []report.Report{
		accuracy.Report(),
		ranking.RanksReport(),
		compare.LeaderboardReport(),
		ranking.TestsReport(),
		ranking.DiagramReport(),
		ranking.PairsReport(),
		costs.TimesReport(),
		cells.GridReport(),
		curves.CurvesReport(),
		curves.SweepReport(),
		costs.ScalingReport(),
		cells.WhyReport(),
		compare.CompareReport(),
	}
}
