package externaltrees

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// decodeUBJ reads a value of Universal Binary JSON (draft 12), the form in which XGBoost writes models by
// default. Objects become map[string]any, arrays []any, numbers int64 or float64. Bytes after the value are
// an error. memory is the number of bytes that the values may take, 0 for any number.
func decodeUBJ(file []byte, memory int64) (any, error) {
	d := &ubjDecoder{left: file, memory: memory}
	v := d.value(d.marker(), 0)
	if d.err == nil && len(d.left) > 0 {
		d.fail("%d bytes follow its end", len(d.left))
	}
	return v, d.err
}

// maxUBJDepth is the largest depth of nested values; models have about eight levels.
const maxUBJDepth = 64

// A ubjDecoder returns zeros after an error.
type ubjDecoder struct {
	left         []byte
	memory, held int64
	err          error
}

// hold adds n bytes to the memory that the values take.
func (d *ubjDecoder) hold(n int64) {
	if d.held += n; d.memory > 0 && d.held > d.memory && d.err == nil {
		d.err, d.left = tooLarge(d.held, d.memory), nil
	}
}

func (d *ubjDecoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.left = nil
}

// take returns the next n bytes, nil if there are fewer.
func (d *ubjDecoder) take(n int) []byte {
	if n < 0 || n > len(d.left) {
		d.fail("it ends too soon")
		return nil
	}
	out := d.left[:n]
	d.left = d.left[n:]
	return out
}

// marker returns the type of the next value. It passes over N, which has no value.
func (d *ubjDecoder) marker() byte {
	for {
		if b := d.one(); b != 'N' {
			return b
		}
	}
}

// one returns the next byte, 0 if there is none.
func (d *ubjDecoder) one() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// numberSize is the length of a number by its type; 0 for a type that is no number.
func numberSize(kind byte) int {
	switch kind {
	case 'i', 'U':
		return 1
	case 'I':
		return 2
	case 'l', 'd':
		return 4
	case 'L', 'D':
		return 8
	}
	return 0
}

func (d *ubjDecoder) number(kind byte) any {
	size := numberSize(kind)
	if size == 0 {
		d.fail("%q is no type of a number", kind)
	}
	b := d.take(size)
	if len(b) == 0 {
		return int64(0)
	}
	switch kind {
	case 'i':
		return int64(int8(b[0]))
	case 'U':
		return int64(b[0])
	case 'I':
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 'l':
		return int64(int32(binary.BigEndian.Uint32(b)))
	case 'L':
		return int64(binary.BigEndian.Uint64(b))
	case 'd':
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

// length reads the number of elements that follow, each of at least size bytes.
func (d *ubjDecoder) length(size int) int {
	n, ok := d.number(d.marker()).(int64)
	if !ok || n < 0 || n > int64(len(d.left)/max(1, size)) {
		d.fail("a length is %d, with %d bytes left", n, len(d.left))
		return 0
	}
	return int(n)
}

func (d *ubjDecoder) text() string { return string(d.take(d.length(1))) }

func (d *ubjDecoder) value(kind byte, depth int) any {
	d.hold(perNumber)
	switch {
	case d.err != nil:
		return nil
	case depth > maxUBJDepth:
		d.fail("its values are nested more than %d deep", maxUBJDepth)
		return nil
	case numberSize(kind) > 0:
		return d.finite(d.number(kind))
	}
	switch kind {
	case 'Z':
		return nil
	case 'T', 'F':
		return kind == 'T'
	case 'S', 'H':
		return d.text()
	case 'C':
		return string(d.take(1))
	case '[':
		return d.array(depth)
	case '{':
		return d.object(depth)
	}
	d.fail("a value has the unknown type %q", kind)
	return nil
}

// finite refuses numbers that JSON does not have.
func (d *ubjDecoder) finite(v any) any {
	if f, real := v.(float64); real && (math.IsNaN(f) || math.IsInf(f, 0)) {
		d.fail("a number is %v", f)
	}
	return v
}

// sized reads the optional type and number of elements before an array or object. kind is the common type of
// the elements, 0 if each element has its own. n is their number, -1 if an end marker follows them.
func (d *ubjDecoder) sized() (kind byte, n int) {
	n = -1
	if len(d.left) > 0 && d.left[0] == '$' {
		d.take(1)
		if kind = d.one(); numberSize(kind) == 0 && kind != 'S' {
			d.fail("elements have the type %q", kind)
		}
		if len(d.left) == 0 || d.left[0] != '#' {
			d.fail("elements of one type have no number")
		}
	}
	if len(d.left) > 0 && d.left[0] == '#' {
		d.take(1)
		n = d.length(max(1, numberSize(kind)))
	}
	return kind, n
}

// more reports whether another element follows after i elements.
func (d *ubjDecoder) more(i, n int, end byte) bool {
	switch {
	case d.err != nil:
		return false
	case n >= 0:
		return i < n
	case len(d.left) == 0:
		d.fail("it ends too soon")
		return false
	case d.left[0] == end:
		d.take(1)
		return false
	}
	return true
}

func (d *ubjDecoder) array(depth int) any {
	kind, n := d.sized()
	out := []any{}
	for i := 0; d.more(i, n, ']'); i++ {
		k := kind
		if k == 0 {
			k = d.marker()
		}
		out = append(out, d.value(k, depth+1))
	}
	return out
}

func (d *ubjDecoder) object(depth int) any {
	kind, n := d.sized()
	d.hold(perObject)
	out := map[string]any{}
	for i := 0; d.more(i, n, '}'); i++ {
		name := d.text()
		k := kind
		if k == 0 {
			k = d.marker()
		}
		if _, twice := out[name]; twice {
			d.err = errors.Join(d.err, fmt.Errorf("the name %q is there twice", name))
			return out
		}
		out[name] = d.value(k, depth+1)
	}
	return out
}
