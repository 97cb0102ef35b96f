package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// System returns what programs need of a system to run at all: programs and libraries, what describes
// the machine, and devices. Nothing of a user's is among it, and nothing of other processes.
func System() (read, use []string) {
	read = []string{
		"/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/run/current-system",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems", "/proc/loadavg", "/proc/uptime",
		"/proc/sys/kernel", "/proc/sys/vm", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
	}
	for _, name := range []string{
		"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "passwd", "group", "nsswitch.conf", "locale.alias", "locale.conf",
		"host.conf", "hosts", "resolv.conf", "gai.conf", "protocols", "services", "ssl/certs", "ssl/openssl.cnf", "pki", "ca-certificates", "fonts", "mime.types",
		"R", "java*", "python*", "julia", "octave*", "OpenCL", "profile", "bash.bashrc", "inputrc", "magic",
	} {
		found, _ := filepath.Glob(filepath.Join("/etc", name))
		read = append(read, found...)
	}
	use = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/dri", "/dev/kfd"}
	cards, _ := filepath.Glob("/dev/nvidia*")
	return read, append(use, cards...)
}

// OfSystem reports whether a path lies among the programs of the system, where users put nothing.
func OfSystem(path string) bool {
	return Within(path, []string{"/bin", "/sbin", "/usr", "/nix/store", "/gnu/store", "/run/current-system"})
}

// Within reports whether a path is one of folders or below one, as named and where links lead. A folder that is never readable as a
// whole, such as a home, counts for nothing.
func Within(path string, folders []string) bool {
	never := Never()
	for _, folder := range folders {
		folder = filepath.Clean(folder)
		if slices.Contains(never, folder) || slices.Contains(never, resolved(folder)) {
			continue
		}
		if full := filepath.Clean(path); (full == folder || beneath(full, folder)) && (resolved(full) == resolved(folder) || beneath(resolved(full), resolved(folder))) {
			return true
		}
	}
	return false
}

// Environment returns variables with the user's folders replaced by a private one, where a program may write,
// and without those of this project, which name data and databases, those that name further folders of the user's, and secrets.
func Environment(ours []string, private string) []string {
	drop := map[string]bool{"XDG_CACHE_HOME": true, "XDG_CONFIG_HOME": true, "XDG_DATA_HOME": true, "XDG_STATE_HOME": true, "XDG_RUNTIME_DIR": true, "MPLCONFIGDIR": true}
	for _, name := range folders {
		drop[name] = true
	}
	var out []string
	for _, v := range ours {
		name, _, _ := strings.Cut(v, "=")
		if !drop[name] && !strings.HasPrefix(name, "BENCH_") && !secret(name) {
			out = append(out, v)
		}
	}
	for _, name := range folders {
		out = append(out, name+"="+private)
	}
	return out
}

// secret reports whether a variable's name is that of a secret.
func secret(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// FolderVariable names the folder in which a process is to make its private ones: whoever watches over the process
// looks at what lies there, and removes it.
const FolderVariable = "BENCH_PRIVATE"

// folders are the variables that name where programs keep what is theirs.
var folders = []string{"HOME", "TMPDIR", "TMP", "TEMP"}

// Never returns the folders that hold what is a user's own, or everybody's: no program needs them as a whole.
func Never() []string {
	out := []string{"/", "/home", "/tmp", "/var/tmp", "/dev/shm", os.TempDir()}
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, home)
	}
	return out
}
