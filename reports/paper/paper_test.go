package paper

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

var update = flag.Bool("update", false, "rewrite testdata")

// A world is what a folder is made of, so that a test changes one thing in it.
type world struct {
	sample.Input
	protocol *protocol.Protocol
	known    map[string]registry.Spec
	o        Options
}

func (w world) Lookup(name string) (registry.Spec, error) {
	s, ok := w.known[name]
	if !ok {
		return s, fmt.Errorf("no method is named %q", name)
	}
	return s, nil
}

const every = registry.Binary | registry.Multiclass | registry.Regression

const semantics = `
splits = 5
source = "Gautheron et al., ECML PKDD 2020, Section 4"
[semantics]
folds = 5
standardise = true
test_fraction = 0.3
`

// parsed makes a protocol of a text.
func parsed(t *testing.T, text string) *protocol.Protocol {
	t.Helper()
	return must.Get(protocol.Parse("mine", []byte(text)))(t)
}

// usual is three methods on eight sets with five splits each, all finished: A is better than B by 4 points on each
// set, and as good as C, or not by a row.
func usual(t *testing.T) world {
	w := world{protocol: parsed(t, semantics), known: map[string]registry.Spec{
		"A": {Name: "A", Tasks: every, Source: "this test"}, "B": {Name: "B", Tasks: every, Source: "Breiman 2001"},
		"C": {Name: "C", Tasks: every, Source: "Sinha and Duchi, NIPS 2016; Rahimi and Recht, NIPS 2008"},
	}}
	w.o = Options{Method: "A", Level: 0.05, Program: "bench v9", Command: "bench paper A",
		Generated: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)}
	w.Protocol.Name, w.Protocol.Splits = "mine", 5
	w.Input.Known, w.Grids = map[string]sample.Set{}, map[string][]json.RawMessage{"g1": make([]json.RawMessage, 1),
		"g3": make([]json.RawMessage, 3)}
	environment := &result.Environment{ProgramVersion: "v8", VCSRevision: "0123456789abcdef", GoVersion: "go1.26",
		OS: "linux", Arch: "amd64", CPU: "A Processor", Cores: 2}
	for s := range 8 {
		name := fmt.Sprintf("s%d", s+1)
		w.Protocol.Datasets = append(w.Protocol.Datasets, name)
		w.Input.Known[name] = sample.Set{Entry: catalogue.Entry{Rows: 100 * (s + 3), Features: s + 2}}
		for split := 1; split <= 5; split++ {
			for i, m := range []string{"A", "B", "C"} {
				r := sample.OK(name, m, split, 160+s+split-[]int{0, 8, (s + split) % 2}[i], 200)
				seconds := 1.0
				r.MethodVersion, r.GridHash, r.Environment, r.FitSeconds, r.StartedAt = "1", "g3", environment,
					&seconds, "2026-01-02T00:00:00Z"
				w.Rows = append(w.Rows, r)
			}
		}
	}
	return w
}

// build returns the files by their names.
func (w world) build(t *testing.T) map[string]string {
	t.Helper()
	w.Protocol.Once = w.protocol.Semantics.Splitter().Once
	f := w.Frame(t)
	f.Registry, w.o.Protocol = w, w.protocol
	p := must.Get(Build(f, w.o))(t)
	return written(t, p)
}

