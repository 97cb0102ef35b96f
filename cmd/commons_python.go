package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/internal/system/processes"
)

// longestInstall bounds the installation of a lock.
const longestInstall = 10 * time.Minute

// environment makes a Python with the packages of a lock and nothing else, and has plugins run by it. Files of packages
// are executed by no process here: the Python of this machine runs pip, which unpacks wheels into the new environment
// and imports nothing of it. The wheels have the hashes of the lock, wherever pip finds them.
func (k *entryCheck) environment(ctx context.Context, folder string, lock []commons.Package) error {
	ctx, cancel := context.WithTimeout(ctx, longestInstall)
	defer cancel()
	host, err := hostPython(ctx, k.entry.Python)
	if err != nil {
		return err
	}
	if _, err := runPython(ctx, host, "-m", "venv", "--without-pip", folder); err != nil {
		return fmt.Errorf("python -m venv: %w", err)
	}
	python := filepath.Join(folder, "bin", "python")
	site, err := runPython(ctx, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	if err != nil {
		return err
	}
	if len(lock) > 0 {
		file := filepath.Join(folder, commons.LockFile)
		if err := os.WriteFile(file, commons.LockText(lock), 0o644); err != nil {
			return err
		}
		k.say("installing %s of %s", plural(len(lock), "package"), commons.LockFile)
		if _, err := runPython(ctx, host, "-m", "pip", "install", "--quiet", "--no-input",
			"--disable-pip-version-check", "--require-hashes", "--no-deps", "--only-binary", ":all:", "--target", site,
			"--requirement", file); err != nil {
			return fmt.Errorf("%s: pip: %w", commons.LockFile, err)
		}
	}
	return os.Setenv("BENCH_PYTHON", python)
}

// hostPython finds a Python of this machine with a version such as 3.11: that of BENCH_PYTHON or one of the PATH.
func hostPython(ctx context.Context, version string) (string, error) {
	for _, name := range []string{os.Getenv("BENCH_PYTHON"), "python" + version, "python3"} {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if has, err := minorVersion(ctx, path); err == nil && has == version {
			return path, nil
		}
	}
	return "", fmt.Errorf("the entry needs Python %s, which is not here; install it or set BENCH_PYTHON", version)
}

// minorVersion is the version of a Python, such as 3.11.
func minorVersion(ctx context.Context, python string) (string, error) {
	return runPython(ctx, python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
}

// runPython runs a Python apart from the user's packages and the current folder, and returns what it prints. The error
// is the last line that it writes.
func runPython(ctx context.Context, python string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, python, append([]string{"-I"}, args...)...)
	var out bytes.Buffer
	said := &processes.Tail{Most: 1 << 16}
	c.Stdout, c.Stderr = &out, said
	if err := c.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		if last := lines[len(lines)-1]; last != "" && ctx.Err() == nil {
			return "", errors.New(last)
		}
		return "", errors.Join(ctx.Err(), err)
	}
	return strings.TrimSpace(out.String()), nil
}
