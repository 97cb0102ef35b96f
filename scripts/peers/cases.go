//go:build unix

package main

// A peerCase is one row of the table. wanted is the least ratio, theirs over ours, that
// we hold ourselves to.
type peerCase struct {
	method, set string
	grid        bool
	wanted      float64
}

var (
	small = []string{"wine", "sonar", "pima", "german"}
	large = []string{"splice", "spambase", "occupancy"}
)

var cases = func() (out []peerCase) {
	fits := func(method string, sets []string, wanted float64) {
		for _, set := range sets {
			out = append(out, peerCase{method: method, set: set, wanted: wanted})
		}
	}
	fits("GBRFF2", small, 8)
	fits("GBRFF2", large, 4)
	fits("GBRFF1", small, 15)
	fits("GBRFF1", large, 15)
	fits("PBRFF", small, 5)
	fits("PBRFF", large, 5)
	fits("GFC", small, 8)
	fits("GFC", large, 8)
	fits("BMKR", []string{"wine", "pima", "german", "splice"}, 10)
	out = append(out, peerCase{method: "BMKR", set: "german", grid: true, wanted: 30})
	for _, method := range []string{"PBRFF", "GFC"} {
		for _, set := range []string{"german", "spambase"} {
			out = append(out, peerCase{method: method, set: set, grid: true, wanted: 30})
		}
	}
	return out
}()
