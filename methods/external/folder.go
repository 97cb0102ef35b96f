package external

import (
	"bufio"
	"crypto/rand"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/kernelboosting/bench/internal/npy"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"gonum.org/v1/gonum/mat"
)

// A folder is where the matrices of one process lie. A name is never used twice. This program reaches it and what lies there by a
// handle alone, since a process may put a link anywhere in its folder, and a copy may in place of its folder.
type folder struct {
	path  string
	root  *os.Root
	above *folder  // nil where processes cannot write above
	made  []string // names below it, for copies of its process

	mu     sync.Mutex
	last   int
	scored *mat.Dense // a copy of the rows that the file at holds; rows are scored by many models
	at     string
}

// newFolder makes a folder that nobody else may read.
func newFolder(parent string) (*folder, error) {
	path, err := os.MkdirTemp(parent, "p")
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &folder{path: path, root: root}, nil
}

// below makes a folder in this one, in which processes may write.
func (f *folder) below() (*folder, error) {
	name := "p" + rand.Text()
	if err := f.root.Mkdir(name, 0o700); err != nil {
		return nil, err
	}
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	f.made = append(f.made, name)
	return &folder{path: filepath.Join(f.path, name), root: root, above: f}, nil
}

// remove removes the folder, of which no process is left. Whatever has its name by now goes too.
func (f *folder) remove() {
	sandbox.Empty(f.root)
	f.root.Close()
	if f.above != nil {
		_ = f.above.root.RemoveAll(filepath.Base(f.path))
		return
	}
	sandbox.Remove(f.path)
}

// name returns a file that does not exist yet.
func (f *folder) name(kind string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	return filepath.Join(f.path, kind+strconv.Itoa(f.last)+".npy")
}

// make makes a file of a name that name returned.
func (f *folder) make(name string) (*os.File, error) {
	return f.root.OpenFile(filepath.Base(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// drop removes a file.
func (f *folder) drop(name string) { _ = f.root.Remove(filepath.Base(name)) }

// open opens a file to read, if it is one: links and what else may stand in its place are none.
func (f *folder) open(name string) (*os.File, error) {
	name = filepath.Base(name)
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(name + ": it is no regular file")
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(now, info) {
		file.Close()
		return nil, errors.Join(err, errors.New(name+": it was replaced while it was opened"))
	}
	return file, nil
}

// write writes an array and returns its file.
func (f *folder) write(kind string, v any) (string, error) {
	name := f.name(kind)
	file, err := f.make(name)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriterSize(file, 1<<16)
	if err = npy.Write(w, v); err == nil {
		err = w.Flush()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return name, err
}

// rows returns a file of the rows to score, the one before if it holds the same bits.
func (f *folder) rows(x *mat.Dense) (string, error) {
	f.mu.Lock()
	same, at := f.scored != nil && sameBits(f.scored, x), f.at
	f.mu.Unlock()
	if same {
		return at, nil
	}
	name, err := f.write("x", x)
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at != "" {
		f.drop(f.at)
	}
	f.scored, f.at = mat.DenseCopyOf(x), name
	return name, nil
}

func sameBits(a, b *mat.Dense) bool {
	rows, columns := a.Dims()
	if r, c := b.Dims(); r != rows || c != columns {
		return false
	}
	for i := range rows {
		u, v := a.RawRowView(i), b.RawRowView(i)
		for j := range u {
			if math.Float64bits(u[j]) != math.Float64bits(v[j]) {
				return false
			}
		}
	}
	return true
}
