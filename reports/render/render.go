// Package render lays documents out: as text, Markdown, LaTeX, HTML, CSV and JSON.
//
// Each format is one walk over the blocks of a [doc.Document], which it first makes harmless
// ([doc.Document.Clean]) and then escapes as it must. Text for a terminal, Markdown and LaTeX leave
// the details out that a page has room for; HTML is one self-contained file with everything; CSV is
// the first records of a document; JSON is all of them:
//
//	{"schema_version": 2, "report": "accuracy", "title": "...", "warnings": [...], "notes": [...],
//	 "records": {"cells": [{"dataset": "wine", "method": "CART", "mean": 93.2, ...}, ...], ...},
//	 "commands": [{"title": "...", "text": "bench run ..."}], "provenance": {...}}
//
// Columns may be added to records under one schema version; a change of meaning or form raises it.
// Version 1 had rows within rows, one form for one report.
//
// The package computes nothing: what a table shows is decided by the report that built it.
package render

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
)

// Options adjust a layout to where it is seen; the zero value suits a file.
type Options struct {
	Width    int  // of text, in columns: tables that are wider go into blocks; 0 for any width
	Bold     bool // of text: mark the best with ANSI bold instead of "*"
	Spanning bool // of LaTeX: tables span the columns of a page that has two
}

// A Format is a kind of file that holds a document, or one drawing.
type Format struct {
	Name    string // as --format takes it
	Endings []string
	write   func(io.Writer, doc.Document, Options) error
	draw    func(w io.Writer, d doc.Drawing, alt string) error
}

var formats = []Format{
	{"text", []string{".txt"}, Text, nil},
	{"md", []string{".md"}, Markdown, nil},
	{"latex", []string{".tex"}, LaTeX, nil},
	{"html", []string{".html", ".htm"}, HTML, nil},
	{"csv", []string{".csv"}, CSV, nil},
	{"json", []string{".json"}, JSON, nil},
	{"svg", []string{".svg"}, nil, svgFile},
	{"pdf", []string{".pdf"}, nil, pdfFile},
	{"png", []string{".png"}, nil, pngFile},
}

// FormatOf returns the format, of a document or of a figure, that belongs to the ending of a file's name; "" if
// none does. A file that ends in .tex holds LaTeX with the tables.
func FormatOf(file string) string {
	ending := strings.ToLower(filepath.Ext(file))
	i := slices.IndexFunc(formats, func(f Format) bool { return slices.Contains(f.Endings, ending) })
	if i < 0 {
		return ""
	}
	return formats[i].Name
}

// Endings lists the endings that FormatOf knows.
func Endings() []string {
	return slices.Concat(doc.Map(formats, func(f Format) []string { return f.Endings })...)
}

// FigureFormats lists the formats of drawings. All are for light paper.
func FigureFormats() []Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.draw == nil })
}

// Formats lists the names that Write takes.
func Formats() []string {
	documents := slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.write == nil })
	return doc.Map(documents, func(f Format) string { return f.Name })
}

// Write lays the document out in one of Formats.
func Write(w io.Writer, format string, d doc.Document, o Options) error {
	for _, f := range formats {
		if f.Name == format && f.write != nil {
			return f.write(w, d, o)
		}
	}
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
}

// Facts lists name and value of the provenance's fields of one line.
func Facts(p doc.Provenance) [][2]string {
	var facts [][2]string
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	add("program", p.Program)
	add("protocol hash", p.ProtocolHash)
	add("database", p.Database)
	if !p.Generated.IsZero() {
		add("generated", p.Generated.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("command", p.Command)
	add("behind a number", p.Why)
	for _, e := range p.Environment {
		add("environment", e)
	}
	return facts
}

func factLines(p doc.Provenance) []string {
	return doc.Map(Facts(p), func(f [2]string) string { return f[0] + ": " + f[1] })
}

// firstTable is the index of the table that the notes follow, -1 for none.
func firstTable(d doc.Document) int {
	for i, b := range d.Blocks {
		if t, ok := b.(doc.Table); ok && !t.Detail {
			return i
		}
	}
	return -1
}

// walk hands over the blocks of a document, and calls notes after the first table, or at the end if there is no table.
func walk(d doc.Document, block func(doc.Block), notes func()) {
	after := firstTable(d)
	for i, b := range d.Blocks {
		if block(b); i == after {
			notes()
		}
	}
	if after < 0 {
		notes()
	}
}

// groups divides columns, by their places, into those that are side by side under one name.
func groups(head []doc.Column, columns []int) [][]int {
	var out [][]int
	for i, c := range columns {
		if n := len(out); i > 0 && head[c].Group != "" && head[columns[i-1]].Group == head[c].Group {
			out[n-1] = append(out[n-1], c)
			continue
		}
		out = append(out, []int{c})
	}
	return out
}

func allGroups(head []doc.Column) [][]int {
	columns := make([]int, len(head))
	for i := range columns {
		columns[i] = i
	}
	return groups(head, columns)
}

func grouped(t doc.Table) bool { return len(allGroups(t.Head)) < len(t.Head) }

// blocks divides the columns of a table into as few blocks as there is room for, as even as they
// can be, and returns the columns of each. Groups are never parted, repeated columns are in every
// block, and each block has at least one group. widths are the widths of the columns. room is the width
// next to the rows' names; 0 means no bound.
func blocks(head []doc.Column, widths []int, room int) [][]int {
	bounded := room > 0
	var repeated []int
	var parts [][]int // groups that are not repeated
	var sizes []int
	for _, columns := range allGroups(head) {
		size := 0
		for _, i := range columns {
			size += widths[i]
		}
		if head[columns[0]].Kind == doc.Repeated {
			repeated = append(repeated, columns...)
			room -= size
			continue
		}
		parts, sizes = append(parts, columns), append(sizes, size)
	}
	counts := []int{len(parts)}
	if bounded && len(parts) > 0 {
		counts = share(sizes, room)
	}
	var out [][]int
	for _, n := range counts {
		block := append([]int(nil), repeated...)
		for _, p := range parts[:n] {
			block = append(block, p...)
		}
		parts = parts[n:]
		out = append(out, block)
	}
	return out
}

// share returns the number of parts in each block. There are as few blocks as fit, and they are as even as fits.
func share(sizes []int, room int) []int {
	var counts []int
	used := 0
	for i, size := range sizes {
		if i > 0 && used+size <= room {
			counts[len(counts)-1]++
			used += size
			continue
		}
		counts = append(counts, 1)
		used = size
	}
	even := make([]int, len(counts))
	at := 0
	for i := range even {
		even[i] = (len(sizes) - at + len(even) - i - 1) / (len(even) - i)
		used := 0
		for _, size := range sizes[at : at+even[i]] {
			used += size
		}
		if at += even[i]; used > room {
			return counts
		}
	}
	return even
}
