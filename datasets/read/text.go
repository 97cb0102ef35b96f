package read

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"
)

// checkText refuses files that are not text in UTF-8 or a superset of ASCII, drops
// a byte order mark, and refuses files too large for a span. Lines may end in LF,
// in CRLF, or in CR alone, as old spreadsheets write them; the last become LF.
func checkText(file string, buf []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(buf, []byte{0xff, 0xfe}), bytes.HasPrefix(buf, []byte{0xfe, 0xff}):
		return nil, fmt.Errorf("%s: the file is UTF-16 text; save it as UTF-8", file)
	case bytes.HasPrefix(buf, []byte{0x1f, 0x8b}), bytes.HasPrefix(buf, []byte("PK\x03\x04")):
		return nil, fmt.Errorf("%s: the file is compressed; unpack it first", file)
	case len(buf) > math.MaxInt32:
		return nil, fmt.Errorf("%s: the file has %d bytes; files up to 2 GiB can be read", file, len(buf))
	}
	if bytes.IndexByte(buf, '\n') < 0 {
		for i, c := range buf {
			if c == '\r' {
				buf[i] = '\n'
			}
		}
	}
	return bytes.TrimPrefix(buf, []byte("\xef\xbb\xbf")), nil
}

// encodingHint is what to add to an error about a name or a label that is not found
// in a file with letters in another encoding than UTF-8; "" for UTF-8. Where names
// and labels match, the encoding does not matter.
func encodingHint(file string, buf []byte) string {
	if utf8.Valid(buf) {
		return ""
	}
	line := 1
	for at := 0; at < len(buf); {
		r, size := utf8.DecodeRune(buf[at:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("; %s:%d is not UTF-8 text, save the file as UTF-8 if names look wrong", file, line)
		}
		if r == '\n' {
			line++
		}
		at += size
	}
	return ""
}
