package read

import (
	"encoding/base64"
	"encoding/binary"
)

// wideIntegers finds the columns of 128-bit integers. Parquet has no type for them. Polars writes each integer as 16
// bytes in little-endian order. It writes the types of the columns into a text, the schema of Arrow, which is a
// FlatBuffer in base64. The result has the numbers of these columns, and whether their integers are signed. It is nil
// if the text is not base64. wideIntegers panics if the FlatBuffer is damaged.
func wideIntegers(text string) map[int]bool {
	const prefix = 8 // four bytes 0xff, and the length
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < prefix {
		return nil
	}
	// The numbers of Arrow's Message.header, Schema.fields, Field.type_type, Field.type, Int.bitWidth, Int.is_signed,
	// and of Int as a value of type_type.
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

// A flatBuffer holds tables with numbered members. A reference to a table or list is the distance to it in bytes.
type flatBuffer []byte

// follow returns the place of what the reference at a place refers to.
func (f flatBuffer) follow(at int) int { return at + int(binary.LittleEndian.Uint32(f[at:])) }

// member returns the place of member k of a table, or 0 if the table does not have it.
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