func written(t *testing.T, p *Paper) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := p.Write(func(name string, content func(io.Writer) error) error {
		var out strings.Builder
		err := content(&out)
		files[name] = out.String()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// drop takes rows out.
func (w *world) drop(out func(store.Row) bool) { w.Rows = slices.DeleteFunc(w.Rows, out) }

// change edits rows.
func (w *world) change(edit func(*store.Row)) {
	for i := range w.Rows {
		edit(&w.Rows[i])
	}
}

// The whole folder of a table without gaps, but for drawings. Its numbers are those of usual: 8 sets of 300 to 1000
// rows, 5 splits, 72 cells, 2 comparisons and 16 tests.
func TestGolden(t *testing.T) {
	files := usual(t).build(t)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	must.Be(t, names, strings.Fields("README.txt compare.tex figure.pdf figure.svg figure.tex forest.pdf forest.svg "+
		"forest.tex main.tex methods.tex references.bib sentence.tex sentence.txt table.tex"), "files")
	for _, name := range strings.Fields("README.txt main.tex methods.tex references.bib sentence.tex sentence.txt") {
		golden := filepath.Join("testdata", name)
		if *update {
			must.Do(t, os.WriteFile(golden, []byte(files[name]), 0o644))
		}
		want := must.Get(os.ReadFile(golden))(t)
		must.Be(t, cmp.Diff(string(want), files[name]), "", name)
	}
	must.Hold(t, files["forest.svg"], "A ahead &gt;")
	must.Lack(t, files["forest.svg"], "ahead ahead")
	must.Be(t, strings.Count(files["README.txt"], "\n"), len(files), "README.txt has")
}

// What is not as usual is said as it is. Each case changes one thing, and names what the text must say and must not
// say then.
func TestTextIsTrue(t *testing.T) {
	with := func(more string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { w.protocol = parsed(t, more) }
	}
	for name, c := range map[string]struct {
		edit      func(*testing.T, *world)
		says, not []string
	}{
		"no grid": {func(_ *testing.T, w *world) { w.change(func(r *store.Row) { r.GridHash = "g1" }) },
			[]string{"No grid is searched: each method has one grid point", "(version 1, 1 grid point)"},
			[]string{"cross-validation", "grid points"}},
		"one grid of one point": {func(_ *testing.T, w *world) {
			w.change(func(r *store.Row) {
				if r.Method == "B" {
					r.GridHash = "g1"
				}
			})
		}, []string{"5 folds of a cross-validation", "B~\\cite{bench-breiman2001} (version 1, 1 grid point)"}, nil},
		"other grids by set": {func(_ *testing.T, w *world) {
			w.change(func(r *store.Row) {
				if r.Dataset == "s1" {
					r.GridHash = "g1"
				}
			})
		}, []string{"A (version 1, 1 to 3 grid points, this test)"}, nil},
		"unknown grid": {func(_ *testing.T, w *world) { w.change(func(r *store.Row) { r.GridHash = "lost" }) },
			[]string{"A (version 1, this test)"}, []string{"setting"}},
		"given": {with("splits = 5\n[semantics]\nsplit = 'given'\nfolds = 2\n"),
			[]string{"tested on the test part that it comes with, where splits differ in folds and seeds alone",
				"Features are not standardised by"}, []string{"divided", "30~"}},
		"given or stratified": {func(t *testing.T, w *world) {
			w.protocol = parsed(t, "splits = 5\n[semantics]\nsplit = 'given-or-stratified'\ntest_fraction = "+
				"0.25\nfolds = 2\n")
			s := w.Input.Known["s2"]
			s.Entry.Files = []catalogue.File{{Rows: 200}, {Rows: 200, Role: catalogue.RoleTest}}
			w.Input.Known["s2"] = s
		}, []string{"A data set that comes with a test part is tested on",
			"The rows of others are divided 5 times into training and test rows, with the shares of the classes kept " +
				"where the target is a class; 25~\\% of the rows"}, nil},
		"parts": {with("splits = 5\n[semantics]\nsplit = 'kfold'\nparts = 2\nfolds = 2\n"),

			[]string{"divided into 2 parts, and each of 5 splits tests one part."}, []string{"rounded"}},
		"an exact share": {with("splits = 5\n[semantics]\ntest_fraction = 0.333\nfolds = 2\n"),
			[]string{"33.3~\\% of the rows"}, nil},
		"another metric": {with("splits = 5\n[semantics]\ntest_fraction = 0.3\nfolds = 2\nmetric = 'auc'\n"),
			[]string{"the best mean area under the ROC curve over the 2 folds", "the mean test accuracy"}, nil},
		"no source": {with("splits = 5\n[semantics]\ntest_fraction = 0.3\nfolds = 2\n"),
			[]string{"Results follow the protocol mine."}, []string{"after "}},
		"source unknown": {with("splits = 5\nsource = 'A_B 2031'\n[semantics]\ntest_fraction = 0.3\nfolds = 2\n"),
			[]string{`protocol mine (after A\_B 2031).`}, nil},
		"fewer splits": {func(_ *testing.T, w *world) { w.drop(func(r store.Row) bool { return r.Split > 1 }) },
			[]string{"Preliminary, from 1 of 5 splits.",
				"Of 120 cells (3 methods on 8 data sets, 5 splits each), 24 are finished. Not run: every method on "},
			[]string{"120 are finished"}},
		"chosen splits": {func(_ *testing.T, w *world) { w.Splits = []int{2, 3} },
			[]string{"divided 2 times", "of the protocol's 5 splits these are numbers 2-3.",
				"Of 48 cells (3 methods on 8 data sets, 2 splits each), 48 are finished.",
				"Preliminary, from 2 of 5 splits. "}, nil},
		"two sets": {func(_ *testing.T, w *world) { w.drop(func(r store.Row) bool { return r.Dataset > "s2" }) },
			[]string{"Results are on 2 of 8 data sets.", "Of 8 data sets, 2 have results: s1 and s2, with",
				"There is no test over data sets: no result of so few data sets can be significant; 7 are enough.",
				"Of 120 cells"}, []string{"Wilcoxon's exact"}},
		"one set": {func(_ *testing.T, w *world) {
			w.Datasets = []string{"s3"}
		}, []string{"Of 1 data set, 1 have results: s3, with 500 rows, 4 features and 200 test rows (binary).",
			"Preliminary, on 1 data set.", "Of the protocol's 8 data sets, 1 were chosen.\n"}, nil},
		"one other": {func(_ *testing.T, w *world) {
			w.Methods, w.Datasets = []string{"A", "B"}, []string{"s1", "s2", "s3"}
		}, []string{"no result of so few data sets can be significant; 6 are enough."}, []string{"C "}},
		"a partial method": {func(_ *testing.T, w *world) {
			w.drop(func(r store.Row) bool { return r.Method == "A" && r.Dataset < "s3" })
		}, []string{"Left out, since A has no result there: s1, s2.", "Of 8 data sets, 6 have results of A: s3",
			"Results of A are on 6 of 8 data sets.",
			"Average ranks of 3 methods over 6 data sets", "Bold: best of its row, every tied one;"},
			[]string{"Without a rank"}},
		"a method with fewer splits": {func(_ *testing.T, w *world) {
			w.drop(func(r store.Row) bool { return r.Method == "A" && r.Split > 3 })
		}, []string{"Partial: of the 8 data sets that means and ranks are over, A has all splits on 0; a comparison " +
			"is over the data sets that both methods have.", "Average ranks of 2 methods over 8 data sets",
			"Without a rank, since splits or data sets are missing: A.",
			"Bold: best of its row of the methods with all data sets, every tied one;"}, nil},
		"several versions": {func(_ *testing.T, w *world) {
			w.change(func(r *store.Row) {
				if r.Method == "C" && r.Dataset < "s3" {
					r.MethodVersion = "2"
				}
			})
		}, []string{"(version 1 on s3, s4, s5, s6, s7 and s8, version 2 on s1 and s2, 3 grid points)",
			"Warning: C: version 1 on"}, nil},
		"a failure": {func(_ *testing.T, w *world) {
			w.Rows[0].Status, w.Rows[0].Error, w.Rows[0].Score = result.Failed, "50% of memory_x", result.Score{}
		}, []string{`119 are finished. Failed (50\% of memory\_x): A on s1 (split 1).`}, nil},
		"changes": {func(_ *testing.T, w *world) {
			e := *w.Rows[0].Environment
			e.VCSModified, e.CPU, e.VCSRevision = true, "", "fedcba9876543210"
			w.Rows[0].Environment, w.Rows[0].StartedAt = &e, "2026-01-05T00:00:00Z"
		}, []string{"bench v8 (git revision fedcba987654) with changes that were not committed on a processor " +
			"that was not recorded (1 cell)", "bench v8 (git revision 0123456789ab) on A Processor (119 cells)",
			"from 2026-01-02 to 2026-01-05"}, nil},
		"imported": {func(_ *testing.T, w *world) { w.Rows[0].Imported = "their.bench" },
			[]string{"Imported, and not computed into this database: 1 of 120 cells, from their.bench."}, nil},
		"test scores of elsewhere": {func(_ *testing.T, w *world) {
			w.change(func(r *store.Row) {
				if r.Method == "C" {
					r.Imported, r.FitSeconds, r.GridHash = "c.csv", nil, "g1"
				}
			})
			delete(w.known, "C")
		}, []string{"The test scores of C were made elsewhere on the same rows and counted here; how grid points " +
			"were chosen there is not known", "C (version 1, made elsewhere)", "40 of 120 cells, from c.csv"},
			[]string{"C: one setting"}},
		"a set apart": {func(_ *testing.T, w *world) { w.Protocol.Apart = []string{"s8"} },
			[]string{"Of 7 data sets, 7 have results", "in neither means, ranks nor tests over data sets: s8."}, nil},
		"sizes unknown": {func(_ *testing.T, w *world) {
			w.Input.Known["s4"] = sample.Set{}
		}, []string{"s7 and s8, with 200 test rows (binary)."}, []string{"features"}},
		"regression": {func(t *testing.T, w *world) {
			w.protocol = parsed(t, "splits = 5\n[semantics]\ntest_fraction = 0.3\nfolds = 2\nscale_target = true\n")
			for i, r := range w.Rows {
				n := sample.Numbers(r.Dataset, r.Method, r.Split, float64(r.TestRows-*r.Score.Correct))
				n.MethodVersion, n.GridHash, n.Environment, n.FitSeconds, n.StartedAt = r.MethodVersion, r.GridHash,
					r.Environment, r.FitSeconds, r.StartedAt
				w.Rows[i] = n
			}
			for name, s := range w.Input.Known {
				s.Entry.Task = registry.Regression
				w.Input.Known[name] = s
			}
		}, []string{"the best mean mean squared error", "So are the targets of regression",
			"10 test rows (regression)."},
			[]string{"binary", "benavoli"}},
		"a relative region": {func(t *testing.T, w *world) {
			w.o.Region = region(t, "10%")
		}, []string{`Differences of up to 10 \% of the error are taken not to matter`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := usual(t)
			c.edit(t, &w)
			files := w.build(t)
			text := files["methods.tex"] + files["sentence.txt"] + files["table.tex"] + files["figure.tex"]
			must.Hold(t, text, c.says...)
			must.Lack(t, text, c.not...)
			checkCitations(t, files)
		})
	}
}

// A result that is preliminary or partial is called so in the sentences, the text and the methods.
func TestPreliminaryIsSaid(t *testing.T) {
	w := usual(t)
	w.drop(func(r store.Row) bool { return r.Split > 1 || r.Method == "A" && r.Dataset > "s5" })
	files := w.build(t)
	for _, name := range []string{"sentence.tex", "sentence.txt", "methods.tex"} {
		must.Hold(t, files[name], "Preliminary, from 1 of 5 splits.",
			"Results of A are on 5 of 8 data sets.")
	}
}

// Without a set that counts for two methods there is no figure, and no file speaks of one.
func TestNoFigure(t *testing.T) {
	w := usual(t)
	w.Protocol.Apart = w.Protocol.Datasets
	files := w.build(t)
	for name, text := range files {
		if strings.HasPrefix(name, "figure") || strings.HasPrefix(name, "forest") ||
			strings.Contains(text, `Figure~\ref`) || strings.Contains(text, `\input{f`) {
			t.Errorf("%s is of a figure:\n%s", name, text)
		}
	}
	checkCitations(t, files)
}

var entries = regexp.MustCompile(`(?m)^@\w+\{([^,]+),`)

// A method of one's own is marked in the table and in both drawings.
func TestOwnIsMarked(t *testing.T) {
	w := usual(t)
	w.Own = []string{"A"}
	files := w.build(t)
	must.Hold(t, files["table.tex"], "A $\\ddagger$", "a method of one's own")
	must.Hold(t, files["figure.svg"], "Underlined: a method of one&#39;s own")
	must.Hold(t, files["forest.svg"], "Underlined: a method of one&#39;s own")
}

// checkCitations demands that references.bib has what is cited, and nothing else.
func checkCitations(t *testing.T, files map[string]string) {
	t.Helper()
	var cited, have []string
	for _, text := range files {
		for _, m := range cites.FindAllStringSubmatch(text, -1) {
			cited = append(cited, strings.Split(m[1], ",")...)
		}
	}
	for _, m := range entries.FindAllStringSubmatch(files["references.bib"], -1) {
		have = append(have, m[1])
	}
	slices.Sort(cited)
	slices.Sort(have)
	must.Be(t, cmp.Diff(slices.Compact(cited), have), "", "cited and not in references.bib (-), or the other way "+
		"round (+)")
}

// The papers of all methods and protocols that come with the program are known.
func TestSourcesAreKnown(t *testing.T) {
	sources := map[string]string{}
	for _, s := range methods.All().All() {
		sources["method "+s.Name] = s.Source
	}
	for _, name := range protocol.Names() {
		p := must.Get(protocol.Load(name))(t)
		if p.Source != "" { // a protocol of our own has none
			sources["protocol "+name] = p.Source
		}
	}
	for of, source := range sources {
		papers := 1 + strings.Count(source, ";") + strings.Count(source, ", as run by") +
			strings.Count(source, "with the l1 penalty of") + strings.Count(source, "as compared with by")
		if c := cited(source); strings.Count(c, "bench-") != papers {
			t.Errorf("%s: its source %q cites %q, want %d papers", of, source, c, papers)
		}
	}
	must.Be(t, cited("nobody, nowhere"), "", "an unknown source cites")
}

// The entry of the program says what CITATION.cff says, and everything has the version that it names.
func TestCitationFile(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "CITATION.cff")))(t)
	must.Hold(t, string(raw), "cff-version: 1.2.0\n", "\ntype: software\n", "\nlicense: MIT\n",
		`title: "`+programTitle+`"`, `- name: "`+programAuthor+`"`, `repository-code: "`+programURL+`"`)
	changes := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "CHANGELOG.md")))(t)
	version := regexp.MustCompile(`(?m)^version: (\S+)$`).FindSubmatch(raw)
	newest := regexp.MustCompile(`(?m)^## (\S+)`).FindSubmatch(changes)
	if version == nil || newest == nil {
		t.Fatal("CITATION.cff names no version, or CHANGELOG.md has no heading")
	}
	released, dev := strings.CutSuffix(string(version[1]), "-dev")
	must.Be(t, string(newest[1]), map[bool]string{true: "Unreleased", false: released}[dev],
		"CITATION.cff is of version", version[1])
	meta := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "codemeta.json")))(t)
	must.Hold(t, string(meta), `"version": "`+string(version[1])+`"`, programURL, `"name": "`+programAuthor+`"`)
	recipe := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "conda-recipe", "recipe.yaml")))(t)
	must.Hold(t, string(recipe), "\n  version: \""+released+"\"\n")
	// The Python package has the same version, in the form that Python's packages have.
	python := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "cmd", "python", "bench", "__init__.py")))(t)
	if want := `__version__ = "` + strings.Replace(string(version[1]), "-dev", ".dev0", 1) +
		`"`; !strings.Contains(string(python), "\n"+want+"\n") {
		t.Errorf("cmd/python/bench/__init__.py lacks %s", want)
	}
}

