// A file system below SQLite fails on demand and remembers what a loss of power may leave.
//
// A [Disk] is a folder. SQLite's operations on files below it are counted and recorded; at the operations
// that a [Fault] names they fail. SQLite's own methods do the work (vfs_linux.go, shim_linux.c). The record
// tells what a disk may hold after a loss of power at any moment: what was synced is there, and of what was
// written since, any part (disk_linux_test.go of package store).
//
// It knows no database and no SQL. Shared memory (-shm) fails like a file but is not recorded, since
// SQLite makes it anew after a loss of power. Syncs do not reach the real disk.

package storetest

/*
#cgo CFLAGS: -O2 -std=gnu11
#include "shim_linux.h"
*/
import "C"

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	_ "github.com/mattn/go-sqlite3" // links SQLite
)

// A Kind is what is done with a file. A mask of several kinds is their sum.
type Kind int

// These are the kinds. Forget occurs in records only: a sync failed, and afterwards the system treats the
// unwritten data as written, as Linux does.
const (
	Read Kind = 1 << iota
	Write
	Truncate
	Sync
	Create
	Remove
	ShmMap
	ShmLock
	Forget
)

// Changes are the kinds that change files or that make changes durable.
const Changes = Write | Truncate | Sync | Create | Remove | ShmMap

// A Fault says which operations fail, and how. The zero value fails none.
type Fault struct {
	Kinds   Kind // the operations that count
	At      int  // the first counted operation that fails, from 1; 0 for none
	Forever bool // all counted operations after it fail too
	Full    bool // where an operation needs space, the disk is full; else the device fails
	Part    bool // a write that fails leaves its first half
	Forget  bool // a sync that fails forgets what it should have written
}

// An Op is an operation that was done.
type Op struct {
	Kind   Kind
	Name   string // of the file; for Create and Remove
	File   int    // the number of the file; a file has a new number when it is removed and created again
	At     int64  // the offset; for Truncate the size
	Data   []byte // for Write
	Folder bool   // the names of all files are synced too
}

// A Disk is a watched folder.
type Disk struct {
	dir string

	mu    sync.Mutex
	fault Fault
	seen  int // operations of the fault's kinds
	fails int
	ops   []Op
	files map[string]int // numbers of the files by name
	next  int
}

// A handle is an open file of a disk.
type handle struct {
	disk    *Disk
	file    int
	newName bool // the first sync syncs the folder too, as SQLite does for logs and journals
}

var (
	mu      sync.Mutex // guards disks and handles
	disks   = map[string]*Disk{}
	handles = map[C.int64]*handle{}

	register = sync.OnceValue(func() error {
		if code := C.faultvfs_register(); code != 0 {
			return errors.New("faultvfs: SQLite does not take the shim as its file system")
		}
		return nil
	})
)

// Watch records what SQLite does with files of a folder, and lets it fail as fault says. Files that SQLite
// opened before are not watched. Files that lie in the folder count as synced.
func Watch(dir string, fault Fault) (*Disk, error) {
	if err := register(); err != nil {
		return nil, err
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	d := &Disk{dir: dir, fault: fault, files: map[string]int{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		d.create(e.Name())
		d.ops = append(d.ops, Op{Kind: Write, File: d.next, Data: data}, Op{Kind: Sync, File: d.next, Folder: true})
	}
	mu.Lock()
	disks[dir] = d
	mu.Unlock()
	return d, nil
}

// Close ends the watch. No file of the folder may be open in SQLite.
func (d *Disk) Close() {
	mu.Lock()
	defer mu.Unlock()
	delete(disks, d.dir)
	for id, h := range handles {
		if h.disk == d {
			delete(handles, id)
		}
	}
}

// Ops returns what was done so far, without operations that failed.
func (d *Disk) Ops() []Op {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops[:len(d.ops):len(d.ops)]
}

// Fails returns how many operations failed.
func (d *Disk) Fails() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fails
}

// create notes a new file; d.mu is held or d is not shared yet.
func (d *Disk) create(name string) {
	d.next++
	d.files[name] = d.next
	d.ops = append(d.ops, Op{Kind: Create, Name: name, File: d.next})
}

// fail counts an operation and returns the code with which it fails, or 0; d.mu is held.
func (d *Disk) fail(kind Kind) C.int {
	if d.fault.Kinds&kind == 0 {
		return 0
	}
	d.seen++
	if d.fault.At == 0 || d.seen < d.fault.At || d.seen > d.fault.At && !d.fault.Forever {
		return 0
	}
	d.fails++
	if d.fault.Full && kind&(Write|Create|ShmMap) != 0 {
		return 13
	}
	return C.int(map[Kind]int{Read: 1, Write: 3, Sync: 4, Truncate: 6, Remove: 10, ShmLock: 20, ShmMap: 21,
		Create: 0}[kind]<<8 | map[bool]int{true: 14, false: 10}[kind == Create])
}

func diskOf(path string) *Disk {
	mu.Lock()
	defer mu.Unlock()
	return disks[filepath.Dir(path)]
}

//export faultvfsOpen
func faultvfsOpen(name *C.char, flags C.int) C.int64 {
	path := C.GoString(name)
	d := diskOf(path)
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	const create, journal, log = 0x4, 0x800, 0x80000
	base := filepath.Base(path)
	if d.files[base] == 0 {
		if flags&create == 0 {
			return 0 // the real file system says that there is no such file
		}
		if code := d.fail(Create); code != 0 {
			return C.int64(-code)
		}
		d.create(base)
	}
	mu.Lock()
	defer mu.Unlock()
	id := C.int64(len(handles) + 1)
	for handles[id] != nil {
		id++
	}
	handles[id] = &handle{disk: d, file: d.files[base], newName: flags&create != 0 && flags&(journal|log) != 0}
	return id
}

//export faultvfsRemove
func faultvfsRemove(name *C.char, folder C.int) C.int {
	path := C.GoString(name)
	d := diskOf(path)
	if d == nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	base := filepath.Base(path)
	if d.files[base] == 0 {
		return 0
	}
	if code := d.fail(Remove); code != 0 {
		return code
	}
	delete(d.files, base)
	d.ops = append(d.ops, Op{Kind: Remove, Name: base, Folder: folder != 0})
	return 0
}

//export faultvfsOp
func faultvfsOp(id C.int64, kind C.int, data unsafe.Pointer, n C.int, at C.int64, part *C.int) C.int {
	mu.Lock()
	h := handles[id]
	mu.Unlock()
	if h == nil {
		return 10 // the watch ended before the file was closed
	}
	d := h.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	op := Op{Kind: Kind(kind), File: h.file, At: int64(at)}
	code := d.fail(op.Kind)
	switch op.Kind {
	case Write:
		if code != 0 {
			if !d.fault.Part {
				return code
			}
			n /= 2
			*part = n
		}
		op.Data = bytes.Clone(unsafe.Slice((*byte)(data), n))
	case Sync:
		if code != 0 {
			if d.fault.Forget {
				op.Kind = Forget
				d.ops = append(d.ops, op)
			}
			return code
		}
		op.Folder, h.newName = h.newName, false
	case Truncate:
		if code != 0 {
			return code
		}
	default:
		return code
	}
	d.ops = append(d.ops, op)
	return code
}
