//go:build cgo && amd64 && !nokernels

package vmath

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestLevel: whatever compiler made the program, it finds what the system lists in /proc/cpuinfo.
func TestLevel(t *testing.T) {
	raw := must.Get(os.ReadFile("/proc/cpuinfo"))(t)
	listed := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(raw)
	if listed == nil {
		t.Fatal("/proc/cpuinfo lists no flags")
	}
	flags := strings.Fields(string(listed[1]))
	all := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(flags, name) })
	}
	want := 0
	if all("avx2", "fma") {
		want = 1
		if all("avx512f", "avx512dq", "avx512vl", "avx512bw") {
			want = 2
		}
	}
	must.Be(t, Level(), want)
}
