package format

import (
	"encoding/base64"
	"encoding/binary"
)

// wideIntegers finds the columns whose whole numbers have 128 bits. Parquet has no such type: polars writes 16 bytes
// without a meaning, the lowest first, and the meaning into a text in base64 that Arrow's libraries read, a FlatBuffer.
// The result says of each column, by number, whether its numbers have a sign. A text that cannot be read panics.
func wideIntegers(text string) map[int]bool {
	const prefix = 8 // a mark and the length
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < prefix {
		return nil
	}
	// The numbers of the members of Arrow's tables Message, Schema, Field and Int, and of its type Int.
	const header, fields, fieldKind, fieldType, bits, signed, integer = 2, 1, 2, 3, 0, 1, 2
	f := flatBuffer(raw[prefix:])
	list := f.follow(f.member(f.follow(f.member(f.follow(0), header)), fields))
	wide := map[int]bool{}
	for j := range int(binary.LittleEndian.Uint32(f[list:])) {
		field := f.follow(list + 4 + 4*j)
		if kind := f.member(field, fieldKind); kind == 0 || f[kind] != integer {
			continue
		}
		of := f.follow(f.member(field, fieldType))
		if at := f.member(of, bits); at > 0 && binary.LittleEndian.Uint32(f[at:]) == 128 {
			sign := f.member(of, signed)
			wide[j] = sign > 0 && f[sign] != 0
		}
	}
	return wide
}

// A flatBuffer is tables with numbered members, which refer to each other by distances.
type flatBuffer []byte

// follow returns the place that a reference names.
func (f flatBuffer) follow(at int) int { return at + int(binary.LittleEndian.Uint32(f[at:])) }

// member returns the place of a member of a table, 0 if it is left out.
func (f flatBuffer) member(table, k int) int {
	members := table - int(int32(binary.LittleEndian.Uint32(f[table:])))
	if size := int(binary.LittleEndian.Uint16(f[members:])); 4+2*k >= size {
		return 0
	}
	if at := int(binary.LittleEndian.Uint16(f[members+4+2*k:])); at > 0 {
		return table + at
	}
	return 0
}
