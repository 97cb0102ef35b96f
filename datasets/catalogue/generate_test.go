package catalogue

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry/rng"
)

// TestToysAreTheSameOnEveryMachine: sines of different machines differ by less than 2 units in the last place,
// which moves a coordinate, below 4, by less than 2e-15. None is so near to where its sixth decimal turns.
func TestToysAreTheSameOnEveryMachine(t *testing.T) {
	const moves = 1e-13
	for name, point := range map[string]func(int, *rng.RandomState) (float64, float64, bool){
		"two-moons": twoMoons, "swiss": swiss, "circles": circles, "board": board,
	} {
		r := rng.New(toySeed)
		for i := range toyRows {
			x1, x2, _ := point(i, r)
			for _, x := range []float64{x1, x2} {
				low, high := strconv.FormatFloat(x-moves, 'f', 6, 64), strconv.FormatFloat(x+moves, 'f', 6, 64)
				must.Be(t, low, high, name, i, x)
			}
		}
	}
}

// TestSetsGrow: a larger set begins with the smaller one.
func TestSetsGrow(t *testing.T) {
	for name, of := range map[string]func(n int) []byte{
		"channels": func(n int) []byte { return channels(n, 2, 1) },
		"linear":   sized["linear"], "smooth": sized["smooth"], "thresholds": sized["thresholds"],
	} {
		must.Be(t, bytes.HasPrefix(of(50), of(20)), true, name)
	}
	for _, text := range []string{"channels(0, 1, 1)", "channels(5, 0, 1)", "channels(5, 1, -1)", "channels(5,1,1)",
		"channels(5, 1, 1) ", "channels"} {
		must.Say(t, must.Err(Named(text)), "channels")
	}
}
