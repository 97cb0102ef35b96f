package external

import (
	"io"
	"sync"
)

// tailSize is how much of a process's standard error is kept, in bytes.
const tailSize = 4096

// A tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// drain reads r to its end.
func (t *tail) drain(r io.Reader) {
	buffer := make([]byte, 1<<15)
	for {
		n, err := r.Read(buffer)
		t.mu.Lock()
		t.kept = append(t.kept, buffer[:n]...)
		if extra := len(t.kept) - tailSize; extra > 0 {
			t.kept = append(t.kept[:0], t.kept[extra:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String returns the end, from a whole character on.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ending(string(t.kept), tailSize-1)
}
