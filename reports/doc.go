// Package reports turns finished runs into documents a paper or a reviewer can
// use: the table of mean accuracies ("Table 2" of Gautheron et al., ECML PKDD
// 2020), as text, Markdown, LaTeX, HTML, CSV or JSON.
//
// The way of a number: a Table2Input is plain data with integer counts, filled
// by ReadTable2 from a database or by hand; BuildTable2 checks it and computes means, ranks, comparisons with
// published values and a list of everything that is missing, exactly, as
// rationals; Table2.Write lays the result out. Decimals exist only in the layout,
// so best values and ranks never depend on rounding. Rank functions are in
// reports/stats.
//
// The package holds no SQL, runs nothing and never fills a gap: a cell
// without a finished run is shown as "-", and what that does to means and ranks
// is said in the notes of every format. Rows of one table are of one kind of data
// each; where a set's file changed since, a warning says so before the table. What is
// missing is told once a reason, with the cheapest command that computes it.
package reports
