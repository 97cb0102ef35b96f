package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

func readLines(t *testing.T, path ...string) []string {
	t.Helper()
	file := filepath.Join(append([]string{testenv.Root()}, path...)...)
	return strings.Split(string(must.Get(os.ReadFile(file))(t)), "\n")
}

// A page is a document whose commands run in their order in one empty folder: `sh` blocks as scripts that stop at the
// first error, and `console` blocks line by line, whose output is compared with what the page shows. So do the commands
// of a `crontab`, and those of the steps of a workflow in `yaml`. A `go` block is the content of the file that the text
// before the block names last, and a `diff` block changes that file.
type page struct {
	file   string
	apart  bool   // each sh block has an empty folder of its own
	before string // what the reader has at hand
	needs  string // a program that the page runs; without it the page is skipped
	quick  bool   // the console blocks run in make test, too; all else in make thorough alone
}

var pages = []page{
	{file: "README.md", before: "bench import reference", apart: true, quick: true},
	{file: "docs/tutorial/first-hour.md"},
	{file: "docs/how-to/adding-a-method.md", apart: true},
	{file: "docs/how-to/alarm.md", before: "bench methods new Mine --lang python\nln -s \"$PWD\" ~/mine"},
	{file: "docs/how-to/extending.md", before: "cd \"$CHECKOUT\" && git ls-files -z | xargs -0 tar c | " +
		"tar x -C \"$OLDPWD\""},
	{file: "docs/how-to/models.md", before: "(echo alcohol,malic_acid,ash,alcalinity_of_ash,magnesium," +
		"total_phenols,flavanoids,nonflavanoid_phenols,proanthocyanins,color_intensity,hue,od280_od315,proline\n" +
		"echo 13,2,2.4,19,100,2,2,0.3,1.5,5,1,3,800) >new.csv"},
	{file: "docs/how-to/own-data.md", before: "(echo age,outcome; for i in $(seq 20); do echo $((20+i)),none; echo " +
		"$((40+i)),mild; echo $((60+i)),severe; done) >patients.csv\n(echo patient,dose,outcome; for i in " +
		"$(seq 90); do echo p$((i/3)),$((i*i%17)).5,$(test $((i*i%17)) -gt 7 && echo ill || echo well); done) " +
		">clinic.csv"},
	{file: "docs/how-to/paper.md", before: "bench import reference"},
	{file: "docs/how-to/r.md", needs: "Rscript"},
	{file: "docs/how-to/repository.md"},
	{file: "docs/how-to/run.md", before: "bench methods new MyBoost --lang python"},
	{file: "docs/how-to/share-and-verify.md", before: "bench methods new MyBoost --lang " +
		"python"},
	{file: "docs/how-to/shell.md"},
	{file: "docs/explanation/experiments.md", before: "bench data fetch small15"},
	{file: "docs/paper/paper.md", before: "bench import reference"},
	{file: "docs/reference/protocols.md"},
}

// standIns are run in place of commands that would take hours, another shell, or this checkout itself.
var standIns = map[string]string{
	"make run": "", // first.txtar runs it
	// scripts/wheels-check.sh follows the lines that install a release
	"minisign -Vm SHA256SUMS -p minisign.pub && sha256sum -c --ignore-missing SHA256SUMS": "",
	"uv tool install ./kernelboosting_bench-*_x86_64.whl":                                 "",
	"install -D bench-*-linux-amd64 ~/.local/bin/bench":                                   "",
	"make test":       "",
	"bench run --all": "bench run --all --dry-run",
	"bench run --methods trees,MyBoost --split 7,9": "bench run --methods trees,MyBoost --split 7,9 --datasets wine",
	"bench run --methods MyBoost":                   "bench run --methods MyBoost --datasets wine --splits 2",
	"bench run --methods Mine":                      "bench run --methods Mine,CART --datasets wine --splits 2",
	"bench run --methods Mine --against LGBM": "bench run --methods Mine --against LGBM --datasets wine,sonar " +
		"--splits 5",
	"bench verify": "bench verify --sample 2 --methods GBRFF2,LGBM --datasets wine",
	"bench verify --sample 100% --datasets wine": "bench verify --sample 4 --methods GFC --datasets wine",
	"bench experiment run ecml-figure2":          "bench experiment run ecml-figure2 --dry-run",
	"bench run --protocol large --methods LDA,CART,LGBM --max-cell 5m --isolate --jobs 1": "bench run --protocol " +
		"large --methods LDA --datasets smooth-100000,linear-100000 --max-cell 5m --isolate --jobs 1",
	`bench completion zsh > "${fpath[1]}/_bench"`: "bench completion zsh > " +
		"_bench",
	"bench help --man | man -l -":                                 "bench help --man > bench.1",
	"go install github.com/kernelboosting/bench/cmd/bench@latest": "",
	"pip install numpy":                                           "",
}

// steps find the commands of files that another program reads.
var steps = map[string]*regexp.Regexp{
	"yaml":    regexp.MustCompile(`(?m)^ *- run: (.*)$`),
	"crontab": regexp.MustCompile(`(?m)^(?:[0-9*]+ +){5}(.*)$`),
}