func TestFolder(t *testing.T) {
	for method, want := range map[string]string{"GBRFF2": "paper-GBRFF2", "RKS + intercept": "paper-RKS-intercept",
		"../A/B": "paper-A-B", "A@1.2": "paper-A-1.2"} {
		must.Be(t, Folder(method), want, "Folder(", method)
	}
}

func TestMathematics(t *testing.T) {
	got := mathematics([]string{"A_1: -0.5 points (95 % interval -1.0 to +2.25), p = 0.02, adjusted p < 0.0001.",
		"RFF-SKL 1-20"})
	must.Be(t, got, `A\_1: $-0.5$ points (95~\% interval $-1.0$ to $+2.25$), $p = 0.02$, adjusted $p < 0.0001$.`+
		"\n\nRFF-SKL 1-20")
}

// What cannot be shown is an error.
func TestErrors(t *testing.T) {
	for want, edit := range map[string]func(*world){
		"the level is 5": func(w *world) { w.o.Level = 5 },
		"no run of A is finished": func(w *world) {
			w.drop(func(r store.Row) bool { return r.Method == "A" })
		},
		"no other method has finished the same": func(w *world) {
			w.drop(func(r store.Row) bool { return r.Method != "A" })
		},
		`no metric is named "acuracy"`: func(w *world) { w.o.Metric = "acuracy" },
	} {
		w := usual(t)
		edit(&w)
		w.o.Protocol = w.protocol
		must.Say(t, must.Err(Build(w.Frame(t), w.o)), want)
	}
}

var _ frame.Methods = world{}
