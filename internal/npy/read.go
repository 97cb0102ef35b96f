package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Floats is an array of float64 with one or two axes, its values row by row whatever the file's order was.
type Floats struct {
	Shape  []int
	Values []float64
}

// maxHeader bounds the text before the values; an array of two axes needs about a hundred bytes.
const maxHeader = 4096

// Read reads one array of little-endian float64 (descr '<f8') with one or two axes, in row or column
// order, of format version 1, 2 or 3, to the end of r. An array of more than limit values is refused
// before memory is taken for it, and so is anything before or after the values that does not belong there.
func Read(r io.Reader, limit int) (Floats, error) {
	h, err := readHeader(r)
	if err != nil {
		return Floats{}, fmt.Errorf("npy: %w", err)
	}
	count := 1
	for _, n := range h.shape {
		if n > 0 && count > limit/n {
			return Floats{}, fmt.Errorf("npy: the shape %v has more than the %d values that are expected", h.shape, limit)
		}
		count *= n
	}
	out := Floats{Shape: h.shape, Values: make([]float64, count)}
	if err := readValues(r, out.Values); err != nil {
		return Floats{}, fmt.Errorf("npy: %w", err)
	}
	if h.fortran && len(h.shape) == 2 {
		out.Values = byRows(out.Values, h.shape[0], h.shape[1])
	}
	return out, nil
}

// readValues fills values and asks that the file ends behind them.
func readValues(r io.Reader, values []float64) error {
	buffer := make([]byte, min(8*len(values), 1<<16))
	for from := 0; from < len(values); {
		chunk := buffer[:min(len(buffer), 8*(len(values)-from))]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return fmt.Errorf("the file ends after %d of %d values or within the next", from, len(values))
		}
		for i := 0; i < len(chunk); i += 8 {
			values[from] = math.Float64frombits(binary.LittleEndian.Uint64(chunk[i:]))
			from++
		}
	}
	var more [1]byte
	switch _, err := io.ReadFull(r, more[:]); {
	case err == nil:
		return fmt.Errorf("there are bytes behind the %d values", len(values))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// byRows returns values that were stored column by column.
func byRows(values []float64, rows, columns int) []float64 {
	out := make([]float64, len(values))
	for i := range rows {
		for j := range columns {
			out[i*columns+j] = values[j*rows+i]
		}
	}
	return out
}

type head struct {
	fortran bool
	shape   []int
}

// readHeader reads what precedes the values.
func readHeader(r io.Reader) (head, error) {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:6]) != "\x93NUMPY" {
		return head{}, errors.New("the file does not begin as an array does")
	}
	size := 2
	switch version := start[6]; version {
	case 1:
	case 2, 3:
		size = 4
	default:
		return head{}, fmt.Errorf("format version %d is not known; write version 1", version)
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return head{}, errors.New("the file ends within its header")
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return head{}, fmt.Errorf("a header of %d bytes is too long", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return head{}, errors.New("the file ends within its header")
	}
	return parseHeader(string(text))
}

// parseHeader reads the literal of a Python dictionary with exactly the keys descr, fortran_order and shape.
func parseHeader(text string) (head, error) {
	p := &literal{rest: text}
	var h head
	seen := map[string]bool{}
	p.take("{")
	for p.err == nil && !p.next("}") {
		key := p.quoted()
		p.take(":")
		if seen[key] {
			p.fail("key %q comes twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			if kind := p.quoted(); p.err == nil && kind != "<f8" {
				p.fail("the values are %q; write '<f8', float64 with the low byte first", kind)
			}
		case "fortran_order":
			switch {
			case p.next("True"):
				h.fortran = true
			case !p.next("False"):
				p.fail("fortran_order is neither True nor False")
			}
		case "shape":
			h.shape = p.shape()
		default:
			p.fail("key %q is not one of descr, fortran_order and shape", key)
		}
		if !p.next(",") {
			p.take("}")
			break
		}
	}
	if p.err == nil && strings.Trim(p.rest, " \n") != "" {
		p.fail("there is more behind the dictionary")
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("descr, fortran_order or shape is missing")
	}
	return h, p.err
}

// A literal is what is left of a header; the first error stays.
type literal struct {
	rest string
	err  error
}

func (p *literal) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("header: "+format, args...)
	}
}

// next consumes word if it comes next, after blanks.
func (p *literal) next(word string) bool {
	if p.err != nil {
		return false
	}
	rest, found := strings.CutPrefix(strings.TrimLeft(p.rest, " "), word)
	if found {
		p.rest = rest
	}
	return found
}

func (p *literal) take(word string) {
	if !p.next(word) {
		p.fail("%q is expected before %.20q", word, p.rest)
	}
}

func (p *literal) quoted() string {
	for _, quote := range []string{"'", `"`} {
		if p.next(quote) {
			text, rest, found := strings.Cut(p.rest, quote)
			if !found {
				break
			}
			p.rest = rest
			return text
		}
	}
	p.fail("a quoted word is expected before %.20q", p.rest)
	return ""
}

// shape reads a tuple of one or two lengths.
func (p *literal) shape() []int {
	var out []int
	comma := false
	p.take("(")
	for p.err == nil && !p.next(")") {
		p.rest = strings.TrimLeft(p.rest, " ")
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.ParseInt(p.rest[:digits], 10, 62)
		if err != nil || n > math.MaxInt {
			p.fail("a length is expected before %.20q", p.rest)
			break
		}
		p.rest = p.rest[digits:]
		out = append(out, int(n))
		if comma = p.next(","); !comma {
			p.take(")")
			break
		}
	}
	if p.err == nil && (len(out) < 1 || len(out) > 2 || len(out) == 1 && !comma) {
		p.fail("the shape has %d axes; one, written (n,), or two are expected", len(out))
	}
	return out
}
