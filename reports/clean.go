package reports

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names, reasons and paths come from a database that others wrote. What a terminal
// would obey is taken out of them once, where the table is built, so that no format
// has to: control characters, signs that turn the direction of writing, and bytes
// that are no UTF-8.

// oneLine joins the words of a text on one line, without control characters.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// clean replaces control characters, but for line ends and tabs, by spaces and what
// is no character by U+FFFD.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// flat is clean on one line, with every space as it is: what a command needs.
func flat(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(clean(s)) }

// clean returns the input with every text in it clean: of one line, but for errors
// and queries.
func (in Table2Input) clean() Table2Input {
	in.Protocol, in.FullCommand = oneLine(in.Protocol), flat(in.FullCommand)
	for _, list := range []*[]string{&in.Methods, &in.LeftOut, &in.Regression, &in.Warnings, &in.Notes} {
		*list = each(*list, oneLine)
	}
	in.Datasets = each(in.Datasets, func(d Dataset) Dataset {
		d.Name, d.File = oneLine(d.Name), oneLine(d.File)
		return d
	})
	in.Runs = each(in.Runs, func(r Run) Run {
		r.Dataset, r.Method, r.Status, r.Error = oneLine(r.Dataset), oneLine(r.Method), oneLine(r.Status), clean(r.Error)
		return r
	})
	in.Published = each(in.Published, func(p Published) Published {
		p.Source, p.Dataset, p.Method = oneLine(p.Source), oneLine(p.Dataset), oneLine(p.Method)
		return p
	})
	in.PublishedRanks = each(in.PublishedRanks, func(p PublishedRank) PublishedRank {
		p.Source, p.Method = oneLine(p.Source), oneLine(p.Method)
		return p
	})
	in.Changed = each(in.Changed, func(c Change) Change {
		return Change{oneLine(c.Dataset), oneLine(c.File), oneLine(c.Was), oneLine(c.Is), flat(c.Command)}
	})
	in.Impossible = each(in.Impossible, func(i Impossible) Impossible {
		return Impossible{oneLine(i.Dataset), oneLine(i.Method), oneLine(i.Why)}
	})
	in.Provenance = in.Provenance.clean()
	return in
}

func (p Provenance) clean() Provenance {
	p.Program, p.ProtocolHash = oneLine(p.Program), oneLine(p.ProtocolHash)
	p.Database, p.Command = flat(p.Database), flat(p.Command)
	p.Environment = each(p.Environment, oneLine)
	p.Queries = each(p.Queries, func(q Query) Query { return Query{oneLine(q.Title), clean(q.SQL)} })
	return p
}

// each returns f of every element, nil of nil.
func each[T any](list []T, f func(T) T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
