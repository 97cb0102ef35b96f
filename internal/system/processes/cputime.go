// Processor time is measured of the whole process or of a thread: other work on the machine disturbs it less than the
// time on the wall. It is for tests, benchmarks and measuring programs; the harness counts a cell's own threads.

package processes

// CPUTimeOf returns the processor time, user and system, in seconds that the process spends
// during work. Whatever runs beside work in the same process counts too.
func CPUTimeOf(work func()) float64 {
	start := CPUTime()
	work()
	return CPUTime() - start
}
