package stats

// FTest and TPower are open to tests against published points and an independent program.
var (
	FTest  = fTest
	TPower = tPower
)

// Panics reports whether a call panics.
func Panics(call func()) (panics bool) {
	defer func() { panics = recover() != nil }()
	call()
	return false
}
