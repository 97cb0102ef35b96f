package reports

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// SchemaVersion is the version of the JSON form of Table2. Fields may be added
// under one version; a change of meaning raises it.
const SchemaVersion = 1

// writeCSV writes one row a data set and method. Accuracies are in percent, in
// the shortest decimal that reads back as the same float64; a value that does
// not exist is empty. Each source of published values adds three columns.
func (t *Table2) writeCSV(w io.Writer, _ RenderOptions) error {
	out := csv.NewWriter(w)
	header := []string{"protocol", "dataset", "group", "rows", "features", "train_rows", "test_rows", "method",
		"splits_ok", "splits_planned", "correct", "test", "mean", "std_population", "std_sample",
		"best", "in_mean_and_ranks", "comparable", "missing", "data_changed"}
	for _, c := range t.Comparisons {
		header = append(header, "published_mean:"+c.Source, "published_std:"+c.Source, "difference:"+c.Source)
	}
	out.Write(header)
	for _, row := range t.Rows {
		d := row.Dataset
		for _, c := range row.Cells {
			record := []string{t.Protocol, d.Name, d.Group, known(d.Rows), known(d.Features), known(d.TrainRows), known(d.TestRows),
				c.Method, strconv.Itoa(len(c.Runs)), strconv.Itoa(t.Splits),
				strconv.FormatInt(c.Correct, 10), strconv.FormatInt(c.Test, 10),
				shortest(rational(c.Mean)), shortest(c.StdPop), shortest(c.StdSample),
				strconv.FormatBool(c.Best), strconv.FormatBool(row.Counted), strconv.FormatBool(!row.Unequal), t.gapText(d.Name, c.Method), t.changeText(d.Name)}
			for _, comparison := range t.Comparisons {
				record = append(record, comparison.record(d.Name, c.Method)...)
			}
			out.Write(record)
		}
	}
	out.Flush()
	return out.Error()
}

func (c Comparison) record(dataset, method string) []string {
	for _, row := range c.Rows {
		for i, cell := range row.Cells {
			if row.Dataset == dataset && c.Methods[i].Method == method && cell.Published != nil {
				return []string{shortest(rational(cell.Published)), shortest(cell.Std), shortest(rational(cell.Difference))}
			}
		}
	}
	return []string{"", "", ""}
}

// gapText describes a cell's unfinished splits, or is empty.
func (t *Table2) gapText(dataset, method string) string {
	for _, g := range t.Gaps {
		if g.Dataset == dataset && g.Method == method {
			return g.Describe()
		}
	}
	return ""
}

// changeText says that a row is of data that changed since, or is empty.
func (t *Table2) changeText(dataset string) string {
	for _, c := range t.Changed {
		if c.Dataset == dataset {
			return c.String()
		}
	}
	return ""
}

