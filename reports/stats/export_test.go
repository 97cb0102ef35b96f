package stats

// These are open to tests against published points and an independent program.
var (
	FTest     = fTest
	RangeTail = rangeTail
)

// Panics reports whether a call panics.
func Panics(call func()) (panics bool) {
	defer func() { panics = recover() != nil }()
	call()
	return false
}
