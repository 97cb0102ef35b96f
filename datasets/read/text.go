package read

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/wording"
)

// contents reads a file, unpacked where its name ends in .gz.
func contents(path string, memory int64) ([]byte, error) {
	data, err := files.Read(path, memory)
	if err == nil && (catalogue.File{Path: path}).Packed() {
		return catalogue.Unpack(path, data, memory)
	}
	return data, err
}

const byteOrderMark = "\xef\xbb\xbf"

// text returns the text of a file, and a table for it. It takes each encoding that extends ASCII, and refuses UTF-16,
// compressed files, bytes 0, and files of more than 2 GiB. It drops a byte order mark. See endLines for ends of lines.
func (f File) text() ([]byte, *Table, error) {
	text := f.Data
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}), bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return nil, nil, fmt.Errorf("%s: the file is UTF-16 text; save it as UTF-8", f.Name)
	case bytes.HasPrefix(text, []byte{0x1f, 0x8b}):
		return nil, nil, fmt.Errorf("%s: the file is packed by gzip; let its name end in .gz, or unpack it", f.Name)
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return nil, nil, fmt.Errorf("%s: the file is a ZIP archive or spreadsheet; unpack it or save it as CSV", f.Name)
	case len(text) > math.MaxInt32:
		return nil, nil, fmt.Errorf("%s: the file has %d bytes; files up to 2 GiB can be read", f.Name, len(text))
	}
	if bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/")) {
		return nil, nil, fmt.Errorf("%s: the file is a pointer of Git LFS, not the data; get them by git lfs pull",
			f.Name)
	}
	for name, signature := range packed {
		if bytes.HasPrefix(text, []byte(signature)) {
			return nil, nil, fmt.Errorf("%s: the file is packed by %s; unpack it", f.Name, name)
		}
	}
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return nil, nil, fmt.Errorf("%s:%d: the line has a byte 0; save the file as UTF-8 text",
			f.Name, 1+bytes.Count(text[:at], []byte("\n")))
	}
	endLines(text)
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	t := &Table{File: f.Name, MaxRows: bytes.Count(text, []byte("\n")), Hint: encodingHint(f.Name, text)}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		t.MaxRows++
	}
	return text, t, nil
}

// packed are the first bytes of files of programs that pack.
var packed = map[string]string{"bzip2": "BZh91AY&SY", "xz": "\xfd7zXZ\x00", "7z": "7z\xbc\xaf\x27\x1c",
	"zstd": "\x28\xb5\x2f\xfd"}

// endLines makes each CR alone a LF where CR ends lines. Lines may end in LF or in CRLF. Old spreadsheets end lines in
// CR alone, and perhaps the last line in LF: CR alone is more frequent than LF, or there is at most one LF.
func endLines(text []byte) {
	feeds := bytes.Count(text, []byte("\n"))
	alone := bytes.Count(text, []byte("\r")) - bytes.Count(text, []byte("\r\n"))
	if alone <= feeds && (alone == 0 || feeds >= 2) {
		return
	}
	for i, c := range text {
		if c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			text[i] = '\n'
		}
	}
}

// encodingHint returns a text that names the first line that is not UTF-8, or "". It goes to the end of an error about
// a name or a label that the file does not have. If all names and labels are found, the encoding does not matter.
func encodingHint(file string, text []byte) string {
	if utf8.Valid(text) {
		return ""
	}
	line := 1
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
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

// clip shortens a text for people to 40 characters.
func clip[T string | []byte](text T) string {
	return wording.Cut(string(text[:min(len(text), 200)]), 40)
}

// Shown makes a name or label fit into one line of an error message.
func Shown(text string) string {
	text = clip(text)
	for _, r := range text {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(text)
		}
	}
	return text
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
