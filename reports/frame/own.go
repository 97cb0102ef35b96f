package frame

import (
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/plot"
)

// OwnMark follows the name of a method of one's own in tables.
const OwnMark = " ‡"

// ownMeans says what marks mean.
const ownMeans = "a method of one's own, neither of the program nor of a file of results."

// MarkOwn marks methods of one's own wherever blocks name them: by a sign in tables, by a line in drawings.
func (t *Table) MarkOwn(blocks []doc.Block) []doc.Block {
	if t.Own == nil {
		return blocks
	}
	return doc.Map(blocks, func(b doc.Block) doc.Block {
		switch b := b.(type) {
		case doc.Table:
			return t.markTable(b)
		case doc.Figure:
			if b.Plot != nil {
				b.Plot = plot.Underlined(b.Plot, t.Own, "Underlined: a method of one's own.")
			}
			if b.Numbers != nil {
				b.Numbers = new(t.markTable(*b.Numbers))
			}
			return b
		}
		return b
	})
}

func (t *Table) markTable(b doc.Table) doc.Table {
	found := false
	mark := func(text string) string {
		parts := strings.Split(text, " - ") // a pair
		for i, part := range parts {
			if slices.Contains(t.Own, part) {
				parts[i], found = part+OwnMark, true
			}
		}
		return strings.Join(parts, " - ")
	}
	b.Head = doc.Map(b.Head, func(c doc.Column) doc.Column {
		c.Name, c.Group = mark(c.Name), mark(c.Group)
		return c
	})
	b.Sections = doc.Map(b.Sections, func(rows []doc.Row) []doc.Row {
		return doc.Map(rows, func(r doc.Row) doc.Row {
			r.Name, r.Entries = mark(r.Name), slices.Clone(r.Entries)
			for i, c := range b.Head {
				if c.Kind == doc.Words && i < len(r.Entries) {
					r.Entries[i].Text = mark(r.Entries[i].Text)
				}
			}
			return r
		})
	})
	if found {
		b.Legend = append(slices.Clip(b.Legend), strings.TrimSpace(OwnMark)+": "+ownMeans)
	}
	return b
}