// TestPages runs the commands of pages. Each page has a folder, with this checkout and, in make thorough, with the data
// mirror and a Python that has NumPy.
func TestPages(t *testing.T) {
	t.Parallel()
	caches := strings.Fields(string(must.Get(exec.Command("go", "env", "GOCACHE", "GOPATH").Output())(t)))
	for _, p := range pages {
		thorough := testenv.ThoroughPart(t, p.file)
		if !p.quick && !thorough {
			continue // TestScripts runs the parts
		}
		t.Run(p.file, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(p.needs); err != nil && p.needs != "" {
				t.Skipf("there is no %s; r-base-core has it", p.needs)
			}
			env := append(os.Environ(), "BENCH_DATA="+filepath.Join(t.TempDir(), "data"), "BENCH_PLUGINS=",
				"CHECKOUT="+testenv.Root(),
				"GOFLAGS=-buildvcs=false -trimpath", "HOME="+t.TempDir(), "GOCACHE="+caches[0], "GOPATH="+caches[1])
			if thorough {
				python, bin := testenv.Python(t), t.TempDir()
				must.Do(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\nexec "+python+` "$@"`+"\n"),
					0o755))
				env = append(env, "BENCH_PYTHON="+python, "PATH="+bin+":"+os.Getenv("PATH"),
					"BENCH_MIRROR="+must.Get(filepath.Abs(testenv.Mirror(t)))(t))
			}
			p.run(t, env, thorough)
		})
	}
}

// run runs the console blocks, and all blocks in make thorough.
func (p page) run(t *testing.T, env []string, thorough bool) {
	dir, commands := t.TempDir(), 0
	script := func(dir, text string) string {
		// however busy the machine is
		c := exec.Command("bash", "-e", "-o", "pipefail", "-c", strings.ReplaceAll(text, "methods check",
			"methods check --timeout 1h"))
		c.Dir, c.Env = dir, env
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s\n%v\n%s%s", text, err, out, said.String())
		}
		commands++
		return string(out)
	}
	script(dir, p.before)
	before := "" // the text before a block
	for block := range strings.SplitSeq(strings.Join(readLines(t, p.file), "\n"), "\n```") {
		kind, body, _ := strings.Cut(block, "\n")
		switch kind {
		case "go", "diff":
			names := goFile.FindAllStringSubmatch(before, -1)
			if len(names) == 0 {
				t.Fatalf("%s does not say of which file this block is:\n%s", p.file, body)
			}
			edit(t, filepath.Join(dir, names[len(names)-1][1]), kind == "diff", body+"\n")
		case "sh", "yaml", "crontab":
			if !thorough {
				continue
			}
			if found := steps[kind]; found != nil {
				body = ""
				for _, m := range found.FindAllStringSubmatch(block, -1) {
					body += m[1] + "\n"
				}
			}
			in := dir
			if p.apart {
				in = t.TempDir()
			}
			script(in, standingIn(body))
		case "console":
			for _, e := range consoleExamples(body) {
				if out := script(dir, e.command); len(e.output) > 0 &&
					!matches(strings.Split(strings.TrimRight(out, "\n"), "\n"), e.output) {
					t.Errorf("%s prints\n%s\n%s shows\n%s", e.command, out, p.file, strings.Join(e.output, "\n"))
				}
			}
		default:
			before = body
		}
	}
	if commands < 2 {
		t.Errorf("%s has no commands", p.file)
	}
}

var goFile = regexp.MustCompile("`([^`\\s]+\\.go)`")

// edit writes a file, or makes changes in it: lines that begin with - or a blank are there, one after the other and
// once, and lines that begin with + or a blank take their place.
func edit(t *testing.T, path string, change bool, body string) {
	t.Helper()
	text := body
	if change {
		var old, new strings.Builder
		for line := range strings.Lines(body) {
			if line[0] != '+' {
				old.WriteString(line[1:])
			}
			if line[0] != '-' {
				new.WriteString(line[1:])
			}
		}
		there := string(must.Get(os.ReadFile(path))(t))
		if strings.Count(there, old.String()) != 1 {
			t.Fatalf("these lines are not in %s, or more than once:\n%s", path, old.String())
		}
		text = strings.Replace(there, old.String(), new.String(), 1)
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
}

// standingIn is a script with the commands that stand in for some of its own.
func standingIn(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		command, _, _ := strings.Cut(line, "  #")
		command, _, _ = strings.Cut(command, " # ")
		if other, found := standIns[strings.TrimSpace(command)]; found {
			line = other + "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// TestRSkeleton: the skeleton in R passes the checks of plugins, where there is an R.
func TestRSkeleton(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("there is no Rscript; r-base-core has it")
	}
	p := newProcess(t)
	p.run(t, "methods", "new", "Mine", "--lang", "r")
	p.run(t, "methods", "check", "Mine", "--timeout", "1h")
}

type example struct {
	command string
	output  []string
}

// consoleExamples are the commands of a block, each behind a $, with the lines below them.
func consoleExamples(block string) []example {
	var out []example
	for line := range strings.SplitSeq(block, "\n") {
		if command, found := strings.CutPrefix(line, "$ "); found {
			out = append(out, example{command: command})
		} else if len(out) > 0 {
			out[len(out)-1].output = append(out[len(out)-1].output, line)
		}
	}
	return out
}

// matches compares lines; "..." in want stands for any number of lines, and at the end of a line for the rest of it.
func matches(got, want []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for skip := 0; skip <= len(got); skip++ {
			if matches(got[skip:], want[1:]) {
				return true
			}
		}
		return false
	}
	if len(got) == 0 {
		return false
	}
	start, open := strings.CutSuffix(want[0], " ...")
	same := strings.TrimRight(got[0], " ") == strings.TrimRight(want[0], " ") || open &&
		strings.HasPrefix(got[0], start)
	return same && matches(got[1:], want[1:])
}
