package store

import (
	"maps"
	"slices"

	"github.com/kernelboosting/bench/harness/store/storetest"
)

// A fate is what a loss of power does to an operation that was not synced.
type fate int

// These are the fates. A torn write keeps its first sectors of 512 bytes, about half. A spoilt write leaves
// sectors whose bytes can be anything.
const (
	opKept fate = iota
	opLost
	opTorn
	opSpoilt
)

// A diskModel is a disk after operations that were applied to it.
type diskModel struct {
	synced       map[int][]byte // content by file
	names, known map[string]int // names as programs see them, and names as the disk has them
	pending      []storetest.Op // storetest.Write and storetest.Truncate, in order
}

// newDiskModel returns an empty disk.
func newDiskModel() *diskModel {
	return &diskModel{synced: map[int][]byte{}, names: map[string]int{}, known: map[string]int{}}
}

// Apply does one operation.
func (m *diskModel) Apply(op storetest.Op) {
	of := func(p storetest.Op) bool { return p.File == op.File }
	switch op.Kind {
	case storetest.Create:
		m.names[op.Name] = op.File
		m.synced[op.File] = nil
	case storetest.Remove:
		delete(m.names, op.Name)
	case storetest.Write, storetest.Truncate:
		m.pending = append(m.pending, op)
	case storetest.Sync:
		for _, p := range m.pending {
			if of(p) {
				m.synced[op.File] = applied(m.synced[op.File], p, opKept)
			}
		}
		m.pending = slices.DeleteFunc(m.pending, of)
	case storetest.Forget:
		m.pending = slices.DeleteFunc(m.pending, of)
	}
	if op.Folder {
		m.known = maps.Clone(m.names)
	}
}

// Pending returns the operations that a loss of power may undo, in order.
func (m *diskModel) Pending() []storetest.Op { return m.pending }

// After returns the files after a loss of power. fates has the fate of each pending operation. If kept is set, the
// names are those that programs see, although the folder was not synced.
func (m *diskModel) After(fates []fate, kept bool) map[string][]byte {
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
			content[p.File] = applied(data, p, fates[i])
		}
	}
	files := map[string][]byte{}
	for name, file := range names {
		files[name] = content[file]
	}
	return files
}

// applied does an operation to the content of its file, as far as its fate lets it.
func applied(data []byte, op storetest.Op, of fate) []byte {
	if of == opLost || op.Kind == storetest.Truncate && of != opKept {
		return data
	}
	if op.Kind == storetest.Truncate {
		return resize(data, op.At)
	}
	const sector = 512
	end := op.At + int64(len(op.Data))
	if of == opTorn {
		end = max((op.At+end)/2/sector*sector, op.At)
	}
	if end == op.At {
		return data
	}
	data = resize(data, max(int64(len(data)), end))
	copy(data[op.At:end], op.Data)
	if of == opSpoilt {
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
