package catalogue

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/internal/wording"
)

// unpack returns the text of a data file that is packed by gzip, and the SHA-256 of the packed file. The file is
// unpacked while it is read, so that memory holds only the lines of text that the caller asks for. The file is read to
// its end even if few lines are asked for, since the SHA-256 is that of the whole file.
func (d Directory) unpack(ctx context.Context, e *Entry, f File, lines int,
	reserve func(size int64) error) (data []byte, sum string, err error) {
	path := d.Path(e, f)
	packed, into := io.Pipe()
	done := make(chan error, 1)
	go func() {
		text, err := unpacked(path, packed, lines, reserve)
		data = text
		_, rest := io.Copy(io.Discard, packed)
		done <- errors.Join(err, rest)
	}()
	sum, err = d.scan(ctx, e, f, func(int64) (io.Writer, error) { return into, nil })
	into.Close()
	if failed := <-done; err == nil && failed != nil {
		err = fmt.Errorf("%s: %w", e.Name, failed)
	}
	if err != nil {
		return nil, "", err
	}
	return data, sum, nil
}

// Unpack returns the unpacked text of packed, the bytes of a gzip file. Errors name the file by path. It is
// an error if unpacking takes more than limit bytes of memory, which is twice the text.
func Unpack(path string, packed []byte, limit int64) ([]byte, error) {
	left := limit
	return unpacked(path, bytes.NewReader(packed), 0, func(size int64) error {
		if left -= size; left < 0 {
			return fmt.Errorf("%s: unpacking the file takes more than %s of memory; raise --memory, or describe a "+
				"file of its first lines", path, wording.Bytes(limit))
		}
		return nil
	})
}

// unpacked returns the first lines of a packed text, or all of it for 0. Memory holds the text twice for a moment, as
// the pieces of 1 MiB that were unpacked and as the one text that they are joined to. So unpacked asks reserve for
// twice the size of each piece.
func unpacked(path string, packed io.Reader, lines int, reserve func(size int64) error) ([]byte, error) {
	const step = 1 << 20
	all := lines == 0
	text, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: the file is not packed by gzip (%w); correct its name or its content", path, err)
	}
	var parts [][]byte
	for {
		if err := reserve(2 * step); err != nil {
			return nil, err
		}
		part := bytes.NewBuffer(make([]byte, 0, step+bytes.MinRead))
		n, err := part.ReadFrom(io.LimitReader(text, step))
		if err != nil {
			return nil, fmt.Errorf("%s: the file cannot be unpacked: %w", path, err)
		}
		parts = append(parts, firstLines(part.Bytes(), &lines))
		if n < step || !all && lines == 0 {
			return bytes.Join(parts, nil), nil
		}
	}
}

// firstLines returns the beginning of a text up to so many lines, and counts these down. It returns the whole text
// where the number is 0 at first.
func firstLines(text []byte, lines *int) []byte {
	if *lines == 0 {
		return text
	}
	for at := 0; ; {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			return text
		}
		at += end + 1
		if *lines--; *lines == 0 {
			return text[:at]
		}
	}
}
