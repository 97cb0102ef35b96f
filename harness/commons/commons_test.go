package commons

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestNewCommons: the files of a new commons are read as they were meant.
func TestNewCommons(t *testing.T) {
	c := Usual()
	c.Protocol, c.Datasets, c.Splits, c.LeastSplits = "table2", []string{"wine", "sonar"}, 20, 1
	c.Program = Program{Version: "1.2.3", SHA256: strings.Repeat("0f", 32)}
	files := must.Get(New(c))(t)
	must.Be(t, must.Get(ParseConfig(files[ConfigFile].Content))(t), c)
	for _, name := range []string{"AGENTS.md", "README.md", "check.sh", ".github/workflows/check.yml"} {
		if len(files[name].Content) == 0 || strings.Contains(string(files[name].Content), "<<") {
			t.Errorf("%s: %q", name, files[name].Content)
		}
	}
	must.Be(t, files["check.sh"].Executable, true)
	for _, bad := range []string{"", "splits = 20", "other = 1", strings.Repeat("#", maxText+1),
		strings.Replace(string(files[ConfigFile].Content), "gain = 0.2", "gain = 0", 1)} {
		if _, err := ParseConfig([]byte(bad)); err == nil {
			t.Errorf("%.40q is read", bad)
		}
	}
}

// TestLock: a lock has names with versions and hashes; whatever else pip reads is refused.
func TestLock(t *testing.T) {
	hash := "--hash=sha256:" + strings.Repeat("ab", 32)
	good := "# made by hand\nnumpy==2.4.6 " + hash + " \\\n    " + hash + "\n\nscikit-learn==1.9.1 " + hash + "\n"
	lock := must.Get(ParseLock([]byte(good)))(t)
	must.Be(t, len(lock), 2)
	must.Be(t, must.Get(ParseLock(LockText(lock)))(t), lock)
	for _, bad := range []string{
		"numpy", "numpy==2.4.6", "numpy>=2 " + hash, "numpy==2.* " + hash, "-e . " + hash, "-r other.txt",
		"--index-url https://evil.example", "--extra-index-url=https://evil.example", "-f https://evil.example",
		"numpy @ https://evil.example/numpy.whl " + hash, "https://evil.example/numpy.whl " + hash,
		"./numpy.whl " + hash,
		"numpy==2.4.6 --hash=md5:" + strings.Repeat("ab", 16), "numpy==2.4.6 ; python_version > '3' " + hash,
		"numpy==2.4.6 " + hash + " --index-url https://evil.example", "numpy==2.4.6 " + hash + " # comment",
		"numpy[extra]==2.4.6 " + hash, "numpy==2.4.6 " + hash + "\nNumPy==2.4.5 " + hash,
		"num_py==1 " + hash + "\nnum.py==2 " + hash, "numpy==2.4.6\x00 " + hash, "${HOME}==1 " + hash,
		"numpy==2.4.6 " + hash + "\r--pre", "\ufeffnumpy==2.4.6 " + hash, strings.Repeat("#", 5*maxText),
	} {
		if got, err := ParseLock([]byte(bad)); err == nil {
			t.Errorf("%.90q is read as %v", bad, got)
		}
	}
}

