package external

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/ringbuf"
	"github.com/kernelboosting/bench/internal/system/sandbox"
)

// pythonPaths prints where a Python is and what it reads: itself, its prefixes, its path, and what a user has installed for himself.
const pythonPaths = `import json, site, sys
try:
    site.addsitedir(site.getusersitepackages())
except OSError:
    pass
print(json.dumps({"exe": sys.executable, "base": site.getuserbase(), "read": [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path]}))`

// rPaths prints the same of an R.
const rPaths = `cat(R.home(), .libPaths(), sep = "\n")`

// A launcher is what executes a plugin, and what it reads to do so.
type launcher struct {
	argv      []string // command and first arguments, before those of the plugin
	read      []string // files and folders
	variables []string
}

// launcherOf finds what executes the plugin: the interpreter itself where its name stands for a script that looks for it. ask runs
// an interpreter in a sandbox; which one the plugin may have chosen, so that of one in a first line only what lies beside it is read.
func (p *Plugin) launcherOf(ask func(command string, arguments ...string) ([]byte, error)) launcher {
	in := launcher{argv: p.argv}
	command, arguments, named := p.argv[0], p.argv[1:], true
	if len(p.argv) == 1 { // an executable: the kernel looks at its first line, and so does this
		var first []string
		if first, named = p.shebang(); first == nil {
			return in
		}
		command, arguments = first[0], append(first[1:len(first):len(first)], p.argv[0])
	}
	in.read = beside(command)
	var found []string
	switch name := filepath.Base(command); {
	case strings.HasPrefix(name, "python") || strings.HasPrefix(name, "pypy"):
		said, err := ask(command, "-I", "-c", pythonPaths)
		var paths struct {
			Exe, Base string
			Read      []string
		}
		if err == nil {
			err = json.Unmarshal(said, &paths)
		}
		if err != nil || !filepath.IsAbs(paths.Exe) { // what it says when it runs the plugin says more
			return in
		}
		in.argv = append([]string{paths.Exe}, arguments...)
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

// mostSaid bounds what an interpreter says of itself, in bytes.
const mostSaid = 1 << 20

// ask runs an interpreter and returns what it prints, in a sandbox that lets it read the system and what stands beside it, and in a
// folder of the system's, so that it loads no file of the plugin.
func (p *Plugin) ask(command string, arguments ...string) ([]byte, error) {
	private, err := newFolder(p.data)
	if err != nil {
		return nil, err
	}
	defer private.remove()
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	c := exec.CommandContext(ctx, command, arguments...)
	c.Dir, c.Env = "/", sandbox.Environment(os.Environ(), private.path)
	if home, err := os.UserHomeDir(); err == nil { // which tells it where a user's packages are
		c.Env = append(c.Env, "HOME="+home)
	}
	apart(c)
	c.Cancel = func() error { killTree(c.Process.Pid); return nil }
	c.WaitDelay = lastWords
	said := &ringbuf.Buffer{Most: mostSaid}
	c.Stdout = said
	read, use := sandbox.System()
	err = startBound(c, sandbox.Policy{
		Read: append(read, beside(command)...), Use: use, Write: []string{private.path}, Hidden: p.options.Hidden, Never: sandbox.Never(),
	})
	if err != nil {
		return nil, err
	}
	processes.Keep(c.Process.Pid)
	defer processes.Release(c.Process.Pid)
	err = c.Wait()
	killGroup(c.Process.Pid)
	return []byte(said.String()), err
}

// beside returns a command and what stands beside it, such as bin and lib of one prefix: where it is named, and where links lead.
func beside(command string) []string {
	real, err := filepath.EvalSymlinks(command)
	if err != nil {
		return nil
	}
	return slices.Compact([]string{real, filepath.Dir(filepath.Dir(real)), filepath.Dir(filepath.Dir(command))})
}

// shebang returns the command of a script's first line, with the arguments that stand there, nil where there is none. named says
// that the line leaves it to the user which program of that name is taken.
func (p *Plugin) shebang() (words []string, named bool) {
	f, err := os.Open(p.full)
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
	if !filepath.IsAbs(words[0]) { // as the kernel has it, from the folder where the plugin is started
		words[0] = filepath.Join(p.home, words[0])
	}
	return words, named
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
			if path, err := p.part(file); err == nil {
				read = append(read, path)
			}
		}
	}
	return sandbox.Policy{
		Read: append(read, p.options.AllowRead...), Use: use, Hidden: p.options.Hidden, Never: sandbox.Never(),
	}.LookedUp()
}
