//go:build !unix

package processes

import "time"

var start = time.Now()

// CPUTime is the time on the wall: there is no portable clock of a process.
func CPUTime() float64 { return time.Since(start).Seconds() }
