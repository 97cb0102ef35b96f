package stats

import "math/big"

// Signs counts the differences of each sign. No difference may be nil.
func Signs(differences []*big.Rat) (plus, zero, minus int) {
	for _, d := range differences {
		switch d.Sign() {
		case 1:
			plus++
		case 0:
			zero++
		default:
			minus++
		}
	}
	return plus, zero, minus
}
