package stats

// FTest and Power are open to tests against published points and an independent program.
var (
	FTest = fTest
	Power = tPower
)
