package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// System returns what programs need of a system to run at all: programs and libraries, what describes the machine,
// and devices. Nothing of a user's is among it, and nothing of other processes. What the system counts as processes
// run is left out where libraries can do without it: a method could leave numbers there.
func System() (read, use []string) {
	read = []string{
		"/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
		"/run/current-system",
		"/proc/cpuinfo", "/proc/meminfo", "/proc/version", "/proc/filesystems",
		"/proc/sys/kernel/osrelease", "/proc/sys/kernel/pid_max", "/proc/sys/kernel/random",
		"/proc/sys/vm/max_map_count", "/proc/sys/vm/overcommit_memory",
		"/sys/devices/system/cpu", "/sys/devices/system/node/online", "/sys/devices/system/node/possible",
		"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
		"/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cpuset.cpus.effective",
		"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes",
	}
	for _, name := range []string{
		"alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "passwd", "group",
		"nsswitch.conf", "locale.alias", "locale.conf",
		"host.conf", "hosts", "resolv.conf", "gai.conf", "protocols", "services", "ssl/certs", "ssl/openssl.cnf", "pki",
		"ca-certificates", "fonts", "mime.types",
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

// Within reports whether a path is one of folders or below one, as named and where links lead. A folder that is never
// readable as a whole, such as a home, counts for nothing.
func Within(path string, folders []string) bool {
	never := Never()
	for _, folder := range folders {
		folder = filepath.Clean(folder)
		if slices.Contains(never, folder) || slices.Contains(never, resolved(folder)) {
			continue
		}
		if full := filepath.Clean(path); (full == folder || beneath(full, folder)) &&
			(resolved(full) == resolved(folder) || beneath(resolved(full), resolved(folder))) {
			return true
		}
	}
	return false
}

// known are the variables that programs and numerical libraries go by, and begins how families of them begin. What else
// a user has set says who he is, what he does and what opens his accounts.
var (
	known = []string{
		"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX",
		"CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYENV_VERSION",
		"JAVA_HOME", "JAVA_TOOL_OPTIONS", "GLIBC_TUNABLES", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG",
		"GOTRACEBACK", "GOCOVERDIR",
		"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
	}
	begins = []string{
		"LC_", "PYTHON", "R_", "JULIA_", "OCTAVE_", "CUDA", "CUBLAS_", "CUDNN_", "NVIDIA_", "HIP_", "HSA_", "ROCR_",
		"ROCM_", "OCL_", "OMP_", "GOMP_", "KMP_", "MKL_",
		"OPENBLAS_", "GOTO_", "BLIS_", "VECLIB_", "ACCELERATE_", "NUMEXPR_", "NUMBA_", "TBB_", "JOBLIB_", "LOKY_",
		"SKLEARN_", "TF_", "XLA_", "JAX_", "TORCH_", "PYTORCH_",
		"MALLOC_", "SSL_CERT_",
	}
)

// Environment returns the variables that programs and libraries go by, without those that name secrets, and with the
// user's folders replaced by a private one, where a program may write.
func Environment(ours []string, private string) []string {
	var out []string
	for _, v := range ours {
		name, _, _ := strings.Cut(v, "=")
		passes := slices.Contains(known, name) || runtime.GOOS == "windows" &&
			slices.Contains(known, strings.ToUpper(name))
		for _, begin := range begins {
			passes = passes || strings.HasPrefix(name, begin)
		}
		if name == "PATH" && runtime.GOOS == "linux" { // whose folders of links to commands may not be in a sandbox
			v += ":/usr/local/bin:/usr/bin:/bin"
		}
		if passes && !secret(name) {
			out = append(out, v)
		}
	}
	for _, name := range folders {
		out = append(out, name+"="+private)
	}
	return out
}

func secret(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "ACCESS_KEY",
		"PRIVATE_KEY"} {
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
