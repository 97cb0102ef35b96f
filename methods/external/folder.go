package external

import (
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

// A folder holds the matrices of one process. A name in it is used only once. This program reaches the folder
// and its files only by a handle, since a process may put a link anywhere in its folder, and a copy may
// replace its folder by one.
type folder struct {
	path  string
	root  *os.Root
	above *folder  // the parent; nil if processes cannot write to the parent
	made  []string // names of the folders below, which are for copies of its process

	mu   sync.Mutex
	last int
	// scored is a copy of the rows in the file at. Many models score the same rows.
	scored *mat.Dense
	at     string
}

// newFolder makes a folder that no other user may read.
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

// below makes a folder in this one to which processes may write.
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

// remove removes the folder after its last process has ended. If a process has replaced the folder by something else,
// remove removes that.
func (f *folder) remove() {
	sandbox.Empty(f.root)
	f.root.Close()
	if f.above != nil {
		_ = f.above.root.RemoveAll(filepath.Base(f.path))
		return
	}
	sandbox.Remove(f.path)
}

// name returns the name of a file that does not exist yet.
func (f *folder) name(kind string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	return filepath.Join(f.path, kind+strconv.Itoa(f.last)+".npy")
}

// make makes a file with a name that name returned.
func (f *folder) make(name string) (*os.File, error) {
	return f.root.OpenFile(filepath.Base(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (f *folder) drop(name string) { _ = f.root.Remove(filepath.Base(name)) }

// open opens a regular file for reading. It refuses links and everything else that may be in its place.
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

func (f *folder) write(kind string, v any) (string, error) {
	name := f.name(kind)
	file, err := f.make(name)
	if err != nil {
		return name, err
	}
	return name, npy.WriteFile(file, v)
}

// rows returns a file of the rows to score. It returns the previous file if that holds the same bits.
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
