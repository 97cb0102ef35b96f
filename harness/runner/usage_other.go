//go:build !linux

package runner

// cpuTime is unknown where the system has no clock per thread.
type cpuTime struct{}

func threadCPU() cpuTime { return cpuTime{} }

func (cpuTime) since(cpuTime) (float64, bool) { return 0, false }

func peakRSS() (int64, bool) { return 0, false }
