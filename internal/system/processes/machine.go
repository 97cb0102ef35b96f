// How much memory the program may use, and how busy the machine is: what Linux says in files; on other systems nothing
// is known and the answer is 0. It does not watch how much memory is free: that changes while the program runs, and a
// limit that changes from run to run would be hard to explain.

package processes

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// MemoryBytes returns the smallest of the machine's physical memory, the memory
// limits of the control groups, versions 1 and 2, that the process is in, and what
// a limit of address space leaves, or 0 if none of them is known.
func MemoryBytes() int64 { return memoryBytes(os.DirFS("/")) }

// PhysicalBytes returns the machine's physical memory, or 0 if it is not known.
func PhysicalBytes() int64 { return physical(os.DirFS("/")) }

// Busy returns how many processes wanted a core during the last minute, on average, or 0 where that is not known.
func Busy() float64 { return busy(os.DirFS("/")) }

func busy(root fs.FS) float64 {
	text, err := fs.ReadFile(root, "proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(first, 64) // 0 for what is no number
	return load
}

// memoryBytes reads the files below root, which stands for "/".
func memoryBytes(root fs.FS) int64 {
	smallest := int64(math.MaxInt64)
	for _, limit := range append(groupLimits(root), physical(root), addressSpace(root)) {
		if limit > 0 {
			smallest = min(smallest, limit)
		}
	}
	if smallest >= unlimited {
		return 0
	}
	return smallest
}

// unlimited is more than any machine has. Version 1 writes the largest number of
// whole pages, just below 2^63, where there is no limit.
const unlimited = 1 << 60

// physical returns MemTotal, or 0.
func physical(root fs.FS) int64 {
	for _, line := range lines(root, "proc/meminfo") {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil && kilobytes < unlimited>>10 {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// reserved is what the runtime of Go takes of the address space without using it.
const reserved = 1536 << 20

// addressSpace returns what the limit of address space (ulimit -v) leaves, or 0.
func addressSpace(root fs.FS) int64 {
	for _, line := range lines(root, "proc/self/limits") {
		if soft, found := strings.CutPrefix(line, "Max address space"); found && len(strings.Fields(soft)) > 0 {
			bytes, err := strconv.ParseInt(strings.Fields(soft)[0], 10, 64)
			if err == nil && bytes < unlimited {
				return max(bytes-reserved, 1)
			}
		}
	}
	return 0
}

// groupLimits returns the limits of the process's groups and of all groups above
// them, since each of them binds.
func groupLimits(root fs.FS) []int64 {
	var out []int64
	hierarchies := mounted(root)
	for _, line := range lines(root, "proc/self/cgroup") {
		// hierarchy number:controllers:path; version 2 is "0::path".
		fields := strings.SplitN(line, ":", 3)
		if len(fields) != 3 {
			continue
		}
		file := "memory.max"
		if fields[0] != "0" || fields[1] != "" {
			file = "memory.limit_in_bytes"
			if !limitsMemory(fields[1]) {
				continue
			}
		}
		for _, h := range hierarchies {
			if h.file == file {
				out = append(out, h.limits(root, fields[2])...)
			}
		}
	}
	return out
}

// A hierarchy is a mounted tree of groups.
type hierarchy struct {
	file  string // that holds a group's limit
	group string // which group is at the mount point: "/", or the container's own
	point string // the mount point, without the leading slash
}

// mounted lists the hierarchies that limit memory, by /proc/self/mountinfo: fields
// root and mount point are the fourth and fifth, the type follows a lone "-", and
// the controllers of version 1 are among the options at the end.
func mounted(root fs.FS) []hierarchy {
	var out []hierarchy
	for _, line := range lines(root, "proc/self/mountinfo") {
		mount, system, found := strings.Cut(line, " - ")
		fields, kind := strings.Fields(mount), strings.Fields(system)
		if !found || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		h := hierarchy{group: fields[3], point: strings.Trim(fields[4], "/")}
		switch {
		case kind[0] == "cgroup2":
			h.file = "memory.max"
		case kind[0] == "cgroup" && limitsMemory(kind[2]):
			h.file = "memory.limit_in_bytes"
		default:
			continue
		}
		out = append(out, h)
	}
	return out
}

// limits reads the limits of a group and of those above it, up to the mount point.
func (h hierarchy) limits(root fs.FS, group string) []int64 {
	below, inside := strings.CutPrefix(group, strings.TrimRight(h.group, "/"))
	if !inside || below != "" && below[0] != '/' {
		below = "" // a container sees its own group at the mount point, under a path of the host's
	}
	var out []int64
	for dir := path.Join("/", below); ; dir = path.Dir(dir) {
		if limit := limit(root, path.Join(h.point, dir, h.file)); limit > 0 {
			out = append(out, limit)
		}
		if dir == "/" {
			return out
		}
	}
}

// limit reads a number of bytes; 0 means that there is none: the file is not there
// or says "max".
func limit(root fs.FS, name string) int64 {
	raw, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	v, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	if err != nil || v >= unlimited {
		return 0
	}
	return v
}

func limitsMemory(list string) bool { return slices.Contains(strings.Split(list, ","), "memory") }

// lines returns a file's lines, none if it cannot be read.
func lines(root fs.FS, name string) []string {
	raw, err := fs.ReadFile(root, name)
	if err != nil {
		return nil
	}
	return strings.Split(string(raw), "\n")
}
