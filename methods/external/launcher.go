package external

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/sandbox"
)

// pythonPaths prints where a Python is and what it reads: itself, its prefixes, its path, and the base of the
// packages that a user has installed for himself.
const pythonPaths = `import json, site, sys
print(json.dumps({"exe": sys.executable, "base": site.getuserbase(), "read": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path[1:]]}))`

// A launcher is what executes a plugin, and what it reads to do so.
type launcher struct {
	argv      []string // command and first arguments, before those of the plugin
	read      []string // files and folders
	variables []string
}

// launcherOf finds what executes the plugin whose command is argv: the interpreter itself where its name stands
// for a script that looks for it. No code of the plugin runs.
func launcherOf(argv []string) launcher {
	in := launcher{argv: argv}
	command, arguments := argv[0], argv[1:]
	if len(argv) == 1 { // an executable: the kernel looks at its first line, and so does this
		first, ok := shebang(argv[0])
		if !ok {
			return in
		}
		command, arguments = first[0], append(first[1:len(first):len(first)], argv[0])
	}
	switch name := filepath.Base(command); {
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		c := exec.Command(command, "-c", pythonPaths)
		said, err := c.Output()
		var paths struct {
			Exe, Base string
			Read      []string
		}
		if err == nil {
			err = json.Unmarshal(said, &paths)
		}
		if err != nil { // what it says when it runs the plugin says more
			in.read = beside(command)
			break
		}
		in.argv = append([]string{paths.Exe}, arguments...)
		in.read = slices.DeleteFunc(paths.Read, func(path string) bool { return path == "" })
		in.variables = []string{"PYTHONUSERBASE=" + paths.Base}
	case strings.HasPrefix(name, "Rscript"):
		said, err := exec.Command(command, "--vanilla", "-e", `cat(R.home(), .libPaths(), sep = "\n")`).Output()
		if in.read = strings.Fields(string(said)); err != nil {
			in.read = beside(command)
		}
	default:
		in.read = beside(command)
	}
	return in
}

// beside returns a command and what stands beside it, such as bin and lib of one prefix.
func beside(command string) []string {
	real, err := filepath.EvalSymlinks(command)
	if err != nil {
		return nil
	}
	return []string{real, filepath.Dir(filepath.Dir(real))}
}

// shebang returns the command of a script's first line, with the arguments that stand there.
func shebang(file string) ([]string, bool) {
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	line, marked := strings.CutPrefix(line, "#!")
	words := strings.Fields(line)
	if err != nil || !marked || len(words) == 0 {
		return nil, false
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return w == "-S" })
		if len(words) == 0 {
			return nil, false
		}
		if words[0], err = exec.LookPath(words[0]); err != nil {
			return nil, false
		}
	}
	return words, true
}

// rights say what the processes of the plugin may do, but for the private folder of each.
func (p *Plugin) rights() sandbox.Policy {
	read, use := sandbox.System()
	read = append(read, p.launch.read...)
	read = append(read, p.home, filepath.Join(p.home, filepath.Base(p.file)), filepath.Join(p.data, "python"))
	if real, err := filepath.EvalSymlinks(filepath.Join(p.home, filepath.Base(p.file))); err == nil {
		read = append(read, filepath.Dir(real)) // a link in a folder of plugins
	}
	for _, variable := range []string{"LD_LIBRARY_PATH", "PYTHONPATH", "R_LIBS", "R_LIBS_USER"} {
		read = append(read, filepath.SplitList(os.Getenv(variable))...)
	}
	if p.described != nil {
		for _, file := range p.described.Files {
			if !filepath.IsAbs(file) {
				file = filepath.Join(p.home, file)
			}
			read = append(read, file)
		}
	}
	return sandbox.Policy{
		Read: append(read, p.options.AllowRead...), Use: use, Hidden: p.options.Hidden, Never: sandbox.Never(),
	}.LookedUp()
}
