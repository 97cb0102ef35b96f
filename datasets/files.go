package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// openRegular opens a regular file for reading and returns its size. Anything else
// (a directory, a named pipe, a device) is an error: reading it may never end. The
// file is looked at before it is opened, since opening can wait or act on a device,
// and again afterwards, since another may have taken its place.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, 0, asOpening(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegular(path, info)
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

func checkRegular(path string, info fs.FileInfo) error {
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

// readWhole returns the content of a regular file of at most limit bytes.
func readWhole(path string, limit int64) ([]byte, error) {
	f, size, err := openRegular(path)
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

// scanFile copies a data file to the writer that into returns for its size, and
// returns its SHA-256. The size and the SHA-256 are checked where f gives them, the
// size before anything is read.
func scanFile(ctx context.Context, path string, f File, into func(size int64) (io.Writer, error)) (sum string, err error) {
	in, size, err := openRegular(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := f.checkSize(size); err != nil {
		return "", damagedError{err}
	}
	w, err := into(size)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(hash, w), contextReader{ctx, io.LimitReader(in, size)})
	if err != nil {
		return "", err
	}
	if more, _ := in.Read(make([]byte, 1)); n != size || more != 0 {
		return "", fmt.Errorf("%s: the file changed while it was read; read it again when it is complete", path)
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	if err := f.check(n, sum); err != nil {
		return "", damagedError{err}
	}
	return sum, nil
}

// damagedError is a file that is not the one that the entry describes.
type damagedError struct{ error }
