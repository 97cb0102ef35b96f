package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read returns the content of a file of at most limit bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, fmt.Errorf("%s: the file has %d bytes; at most %d are read", path, size, limit)
	}
	data := make([]byte, size)
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) { // it was cut while it was read
		err = nil
	}
	return data[:n], err
}

// Copy copies a file to the writer that into returns for its size. It stops when its context
// is done. A file that becomes longer or shorter meanwhile is an error. An error of opening
// the file is an *fs.PathError as it is.
func Copy(ctx context.Context, path string, into func(size int64) (io.Writer, error)) error {
	in, size, err := Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	w, err := into(size)
	if err != nil {
		return err
	}
	n, err := io.Copy(w, contextReader{ctx, io.LimitReader(in, size)})
	if err != nil {
		return err
	}
	if more, _ := in.Read(make([]byte, 1)); n != size || more != 0 {
		return fmt.Errorf("%s: the file changed while it was read; read it again when it is complete", path)
	}
	return nil
}

// Open opens a file for reading and returns its size. The file is looked at before it is
// opened, since opening can wait or act on a device, and again afterwards, since another may
// have taken its place.
func Open(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, 0, asOpening(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, 0, asOpening(err)
	}
	return f, info.Size(), nil
}

// asOpening makes an error read "open PATH: reason".
func asOpening(err error) error {
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		return &fs.PathError{Op: "open", Path: inPath.Path, Err: inPath.Err}
	}
	return err
}

func regular(path string, info fs.FileInfo) error {
	kind := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s and not a regular file", kind)}
}

// A contextReader stops when its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
