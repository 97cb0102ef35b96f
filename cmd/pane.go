package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/internal/wording"
	"golang.org/x/term"
)

// A pane is the last lines of a terminal, drawn again in place. No other code moves a terminal's cursor.
type pane struct {
	out    io.Writer
	size   func() (width, height int, ok bool) // of the terminal; ok is false if there is none
	widths []int                               // of the lines that are on the terminal now
}

// newPane returns the pane of the terminal behind w, which is written by out.
func newPane(w, out io.Writer) pane {
	return pane{out: out, size: func() (int, int, bool) {
		if os.Getenv("TERM") == "dumb" {
			return 0, 0, false
		}
		return terminalSize(w)
	}}
}

// terminalSize returns the columns and lines of the terminal behind w; ok is false if there is none.
func terminalSize(w io.Writer) (width, height int, ok bool) {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0 && height > 0
}

// draw puts lines, which are made for a width, in the place of those before, and said above them, where it stays. The
// first line is bold. It returns false and draws nothing where there is no terminal.
func (p *pane) draw(said string, lines func(width int) []string) bool {
	width, height, ok := p.size()
	if !ok {
		return false
	}
	drawn := lines(width - 1) // writing the last column moves the cursor on some terminals
	if room := max(2, height-1); len(drawn) > room {
		more := len(drawn) - room + 1
		drawn = append(drawn[:room-1], fmt.Sprintf("... %s; a higher window shows them", plural(more, "more line")))
	}
	up := 0
	for _, columns := range p.widths { // a line takes several lines now if the terminal became narrower
		up += 1 + max(0, columns-1)/width
	}
	var b strings.Builder
	if up > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", min(up, height-1))
	}
	b.WriteString("\r\x1b[J" + said) // this also removes a printed ^C
	p.widths = p.widths[:0]
	for i, l := range drawn {
		l = text.Snip(wording.Spelled(l), width-1, "…")
		p.widths = append(p.widths, text.StringWidthWithoutEscSequences(l))
		if i == 0 && os.Getenv("NO_COLOR") == "" {
			l = "\x1b[1m" + l + "\x1b[0m"
		}
		b.WriteString(l + "\n")
	}
	_, _ = io.WriteString(p.out, b.String())
	return true
}

// end leaves the cursor on an empty line. A terminal may have printed ^C at an interrupt.
func (p *pane) end() {
	if p.widths != nil {
		fmt.Fprint(p.out, "\r\x1b[J")
	}
}
