package externaltrees

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// perUBJ bounds the bytes of JSON that a byte of UBJ becomes, such as a control character in a name.
const perUBJ = 6

// mostNested bounds how deep values of a UBJ file contain each other. Those of XGBoost do seven times.
const mostNested = 64

// A ubjReader turns a file in Universal Binary JSON into JSON. XGBoost 2.1 and later write it unless they are asked for
// JSON. The reader knows the types of draft 12 that a model can hold. A number that is not finite becomes the text NaN.
type ubjReader struct {
	in  []byte // what is not read yet
	out []byte
	err error
}

func jsonOfUBJ(file []byte) ([]byte, error) {
	r := ubjReader{in: file}
	r.value(r.take(1)[0], 0)
	if r.err == nil && len(r.in) > 0 {
		r.fail("%d bytes follow its end", len(r.in))
	}
	if r.err != nil {
		return nil, fmt.Errorf("it is no UBJ file of XGBoost: at byte %d %w", len(file)-len(r.in), r.err)
	}
	return r.out, nil
}

func (r *ubjReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// take returns the next n bytes. After an error it returns zeros, at most eight of them.
func (r *ubjReader) take(n int64) []byte {
	if r.err == nil && (n < 0 || n > int64(len(r.in))) {
		r.err = errors.New("the file ends too soon")
	}
	if r.err != nil {
		return make([]byte, max(1, min(n, 8)))
	}
	part := r.in[:n]
	r.in = r.in[n:]
	return part
}

// integer reads a whole number of a type.
func (r *ubjReader) integer(kind byte) int64 {
	switch kind {
	case 'i':
		return int64(int8(r.take(1)[0]))
	case 'U':
		return int64(r.take(1)[0])
	case 'I':
		return int64(int16(binary.BigEndian.Uint16(r.take(2))))
	case 'l':
		return int64(int32(binary.BigEndian.Uint32(r.take(4))))
	case 'L':
		return int64(binary.BigEndian.Uint64(r.take(8)))
	}
	r.fail("has the type %q where a length or a number is expected", kind)
	return 0
}

// text reads a length and as many bytes, and writes them as a string of JSON.
func (r *ubjReader) text() {
	quoted, _ := json.Marshal(string(r.take(r.integer(r.take(1)[0]))))
	r.out = append(r.out, quoted...)
}

// value reads a value of a type and writes it as JSON.
func (r *ubjReader) value(kind byte, depth int) {
	switch kind {
	case 'Z':
		r.out = append(r.out, "null"...)
	case 'T', 'F':
		r.out = strconv.AppendBool(r.out, kind == 'T')
	case 'd':
		r.float(float64(math.Float32frombits(binary.BigEndian.Uint32(r.take(4)))), 32)
	case 'D':
		r.float(math.Float64frombits(binary.BigEndian.Uint64(r.take(8))), 64)
	case 'S':
		r.text()
	case '[', '{':
		if depth == mostNested {
			r.fail("values contain each other more than %d times", mostNested)
			return
		}
		r.container(kind, depth+1)
	default:
		r.out = strconv.AppendInt(r.out, r.integer(kind), 10)
	}
}

func (r *ubjReader) float(v float64, bits int) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.out = append(r.out, `"NaN"`...)
		return
	}
	r.out = strconv.AppendFloat(r.out, v, 'g', -1, bits)
}

// container reads a list or an object. A type and a number of elements may come before them; after a number no bracket
// closes it. Every element takes at least a byte, else a short file could hold any number of values.
func (r *ubjReader) container(open byte, depth int) {
	closing, kind, left := open+2, byte(0), int64(-1)
	if r.skip('$') {
		if kind = r.take(1)[0]; !slices.Contains([]byte("iUIlLdDS[{"), kind) {
			r.fail("is a list of the type %q", kind)
		}
	}
	if r.skip('#') {
		if left = r.integer(r.take(1)[0]); left < 0 || left > int64(len(r.in)) {
			r.fail("is a list of %d values", left)
		}
	} else if kind != 0 {
		r.fail("is a list of the type %q without a number of values", kind)
	}
	r.out = append(r.out, open)
	for i := int64(0); r.err == nil && i != left && !(left < 0 && r.skip(closing)); i++ {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		if open == '{' {
			r.text()
			r.out = append(r.out, ':')
		}
		of := kind
		if of == 0 {
			of = r.take(1)[0]
		}
		r.value(of, depth)
	}
	r.out = append(r.out, closing)
}

// skip reads a byte if it is the next one.
func (r *ubjReader) skip(b byte) bool {
	is := len(r.in) > 0 && r.in[0] == b
	if is {
		r.in = r.in[1:]
	}
	return is
}