func known(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func shortest(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// rational returns the nearest float64, NaN for no value.
func rational(x *big.Rat) float64 {
	if x == nil {
		return math.NaN()
	}
	f, _ := x.Float64()
	return f
}

// The JSON form. Fields are written in this order; a value that does not exist
// is null; "exact" is a quotient of integers, "p/q".
type (
	jsonTable struct {
		SchemaVersion int              `json:"schema_version"`
		Report        string           `json:"report"`
		Protocol      string           `json:"protocol"`
		Splits        int              `json:"splits_planned"`
		Methods       []string         `json:"methods"`
		Datasets      []jsonRow        `json:"datasets"`
		Counted       []string         `json:"in_mean_and_ranks"`
		Mean          []jsonMean       `json:"mean"`
		Ranks         []jsonRank       `json:"average_ranks"`
		Published     []jsonComparison `json:"published"`
		Missing       []jsonGap        `json:"missing"`
		Changed       []jsonChange     `json:"data_changed"`
		Regression    []string         `json:"regression"`
		LeftOut       []string         `json:"left_out"`
		FullCommand   string           `json:"full_command"`
		Warnings      []string         `json:"warnings"`
		Notes         []string         `json:"notes"`
		Provenance    jsonProvenance   `json:"provenance"`
	}
	jsonRow struct {
		Name       string     `json:"name"`
		Group      string     `json:"group"`
		Rows       int        `json:"rows"`
		Features   int        `json:"features"`
		TrainRows  int        `json:"train_rows"`
		TestRows   int        `json:"test_rows"`
		Comparable bool       `json:"comparable"`
		Counted    bool       `json:"in_mean_and_ranks"`
		Cells      []jsonCell `json:"cells"`
	}
	jsonCell struct {
		Method    string    `json:"method"`
		Splits    int       `json:"splits_ok"`
		Correct   int64     `json:"correct"`
		Test      int64     `json:"test"`
		Mean      *float64  `json:"mean"`
		Exact     string    `json:"exact"`
		StdPop    *float64  `json:"std_population"`
		StdSample *float64  `json:"std_sample"`
		Best      bool      `json:"best"`
		Runs      []jsonRun `json:"runs"`
	}
	jsonRun struct {
		Split   int `json:"split"`
		Correct int `json:"correct"`
		Test    int `json:"test"`
	}
	jsonMean struct {
		Method    string   `json:"method"`
		Mean      *float64 `json:"mean"`
		Exact     string   `json:"exact"`
		StdPop    *float64 `json:"std_population"`
		StdSample *float64 `json:"std_sample"`
		Best      bool     `json:"best"`
	}
	jsonRank struct {
		Method  string `json:"method"`
		MidRank string `json:"midrank_exact"`
		Paper   string `json:"paper_exact"`

		MidRankValue *float64 `json:"midrank"`
		PaperValue   *float64 `json:"paper"`
	}
	jsonComparison struct {
		Source  string           `json:"source"`
		Cells   []jsonPublished  `json:"cells"`
		Methods []jsonDifference `json:"methods"`
		Counted []string         `json:"in_ranks"`
	}
	jsonPublished struct {
		Dataset    string   `json:"dataset"`
		Method     string   `json:"method"`
		Ours       *float64 `json:"ours"`
		Mean       *float64 `json:"published_mean"`
		Std        *float64 `json:"published_std"`
		Difference *float64 `json:"difference"`
	}
	jsonDifference struct {
		Method       string   `json:"method"`
		N            int      `json:"datasets"`
		Average      *float64 `json:"average_difference"`
		MeanAbsolute *float64 `json:"mean_absolute_difference"`
		OurMidRank   *float64 `json:"our_midrank"`
		MidRank      *float64 `json:"published_midrank"`
		OurPaperRank *float64 `json:"our_paper_rank"`
		Printed      *float64 `json:"printed_rank"`
	}
	jsonGap struct {
		Dataset  string        `json:"dataset"`
		Method   string        `json:"method"`
		Done     int           `json:"splits_ok"`
		Planned  int           `json:"splits_planned"`
		NotRun   []int         `json:"not_run"`
		Why      string        `json:"cannot_be_run"`
		Failures []jsonFailure `json:"failures"`
	}
	jsonFailure struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Splits []int  `json:"splits"`
	}
	jsonChange struct {
		Dataset string `json:"dataset"`
		File    string `json:"file"`
		Was     string `json:"data_was"`
		Is      string `json:"data_is"`
		Command string `json:"command"`
	}
	jsonProvenance struct {
		Program      string      `json:"program"`
		ProtocolHash string      `json:"protocol_hash"`
		Database     string      `json:"database"`
		Generated    string      `json:"generated"`
		Command      string      `json:"command"`
		Environment  []string    `json:"environment"`
		Queries      []jsonQuery `json:"queries"`
	}
	jsonQuery struct {
		Title string `json:"title"`
		SQL   string `json:"sql"`
	}
)

func (t *Table2) writeJSON(w io.Writer, _ RenderOptions) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(t.jsonForm())
}

