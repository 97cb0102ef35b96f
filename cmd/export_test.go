package cmd

import "time"

// Lacks makes this process take its machine for one whose sandbox of plugins lacks something, or nothing.
func Lacks(what string) { lacking = func() string { return what } }

// LostAfter sets how long a worker may be silent.
func LostAfter(d time.Duration) { lostAfter = d }
