// Models are written to files ([Save]) and read back ([Load]). The bytes depend on the model alone: not
// on the process, nor on what the process wrote before.
//
// A model is a struct. Its exported fields are saved in the order of their declaration. A struct with another order or
// another field needs another kind. Unexported fields, which scoring may need too, are not saved. A file is a header,
// the fields and a checksum. Numbers are little-endian.
//
//	8 bytes   "bench\x00m" and the version of the form, 1
//	uint32    length of the kind, at most 64
//	..        the kind: a name for the struct
//	uint64    length of the fields
//	..        the fields, one after the other
//	uint32    CRC-32C of everything before
//
// An int is saved as an int64, an int32 as itself, a float64 as its bits, a bool as one byte, 0 or 1. A
// string or a slice is its length as a uint64, and then its bytes or elements. A struct is its exported
// fields. There are no other types.
//
// Reading trusts nothing. It takes memory as bytes arrive, never by a length in the file. A model that was cut,
// extended or changed is an error. A checksum does not prove that the fields fit each other: the caller must check
// this.

package fitting

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
)

const (
	magic     = "bench\x00m\x01"
	kindLimit = 64
	sizeLimit = 4 << 30 // bytes of fields
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes the struct to which model points, as a model of the given kind.
func Save(w io.Writer, kind string, model any) error {
	if len(kind) > kindLimit {
		return fmt.Errorf("saving a model: the kind %q is longer than %d bytes", kind, kindLimit)
	}
	f := &fields{writing: true}
	f.visit(reflect.ValueOf(model).Elem())
	if len(f.data) > sizeLimit {
		return fmt.Errorf("saving a model (%s): it takes %d bytes, and %d are the most", kind, len(f.data),
			int64(sizeLimit))
	}
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(len(kind)))...)
	head = append(head, kind...)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(f.data)))
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, f.data)
	for _, part := range [][]byte{head, f.data, binary.LittleEndian.AppendUint32(nil, sum)} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("saving a model (%s): %w", kind, err)
		}
	}
	return nil
}

// Load reads to the end of r what Save wrote as a model of the same kind. It returns the model after check has found
// that its fields fit each other.
func Load[M any](r io.Reader, kind string, check func(*M) error) (*M, error) {
	m := new(M)
	data, err := readFields(r, kind)
	if err == nil {
		f := &fields{data: data}
		f.visit(reflect.ValueOf(m).Elem())
		if err = f.err; err == nil && len(f.data) > 0 {
			err = fmt.Errorf("%d bytes are left after the last field", len(f.data))
		}
	}
	if err == nil {
		err = check(m)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a saved model (%s): %w", kind, err)
	}
	return m, nil
}

// BeginsSaved reports whether r goes on with a model of the given kind.
func BeginsSaved(r *bufio.Reader, kind string) bool {
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(len(kind)))...)
	head = append(head, kind...)
	next, _ := r.Peek(len(head))
	return bytes.Equal(next, head)
}

// readFields returns the bytes of the fields, after it has checked the header and the checksum.
func readFields(r io.Reader, kind string) ([]byte, error) {
	var head [len(magic) + 4]byte
	if err := fill(r, head[:]); err != nil {
		return nil, err
	}
	if string(head[:len(magic)]) != magic {
		return nil, errors.New("it does not begin as a model of this version does")
	}
	length := binary.LittleEndian.Uint32(head[len(magic):])
	if length > kindLimit {
		return nil, fmt.Errorf("its kind would take %d bytes, and %d are the most", length, kindLimit)
	}
	middle := make([]byte, length+8)
	if err := fill(r, middle); err != nil {
		return nil, err
	}
	if got := string(middle[:length]); got != kind {
		return nil, fmt.Errorf("it is of the kind %q", got)
	}
	size := binary.LittleEndian.Uint64(middle[length:])
	if size > sizeLimit {
		return nil, fmt.Errorf("its fields would take %d bytes, and %d are the most", size, int64(sizeLimit))
	}
	var rest bytes.Buffer // grows as bytes arrive; it may take one byte too many, which shows that the file is too long
	if _, err := rest.ReadFrom(io.LimitReader(r, int64(size)+crc32.Size+1)); err != nil {
		return nil, err
	}
	switch got := uint64(rest.Len()); {
	case got < size+crc32.Size:
		return nil, fmt.Errorf("it is cut short: %d bytes are missing", size+crc32.Size-got)
	case got > size+crc32.Size:
		return nil, errors.New("there is more after its end")
	}
	data := rest.Bytes()
	sum := crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, middle)
	if crc32.Update(sum, castagnoli, data[:size]) != binary.LittleEndian.Uint32(data[size:]) {
		return nil, errors.New("it was changed: its checksum is another")
	}
	return data[:size:size], nil
}

