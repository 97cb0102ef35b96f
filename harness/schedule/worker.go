package schedule

// A Worker is a process that runs cells for a [Remote]. A Remote that knows its workers has a method Workers,
// which returns them for people to see.
type Worker struct {
	Name   string
	Jobs   int      // cells at a time
	Memory int64    // bytes that its cells may need together; 0 for any number
	Keys   []string // the cells that the worker is known to compute
}
