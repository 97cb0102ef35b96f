package frame

import (
	"slices"

	"github.com/kernelboosting/bench/reports/doc"
)

// End appends to a document what ends every report: the command that computes what the table lacks, the report's records, and
// the records of what is missing.
func (t *Table) End(d *doc.Document, records ...doc.Block) {
	d.Blocks = slices.Concat(d.Blocks, t.MissingCode(), records, t.MissingRecords())
}

// MissingCode is the command that computes what the table lacks; nothing if there is none.
func (t *Table) MissingCode() []doc.Block {
	if t.FullCommand == "" {
		return nil
	}
	return []doc.Block{doc.Code{Title: "To compute what is missing", Language: "sh", Text: t.FullCommand}}
}

// MissingRecords says for programs what the table lacks and what is left out of it.
func (t *Table) MissingRecords() []doc.Block {
	missing := doc.Records{Name: "missing", Columns: []string{"dataset", "method", "splits_ok", "splits_planned", "splits", "status", "reason"}}
	for _, g := range t.Gaps {
		for _, f := range g.Failures {
			missing.Add(g.Dataset, g.Method, g.Done, g.Planned, f.Splits, f.Status, f.Error)
		}
		if len(g.NotRun) > 0 {
			status := "not run"
			if g.Why != "" {
				status = "cannot be run"
			}
			missing.Add(g.Dataset, g.Method, g.Done, g.Planned, g.NotRun, status, g.Why)
		}
	}
	changed := doc.Records{Name: "data_changed", Columns: []string{"dataset", "file", "data_was", "data_is", "command"}}
	for _, c := range t.Changed {
		changed.Add(c.Dataset, c.File, c.Was, c.Is, c.Command)
	}
	left := doc.Records{Name: "left_out", Columns: []string{"dataset", "why"}}
	for _, name := range t.Skipped {
		left.Add(name, "nothing is stored")
	}
	for _, w := range t.Without {
		for _, name := range w.Sets {
			left.Add(name, w.Why)
		}
	}
	return []doc.Block{missing, changed, left}
}
