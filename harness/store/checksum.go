package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"sync"
)

// A digest turns the rows of a cell, or one row of another table, into the checksum that is stored with them: the first
// eight bytes, little-endian, of the SHA-256 of
//
//	254, the name of the table, 0            before the first row of a table
//	255, and then the values that are there  for each row
//
// A value is the place of its column in the table (a byte), a byte for its type, and its bytes. Integers and lengths
// have eight bytes, little-endian:
//
//	1 integer, 2 real (IEEE 754), 3 text (length, UTF-8), 4 blob (length, bytes)
//
// Checksums, numbers of rows and numbers of owners have no place. NULL is left out, so that a column that is added at
// the end of a table changes no checksum.
type digest struct {
	sum hash.Hash
	buf []byte
}

// digests are reused, with their buffers: every row that is stored or compared needs one.
var digests = sync.Pool{New: func() any { return &digest{sum: sha256.New()} }}

func newDigest() *digest {
	d := digests.Get().(*digest)
	d.sum.Reset()
	return d
}

const (
	tableMark = 254
	rowMark   = 255
)

func (d *digest) table(name string) {
	d.sum.Write(append(append(append(d.buf[:0], tableMark), name...), 0))
}

// row adds the values of a row in the form in which the driver returns them: in the order of the table, without those
// that have no place.
func (d *digest) row(values []any) {
	d.buf = append(d.buf[:0], rowMark)
	for place, v := range values {
		if v != nil {
			d.buf = appendValue(append(d.buf, byte(place)), v)
		}
	}
	d.sum.Write(d.buf)
}

// add takes values in the form in which the driver returns them, and writes NULL as the type 0. The checksum of the
// table of published values is made so.
func (d *digest) add(values ...any) {
	d.buf = d.buf[:0]
	for _, v := range values {
		d.buf = appendValue(d.buf, v)
	}
	d.sum.Write(d.buf)
}

func appendValue(buf []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(buf, 0)
	case int64:
		return binary.LittleEndian.AppendUint64(append(buf, 1), uint64(v))
	case float64:
		return binary.LittleEndian.AppendUint64(append(buf, 2), math.Float64bits(v))
	case string:
		return append(binary.LittleEndian.AppendUint64(append(buf, 3), uint64(len(v))), v...)
	case []byte:
		return append(binary.LittleEndian.AppendUint64(append(buf, 4), uint64(len(v))), v...)
	}
	panic(fmt.Sprintf("store: a checksum of a %T", v))
}

// value returns the checksum and ends the digest.
func (d *digest) value() int64 {
	defer digests.Put(d)
	return int64(binary.LittleEndian.Uint64(d.sum.Sum(d.buf[:0])))
}

// asStored turns values that are bound to a statement into the values that are read back, in place.
func asStored(values []any) []any {
	for i, v := range values {
		switch v := v.(type) {
		case int:
			values[i] = int64(v)
		case bool:
			values[i] = int64(0)
			if v {
				values[i] = int64(1)
			}
		case float64:
			if math.IsNaN(v) { // SQLite keeps NaN as NULL
				values[i] = nil
			}
		}
	}
	return values
}