func fill(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is cut short: it ends within its header")
	}
	return err
}

// fields are the bytes of a model's fields while the model is written or read. The same visits, in the same order, do
// both. Writing does not change the model. After the first error, reading leaves the following fields unchanged.
type fields struct {
	writing bool
	data    []byte // written so far, or still to be read
	err     error
}

// visit writes or reads one value.
func (f *fields) visit(v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *int:
		x := int64(*at)
		f.fixed(&x, 8)
		if *at = int(x); int64(*at) != x && f.err == nil {
			f.err = fmt.Errorf("the integer %d is too large for this machine", x)
		}
	case *int32:
		f.fixed(at, 4)
	case *float64:
		f.fixed(at, 8)
	case *bool:
		var x uint8
		if *at {
			x = 1
		}
		f.fixed(&x, 1)
		if *at = x == 1; x > 1 && f.err == nil {
			f.err = fmt.Errorf("a truth value is %d", x)
		}
	case *string:
		if n := f.length(len(*at)); f.writing {
			f.data = append(f.data, *at...)
		} else {
			*at = string(f.take(n, 1))
		}
	case *[]float64:
		numbers(f, at, 8)
	case *[]int32:
		numbers(f, at, 4)
	default:
		f.compound(v)
	}
}

// compound visits the exported fields of a struct, or the elements of a list. An element takes at least one byte.
func (f *fields) compound(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.visit(v.Field(i))
			}
		}
	case reflect.Slice:
		n := f.length(v.Len())
		if !f.writing {
			v.SetZero()
		}
		for i := 0; uint64(i) < n && f.err == nil; i++ {
			if !f.writing { // the list grows by one, so that memory follows what was read
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			}
			f.visit(v.Index(i))
		}
	default:
		panic(fmt.Sprintf("saved: a model has a field of type %s, which has no saved form", v.Type()))
	}
}

// take reads the next n elements of size bytes, or nothing after an error.
func (f *fields) take(n uint64, size int) []byte {
	if left := uint64(len(f.data)); f.err == nil && n > left/uint64(size) {
		f.err = fmt.Errorf("a field of %d times %d bytes, where %d are left", n, size, left)
	}
	if f.err != nil {
		return nil
	}
	b := f.data[:n*uint64(size)]
	f.data = f.data[len(b):]
	return b
}

// length writes n, or reads and returns a length. After an error it returns 0.
func (f *fields) length(n int) uint64 {
	written := uint64(n)
	if f.fixed(&written, 8); f.err != nil {
		return 0
	}
	return written
}

// fixed writes or reads the number that v points to, which takes size bytes.
func (f *fields) fixed(v any, size int) {
	if f.writing {
		f.put(v)
	} else if b := f.take(1, size); b != nil {
		get(b, v)
	}
}

// numbers writes or reads a list of numbers of size bytes each. An empty list is read as nil.
func numbers[T any](f *fields, v *[]T, size int) {
	n := f.length(len(*v))
	if f.writing {
		f.put(*v)
		return
	}
	*v = nil
	if b := f.take(n, size); len(b) > 0 {
		*v = make([]T, n)
		get(b, *v)
	}
}

func (f *fields) put(v any) {
	var err error
	if f.data, err = binary.Append(f.data, binary.LittleEndian, v); err != nil {
		panic(err) // the types that visit names have fixed sizes
	}
}

func get(b []byte, v any) {
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}