func (t *Table2) jsonForm() jsonTable {
	out := jsonTable{
		SchemaVersion: SchemaVersion, Report: "table2", Protocol: t.Protocol, Splits: t.Splits,
		Methods: t.Methods, Counted: list(t.Counted), Changed: []jsonChange{}, Regression: list(t.Regression), LeftOut: list(t.LeftOut),
		FullCommand: t.FullCommand, Warnings: list(t.Warnings), Notes: list(t.Notes), Provenance: t.Provenance.jsonForm(),
		Mean: []jsonMean{}, Ranks: []jsonRank{}, Published: []jsonComparison{}, Missing: []jsonGap{},
	}
	for _, row := range t.Rows {
		out.Datasets = append(out.Datasets, row.jsonForm())
	}
	for i, m := range t.Mean {
		out.Mean = append(out.Mean, jsonMean{t.Methods[i], optional(rational(m.Mean)), exact(m.Mean),
			optional(m.StdPop), optional(m.StdSample), m.Best})
		out.Ranks = append(out.Ranks, jsonRank{t.Methods[i], exact(t.MidRanks[i]), exact(t.PaperRanks[i]),
			optional(rational(t.MidRanks[i])), optional(rational(t.PaperRanks[i]))})
	}
	for _, c := range t.Comparisons {
		out.Published = append(out.Published, c.jsonForm())
	}
	for _, c := range t.Changed {
		out.Changed = append(out.Changed, jsonChange(c))
	}
	for _, g := range t.Gaps {
		gap := jsonGap{g.Dataset, g.Method, g.Done, g.Planned, list(g.NotRun), g.Why, []jsonFailure{}}
		for _, f := range g.Failures {
			gap.Failures = append(gap.Failures, jsonFailure(f))
		}
		out.Missing = append(out.Missing, gap)
	}
	return out
}

func (r Row) jsonForm() jsonRow {
	d := r.Dataset
	out := jsonRow{d.Name, d.Group, d.Rows, d.Features, d.TrainRows, d.TestRows, !r.Unequal, r.Counted, nil}
	for _, c := range r.Cells {
		cell := jsonCell{c.Method, len(c.Runs), c.Correct, c.Test, optional(rational(c.Mean)), exact(c.Mean),
			optional(c.StdPop), optional(c.StdSample), c.Best, []jsonRun{}}
		for _, run := range c.Runs {
			cell.Runs = append(cell.Runs, jsonRun{run.Split, run.Correct, run.Test})
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

func (c Comparison) jsonForm() jsonComparison {
	out := jsonComparison{Source: c.Source, Cells: []jsonPublished{}, Counted: list(c.Counted)}
	for _, row := range c.Rows {
		for i, cell := range row.Cells {
			if cell.Published != nil {
				out.Cells = append(out.Cells, jsonPublished{row.Dataset, c.Methods[i].Method, optional(rational(cell.Ours)),
					optional(rational(cell.Published)), optional(cell.Std), optional(rational(cell.Difference))})
			}
		}
	}
	for i, m := range c.Methods {
		d := jsonDifference{Method: m.Method, N: m.N, Average: optional(rational(m.Average)), MeanAbsolute: optional(rational(m.MeanAbsolute))}
		if c.MidRanks != nil {
			d.OurMidRank, d.MidRank = optional(rational(c.OurMidRanks[i])), optional(rational(c.MidRanks[i]))
			d.OurPaperRank = optional(rational(c.OurPaperRanks[i]))
		}
		if c.Printed != nil {
			d.Printed = c.Printed[i]
		}
		out.Methods = append(out.Methods, d)
	}
	return out
}

func (p Provenance) jsonForm() jsonProvenance {
	out := jsonProvenance{p.Program, p.ProtocolHash, p.Database, "", p.Command, list(p.Environment), []jsonQuery{}}
	if !p.Generated.IsZero() {
		out.Generated = p.Generated.UTC().Format(time.RFC3339)
	}
	for _, q := range p.Queries {
		out.Queries = append(out.Queries, jsonQuery{q.Title, strings.TrimSpace(q.SQL)})
	}
	return out
}

// list makes no entries an empty array and not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func optional(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// exact writes p/q, empty for no value.
func exact(x *big.Rat) string {
	if x == nil {
		return ""
	}
	return x.String()
}
