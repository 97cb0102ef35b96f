// Package saved is the form in which models are written. The bytes depend on the model alone: not
// on the process, nor on what it wrote before.
//
// A model is a header, its fields and a checksum. Numbers are little-endian.
//
//	8 bytes   "bench\x00m" and the version of the form, 1
//	uint32    length of the kind, at most 64
//	..        the kind: which model these are the fields of
//	uint64    length of the fields
//	..        the fields, one after the other
//	uint32    CRC-32C of everything before
//
// A number is an int64, an int32 or the bits of a float64. A truth value is one byte, 0 or 1. A text
// or a list is a uint64, how many there are, and then its bytes or elements. What the fields are and in which order, the kind says.
//
// Reading trusts nothing. It takes memory as bytes arrive, never by a length that was written, and
// a model that was cut, extended or changed is an error. Whether fields fit each other is for the
// caller to check: a checksum is no proof of good will.
package saved

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

const (
	magic     = "bench\x00m\x01"
	kindLimit = 64
	sizeLimit = 4 << 30 // bytes of fields
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Write writes the fields that list names, in its order, as a model of a kind.
func Write(w io.Writer, kind string, list func(f *Fields)) error {
	if len(kind) > kindLimit {
		return fmt.Errorf("saving a model: the kind %q is longer than %d bytes", kind, kindLimit)
	}
	f := &Fields{writing: true}
	list(f)
	if len(f.data) > sizeLimit {
		return fmt.Errorf("saving a model (%s): it takes %d bytes, and %d are the most", kind, len(f.data), int64(sizeLimit))
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

// Read reads to the end of r what Write wrote as a model of the same kind, into the fields that list
// names, and then calls check, which says whether they fit each other.
func Read(r io.Reader, kind string, list func(f *Fields), check func() error) error {
	data, err := readFields(r, kind)
	if err == nil {
		f := &Fields{data: data}
		list(f)
		if err = f.err; err == nil && len(f.data) > 0 {
			err = fmt.Errorf("%d bytes are left after the last field", len(f.data))
		}
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		return fmt.Errorf("reading a saved model (%s): %w", kind, err)
	}
	return nil
}

// readFields checks everything around the fields and returns these.
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
	var rest bytes.Buffer // grows with what comes, one byte more than there should be
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

// Fields are the fields of a model that is being written or read: the same list of calls, in the
// same order, does both. Writing changes nothing in the model. After the first error of a reading
// the other fields stay as they are.
type Fields struct {
	writing bool
	data    []byte // written so far, or still to be read
	err     error
}

// take returns the next n bytes, or nil after an error.
func (f *Fields) take(n uint64) []byte {
	if f.err == nil && n > uint64(len(f.data)) {
		f.err = fmt.Errorf("a field of %d bytes, where %d are left", n, len(f.data))
	}
	if f.err != nil {
		return nil
	}
	b := f.data[:n]
	f.data = f.data[n:]
	return b
}

// put writes 8 bytes.
func (f *Fields) put(v uint64) { f.data = binary.LittleEndian.AppendUint64(f.data, v) }

// get reads 8 bytes, or nothing after an error.
func (f *Fields) get() (v uint64, ok bool) {
	b := f.take(8)
	if b == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// content reads how many elements of so many bytes follow and returns their bytes.
func (f *Fields) content(size uint64) []byte {
	n, _ := f.get()
	if n > math.MaxInt64/size {
		n, size = math.MaxInt64, 1
	}
	return f.take(n * size)
}

// Int is an integer.
func (f *Fields) Int(v *int) {
	if f.writing {
		f.put(uint64(*v))
		return
	}
	got, ok := f.get()
	if !ok {
		return
	}
	if *v = int(got); int64(*v) != int64(got) {
		f.err = fmt.Errorf("the integer %d is too large for this machine", int64(got))
	}
}

// Int32 is an integer of 4 bytes.
func (f *Fields) Int32(v *int32) {
	if f.writing {
		f.data = binary.LittleEndian.AppendUint32(f.data, uint32(*v))
		return
	}
	if b := f.take(4); b != nil {
		*v = int32(binary.LittleEndian.Uint32(b))
	}
}

// Float is a number, to the bit.
func (f *Fields) Float(v *float64) {
	if f.writing {
		f.put(math.Float64bits(*v))
	} else if bits, ok := f.get(); ok {
		*v = math.Float64frombits(bits)
	}
}

// Bool is a truth value.
func (f *Fields) Bool(v *bool) {
	if f.writing {
		b := byte(0)
		if *v {
			b = 1
		}
		f.data = append(f.data, b)
		return
	}
	if b := f.take(1); b != nil {
		if b[0] > 1 {
			f.err = fmt.Errorf("a truth value is %d", b[0])
		}
		*v = b[0] == 1
	}
}

// Text is a string of any bytes.
func (f *Fields) Text(v *string) {
	if f.writing {
		f.put(uint64(len(*v)))
		f.data = append(f.data, *v...)
		return
	}
	*v = string(f.content(1))
}

// Floats is a list of numbers, to the bit; an empty one is read as nil.
func (f *Fields) Floats(v *[]float64) {
	elements(f, v, 8,
		func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) },
		func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
}

// Int32s is a list of integers; an empty one is read as nil.
func (f *Fields) Int32s(v *[]int32) {
	elements(f, v, 4,
		func(b []byte, x int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(x)) },
		func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
}

func elements[T any](f *Fields, v *[]T, size int, put func([]byte, T) []byte, get func([]byte) T) {
	if f.writing {
		f.put(uint64(len(*v)))
		f.data = slices.Grow(f.data, len(*v)*size)
		for _, x := range *v {
			f.data = put(f.data, x)
		}
		return
	}
	b := f.content(uint64(size))
	*v = nil
	if len(b) > 0 {
		*v = make([]T, len(b)/size)
	}
	for i := range *v {
		(*v)[i] = get(b[i*size:])
	}
}

// Each is a list of anything, whose elements have the fields that one names: at least one each.
// An empty list is read as nil.
func Each[T any](f *Fields, v *[]T, one func(f *Fields, element *T)) {
	if f.writing {
		f.put(uint64(len(*v)))
		for i := range *v {
			one(f, &(*v)[i])
		}
		return
	}
	n, _ := f.get()
	*v = nil
	for i := uint64(0); i < n && f.err == nil; i++ { // appended, so that memory follows what was read
		var element T
		one(f, &element)
		*v = append(*v, element)
	}
}
