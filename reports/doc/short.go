package doc

import (
	"fmt"
	"strings"
)

// Short is the document for a reader in a terminal: without details, and with one line on where the numbers
// come from. option names the flag that shows the rest.
func (d Document) Short(option string) Document {
	var blocks []Block
	left := len(d.Queries) > 0
	for _, b := range d.Blocks {
		if detailed(b) {
			left = true
			continue
		}
		blocks = append(blocks, b)
	}
	if from := d.Provenance.line(); from != "" || left {
		if left {
			from = strings.TrimSpace(from + " " + option + " shows the rest.")
		}
		blocks = append(blocks, Prose{Paragraphs: []string{from}})
	}
	d.Blocks, d.Provenance = blocks, Provenance{}
	return d
}

// Whole is the document with its details among everything else.
func (d Document) Whole() Document {
	blocks := make([]Block, len(d.Blocks))
	for i, b := range d.Blocks {
		switch x := b.(type) {
		case Table:
			x.Detail = false
			b = x
		case Figure:
			x.Detail = false
			b = x
		case Prose:
			x.Detail = false
			b = x
		}
		blocks[i] = b
	}
	d.Blocks = blocks
	return d
}

func detailed(b Block) bool {
	switch x := b.(type) {
	case Table:
		return x.Detail
	case Figure:
		return x.Detail
	case Prose:
		return x.Detail
	}
	return false
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
