//go:build linux

package storetest

import (
	"maps"
	"slices"
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
	File   int    // the number of the file; a file that is made again under the same name has a new number
	At     int64  // the offset; for Truncate the size
	Data   []byte // for Write
	Folder bool   // the names of all files are synced too
}

// A Fate is what a loss of power does to an operation that was not synced.
type Fate int

// These are the fates. A torn write keeps its first sectors of 512 bytes, about half. A spoilt write leaves
// sectors of which nothing is known.
const (
	Kept Fate = iota
	Lost
	Torn
	Spoilt
)

// A Model is a disk after operations that were applied to it.
type Model struct {
	synced       map[int][]byte // content by file
	names, known map[string]int // names as programs see them, and names as the disk has them
	pending      []Op           // Write and Truncate, in order
}

// NewModel returns an empty disk.
func NewModel() *Model {
	return &Model{synced: map[int][]byte{}, names: map[string]int{}, known: map[string]int{}}
}

// Apply does one operation.
func (m *Model) Apply(op Op) {
	of := func(p Op) bool { return p.File == op.File }
	switch op.Kind {
	case Create:
		m.names[op.Name] = op.File
		m.synced[op.File] = nil
	case Remove:
		delete(m.names, op.Name)
	case Write, Truncate:
		m.pending = append(m.pending, op)
	case Sync:
		for _, p := range m.pending {
			if of(p) {
				m.synced[op.File] = apply(m.synced[op.File], p, Kept)
			}
		}
		m.pending = slices.DeleteFunc(m.pending, of)
	case Forget:
		m.pending = slices.DeleteFunc(m.pending, of)
	}
	if op.Folder {
		m.known = maps.Clone(m.names)
	}
}

// Pending returns the operations that a loss of power may undo, in order.
func (m *Model) Pending() []Op { return m.pending }

// After returns the files after a loss of power. fates has the fate of each pending operation. If kept is set, the
// names are those that programs see, although the folder was not synced.
func (m *Model) After(fates []Fate, kept bool) map[string][]byte {
	names := m.known
	if kept {
		names = m.names
	}
	content := map[int][]byte{}
	for _, file := range names {
		content[file] = slices.Clone(m.synced[file])
	}
	for i, p := range m.pending {
		if data, there := content[p.File]; there {
			content[p.File] = apply(data, p, fates[i])
		}
	}
	files := map[string][]byte{}
	for name, file := range names {
		files[name] = content[file]
	}
	return files
}

// apply does an operation to the content of its file, as far as its fate lets it.
func apply(data []byte, op Op, fate Fate) []byte {
	if fate == Lost || op.Kind == Truncate && fate != Kept {
		return data
	}
	if op.Kind == Truncate {
		return resize(data, op.At)
	}
	const sector = 512
	end := op.At + int64(len(op.Data))
	if fate == Torn {
		end = max((op.At+end)/2/sector*sector, op.At)
	}
	if end == op.At {
		return data
	}
	data = resize(data, max(int64(len(data)), end))
	copy(data[op.At:end], op.Data)
	if fate == Spoilt {
		for i := op.At; i < end; i++ {
			data[i] = byte(i*31+i>>8) ^ data[i]>>1 ^ 0x5a
		}
	}
	return data
}

// resize cuts data, or adds zeros.
func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}
