package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// POSIX takes all locks on a file from a process that closes any descriptor of the file. SQLite keeps its own
// descriptors open for that reason. Suppose that this program opens and closes a database by itself while SQLite has it
// open here. Then SQLite's locks are gone, and another process with the same database, such as sqlite3, takes itself
// for the last user and removes the write-ahead log, to which this process still writes. So [connect] counts the
// connections to each database, and [headOf] reads a file only if this process has no connection to it.
var connected = struct {
	sync.Mutex
	to map[string]int // by realPath
}{to: map[string]int{}}

// errConnected says that this process has a connection to the file, and may not open it in another way.
var errConnected = errors.New("this process has the database open")

// realPath is the absolute path of a file without links; the file may be missing.
func realPath(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		if target, err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
			return path
		}
		target = filepath.Join(target, filepath.Base(path))
	}
	if whole, err := filepath.Abs(target); err == nil {
		return whole
	}
	return target
}

// count adds a connection to the file, and returns what takes it away, once.
func count(path string) (closed func()) {
	path = realPath(path)
	add := func(n int) {
		connected.Lock()
		defer connected.Unlock()
		if connected.to[path] += n; connected.to[path] == 0 {
			delete(connected.to, path)
		}
	}
	add(1)
	return sync.OnceFunc(func() { add(-1) })
}

// headOf reads the header of a database, which is shorter if the file is. The error is errConnected if this process
// has the database open. Only a regular file is opened, since a pipe would wait for its writer.
func headOf(path string) ([]byte, error) {
	connected.Lock()
	defer connected.Unlock()
	if connected.to[realPath(path)] > 0 {
		return nil, errConnected
	}
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, headBytes))
}