// TestPaths: only plain names are files of an entry.
func TestPaths(t *testing.T) {
	for _, good := range []string{"mine.py", "part/of_it/x-1.py", "__init__.py"} {
		must.Do(t, checkPath(good))
	}
	for _, bad := range []string{"", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", ".git/config", "a/.git/x",
		"-x",
		"a\nb", "a b", "a\\b", "\x1b[31m", "c:x", "é.py", "a/b/c/d/e/f", strings.Repeat("x", 101)} {
		if checkPath(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	folder := must.Get(folderOf([]string{"methods/Mine/mine.py", "methods/Mine/a/b.py"}))(t)
	must.Be(t, folder, "Mine")
	for _, bad := range [][]string{{""}, {"README.md"}, {"methods/Mine"}, {"methods/Mine/x", ".github/workflows/x.yml"},
		{"methods/Mine/x", "methods/Other/x"}, {"methods/../x"}, {"methods/.x/y"}, {"methods/-x/y"},
		{"methods/Mine/receipt.json"}, {"methods/Mine/receipt.json.sig"}, {"commons.toml"}, {"refused/x.json"}} {
		if got, err := folderOf(bad); err == nil {
			t.Errorf("%q is taken as %s", bad, got)
		}
	}
}

func run(set string, split, correct, n int) result.Run {
	var r result.Run
	r.Method, r.Dataset, r.Split, r.Status, r.Score.N, r.Score.Correct = "Mine", set, split, result.OK, n, &correct
	return r
}

// give lets a draw give out cells until it ends, and returns how many.
func give(d *Draw, runs []result.Run) (given []*plan.Cell) {
	waiting := make([]*plan.Cell, len(runs))
	for i, r := range runs {
		waiting[i] = &plan.Cell{Cell: runner.CellOf(r)}
	}
	for {
		now, _ := d.Next(waiting)
		if len(now) == 0 {
			return given
		}
		for _, c := range now {
			d.Ended(c, run(c.Dataset, c.Split, 1, 1))
		}
		given = append(given, now...)
		waiting = slices.DeleteFunc(waiting, func(c *plan.Cell) bool { return slices.Contains(now, c) })
	}
}

// TestForgersAreCaught draws for forgers who know the rule and choose the cells that they forge: two cells by much, a
// set, every cell a little. Each gains 0.2 points of the mean or more, and not one in a hundred gets through.
func TestForgersAreCaught(t *testing.T) {
	const sets, splits = 10, 20
	trials := 100
	if testenv.Thorough(t) {
		trials = 1000
	}
	var honest, field []result.Run
	for s := range sets {
		for i := range splits {
			honest = append(honest, run(fmt.Sprint("s", s), i+1, 700+10*s+i%7, 1000))
			field = append(field, run(fmt.Sprint("s", s), i+1, 640+10*s-5*(i%3), 1000))
		}
	}
	forgers := map[string]func(i int) int{ // by how many of 1000 rows a cell is raised
		"all a little": func(int) int { return 2 },
		"one set":      func(i int) int { return map[bool]int{true: 20}[i < splits] },
		"two cells":    func(i int) int { return map[bool]int{true: 200}[i%100 == 7] },
		"every tenth":  func(i int) int { return map[bool]int{true: 20}[i%10 == 0] },
	}
	for name, raised := range forgers {
		reported, forged := slices.Clone(honest), map[cellName]bool{}
		for i, r := range honest {
			if by := raised(i); by > 0 {
				reported[i] = run(r.Dataset, r.Split, *r.Score.Correct+by, 1000)
				forged[nameOf(r)] = true
			}
		}
		missed, computed := 0, 0
		for k := range trials {
			f := Field{}
			f.Add(field)
			// The time is over at once when the level is reached.
			d := NewDraw(Usual(), reported, f.Gains(reported), seedOf(k), 0, math.MaxInt64)
			d.within = time.Hour
			d.since = time.Now().Add(-59 * time.Minute)
			given := give(d, reported)
			computed += len(given)
			if !slices.ContainsFunc(given, func(c *plan.Cell) bool { return forged[cellName{c.Dataset, c.Split}] }) {
				missed++
			}
			if c := d.Caught(); c < 0.99 {
				t.Fatalf("%s: caught with %v", name, c)
			}
		}
		t.Logf("%s: %d of %d are not caught; %d cells are computed on average", name, missed, trials, computed/trials)
		if missed > 7+trials/50 { // binomial: one of 100 expected, 10 have a probability of 7e-8; 28 of 1000 of 2e-6
			t.Errorf("%s: %d of %d are not caught", name, missed, trials)
		}
	}
}

func seedOf(k int) (seed [32]byte) {
	copy(seed[:], fmt.Sprint("seed ", k))
	return seed
}

// TestLevels: a check that ends early knows the level that it reached, and earlier refusals raise the level.
func TestLevels(t *testing.T) {
	var reported []result.Run
	for i := range 400 {
		reported = append(reported, run("s", i+1, 80+i%3, 100))
	}
	gains := Field{"s": {}}.Gains(reported)
	must.Be(t, gains[0], 80.0-0) // no field, and no counts that say the rate of the most frequent class
	for i := range gains {
		gains[i] = 5
	}
	short := NewDraw(Usual(), reported, gains, seedOf(1), 0, time.Hour)
	short.since = time.Now().Add(-2 * time.Hour)
	few := give(short, reported)
	must.Be(t, len(few), 4) // the first part begins whatever the time
	if c := short.Caught(); c <= 0 || c > 0.5 {
		t.Errorf("%d cells of 400 catch with %v", len(few), c)
	}
	needed := func(refusals int) int {
		d := NewDraw(Usual(), reported, gains, seedOf(1), refusals, time.Hour)
		d.since = time.Now().Add(-59 * time.Minute)
		return len(give(d, reported))
	}
	if a, b := needed(0), needed(5); a >= b || a < 60 || a > 200 {
		t.Errorf("%d cells, after five refusals %d", a, b)
	}
	all := NewDraw(Usual(), reported, gains, seedOf(1), 0, time.Hour)
	must.Be(t, len(give(all, reported)), 400) // the time suffices
	must.Be(t, all.Caught(), 1.0)
	nothing := NewDraw(Usual(), reported, make([]float64, 400), seedOf(1), 0, time.Hour)
	nothing.since = time.Now().Add(-59 * time.Minute)
	must.Be(t, len(give(nothing, reported)), 4)
	must.Be(t, nothing.Caught(), 1.0) // nothing can be gained
}

// TestDiffer: counts are compared as they are, values that follow from scores up to their last bits.
func TestDiffer(t *testing.T) {
	a := run("s", 1, 50, 100)
	must.Be(t, Differ(a, a), "")
	must.Be(t, Differ(a, run("s", 1, 51, 100)),
		"Mine on s, split 1: rows whose class is right: reported 50, computed 51")
	late := a
	late.Status, late.Error = result.Timeout, "no result in 10m0s"
	must.Be(t, Differ(a, late), "Mine on s, split 1: reported as ok; it takes too long here: no result in 10m0s")
	near, far := a, a
	near.Score.AUC2, far.Score.AUC2, a.Score.AUC2 = new(int64(100_010)), new(int64(101_000)), new(int64(100_000))
	must.Be(t, Differ(a, near), "")
	if Differ(a, far) == "" || Differ(a, run("s", 1, 50, 100)) == "" {
		t.Error("another area under the curve is taken")
	}
	kept := Replace([]result.Run{a, run("s", 2, 1, 2)}, []result.Run{run("s", 2, 2, 2)})
	must.Be(t, *kept[1].Score.Correct, 2)
	if kept[0].Score.AUC2 != nil || a.Score.AUC2 == nil {
		t.Error("a value that nobody computed again stays")
	}
}
