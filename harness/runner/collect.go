package runner

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// codeBytes is what the pages of the program's code take at most. The garbage collector does not count them.
const codeBytes = 40 << 20

// HeapLimit is the limit for the garbage collector of a process that may take limit bytes in all.
func HeapLimit(limit int64) int64 { return max(limit/2, limit-codeBytes) }

// memoryLimit is the limit by which the garbage collector of this process works; it is huge if there is none.
func memoryLimit() int64 { return debug.SetMemoryLimit(-1) }

// collectNear collects garbage if the heap has half of limit or more, and reports whether it did. The declared memory
// of a cell has no room for the rows of the fold before and for the garbage of the grid point before. The collector
// works beside the program, which may pass the limit before the collector has found that these rows are garbage.
func collectNear(limit int64) bool {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64() < uint64(limit)/2 {
		return false
	}
	runtime.GC()
	return true
}

// mostIdle is how much memory of earlier cells a process may keep when a cell begins.
const mostIdle = 64 << 20

// returnIdle gives memory that earlier cells of this process used back to the system, if there may be more than
// mostIdle of it. Otherwise it would count in the peak of the next cell.
func returnIdle() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64()+sample[1].Value.Uint64() > mostIdle {
		debug.FreeOSMemory()
	}
}
