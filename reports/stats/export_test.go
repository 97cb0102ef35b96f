package stats

// FTest and TPower are open to tests against published points and an independent program.
var (
	FTest  = fTest
	TPower = tPower
)
