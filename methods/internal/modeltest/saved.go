package modeltest

import (
	"encoding/binary"
	"hash/crc32"
)

// Parts returns the kind and the fields of a saved model that is whole.
func Parts(model []byte) (kind string, fields []byte) {
	end := 12 + int(binary.LittleEndian.Uint32(model[8:]))
	return string(model[12:end]), model[end+8 : len(model)-4]
}

// Seal returns a model of a kind with any fields.
func Seal(kind string, fields []byte) []byte {
	b := []byte("bench\x00m\x01")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(kind)))
	b = append(b, kind...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(fields)))
	b = append(b, fields...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}
