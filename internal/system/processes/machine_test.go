package processes

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/kernelboosting/bench/internal/test/must"
)

const (
	meminfo = "MemTotal:        4194304 kB\nMemFree:          123456 kB\nMemAvailable:    2000000 kB\n"
	v2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	v1Mount = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
	noLimit = "9223372036854771712\n"
	gib     = int64(1) << 30
	mib     = int64(1) << 20
)

func TestMemoryBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing is known", nil, 0},
		{"physical memory alone", map[string]string{"proc/meminfo": meminfo}, 4 * gib},
		{"physical memory that makes no sense", map[string]string{"proc/meminfo": "MemTotal: 99999999999999999 kB\n"},
			0},
		{"a limit of address space", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/limits": "Max address space         2147483648           unlimited            bytes     \n",
		}, 512 * mib},
		{"no limit of address space", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/limits": "Max address space         unlimited            unlimited            bytes     \n",
		}, 4 * gib},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "314572800\n",
		}, 300 * mib},
		{"version 2, no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n",
		}, 4 * gib},
		{"version 2, the limit is of a group above", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a/b/c\n",
			"sys/fs/cgroup/a/b/c/memory.max": "2147483648\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.max": "1073741824\n",
		}, gib},
		{"version 2, the limit is beyond the machine", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "8589934592\n",
		}, 4 * gib},
		{"version 2, a container with a name space of its own", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "314572800\n",
		}, 300 * mib},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v1Mount,
			"proc/self/cgroup": "5:cpu:/x\n4:cpuacct,memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "314572800\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   noLimit,
		}, 300 * mib},
		{"version 1, no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v1Mount, "proc/self/cgroup": "4:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": noLimit,
		}, 4 * gib},
		{"version 1, no limit and no physical memory", map[string]string{
			"proc/self/mountinfo": v1Mount, "proc/self/cgroup": "4:memory:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": noLimit,
		}, 0},
		{"version 1, the container's own group is mounted", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/mountinfo": "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"proc/self/cgroup":    "4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "314572800\n",
		}, 300 * mib},
		{"version 1, a group that the mount does not show", map[string]string{
			"proc/meminfo":        meminfo,
			"proc/self/mountinfo": "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"proc/self/cgroup":    "4:memory:/docker/abcdef\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "314572800\n",
		}, 300 * mib},
		{"both versions", map[string]string{
			"proc/meminfo": meminfo, "proc/self/mountinfo": v1Mount + "40 31 0:33 / /sys/fs/cgroup/unified rw - " +
				"cgroup2 cgroup2 rw\n",
			"proc/self/cgroup": "4:memory:/a\n0::/b\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2147483648\n",
			"sys/fs/cgroup/unified/b/memory.max":           "1073741824\n",
		}, gib},
		{"files of another form", map[string]string{
			"proc/meminfo": "MemTotal: many\n", "proc/self/mountinfo": "x\n1 2 - cgroup2\n" + v2Mount,
			"proc/self/cgroup":           "0\n\n0::/a\n",
			"sys/fs/cgroup/a/memory.max": "lots\n", "sys/fs/cgroup/memory.max": "-1\n",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range c.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			must.Be(t, memoryBytes(root), c.want)
		})
	}
}

// TestThisMachine: where Linux tells its memory, the program may use some of it.
func TestThisMachine(t *testing.T) {
	total := physical(os.DirFS("/"))
	if total == 0 {
		t.Skip("this system does not tell its memory")
	}
	if got := MemoryBytes(); got <= 0 || got > total {
		t.Errorf("%d bytes of %d", got, total)
	}
}

func TestBusy(t *testing.T) {
	for text, want := range map[string]float64{"1.25 0.80 0.50 3/400 1234\n": 1.25, "": 0, "x y": 0} {
		must.Be(t, busy(fstest.MapFS{"proc/loadavg": {Data: []byte(text)}}), want, text)
	}
	must.Be(t, busy(fstest.MapFS{}), 0, "without the file")
}
