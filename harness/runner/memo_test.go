package runner

import (
	"errors"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
)

// Two cells ask for one number: it is computed once, and both have its processor time. A failure is not remembered.
func TestMemoChargesEveryCell(t *testing.T) {
	var m memo
	var first, second cpuClock
	computed := 0
	number := func() (float64, error) {
		computed++
		sum := 0.0
		for i := range 30_000_000 {
			sum += float64(i)
		}
		return sum, nil
	}
	key := registry.MemoKey{1}
	var values [2]float64
	first.measure(func() { values[0], _ = m.of(&first)(key, number) })
	second.measure(func() { values[1], _ = m.of(&second)(key, number) })
	if a, b := first.seconds(), second.seconds(); a == nil {
		t.Skip("this system has no clock for each thread")
	} else if values[0] != values[1] || computed != 1 || *b <= 0 || *b < *a/2 {
		t.Errorf("computed %d times, values %v, %v s for the first cell and %v s for the second", computed, values, *a,
			*b)
	}

	failed := errors.New("not now")
	if _, err := m.of(&first)(registry.MemoKey{2}, func() (float64, error) { return 0, failed }); err != failed {
		t.Errorf("the error is %v", err)
	}
	must.Be(t, must.Get(m.of(&first)(registry.MemoKey{2}, func() (float64, error) { return 7, nil }))(t), 7)
}
