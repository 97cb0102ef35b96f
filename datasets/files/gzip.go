package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kernelboosting/bench/datasets/catalogue"
)

// unpack does the work of Directory.Read for a file that is packed by gzip. The file is unpacked while it is read. So memory holds only the
// lines that the caller asks for, and not the packed file. The rest of the file is read all the same, since the SHA-256 is that of
// the whole file.
func (d Directory) unpack(ctx context.Context, e *catalogue.Entry, f catalogue.File, lines int, reserve func(size int64) error) (data []byte, sum string, err error) {
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

// unpacked returns the first lines of a packed text, or all of it for 0.
func unpacked(path string, packed io.Reader, lines int, reserve func(size int64) error) ([]byte, error) {
	const step = 1 << 20
	all := lines == 0
	text, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%s: the file is not packed by gzip (%w); correct its name or its content", path, err)
	}
	var out bytes.Buffer
	for {
		if err := reserve(step); err != nil {
			return nil, err
		}
		at := out.Len()
		n, err := out.ReadFrom(io.LimitReader(text, step))
		if err != nil {
			return nil, fmt.Errorf("%s: the file cannot be unpacked: %w", path, err)
		}
		out.Truncate(at + len(firstLines(out.Bytes()[at:], &lines)))
		if n < step || !all && lines == 0 {
			return out.Bytes(), nil
		}
	}
}

// firstLines returns the beginning of a text up to so many lines, and counts these down. It returns the whole text where the number
// is 0 at first.
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
