package read

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// writerOf returns the function that appends a value of a column as text: by its logical type (see meaningOf), or as it
// is stored if this is nil.
func writerOf(meant any) func(to []byte, v parquet.Value) []byte {
	switch meant := meant.(type) {
	case *format.DateType:
		return func(to []byte, v parquet.Value) []byte {
			return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(to, time.DateOnly)
		}
	case *format.TimestampType:
		if unit := meant.Unit.Value; unit != nil {
			return func(to []byte, v parquet.Value) []byte {
				return appendMoment(to, v.Int64(), unit.Duration(), meant.IsAdjustedToUTC)
			}
		}
	case *format.TimeType:
		if unit := meant.Unit.Value; unit != nil {
			return func(to []byte, v parquet.Value) []byte {
				moment := time.Unix(0, 0).UTC().Add(time.Duration(whole(v)) * unit.Duration())
				return moment.AppendFormat(to, "15:04:05.999999999")
			}
		}
	case *format.DecimalType:
		return func(to []byte, v parquet.Value) []byte { return appendDecimal(to, v, int(meant.Scale)) }
	case *format.IntType:
		if !meant.IsSigned {
			return func(to []byte, v parquet.Value) []byte {
				if v.Kind() == parquet.Int32 {
					return strconv.AppendUint(to, uint64(v.Uint32()), 10)
				}
				return strconv.AppendUint(to, v.Uint64(), 10)
			}
		}
	case *format.Float16Type:
		return appendHalf
	case *format.UUIDType:
		return func(to []byte, v parquet.Value) []byte {
			text := hex.AppendEncode(nil, v.ByteArray())
			for _, at := range []int{20, 16, 12, 8} {
				text = slices.Insert(text, at, '-')
			}
			return append(to, text...)
		}
	case *format.StringType, *format.EnumType, *format.JsonType:
		return func(to []byte, v parquet.Value) []byte { return append(to, v.ByteArray()...) }
	case intervalType:
		return appendInterval
	}
	return appendStored
}

// intervalType is the logical type of a length of time. Parquet has only a deprecated converted type for it.
type intervalType struct{}

// meaningOf returns the logical type of a column, or nil. Older programs write a converted type instead.
func meaningOf(e format.SchemaElement, t parquet.Type) any {
	switch {
	case e.LogicalType.Value != nil:
		return e.LogicalType.Value
	case e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V}
	case e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval:
		return intervalType{}
	case e.ConvertedType.Valid && t.LogicalType() != nil:
		return t.LogicalType().Value
	}
	return nil
}

// appendMoment writes the time that is n units after the start of 1970.
func appendMoment(to []byte, n int64, unit time.Duration, utc bool) []byte {
	perSecond := int64(time.Second / unit)
	seconds := n / perSecond
	layout := "2006-01-02T15:04:05.999999999"
	if utc {
		layout += "Z"
	}
	return time.Unix(seconds, (n-seconds*perSecond)*int64(unit)).UTC().AppendFormat(to, layout)
}

// whole returns a value that is stored as a signed integer.
func whole(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// appendDecimal writes n / 10^scale for the stored integer n. It is stored as a number, or as the bytes of its two's
// complement in big-endian order.
func appendDecimal(to []byte, v parquet.Value, scale int) []byte {
	n := new(big.Int)
	if v.Kind() == parquet.Int32 || v.Kind() == parquet.Int64 {
		n.SetInt64(whole(v))
	} else if text := v.ByteArray(); len(text) > 0 {
		n.SetBytes(text)
		if text[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
		}
	}
	if n.Sign() < 0 {
		to = append(to, '-')
	}
	digits := n.Abs(n).String()
	if scale <= 0 {
		return append(to, digits+strings.Repeat("0", min(-scale, 400))...)
	}
	digits = strings.Repeat("0", max(0, min(scale+1-len(digits), 400))) + digits
	point := max(0, len(digits)-scale)
	return append(to, digits[:point]+"."+digits[point:]...)
}

// appendWide writes an integer that is stored as bytes in little-endian order, signed ones in two's complement.
func appendWide(to []byte, v parquet.Value, signed bool) []byte {
	text := bytes.Clone(v.ByteArray())
	slices.Reverse(text)
	n := new(big.Int).SetBytes(text)
	if signed && len(text) > 0 && text[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
	}
	return n.Append(to, 10)
}

// appendHalf writes a 16-bit floating-point number: a sign, five bits of exponent and ten of fraction.
func appendHalf(to []byte, v parquet.Value) []byte {
	b := v.ByteArray()
	if len(b) != 2 {
		return appendStored(to, v)
	}
	bits := uint(b[0]) | uint(b[1])<<8
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if bits>>15 == 1 {
		x = -x
	}
	return appendNumber(to, x)
}

// appendInterval writes months, days and milliseconds in the notation of ISO 8601.
func appendInterval(to []byte, v parquet.Value) []byte {
	b := v.ByteArray()
	if len(b) != 12 {
		return appendStored(to, v)
	}
	part := func(at int) uint32 {
		return uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16 | uint32(b[at+3])<<24
	}
	return fmt.Appendf(to, "P%dM%dDT%d.%03dS", part(0), part(4), part(8)/1000, part(8)%1000)
}

// appendStored writes a value by its physical type alone. Bytes that are no text become \x and hexadecimal digits.
func appendStored(to []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			return append(to, '1')
		}
		return append(to, '0')
	case parquet.Int32, parquet.Int64:
		return strconv.AppendInt(to, whole(v), 10)
	case parquet.Int96: // a time: the nanoseconds since midnight, and the Julian day
		const day1970 = 2440588
		n := v.Int96()
		nanoseconds := int64(uint64(n[1])<<32 | uint64(n[0]))
		moment := time.Unix((int64(n[2])-day1970)*86400+nanoseconds/1e9, nanoseconds%1e9).UTC()
		return moment.AppendFormat(to, "2006-01-02T15:04:05.999999999")
	case parquet.Float: // with the digits that tell it from other 32-bit numbers, as in a CSV file
		if x := float64(v.Float()); !math.IsNaN(x) {
			return strconv.AppendFloat(to, x, 'g', -1, 32)
		}
		return to
	case parquet.Double:
		return appendNumber(to, v.Double())
	}
	control := func(c byte) bool { return c < ' ' && c != '\n' && c != '\t' }
	if text := v.ByteArray(); !utf8.Valid(text) || slices.ContainsFunc(text, control) {
		return hex.AppendEncode(append(to, `\x`...), text)
	}
	return append(to, v.ByteArray()...)
}

// appendNumber writes a number with all its digits, and NaN as the empty text.
func appendNumber(to []byte, x float64) []byte {
	if math.IsNaN(x) {
		return to
	}
	return strconv.AppendFloat(to, x, 'g', -1, 64)
}
