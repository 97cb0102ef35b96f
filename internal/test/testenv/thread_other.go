//go:build !linux

package testenv

import "time"

var began = time.Now()

// ThreadCPUTime returns the seconds on the wall since some moment: there is no portable clock of a
// thread, and what is measured with this one is right on a machine that has nothing else to do.
func ThreadCPUTime() float64 { return time.Since(began).Seconds() }
