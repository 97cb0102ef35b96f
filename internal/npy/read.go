package npy

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
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
			return Floats{}, fmt.Errorf("npy: the shape %v has more than the %d values that are expected", h.shape,
				limit)
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

// entry matches one entry of a header, a Python dictionary with descr, fortran_order and shape in any order.
const entry = ` *['"](?:descr['"] *: *['"]([^'"]*)['"]|fortran_order['"] *: *(True|False)|shape['"] *: *\( *(\d+) *, ` +
	`*(?:(\d+) *,?)? *\)) *`

var dictionary = regexp.MustCompile(`^\{` + entry + `,` + entry + `,` + entry + `,? *\}[ \n]*$`)

func parseHeader(text string) (h head, err error) {
	kind, order := "", ""
	m := dictionary.FindStringSubmatch(text)
	for i := 1; i < len(m); i += 4 { // an entry has four groups, of which it fills its own
		kind, order = cmp.Or(kind, m[i]), cmp.Or(order, m[i+1])
		for _, digits := range m[i+2 : i+4] {
			if digits != "" {
				n, outside := strconv.Atoi(digits)
				h.shape, err = append(h.shape, n), cmp.Or(err, outside)
			}
		}
	}
	switch h.fortran = order == "True"; {
	case kind == "" || order == "" || h.shape == nil || err != nil:
		return h, fmt.Errorf("the header %.200q is not that of an array with one or two axes, such as {'descr': "+
			"'<f8', 'fortran_order': False, 'shape': (2, 3), }", text)
	case kind != "<f8":
		return h, fmt.Errorf("the values are %q; write '<f8', float64 with the low byte first", kind)
	}
	return h, nil
}
