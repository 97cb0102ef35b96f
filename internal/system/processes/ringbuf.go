package processes

import "sync"

// A Tail keeps the last Most bytes that are written to it. It is safe for concurrent use; Most is set before its
// first use.
type Tail struct {
	Most int

	mu   sync.Mutex
	text []byte
}

// Write takes everything and keeps the last.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n >= t.Most {
		t.text, b = t.text[:0], b[n-t.Most:]
	}
	if len(t.text)+len(b) > 2*t.Most { // moved now and then, not at each call
		t.text = append(t.text[:0], t.text[len(t.text)-t.Most+len(b):]...)
	}
	t.text = append(t.text, b...)
	return n, nil
}

// Reset forgets what was written.
func (t *Tail) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = nil
}

// String returns the end as it was written; it may begin within a character.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text[max(0, len(t.text)-t.Most):])
}
