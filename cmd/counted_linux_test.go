package cmd_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"

	"golang.org/x/sys/unix"
)

// TestNotCounted: where nobody learns of the ends of processes a run says so, and the row of a plugin has no time and
// no peak of memory, while that of a method of the program has its time.
func TestNotCounted(t *testing.T) {
	t.Parallel()
	withSandbox(t)
	p := newProcess(t)
	p.copy(t, "short.toml")
	p.env = []string{"HOME=" + p.file("home"), faulty.Target + "=" + p.dir}
	program := must.Get(exec.LookPath("bench-hostile"))(t)
	plugin := p.write(t, "plugins/ReadsTheHome.sh", "HOSTILE=ReadsTheHome exec '"+program+"'\n")
	testenv.Refusing(t, unix.SYS_SECCOMP, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, func() {
		p.short(t, "ReadsTheHome,CART", "--allow-read", filepath.Dir(program), "--plugin", plugin).ends(0,
			"time and memory of plugins are not counted")
	})
	must.Be(t, p.rows(t, "method = 'CART' AND cpu_seconds > 0"), 1)
	must.Be(t, p.rows(t, "method = 'ReadsTheHome' AND status = 'ok' AND cpu_seconds IS NULL AND "+
		"peak_rss_bytes IS NULL"), 1)
}
