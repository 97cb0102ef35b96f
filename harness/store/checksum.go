package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math"
	"sync"
)

// A digest turns rows into the checksum that is stored beside them. This is the first eight bytes,
// little-endian, of the SHA-256 of the values one after another. Each value is a byte for its type and then
// its bytes, with integers and lengths as eight bytes, little-endian:
//
//	0 NULL, 1 integer, 2 real (IEEE 754), 3 text (length, UTF-8), 4 blob (length, bytes)
//
// Because of the type bytes, two different rows never have the same form.
type digest struct {
	sum hash.Hash
	buf []byte
}

func newDigest() *digest { return &digest{sum: sha256.New()} }

// add takes values in the form in which the driver returns them.
func (d *digest) add(values ...any) {
	d.buf = d.buf[:0]
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			d.buf = append(d.buf, 0)
		case int64:
			d.buf = binary.LittleEndian.AppendUint64(append(d.buf, 1), uint64(v))
		case float64:
			d.buf = binary.LittleEndian.AppendUint64(append(d.buf, 2), math.Float64bits(v))
		case string:
			d.buf = binary.LittleEndian.AppendUint64(append(d.buf, 3), uint64(len(v)))
			d.buf = append(d.buf, v...)
		case []byte: // only a damaged row has one here
			d.buf = binary.LittleEndian.AppendUint64(append(d.buf, 4), uint64(len(v)))
			d.buf = append(d.buf, v...)
		default:
			panic(fmt.Sprintf("store: a checksum of a %T", v))
		}
	}
	d.sum.Write(d.buf)
}

func (d *digest) value() int64 {
	return int64(binary.LittleEndian.Uint64(d.sum.Sum(d.buf[:0])))
}

// Checksum returns the value of the column checksum of a row: the digest of all other columns in the table's
// order, without the row's number id.
func Checksum(values ...any) int64 {
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.sum.Reset()
	d.add(values...)
	return d.value()
}

var digests = sync.Pool{New: func() any { return newDigest() }}

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
