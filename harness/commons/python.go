package commons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/internal/strictjson"
)

// longestInstall bounds the installation of a lock.
const longestInstall = 10 * time.Minute

// Environment makes a Python of a version, such as 3.11, with the packages of a lock and nothing else in a folder, and
// returns the Python's path. Files of packages are executed by no process here: the Python of this machine runs pip,
// which unpacks wheels into the new environment and imports nothing of it. The wheels have the hashes of the lock,
// wherever pip finds them.
func Environment(ctx context.Context, folder, version string, lock []Package) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, longestInstall)
	defer cancel()
	host, err := hostPython(ctx, version)
	if err != nil {
		return "", err
	}
	if _, err := runPython(ctx, host, "-m", "venv", "--without-pip", folder); err != nil {
		return "", fmt.Errorf("python -m venv: %w", err)
	}
	python := filepath.Join(folder, "bin", "python")
	site, err := runPython(ctx, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	if err != nil || len(lock) == 0 {
		return python, err
	}
	file := filepath.Join(folder, LockFile)
	if err := os.WriteFile(file, LockText(lock), 0o644); err != nil {
		return "", err
	}
	if _, err = runPython(ctx, host, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
		"--require-hashes", "--no-deps", "--only-binary", ":all:", "--target", site, "-r", file); err != nil {
		err = fmt.Errorf("%s: pip: %w", LockFile, err)
	}
	return python, err
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
		if has, err := MinorVersion(ctx, path); err == nil && has == version {
			return path, nil
		}
	}
	return "", fmt.Errorf("the entry needs Python %s, which is not here; install it or set BENCH_PYTHON", version)
}

// MinorVersion is the version of a Python, such as 3.11.
func MinorVersion(ctx context.Context, python string) (string, error) {
	return runPython(ctx, python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
}

// runPython runs a Python apart from the user's packages and the current folder, and returns what it prints.
func runPython(ctx context.Context, python string, args ...string) (string, error) {
	out, err := outputOf(exec.CommandContext(ctx, python, append([]string{"-I"}, args...)...))
	if ctx.Err() != nil {
		return "", errors.Join(ctx.Err(), err)
	}
	return strings.TrimSpace(out), err
}

// closure prints the distributions that imported names need, directly or by others, as NAME==VERSION. pip reads their
// requirements.
const closure = `
import sys
from importlib import metadata
from pip._vendor.packaging.requirements import Requirement

def plain(name):
    return name.lower().replace("_", "-").replace(".", "-")

owners = metadata.packages_distributions()
todo = [d for name in sys.argv[1:] for d in owners.get(name, [name])]
done = {}
while todo:
    name = todo.pop()
    if plain(name) in done:
        continue
    found = metadata.distribution(name)
    done[plain(name)] = found.metadata["Name"] + "==" + found.version
    for line in found.requires or ():
        needs = Requirement(line)
        if needs.marker is None or needs.marker.evaluate({"extra": ""}):
            todo.append(needs.name)
print("\n".join(sorted(done.values(), key=str.lower)))
`

// Needs lists the distributions that imported names need in a Python, as NAME==VERSION.
func Needs(ctx context.Context, python string, names []string) ([]string, error) {
	said, err := runPython(ctx, python, append([]string{"-c", closure}, names...)...)
	return strings.Fields(said), err
}

// Lock asks pip for the hashes of the wheels of distributions, given as NAME==VERSION.
func Lock(ctx context.Context, python string, needs []string) ([]Package, error) {
	return solve(ctx, python, append(needs, "--no-deps"))
}

// Renewed asks pip for the newest releases of the packages of a lock that go together, for a version of Python such as
// 3.11. It returns their lock, with all that they need now, and which packages of the old lock have a newer release.
func Renewed(ctx context.Context, version string, old []Package) (lock []Package, newer []string, err error) {
	host, err := hostPython(ctx, version)
	if err != nil {
		return nil, nil, err
	}
	args, was := []string{"--retries", "1"}, map[string]string{}
	for _, p := range old {
		public, _, _ := strings.Cut(p.Version, "+") // pip compares with no local version
		args, was[plain(p.Name)] = append(args, p.Name+">="+public), p.Version
	}
	lock, err = solve(ctx, host, args)
	for _, p := range lock {
		if before, there := was[plain(p.Name)]; there && before != p.Version {
			newer = append(newer, fmt.Sprintf("%s %s → %s", p.Name, before, p.Version))
		}
	}
	return lock, newer, err
}

// solve asks pip which wheels it would install, and returns their lock.
func solve(ctx context.Context, python string, args []string) ([]Package, error) {
	said, err := runPython(ctx, python, append([]string{"-m", "pip", "install", "--quiet", "--dry-run",
		"--ignore-installed", "--only-binary", ":all:", "--disable-pip-version-check", "--no-input", "--report", "-"},
		args...)...)
	if err != nil {
		return nil, err
	}
	var report struct {
		Install []struct {
			Metadata struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"metadata"`
			Download struct {
				Archive struct {
					Hashes map[string]string `json:"hashes"`
				} `json:"archive_info"`
			} `json:"download_info"`
		} `json:"install"`
	}
	if err := strictjson.UnmarshalOpen([]byte(said), &report); err != nil {
		return nil, fmt.Errorf("pip --report: %w", err)
	}
	var lock []Package
	for _, i := range report.Install {
		lock = append(lock, Package{Name: i.Metadata.Name, Version: i.Metadata.Version,
			Hashes: []string{i.Download.Archive.Hashes["sha256"]}})
	}
	slices.SortFunc(lock, func(a, b Package) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return lock, nil
}
