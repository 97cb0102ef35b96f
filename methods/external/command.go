package external

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/system/sandbox"
)

// interpreters run files that are not executable themselves.
var interpreters = map[string]string{".py": "python3", ".r": "Rscript", ".sh": "sh"}

// command returns the command line that runs a plugin's file.
func command(path, python string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file; name the executable or the script itself")
	}
	kind := strings.ToLower(filepath.Ext(path))
	interpreter := interpreters[kind]
	if kind == ".py" {
		python = cmp.Or(python, os.Getenv("BENCH_PYTHON"))
		interpreter = cmp.Or(python, interpreter)
	}
	if executable(info) && (kind != ".py" || python == "") {
		return []string{path}, nil
	}
	if interpreter == "" {
		return nil, errors.New("it is not executable, and its name ends in none of .py, .R, .sh; use chmod +x")
	}
	found, err := exec.LookPath(interpreter)
	if err != nil {
		hint := "; install it"
		if kind == ".py" {
			hint += " or set BENCH_PYTHON to a Python"
		}
		return nil, fmt.Errorf("%s, which runs it, is not there%s", interpreter, hint)
	}
	if found, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	return []string{found, path}, nil
}

func executable(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode()&0o111 != 0
}

// oneThread are the variables that set the number of threads of numerical libraries. Several cells run at the
// same time, and sums of several threads may differ from run to run.
var oneThread = []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
	"VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS"}

// environment returns the variables of a process of the plugin. They are this program's variables without the
// names of the user's data and folders. The Python side of the protocol is added. One thread and a fixed hash
// of strings are set where the user has not chosen otherwise. The locale is that of C, so that numbers and orders
// of texts are the same on every machine, and errors of the system are found in English.
func (p *Plugin) environment(folder string) []string {
	out := sandbox.Environment(os.Environ(), folder)
	for _, v := range append(slices.Clone(oneThread), "PYTHONHASHSEED", "JOBLIB_MULTIPROCESSING") {
		if _, set := os.LookupEnv(v); !set {
			value := "0" // processes of joblib need semaphores that all programs see
			if slices.Contains(oneThread, v) {
				value = "1"
			}
			out = append(out, v+"="+value)
		}
	}
	paths := filepath.Join(p.data, "python")
	if old := os.Getenv("PYTHONPATH"); old != "" {
		paths += string(os.PathListSeparator) + old
	}
	return append(append(out, p.launch.variables...), "PYTHONPATH="+paths, "BENCH_PLUGIN=1", "LC_ALL=C.UTF-8")
}

// These files are the Python side of the protocol. With them a plugin needs no installed package but NumPy.
//
//go:embed python/benchplugin/*.py
var pythonFiles embed.FS

// Candidates returns the files of a folder that may be plugins, in the order of their names: executable
// files, and files that an interpreter runs. Names that begin with "." or "_" and folders are left out, since
// they hold the parts of plugins.
func Candidates(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		info, err := os.Stat(path) // a link counts as the file that it names
		if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(e.Name(), ".") ||
			strings.HasPrefix(e.Name(), "_") {
			continue
		}
		if interpreters[strings.ToLower(filepath.Ext(e.Name()))] != "" || executable(info) {
			out = append(out, path)
		}
	}
	return out, nil
}
