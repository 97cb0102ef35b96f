package external

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/system/files"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
)

// pythonPaths prints the files and folders that a Python reads: its executable, its prefixes, its path, and
// the packages that a user has installed.
const pythonPaths = `import json, site, sys
try:
    site.addsitedir(site.getusersitepackages())
except OSError:
    pass
print(json.dumps({"exe": sys.executable, "base": site.getuserbase(),
	"read": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path]}))`

// pythonMain runs the script that its argument names as Python itself does, but for the place of the script's folder on
// the path of modules: it is the last one. So a plugin json.py or lightgbm.py hides no module from the plugins beside
// it, nor from itself. It defines no name that the script would see. What the script prints precedes its traceback.
const pythonMain = `__import__("sys").argv.pop(0); __file__ = __import__("sys").argv[0]
if __import__("sys").path[:1] == [""]:
    __import__("sys").path.append(__import__("os").path.dirname(__import__("os").path.realpath(__file__)))
    __import__("sys").path.pop(0)
try:
    exec(compile(open(__file__, "rb").read(), __file__, "exec", dont_inherit=True))
finally:
    __import__("sys").stdout.flush()`

// rPaths prints the files and folders that an R reads.
const rPaths = `cat(R.home(), .libPaths(), sep = "\n")`

// A launcher is the command that runs a plugin, and the files that the command reads.
type launcher struct {
	argv      []string // command and its first arguments, before those of the plugin
	read      []string // files and folders
	variables []string
}

// launcherOf finds the command that runs the plugin. If the command is a script that searches for an interpreter,
// launcherOf returns the interpreter itself. ask runs an interpreter in a sandbox. If the plugin's first line names the
// interpreter, the sandbox allows only the files of its installation.
func (p *Plugin) launcherOf(ask func(command string, arguments ...string) ([]byte, error)) launcher {
	in := launcher{argv: p.argv}
	command, arguments, named := p.argv[0], p.argv[1:], true
	if len(p.argv) == 1 { // an executable: read its first line, as the kernel does
		var first []string
		if first, named = p.shebang(); first == nil {
			return in
		}
		command, arguments = first[0], append(first[1:len(first):len(first)], p.argv[0])
	}
	in.read = installation(command)
	var found []string
	switch name := filepath.Base(command); {
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		said, err := ask(command, "-I", "-c", pythonPaths)
		var paths struct {
			Exe  string   `json:"exe"`
			Base string   `json:"base"`
			Read []string `json:"read"`
		}
		if err == nil {
			err = strictjson.Unmarshal(said, &paths)
		}
		if err != nil || !filepath.IsAbs(paths.Exe) { // the error of running the plugin says more than this one
			return in
		}
		last := len(arguments) - 1 // the script
		in.argv = slices.Concat([]string{paths.Exe}, arguments[:last], []string{"-c", pythonMain}, arguments[last:])
		in.variables = []string{"PYTHONUSERBASE=" + paths.Base}
		found = paths.Read
	case strings.HasPrefix(name, "Rscript"):
		said, err := ask(command, "--vanilla", "-e", rPaths)
		if err != nil {
			return in
		}
		found = strings.Split(string(said), "\n")
	}
	trusted := named || sandbox.OfSystem(command)
	for _, path := range found {
		if filepath.IsAbs(path) && (trusted || sandbox.Within(path, in.read)) {
			in.read = append(in.read, path)
		}
	}
	return in
}

// mostSaid is the most bytes that an interpreter may print about itself.
const mostSaid = 1 << 20

// ask runs an interpreter and returns its output. The sandbox lets the interpreter read the system's files
// and the files of its installation. It runs in a folder of the system, so that it loads no file of the plugin.
func (p *Plugin) ask(command string, arguments ...string) ([]byte, error) {
	private, err := newFolder(p.data)
	if err != nil {
		return nil, err
	}
	defer private.remove()
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	c := exec.Command(command, arguments...)
	c.Dir, c.Env = "/", sandbox.Environment(os.Environ(), private.path)
	if home, err := os.UserHomeDir(); err == nil { // HOME names the folder of the user's packages
		c.Env = append(c.Env, "HOME="+home)
	}
	apart(c)
	c.WaitDelay = lastWords
	said := &processes.Tail{Most: mostSaid}
	c.Stdout = said
	read, use := sandbox.System()
	box, err := sandbox.Start(c, sandbox.Policy{
		Read: append(read, installation(command)...), Use: use, Write: []string{private.path}, Hidden: p.options.Hidden,
		Never: sandbox.Never(),
	})
	if err != nil {
		return nil, err
	}
	processes.Keep(c.Process.Pid)
	defer processes.Release(c.Process.Pid)
	stop := context.AfterFunc(ctx, func() { killTree(c.Process.Pid) })
	defer stop()
	if status := box.Wait(); status.ExitStatus() != 0 {
		err = fmt.Errorf("%s says no paths", command)
	}
	killGroup(c.Process.Pid)
	return []byte(said.String()), err
}

// installation returns a command and the folders next to its own, such as bin and lib of one prefix. It does so for the
// command's name and for the file to which links lead.
func installation(command string) []string {
	real, err := filepath.EvalSymlinks(command)
	if err != nil {
		return nil
	}
	return slices.Compact([]string{real, filepath.Dir(filepath.Dir(real)), filepath.Dir(filepath.Dir(command))})
}

// shebang returns the command in the first line of a script with its arguments, nil if there is none. named
// reports that the line names a program that the user's path resolves.
func (p *Plugin) shebang() (words []string, named bool) {
	f, _, err := files.Open(p.full)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	line, marked := strings.CutPrefix(line, "#!")
	words = strings.Fields(line)
	if err != nil || !marked || len(words) == 0 {
		return nil, false
	}
	if filepath.Base(words[0]) == "env" && len(words) > 1 {
		words = slices.DeleteFunc(words[1:], func(w string) bool { return w == "-S" })
		if len(words) > 0 && filepath.Base(words[0]) == words[0] {
			words[0], err = exec.LookPath(words[0])
			named = true
		}
		if len(words) == 0 || err != nil {
			return nil, false
		}
	}
	if !filepath.IsAbs(words[0]) { // relative to the folder where the plugin is started, as for the kernel
		words[0] = filepath.Join(p.home, words[0])
	}
	return words, named
}

// rights returns the permissions of the plugin's processes, without the private folder of each.
func (p *Plugin) rights() sandbox.Policy {
	read, use := sandbox.System()
	read = append(read, p.launch.read...)
	read = append(read, p.full, filepath.Join(p.data, "python"))
	for _, variable := range []string{"LD_LIBRARY_PATH", "PYTHONPATH", "R_LIBS", "R_LIBS_USER"} {
		read = append(read, filepath.SplitList(os.Getenv(variable))...)
	}
	files := p.options.Files
	if p.described != nil {
		files = p.described.Files
	} else if files == nil { // which are its files it says itself
		read = append(read, p.home)
	}
	for _, file := range files {
		if path, err := p.part(file); err == nil {
			read = append(read, path, filepath.Join(p.home, file))
		}
	}
	return sandbox.Policy{
		List: []string{p.home}, Read: append(read, p.options.AllowRead...), Use: use, Hidden: p.options.Hidden,
		Never: sandbox.Never(),
	}.LookedUp()
}
