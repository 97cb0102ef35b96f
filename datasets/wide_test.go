package datasets_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestWideFiles describes files of 500 and of 4,000 columns. The least of three processor times of the wide file is at
// most 24 times that of the other: work that is linear in the columns takes 8 times, and work that is quadratic 64
// times. What is said does not grow with the columns.
func TestWideFiles(t *testing.T) {
	colours := []string{"red", "green", "blue"}
	for what, cell := range map[string]func(i, j int) string{
		"numbers": func(i, j int) string { return fmt.Sprint((i*7919 + j*31) % 97) },
		"numbers with gaps, and categories that have the name of the gaps": func(i, j int) string {
			switch {
			case i == 3:
				return "unknown"
			case j%2 == 0:
				return colours[(i+j)%3]
			}
			return fmt.Sprint(i * 31 % 97)
		},
		"categories":          func(i, j int) string { return colours[(i*i+j)%3] },
		"every second is one": func(i, j int) string { return fmt.Sprint(1 + j%2*i) },
	} {
		for kind, name := range map[string]func(j int) string{
			"names": func(j int) string { return fmt.Sprint("g", j) }, "equal names": func(int) string { return "g" },
		} {
			file := func(columns int) string {
				var b strings.Builder
				for i := range 13 {
					for j := range columns {
						text := name(j)
						if i > 0 {
							text = cell(i, j)
						}
						b.WriteString(text + ",")
					}
					b.WriteString([]string{"y", "p", "q"}[min(i, 1+i%2)] + "\n")
				}
				return b.String()
			}
			t.Run(what+", "+kind, func(t *testing.T) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				var seconds [2]float64
				var said [2]int
				for k, columns := range []int{500, 4000} {
					text := file(columns)
					seconds[k] = math.Inf(1)
					for range 3 {
						before := testenv.ThreadCPUTime()
						d := must.Get(described(t, "a.csv", text, read.Hints{}))(t)
						seconds[k] = min(seconds[k], testenv.ThreadCPUTime()-before)
						said[k] = len(d.Problems) + len(d.Notes)
					}
				}
				if seconds[1] > 24*seconds[0] || said[0] != said[1] {
					t.Errorf("500 and 4,000 columns: %.3g and %.3g s, %d and %d notes",
						seconds[0], seconds[1], said[0], said[1])
				}
			})
		}
	}
}
