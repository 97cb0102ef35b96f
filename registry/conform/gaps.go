package conform

import (
	"math"
	"testing"
)

// gaps checks what [registry.Spec.Gaps] declares: that data with missing values gives models with finite scores, also
// where a row has nothing else and a column two values, that a gap is not read as a zero, and that paths and saved
// models hold with gaps too.
func (s suite) gaps(t *testing.T) {
	zeros, d := easy(s.task, 80, 4), easy(s.task, 80, 4)
	for i := range 80 {
		for j := range 4 {
			if i == 5 || j == 3 && i > 1 || j == i%7 {
				zeros.X.Set(i, j, 0)
				d.X.Set(i, j, math.NaN())
			}
		}
	}
	if !s.otherThan(t, zeros, d, s.few(t, d, 3)) {
		t.Error("with gaps and with zeros in their place the models score the same: a gap should not be read as a zero")
	}
}
