package doc

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/internal/wording"
)

// Clean returns the document with harmless texts. It replaces control characters, signs that change the
// direction of writing, and bytes that are not UTF-8. Line ends stay where a text may have several lines.
func (d Document) Clean() Document {
	d.Report, d.Title, d.Heading, d.Label = Flat(d.Report), OneLine(d.Title), OneLine(d.Heading), Flat(d.Label)
	d.Warnings, d.Notes = Map(d.Warnings, Flat), Map(d.Notes, Flat)
	d.Line, d.Alarm = Flat(d.Line), Flat(d.Alarm)
	d.Blocks = Map(d.Blocks, cleanBlock)
	d.Narrow = Map(d.Narrow, func(n Narrow) Narrow { return Narrow{OneLine(n.Title), n.Table.clean(), n.Alone} })
	p := &d.Provenance
	p.Program, p.ProtocolHash, p.Database, p.Command = Flat(p.Program), Flat(p.ProtocolHash), Flat(p.Database),
		Flat(p.Command)
	p.Environment, p.Why = Map(p.Environment, Flat), Flat(p.Why)
	p.Queries = Map(p.Queries, func(q Query) Query { return Query{OneLine(q.Title), lines(q.SQL)} })
	return d
}

func cleanBlock(b Block) Block {
	switch b := b.(type) {
	case Table:
		return b.clean()
	case Figure:
		b.Name, b.Title, b.About, b.Alt = OneLine(b.Name), OneLine(b.Title), OneLine(b.About), OneLine(b.Alt)
		if plot := b.Plot; plot != nil {
			b.Plot = func(width float64) Drawing {
				d := plot(width)
				d.Marks = Map(d.Marks, func(m Mark) Mark {
					m.Text, m.Tip = OneLine(m.Text), OneLine(m.Tip)
					return m
				})
				return d
			}
		}
		if b.Numbers != nil {
			b.Numbers = new(b.Numbers.clean())
		}
		return b
	case Prose:
		b.Heading, b.Paragraphs = OneLine(b.Heading), Map(b.Paragraphs, Flat)
		return b
	case Code:
		b.Title, b.Text = OneLine(b.Title), lines(b.Text)
		if b.Language == "sh" {
			b.Text = Flat(b.Text)
		}
		return b
	case Records:
		b.Name, b.Columns = OneLine(b.Name), Map(b.Columns, OneLine)
		b.Rows = Map(b.Rows, func(row []any) []any { return Map(row, cleanValue) })
		return b
	}
	return b
}

func (t Table) clean() Table {
	t.Heading, t.Caption, t.Corner, t.Best = OneLine(t.Heading), OneLine(t.Caption), OneLine(t.Corner), OneLine(t.Best)
	t.Legend = Map(t.Legend, Flat)
	t.Head = Map(t.Head, func(c Column) Column {
		return Column{OneLine(c.Name), OneLine(c.Long), OneLine(c.Group), c.Kind}
	})
	t.Sections = Map(t.Sections, func(rows []Row) []Row {
		return Map(rows, func(r Row) Row {
			return Row{OneLine(r.Name), Map(r.Entries, func(c Entry) Entry {
				c.Text, c.Dev, c.Tip, c.SQL = OneLine(c.Text), OneLine(c.Dev), lines(c.Tip), lines(c.SQL)
				return c
			})}
		})
	})
	return t
}

func cleanValue(v any) any {
	switch v := v.(type) {
	case string:
		return Flat(v)
	case []string:
		return Map(v, Flat)
	}
	return v
}

// OneLine joins the words of a text on one line, without control characters.
func OneLine(s string) string { return strings.Join(strings.Fields(lines(s)), " ") }

// Flat puts a text on one line and keeps every space, as a command needs.
func Flat(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(lines(s)) }

// lines replaces control characters by spaces, except line ends and tabs. Invalid characters become U+FFFD.
func lines(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case wording.Obeyed(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// Map applies a function to each element of a list; nil stays nil.
func Map[T, U any](list []T, f func(T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// Essential is the document without its details.
func (d Document) Essential() Document {
	d.Blocks = slices.DeleteFunc(slices.Clone(d.Blocks), Block.detailed)
	return d
}

// Short is the document for a reader in a terminal: without details, and with one line on where the numbers
// come from. option names the flag that shows the rest.
func (d Document) Short(option string) Document {
	blocks := d.Essential().Blocks
	left := len(d.Queries) > 0 || len(blocks) < len(d.Blocks)
	if from := d.Provenance.line(); from != "" || left {
		if left {
			from = strings.TrimSpace(from + " " + option + " shows the rest.")
		}
		if d.Why != "" {
			from += " `" + d.Why + "` shows what is behind a number."
		}
		blocks = append(blocks, Prose{Paragraphs: []string{from}})
	}
	d.Blocks, d.Provenance = blocks, Provenance{}
	return d
}

// Whole is the document with its details among everything else.
func (d Document) Whole() Document {
	d.Narrow = nil
	d.Blocks = Map(d.Blocks, func(b Block) Block {
		switch x := b.(type) {
		case Table:
			x.Detail = false
			return x
		case Figure:
			x.Detail = false
			return x
		case Prose:
			x.Detail = false
			return x
		}
		return b
	})
	return d
}

// line says in one sentence where the numbers come from; "" where this is not known.
func (p Provenance) line() string {
	if p.Database == "" {
		return ""
	}
	text := "From " + p.Database
	if p.Program != "" {
		text += " by " + p.Program
	}
	if len(p.Environment) > 0 {
		text += ", computed by " + p.Environment[0]
	}
	if n := len(p.Environment) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text + "."
}
